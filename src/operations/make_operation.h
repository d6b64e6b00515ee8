// Makes an Operation of functions over the types of one system.
#pragma once
#include <fovea/core/error.h>
#include <fovea/io/samples.h>
#include <fovea/report/evaluation.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "operations/operation.h"

namespace fovea::operations {

// What an operation has that needs no worker of its own: what it calls keeps nothing.
struct NoWorker {};
// What an operation has that says nothing about all items together.
struct NoCount {};

// What a call has: the user's options, and what begin() reads of them. Where it needs nothing
// besides, a setup is the options; else they are its member `asked`.
template <class Setup>
auto& options_of(Setup& setup) {
  if constexpr (requires { setup.asked; }) return setup.asked;
  else return setup;
}

// A file of all inputs that gets results of one type.
template <class Result>
class SharedFileOf : public SharedFile {
 public:
  void add(const io::Place& place, RecordRef result) final {
    write(place, *static_cast<const Result*>(result.object));
  }

 private:
  virtual void write(const io::Place& place, const Result& result) = 0;
};

template <class Setup, class Item>
struct OutputOf {
  // Results that were kept are written too: what these functions do depends on the options and the
  // item alone, and not on what begin() reads.
  Output about;
  void (*write)(const Setup&, const Item&, const std::string& path) = nullptr;
  std::string (*text)(const Setup&, const Item&) = nullptr;
  std::unique_ptr<SharedFile> (*open)(const std::string& path) = nullptr;
  // In place of `write`, where one output is several files.
  std::vector<std::string> (*write_several)(const Setup&, const Item&,
                                            const std::string& path) = nullptr;
  // Why the options make no such file, in one line; empty where they do. Null: they always do.
  std::string (*obstacle)(const Setup&) = nullptr;
  // Of an operation on frames or pairs:
  void (*check)(const std::string& path) = nullptr;
  std::string (*ending)(const Setup&) = nullptr;
  Image<std::uint8_t> (*paint)(const Setup&, std::size_t kind, const Item&) = nullptr;
};

// See Call for what the functions do. What may be missing is null. `Count` is what is counted of
// all items, which workers do not see.
template <class Setup, class Item, class Worker = NoWorker, class Count = NoCount>
struct Parts {
  Words words;
  OnPage on_page{};
  InputKind input{};
  bool needs_output = false;
  bool finite_pixels = false;
  bool alone_on_gpu = false;
  bool on_processor = false;
  bool alone = false;
  bool names_files = false;
  bool takes_bytes = false;
  std::vector<Given> given{};
  bool explains_on_processor = false;
  std::string_view preset{};
  std::string_view pairs{};
  std::string_view unit{};
  std::vector<OutputOf<Setup, Item>> outputs{};

  Setup (*start)() = nullptr;  // what a call begins with, where that is not Setup{}
  void (*apply_preset)(Setup&) = nullptr;
  void (*check_inputs)(const std::vector<std::string>& words) = nullptr;
  std::vector<std::string> (*find_inputs)(Setup&, const std::vector<std::string>& words,
                                          const std::vector<std::string>* merged) = nullptr;
  void (*check)(const Setup&) = nullptr;
  void (*settle)(Setup&, const Plan&) = nullptr;
  std::string (*cpu_only)(const Setup&, const Plan&) = nullptr;
  std::vector<std::string> (*read_beside)(const Setup&, const std::string& input) = nullptr;
  void (*begin)(Setup&, const Exec&, const Plan&) = nullptr;
  Worker (*worker)(const Setup&, const Exec&) = nullptr;
  void (*read)(const Setup&, const Source&, Item&) = nullptr;
  void (*run)(const Setup&, Worker&, Item&) = nullptr;

