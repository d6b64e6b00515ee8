// Makes an Operation of functions over the types of one system.
#pragma once
#include <fovea/core/error.h>

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

// A file of all inputs. An item that a merged or resumed run adds again has its result alone.
template <class Item>
class SharedFileOf {
 public:
  virtual ~SharedFileOf() = default;
  virtual void add(const io::Place& place, const Item& item) = 0;
  virtual void commit(const std::string& origin) = 0;
};

template <class Options, class Item>
struct OutputOf {
  Output about;
  void (*write)(const Options&, const Item&, const std::string& path) = nullptr;
  std::string (*text)(const Options&, const Item&) = nullptr;
  std::unique_ptr<SharedFileOf<Item>> (*open)(const std::string& path) = nullptr;
  // In place of `write`, where one output is several files.
  std::vector<std::string> (*write_several)(const Options&, const Item&,
                                            const std::string& path) = nullptr;
};

// See Call for what the functions do. What may be missing is null. `Options` is also the place for
// what begin() reads, and `Count` for what is counted of all items, which workers do not see.
template <class Options, class Item, class Worker = NoWorker, class Count = NoCount>
struct Parts {
  Words words;
  InputKind input{};
  bool needs_output = false;
  bool finite_pixels = false;
  bool alone_on_gpu = false;
  bool on_processor = false;
  bool alone = false;
  bool names_files = false;
  std::vector<OutputOf<Options, Item>> outputs{};

  void (*check)(const Options&) = nullptr;
  void (*settle)(Options&, const Plan&) = nullptr;
  std::vector<std::string> (*read_beside)(const Options&, const std::string& input) = nullptr;
  void (*begin)(Options&, const Exec&, const Plan&) = nullptr;
  Worker (*worker)(const Options&, const Exec&) = nullptr;
  void (*read)(const Options&, const Source&, Item&) = nullptr;
  void (*run)(const Options&, Worker&, Item&) = nullptr;
  Image<std::uint8_t>& (*pixels)(Item&) = nullptr;
  io::Orientation (*orientation)(const Options&) = nullptr;
  std::uint64_t (*memory)(const Options&, std::uint64_t bytes) = nullptr;
  RecordRef (*result)(const Item&) = nullptr;
  std::string (*line)(const Options&, const Item&) = nullptr;
  Faults (*faults)(const Item&) = nullptr;
  std::string (*video_line)(const Count&, std::int64_t frames) = nullptr;
  void (*draw)(const Options&, Item&) = nullptr;
  void (*start_input)(Count&, Extent size) = nullptr;
  void (*tally)(Count&, const Item&) = nullptr;
  std::string (*note_after_input)(const Options&, Count&, const std::string& input) = nullptr;
  std::string (*note_after_all)(const Options&, const Count&) = nullptr;

  bool (*explains)(const Options&) = nullptr;
  std::string (*explain_picture)(const Options&) = nullptr;
  Explained (*explain)(const Options&, const Source&) = nullptr;
};

template <class Options, class Item, class Worker, class Count>
class CallOf final : public Call {
 public:
  using Made = Parts<Options, Item, Worker, Count>;
  explicit CallOf(std::shared_ptr<const Made> parts) : parts_(std::move(parts)) {}

  void visit_options(OptionVisitor& visit) override { describe(visit, options_); }
  void check() const override {
    if (parts_->check) parts_->check(options_);
  }
  void settle(const Plan& plan) override {
    if (parts_->settle) parts_->settle(options_, plan);
  }
  std::vector<std::string> read_beside(const std::string& input) const override {
    return parts_->read_beside ? parts_->read_beside(options_, input) : std::vector<std::string>{};
  }
  void begin(const Exec& exec, const Plan& plan) override {
    if (parts_->begin) parts_->begin(options_, exec, plan);
  }
  std::shared_ptr<void> make_worker(const Exec& exec) const override {
    if constexpr (std::is_same_v<Worker, NoWorker>) return std::make_shared<NoWorker>();
    else return std::make_shared<Worker>(parts_->worker(options_, exec));
  }
  std::shared_ptr<void> make_item() const override { return std::make_shared<Item>(); }
  void read(const Source& source, void* item) const override {
    parts_->read(options_, source, of(item));
  }
  void run(void* worker, void* item) const override {
    parts_->run(options_, *static_cast<Worker*>(worker), of(item));
  }
  Image<std::uint8_t>& pixels(void* item) const override { return parts_->pixels(of(item)); }
  io::Orientation orientation() const override { return parts_->orientation(options_); }
  std::uint64_t memory(std::uint64_t bytes) const override {
    return parts_->memory ? parts_->memory(options_, bytes) : bytes;
  }
  RecordRef result(void* item) const override { return parts_->result(of(item)); }
  std::string line(const void* item) const override {
    return parts_->line ? parts_->line(options_, of(item)) : std::string();
  }
  Faults faults(const void* item) const override {
    return parts_->faults ? parts_->faults(of(item)) : Faults{};
  }
  std::string video_line(std::int64_t frames) const override {
    return parts_->video_line(count_, frames);
  }
  void draw(void* item) const override { parts_->draw(options_, of(item)); }
  std::vector<std::string> write(std::size_t output, const void* item,
                                 const std::string& path) const override {
    const auto& made = parts_->outputs[output];
    if (made.write_several) return made.write_several(options_, of(item), path);
    made.write(options_, of(item), path);
    return {path};
  }
  std::string text(std::size_t output, const void* item) const override {
    return parts_->outputs[output].text(options_, of(item));
  }
  std::unique_ptr<SharedFile> open(std::size_t output, const std::string& path) const override {
    return std::make_unique<Shared>(parts_->outputs[output].open(path));
  }
  void start_input(Extent size) override {
    if (parts_->start_input) parts_->start_input(count_, size);
  }
  void tally(const void* item) override {
    if (parts_->tally) parts_->tally(count_, of(item));
  }
  std::string note_after_input(const std::string& input) override {
    return parts_->note_after_input ? parts_->note_after_input(options_, count_, input)
                                    : std::string();
  }
  std::string note_after_all() const override {
    return parts_->note_after_all ? parts_->note_after_all(options_, count_) : std::string();
  }
  bool explains() const override { return parts_->explains && parts_->explains(options_); }
  std::string explain_picture() const override {
    return parts_->explain_picture ? parts_->explain_picture(options_) : std::string();
  }
  Explained explain(const Source& source) const override {
    return parts_->explain(options_, source);
  }

 private:
  class Shared final : public SharedFile {
   public:
    explicit Shared(std::unique_ptr<SharedFileOf<Item>> file) : file_(std::move(file)) {}
    void add(const io::Place& place, const void* item) override { file_->add(place, of(item)); }
    void commit(const std::string& origin) override { file_->commit(origin); }

   private:
    std::unique_ptr<SharedFileOf<Item>> file_;
  };

  static Item& of(void* item) { return *static_cast<Item*>(item); }
  static const Item& of(const void* item) { return *static_cast<const Item*>(item); }

  std::shared_ptr<const Made> parts_;
  Options options_{};
  Count count_{};
};

// Throws InvalidArgument where a function is missing that a driver would call.
template <class Options, class Item, class Worker, class Count>
void require_whole(const Parts<Options, Item, Worker, Count>& parts) {
  const auto require = [&](bool there, const char* what) {
    if (!there)
      throw InvalidArgument(std::string(parts.words.system) + " " + std::string(parts.words.verb) +
                            " lacks " + what);
  };
  require(parts.read && parts.run && parts.result, "read, run or result");
  require((std::is_same_v<Worker, NoWorker>) || parts.worker, "worker");
  require(!parts.explains || (parts.explain && parts.explain_picture), "explain");
  const bool videos = parts.input == InputKind::kImageOrVideo;
  require(!videos || (parts.pixels && parts.orientation && parts.video_line),
          "what videos need: pixels, orientation, video_line");
  int pictures = 0;
  for (const auto& output : parts.outputs) {
    const bool own = output.about.share == Share::kPerInput, picture = output.about.picture;
    pictures += picture ? 1 : 0;
    require(!picture || (parts.pixels && parts.draw), "what pictures need: pixels, draw");
    require(own || output.open, "open of a shared file");
    require(!own || picture || output.write || output.write_several, "write of an output");
    require(output.about.dash != Dash::kText || output.text, "text of an output");
    require(!videos || !own || picture, "a place for files of frames that are no pictures");
  }
  require(pictures < 2, "a place for a second picture");
}

template <class Options, class Item, class Worker = NoWorker, class Count = NoCount>
Operation make_operation(Parts<Options, Item, Worker, Count> parts, RecordRef (*sample)()) {
  require_whole(parts);
  Operation operation{.words = parts.words,
                      .input = parts.input,
                      .needs_output = parts.needs_output,
                      .finite_pixels = parts.finite_pixels,
                      .alone_on_gpu = parts.alone_on_gpu,
                      .on_processor = parts.on_processor,
                      .alone = parts.alone,
                      .names_files = parts.alone || parts.names_files,
                      .outputs = {},
                      .call = {},
                      .sample = sample};
  for (const auto& output : parts.outputs) operation.outputs.push_back(output.about);
  operation.call = [shared = std::make_shared<const Parts<Options, Item, Worker, Count>>(
                        std::move(parts))]() -> std::unique_ptr<Call> {
    return std::make_unique<CallOf<Options, Item, Worker, Count>>(shared);
  };
  return operation;
}

}  // namespace fovea::operations