  bool (*is_still)(const std::vector<std::string>& inputs) = nullptr;
  std::unique_ptr<Frames> (*frames)(const Setup&, const Plan&) = nullptr;
  bool (*in_order)(const Setup&) = nullptr;
  bool (*measures)(const Setup&) = nullptr;
  std::string (*images_only)(const Setup&) = nullptr;
  void (*decode)(io::AnyImage, Image<std::uint8_t>& pixels, Image<std::uint8_t>& mask) = nullptr;
  void (*take)(const Setup&, const Step&, Item&) = nullptr;
  void (*follow)(Count&, Item&) = nullptr;
  RecordRef (*report)(const Setup&, Count&, const Ended&) = nullptr;
  std::string (*report_text)(const Setup&, Count&, const Ended&) = nullptr;
  report::Evaluation (*evaluation)(const Count&) = nullptr;
  std::optional<std::int64_t> (*blind_frames)(const Setup&, const std::string& input) = nullptr;
  void (*place)(const io::FrameTime&, Item&) = nullptr;
  RecordRef (*video)(Count&, const Ended&) = nullptr;

  Image<std::uint8_t>& (*pixels)(Item&) = nullptr;
  io::Orientation (*orientation)(const Setup&) = nullptr;
  std::uint64_t (*memory)(const Setup&, std::uint64_t bytes) = nullptr;
  std::uint64_t (*image_memory)(const Setup&, const io::ImageInfo& image) = nullptr;
  double (*work)(const Setup&) = nullptr;
  RecordRef (*result)(const Item&) = nullptr;
  std::vector<io::AnyImage>& (*images)(Item&) = nullptr;
  std::string (*line)(const Setup&, const Item&) = nullptr;
  Faults (*faults)(const Item&) = nullptr;
  std::string (*video_line)(const Count&, std::int64_t frames) = nullptr;
  void (*draw)(const Setup&, Item&) = nullptr;
  void (*controls)(OptionVisitor&, Setup&) = nullptr;      // null: all options
  void (*file_options)(OptionVisitor&, Setup&) = nullptr;  // null: none
  void (*show)(const Setup&, const Item&, Shown&) = nullptr;
  void (*compare)(const Setup&, const Item&, const Truth&, Shown&) = nullptr;
  RecordRef (*saved)(const Item&) = nullptr;
  std::string (*page)(const Setup&, const Item&, const report::Explanation* why) = nullptr;
  std::size_t (*held_bytes)(const Item&) = nullptr;
  void (*start_input)(Count&, Extent size) = nullptr;
  void (*tally)(Count&, Item&) = nullptr;
  std::string (*note_after_input)(const Setup&, Count&, const std::string& input) = nullptr;
  std::string (*note_after_all)(const Setup&, const Count&, const Totals&) = nullptr;

  std::vector<std::string> (*columns)(const Setup&) = nullptr;
  void (*write_row)(const Setup&, io::CsvWriter&, const io::Place&, const Item&) = nullptr;
  std::string (*members_before)(const Setup&) = nullptr;
  std::string (*members_after)(const Totals&) = nullptr;
  RecordRef (*sample_beside)() = nullptr;
  RecordRef (*sample_video)() = nullptr;

  bool (*explains)(const Setup&) = nullptr;
  std::string (*explain_picture)(const Setup&) = nullptr;
  Explained (*explain)(const Setup&, const std::shared_ptr<const Item>&, const Asked&) = nullptr;
};

template <class Setup, class Item, class Worker, class Count>
class CallOf final : public Call {
 public:
  using Made = Parts<Setup, Item, Worker, Count>;
  explicit CallOf(std::shared_ptr<const Made> parts) : parts_(std::move(parts)) {}

  void visit_options(OptionVisitor& visit) override { describe(visit, options_of(setup_)); }
  void visit_controls(OptionVisitor& visit) override {
    if (parts_->controls) parts_->controls(visit, setup_);
    else describe(visit, options_of(setup_));
  }
  void visit_file_options(OptionVisitor& visit) override {
    if (parts_->file_options) parts_->file_options(visit, setup_);
  }
  void apply_preset() override {
    if (parts_->apply_preset) parts_->apply_preset(setup_);
  }
  void check_inputs(const std::vector<std::string>& words) const override {
    if (parts_->check_inputs) parts_->check_inputs(words);
  }
  std::optional<std::vector<std::string>> find_inputs(
      const std::vector<std::string>& words, const std::vector<std::string>* merged) override {
    if (!parts_->find_inputs) return {};
    return parts_->find_inputs(setup_, words, merged);
  }
  void check() const override {
    if (parts_->check) parts_->check(setup_);
  }
  void settle(const Plan& plan) override {
    if (parts_->settle) parts_->settle(setup_, plan);
  }
  std::string cpu_only(const Plan& plan) const override {
    return parts_->cpu_only ? parts_->cpu_only(setup_, plan) : std::string();
  }
  void check_file(std::size_t output, const std::string& path) const override {
    if (parts_->outputs[output].check) parts_->outputs[output].check(path);
  }
  std::vector<std::string> read_beside(const std::string& input) const override {
    return parts_->read_beside ? parts_->read_beside(setup_, input) : std::vector<std::string>{};
  }
  void begin(const Exec& exec, const Plan& plan) override {
    if (parts_->begin) parts_->begin(setup_, exec, plan);
  }
  std::shared_ptr<void> make_worker(const Exec& exec) const override {
    if constexpr (std::is_same_v<Worker, NoWorker>) return std::make_shared<NoWorker>();
    else return std::make_shared<Worker>(parts_->worker(setup_, exec));
  }
  std::shared_ptr<void> make_item() const override { return std::make_shared<Item>(); }
  void read(const Source& source, void* item) const override {
    parts_->read(setup_, source, of(item));
  }
  void run(void* worker, void* item) const override {
    parts_->run(setup_, *static_cast<Worker*>(worker), of(item));
  }
  bool is_still(const std::vector<std::string>& inputs) const override {
    return parts_->is_still ? parts_->is_still(inputs) : inputs.size() == 2;
  }
  std::unique_ptr<Frames> frames(const Plan& plan) const override {
    return parts_->frames ? parts_->frames(setup_, plan) : nullptr;
  }
  bool in_order() const override { return parts_->in_order && parts_->in_order(setup_); }
  bool measures() const override { return parts_->measures && parts_->measures(setup_); }
  std::string images_only() const override {
    return parts_->images_only ? parts_->images_only(setup_) : std::string();
  }
  void decode(io::AnyImage image, Image<std::uint8_t>& pixels,
              Image<std::uint8_t>& mask) const override {
    parts_->decode(std::move(image), pixels, mask);
  }
  void take(const Step& step, void* item) const override { parts_->take(setup_, step, of(item)); }
  bool follows() const override { return parts_->follow != nullptr; }
  void follow(void* item) override { parts_->follow(count_, of(item)); }
  std::string frame_ending(std::size_t output) const override {
    return parts_->outputs[output].ending(setup_);
  }
  Image<std::uint8_t> paint(std::size_t output, std::size_t kind, const void* item) const override {
    return parts_->outputs[output].paint(setup_, kind, of(item));
  }
  RecordRef report(const Ended& ended) override { return parts_->report(setup_, count_, ended); }
  std::string report_text(const Ended& ended) override {
    return parts_->report_text(setup_, count_, ended);
  }
  report::Evaluation evaluation() const override { return parts_->evaluation(count_); }
  std::optional<std::int64_t> blind_frames(const std::string& input) const override {
    if (!parts_->blind_frames) return {};
    return parts_->blind_frames(setup_, input);
  }
  void place(const io::FrameTime& time, void* item) const override {
    if (parts_->place) parts_->place(time, of(item));
  }
  RecordRef video(const Ended& ended) override { return parts_->video(count_, ended); }
  Image<std::uint8_t>& pixels(void* item) const override { return parts_->pixels(of(item)); }
  io::Orientation orientation() const override { return parts_->orientation(setup_); }
  std::uint64_t memory(std::uint64_t bytes) const override {
    return parts_->memory ? parts_->memory(setup_, bytes) : bytes;
  }
  std::uint64_t image_memory(const io::ImageInfo& image) const override {
    return parts_->image_memory ? parts_->image_memory(setup_, image)
                                : memory(io::decoded_bytes(image));
  }
  double work() const override { return parts_->work ? parts_->work(setup_) : 1000; }
  RecordRef result(void* item) const override { return parts_->result(of(item)); }
  std::vector<io::AnyImage>* images(void* item) const override {
    return parts_->images ? &parts_->images(of(item)) : nullptr;
  }
  std::string line(const void* item) const override {
    return parts_->line ? parts_->line(setup_, of(item)) : std::string();
  }
  Faults faults(const void* item) const override {
    return parts_->faults ? parts_->faults(of(item)) : Faults{};
  }
  std::string video_line(std::int64_t frames) const override {
    return parts_->video_line(count_, frames);
  }
  void draw(void* item) const override { parts_->draw(setup_, of(item)); }
  void show(const void* item, Shown& shown) const override {
    if (parts_->show) parts_->show(setup_, of(item), shown);
  }
  void compare(const void* item, const Truth& truth, Shown& shown) const override {
    if (parts_->compare) parts_->compare(setup_, of(item), truth, shown);
  }
  RecordRef saved(void* item) const override {
    return parts_->saved ? parts_->saved(of(item)) : result(item);
  }
  std::string page(const void* item, const report::Explanation* why) const override {
    return parts_->page ? parts_->page(setup_, of(item), why) : std::string();
  }
  std::size_t held_bytes(const void* item) const override {
    return parts_->held_bytes ? parts_->held_bytes(of(item)) : 0;
  }
  std::string obstacle(std::size_t output) const override {
    const auto obstacle = parts_->outputs[output].obstacle;
    return obstacle ? obstacle(setup_) : std::string();
  }
  std::vector<std::string> write(std::size_t output, const void* item,
                                 const std::string& path) const override {
    const auto& made = parts_->outputs[output];
    if (made.write_several) return made.write_several(setup_, of(item), path);
    made.write(setup_, of(item), path);
    return {path};
  }
  std::string text(std::size_t output, const void* item) const override {
    return parts_->outputs[output].text(setup_, of(item));
  }
  std::unique_ptr<SharedFile> open(std::size_t output, const std::string& path) const override {
    return parts_->outputs[output].open(path);
  }
  void start_input(Extent size) override {
    if (parts_->start_input) parts_->start_input(count_, size);
  }
  void tally(void* item) override {
    if (parts_->tally) parts_->tally(count_, of(item));
  }
  std::string note_after_input(const std::string& input) override {
    return parts_->note_after_input ? parts_->note_after_input(setup_, count_, input)
                                    : std::string();
  }
  std::string note_after_all(const Totals& totals) const override {
    return parts_->note_after_all ? parts_->note_after_all(setup_, count_, totals) : std::string();
  }
  std::vector<std::string> columns() const override { return parts_->columns(setup_); }
  void write_row(io::CsvWriter& csv, const io::Place& place, const void* item) const override {
    parts_->write_row(setup_, csv, place, of(item));
  }
  std::string members_before() const override {
    return parts_->members_before ? parts_->members_before(setup_) : std::string();
  }
  std::string members_after(const Totals& totals) const override {
    return parts_->members_after ? parts_->members_after(totals) : std::string();
  }
  bool explains() const override { return parts_->explains && parts_->explains(setup_); }
  std::string explain_picture() const override {
    return parts_->explain_picture ? parts_->explain_picture(setup_) : std::string();
  }
  Explained explain(const std::shared_ptr<const void>& item, const Asked& asked) const override {
    return parts_->explain(setup_, std::static_pointer_cast<const Item>(item), asked);
  }

 private:
  static Item& of(void* item) { return *static_cast<Item*>(item); }
  static const Item& of(const void* item) { return *static_cast<const Item*>(item); }

  std::shared_ptr<const Made> parts_;
  Setup setup_ = parts_->start ? parts_->start() : Setup{};
  Count count_{};
};

// Throws InvalidArgument where a function is missing that a driver would call.
template <class Setup, class Item, class Worker, class Count>
void require_whole(const Parts<Setup, Item, Worker, Count>& parts) {
  const auto require = [&](bool there, const char* what) {
    if (!there)
      throw InvalidArgument(std::string(parts.words.system) + " " + std::string(parts.words.verb) +
                            " lacks " + what);
  };
  require(parts.read && parts.run && parts.result, "read, run or result");
  require((std::is_same_v<Worker, NoWorker>) || parts.worker, "worker");
  require(!parts.explains || (parts.explain && parts.explain_picture), "explain");
  const bool videos = parts.input == InputKind::kImageOrVideo;
  const bool only_videos = parts.input == InputKind::kVideo;
  const bool frames = parts.input == InputKind::kFrames;
  const bool one_result = parts.alone || frames;
  require(!(videos || only_videos) || (parts.pixels && parts.orientation && parts.video_line),
          "what videos need: pixels, orientation, video_line");
  require(!frames || (parts.take && parts.report && parts.report_text),
          "what frames need: take, report, report_text");
  require(!only_videos || parts.find_inputs, "find_inputs of videos");
  require(!parts.video == !parts.sample_video, "video or its sample");
  require(!parts.images_only || parts.decode, "decode");
  int pictures = 0;
  for (const auto& output : parts.outputs) {
    const bool own = output.about.share == Share::kPerInput, picture = output.about.picture;
    pictures += picture ? 1 : 0;
    require(!picture || one_result || (parts.pixels && parts.draw),
            "what pictures need: pixels, draw");
    require(!picture || !one_result || output.paint, "paint of a picture");
    const bool list = output.about.list != List::kNo;
    const bool shared = !own || (only_videos && !picture);
    const bool evaluation = output.about.evaluation;
    require(!evaluation || parts.evaluation, "evaluation");
    require(!shared || list || evaluation || output.open, "open of a shared file");
    require(!list || (parts.columns && parts.write_row), "columns and rows of a list");
    require(shared || picture || output.write || output.write_several, "write of an output");
    require(!own || picture || !frames || output.ending, "ending of an output's numbered files");
    require(output.about.dash != Dash::kText || output.text, "text of an output");
    require(!videos || !own || picture, "a place for files of frames that are no pictures");
  }
  require(one_result || pictures < 2, "a place for a second picture");
}

template <class Setup, class Item, class Worker = NoWorker, class Count = NoCount>
Operation make_operation(Parts<Setup, Item, Worker, Count> parts, RecordRef (*sample)()) {
  require_whole(parts);
  const bool names_files = parts.alone || parts.names_files || parts.input == InputKind::kFrames;
  Operation operation{.words = parts.words,
                      .on_page = parts.on_page,
                      .input = parts.input,
                      .needs_output = parts.needs_output,
                      .finite_pixels = parts.finite_pixels,
                      .alone_on_gpu = parts.alone_on_gpu,
                      .on_processor = parts.on_processor,
                      .alone = parts.alone,
                      .names_files = names_files,
                      .takes_bytes = parts.takes_bytes,
                      .given = parts.given,
                      .explains_on_processor = parts.explains_on_processor,
                      .preset = parts.preset,
                      .pairs = parts.pairs,
                      .unit = parts.unit,
                      .outputs = {},
                      .call = {},
                      .sample = sample,
                      .sample_beside = parts.sample_beside,
                      .sample_video = parts.sample_video};
  for (const auto& output : parts.outputs) operation.outputs.push_back(output.about);
  operation.call = [shared = std::make_shared<const Parts<Setup, Item, Worker, Count>>(
                        std::move(parts))]() -> std::unique_ptr<Call> {
    return std::make_unique<CallOf<Setup, Item, Worker, Count>>(shared);
  };
  return operation;
}

}  // namespace fovea::operations
