#include "cli/program/run_operation.h"

#include <fovea/core/error.h>
#include <fovea/io/frames.h>
#include <fovea/io/inputs.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/program/batch.h"
#include "cli/program/explain.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/json_text.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using operations::Call;
using operations::Dash;
using operations::InputKind;
using operations::Operation;
using operations::Output;
using operations::Plan;
using operations::Share;
using operations::SharedFile;
using operations::Source;

using Worker = std::shared_ptr<void>;

// Whether the input is a video. A pipe or a device carries y4m, as the standard input does.
bool is_video(const std::string& input) {
  if (io::has_extension(input, io::image_files())) return false;  // without a look at the disk
  std::error_code error;
  const auto type = std::filesystem::status(input, error).type();
  const bool stream = type == std::filesystem::file_type::fifo ||
                      type == std::filesystem::file_type::character ||
                      type == std::filesystem::file_type::socket;
  return input == "-" || stream || io::is_live_source(input) ||
         io::has_extension(input, io::video_files());
}

io::InputKind files_of(InputKind kind) {
  return kind == InputKind::kMesh    ? io::mesh_files()
         : kind == InputKind::kImage ? io::image_files()
                                     : io::image_and_video_files();
}

std::string flag_of(const Output& output) {
  return output.name == "output" ? "-o" : fmt::format("--{}", output.name);
}

// "-o OUT, --seg or --page"
std::string flags_of(const std::vector<Output>& outputs) {
  std::string flags;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i > 0) flags += i + 1 < outputs.size() ? ", " : " or ";
    flags += flag_of(outputs[i]) + (outputs[i].name == "output" ? " OUT" : "");
  }
  return flags;
}

// A name, or a list of several.
std::string json_names(const std::vector<std::string>& names) {
  if (names.size() == 1) return detail::json_quote(names[0]);
  std::string json;
  for (const std::string& name : names)
    json += (json.empty() ? "" : ", ") + detail::json_quote(name);
  return "[" + json + "]";
}

// What a manifest keeps of an image or frame, to add it again.
struct Recorded {
  io::Place place{};
  std::string text{};    // for the standard output
  std::string result{};  // packed; empty where no file of all inputs has it
};
void describe(FieldVisitor& visit, Recorded& recorded) {
  visit("place", recorded.place, "where it comes from");
  visit("text", recorded.text, "what was printed");
  visit("result", recorded.result, "what was found");
}

class OperationRun {
 public:
  OperationRun(const Operation& operation, Call& call, std::vector<std::string> named,
               Context& context)
      : operation_(operation), call_(call), named_(std::move(named)), context_(context) {}

  int run() {
    call_.check();
    if (call_.explains()) return explain();
    check_names();
    choose_device();
    plan_files();
    call_.settle(plan_);
    check_files();
    const bool only_images = !takes_videos() || std::ranges::none_of(plan_.inputs, is_video);
    const io::FrameWorkers workers =
        only_images ? workers_for(static_cast<std::int64_t>(plan_.inputs.size())) : workers_for(0);
    call_.begin(exec_of(workers), plan_);
    make_workers(workers);  // which refuses options that no worker can do
    open_shared_files();
    Batch batch(context_, plan_.inputs);
    batch.on_replay([&](std::size_t, std::string_view recorded) { replay(recorded); });
    while (batch.next() < plan_.inputs.size() && !batch.stopped()) run_next(batch);
    return finish(batch);
  }

 private:
  struct Frame {
    io::StoredFrame stored{};
    io::Frame frame{};
    std::shared_ptr<void> item{};
  };

  void choose_device() {
    if (operation_.on_processor) context_.exec.device = Device::cpu();  // and the result says so
    else resolve_device(context_);
  }

  bool takes_videos() const { return operation_.input == InputKind::kImageOrVideo; }
  const std::vector<Output>& outputs() const { return operation_.outputs; }

  // Refuses names that no file can have.
  void check_names() {
    sort_by_ending();
    if (operation_.needs_output &&
        std::ranges::all_of(named_, [](const std::string& name) { return name.empty(); }))
      throw InvalidArgument(
          fmt::format("{} needs {}{}", context_.command.name(), flags_of(outputs()),
                      outputs().size() == 1 ? ", a file or a folder to write to" : ""));
    for (std::size_t i = 0; i < outputs().size(); ++i)
      if (outputs()[i].dash == Dash::kRefused && io::is_standard_output(named_[i]))
        throw InvalidArgument(
            fmt::format("{} {}: {} writes files and not to standard output; name a file",
                        flag_of(outputs()[i]), named_[i], context_.command.name()));
  }

  // -o FILE.csv is a table and not a picture, where a table ends so and has no other name.
  void sort_by_ending() {
    for (std::size_t picture = 0; picture < outputs().size(); ++picture) {
      if (!outputs()[picture].picture) continue;
      const std::string ending = std::filesystem::path(named_[picture]).extension().string();
      for (std::size_t i = 0; i < outputs().size() && !ending.empty(); ++i)
        if (outputs()[i].share == Share::kOneFile && outputs()[i].ending == ending &&
            named_[i].empty())
          named_[i] = std::exchange(named_[picture], "");
    }
  }

  void plan_inputs() {
    plan_.inputs = unit_inputs(context_, files_of(operation_.input));
    plan_.image = [this](const std::string& path) { return read_input(context_, path); };
    plan_.note = [this](const std::string& text) { context_.console.note(text); };
  }

  void plan_files() {
    plan_inputs();
    for (std::size_t i = 0; i < outputs().size(); ++i) {
      const Output& output = outputs()[i];
      if (named_[i].empty()) continue;
      std::vector<std::string> files{named_[i]};
      if (output.share == Share::kPerInput)
        files = output_paths(context_, named_[i], plan_.inputs, std::string(output.ending),
                             flag_of(output));
      for (const std::string& path : files) check_ending(output, path);
      plan_.files.emplace(output.name, std::move(files));
    }
  }

  static void check_ending(const Output& output, const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (output.endings.empty() || std::ranges::find(output.endings, ending) != output.endings.end())
      return;
    throw InvalidArgument(
        fmt::format("{}: {} is written as {}", path, output.what, fmt::join(output.endings, ", ")));
  }

  // No file may be written twice, or replace one that is read.
  void check_files() {
    std::vector<std::string> flags, read = plan_.inputs;
    for (const Output& output : outputs()) flags.push_back(flag_of(output));
    for (const std::string& input : plan_.inputs)
      for (std::string& file : call_.read_beside(input)) read.push_back(std::move(file));
    const bool only_inputs = read.size() == plan_.inputs.size();
    std::vector<OutputFile> files;
    for (std::size_t i = 0; i < outputs().size(); ++i) {
      // Files of each input that are the only ones were compared when they got their names.
      const bool compared = outputs()[i].share == Share::kPerInput && plan_.files.size() == 1 &&
                            only_inputs && !io::is_standard_output(named_[i]);
      if (named_[i].empty() || outputs()[i].share == Share::kOneFolder || compared) continue;
      for (const std::string& path : plan_.files.find(outputs()[i].name)->second)
        files.push_back({flags[i], path});
    }
    check_outputs(context_, files, read);
  }

  int most_workers() const {
    const bool cuda = context_.exec.device.kind == DeviceKind::kCuda;
    return cuda && operation_.alone_on_gpu ? 1 : 0;
  }

  io::FrameWorkers workers_for(std::int64_t items) const {
    return io::plan_frame_workers(context_.exec, items, most_workers());
  }

  Exec exec_of(const io::FrameWorkers& plan) const {
    Exec exec = context_.exec_without_progress();
    exec.threads = plan.threads;
    return exec;
  }

  void make_workers(const io::FrameWorkers& plan) {
    if (plan.threads != worker_threads_) workers_.clear();
    worker_threads_ = plan.threads;
    while (static_cast<int>(workers_.size()) < plan.count)
      workers_.push_back(call_.make_worker(exec_of(plan)));
  }

  void open_shared_files() {
    shared_.resize(outputs().size());
    if (!writes_shared_files(context_)) return;
    for (std::size_t i = 0; i < outputs().size(); ++i)
      if (outputs()[i].share != Share::kPerInput && !named_[i].empty())
        shared_[i] = call_.open(i, named_[i]);
  }

  bool shares_files() const {
    for (std::size_t i = 0; i < outputs().size(); ++i)
      if (outputs()[i].share != Share::kPerInput && !named_[i].empty()) return true;
    return false;
  }

  // The images up to the next video, or that video.
  void run_next(Batch& batch) {
    const std::size_t first = batch.next();
    std::size_t last = first;
    while (last < plan_.inputs.size() && !(takes_videos() && is_video(plan_.inputs[last]))) ++last;
    if (last > first) run_images(batch, last - first);
    else batch.run_alone([&] { return run_video(batch, first); });
  }

  Source source_of(const std::string& input) const {
    return {input, [this, input](io::Orientation orientation) {
              return operation_.finite_pixels ? read_finite_input(context_, input, orientation)
                                              : read_input(context_, input, orientation);
            }};
  }

  void run_images(Batch& batch, std::size_t count) {
    const io::FrameWorkers plan = workers_for(static_cast<std::int64_t>(count));
    make_workers(plan);
    batch.run_together<std::shared_ptr<void>, Worker>(
        count, workers_, plan,
        {.bytes =
             [&](const auto& item) {
               const std::string& input = plan_.inputs[item.input];
               return call_.memory(operation_.input == InputKind::kMesh ? file_bytes(input)
                                                                        : image_bytes(input));
             },
         .prepare =
             [&](auto& item) {
               item.value = call_.make_item();
               call_.read(source_of(plan_.inputs[item.input]), item.value.get());
             },
         .work = [&](Worker& worker, auto& item) { call_.run(worker.get(), item.value.get()); },
         .complete = [&](auto& item) { item.outcome = write(item.input, item.value.get()); },
         .write =
             [&](auto& item) {
               call_.start_input({});
               add(batch, {plan_.inputs[item.input]}, item.value.get(), item.input);
               note(call_.note_after_input(plan_.inputs[item.input]));
             }});
  }

  // The file of an output that belongs to one input; empty where none was asked for.
  std::string file_at(std::size_t output, std::size_t input) const {
    const bool own = outputs()[output].share == Share::kPerInput && !named_[output].empty();
    return own ? plan_.files.find(outputs()[output].name)->second[input] : "";
  }
  bool is_printed(std::size_t output, const std::string& path) const {
    return outputs()[output].dash == Dash::kText && io::is_standard_output(path);
  }

  // Writes the files of one input.
  Outcome write(std::size_t input, void* item) {
    std::vector<std::vector<std::string>> written(outputs().size());
    const auto write_those = [&](bool pictures) {
      for (std::size_t i = 0; i < outputs().size(); ++i) {
        const std::string path = file_at(i, input);
        if (path.empty() || is_printed(i, path) || outputs()[i].picture != pictures) continue;
        if (!pictures) {
          written[i] = call_.write(i, item, path);
          continue;
        }
        call_.draw(item);
        io::write_image(path, call_.pixels(item).view());
        written[i] = {path};
      }
    };
    write_those(false);
    write_those(true);  // which draw into the pixels
    Outcome outcome;
    for (std::size_t i = 0; i < outputs().size(); ++i) {
      if (written[i].empty()) continue;
      outcome.members += fmt::format("\"{}\": {}, ", outputs()[i].name, json_names(written[i]));
      outcome.files.insert(outcome.files.end(), written[i].begin(), written[i].end());
    }
    outcome.members += io::record_members(call_.result(item), written_fields(context_));
    const std::string line = call_.line(item);
    outcome.line = line.empty() ? fmt::format("{}", fmt::join(outcome.files, "\n"))
                                : fmt::format("{}: {}{}", plan_.inputs[input], line,
                                              files_text(outcome.files));
    return outcome;
  }

  static std::string files_text(const std::vector<std::string>& files) {
    return files.empty() ? "" : fmt::format(", {}", fmt::join(files, ", "));
  }

  // Adds an image or a frame to what all inputs share, and records it.
  void add(Batch& batch, const io::Place& place, void* item, std::size_t input) {
    Recorded recorded{.place = place, .text = {}, .result = {}};
    for (std::size_t i = 0; i < outputs().size(); ++i)
      if (is_printed(i, file_at(i, input))) recorded.text += call_.text(i, item);
    if (!recorded.text.empty()) context_.console.print_data(recorded.text);
    add_shared(place, item);
    call_.tally(item);
    if (context_.journal == nullptr) return;
    if (shares_files()) recorded.result = io::pack_record(call_.result(item));
    if (!recorded.text.empty() || !recorded.result.empty())
      batch.record(io::pack_record(record_ref(recorded)));
  }

  void add_shared(const io::Place& place, const void* item) {
    for (const auto& file : shared_)
      if (file) file->add(place, item);
    ++added_;
  }

  // Adds what an input that is done already has given.
  void replay(std::string_view packed) {
    while (!packed.empty()) {
      Recorded recorded;
      io::unpack_record(packed, record_ref(recorded));
      if (!recorded.text.empty()) context_.console.print_data(recorded.text);
      if (recorded.result.empty()) continue;
      const std::shared_ptr<void> item = call_.make_item();
      std::string_view result = recorded.result;
      io::unpack_record(result, call_.result(item.get()));
      add_shared(recorded.place, item.get());
    }
  }

  // The next input of the batch, which is a video. Its frames are printed as they come.
  Outcome run_video(Batch& batch, std::size_t input) {
    const std::string& name = plan_.inputs[input];
    io::VideoReadOptions reading = video_options(context_);
    reading.orientation = call_.orientation();
    io::VideoReader reader = open_video(context_, name, reading);
    call_.start_input(reader.info().size);
    std::optional<io::VideoWriter> writer;
    std::string path;
    for (std::size_t i = 0; i < outputs().size(); ++i)
      if (outputs()[i].picture) path = file_at(i, input);
    if (!path.empty())
      writer.emplace(path, io::VideoWriteOptions{.frame_rate = reader.info().rate.value()});
    const char* separator = "";
    const auto write_frame = [&](Frame& frame) {
      const io::FrameTime time{frame.frame.frame, frame.frame.seconds};
      add(batch, {name, time}, frame.item.get(), input);
      if (context_.json)
        batch.print_more(fmt::format(
            "{}{{{}, {}}}", std::exchange(separator, ", "), io::record_members(record_ref(time)),
            io::record_members(call_.result(frame.item.get()), written_fields(context_))));
      if (writer) writer->write(call_.pixels(frame.item.get()));
      std::swap(frame.frame.image, call_.pixels(frame.item.get()));  // its memory is used again
    };
    const io::FrameWorkers plan = io::plan_frame_workers(context_.exec, reader, most_workers());
    make_workers(plan);
    const auto run_all = [&] {
      return io::run_frames<Frame, Worker>(
          std::span(workers_).first(static_cast<std::size_t>(plan.count)),
          {.read = [&](Frame& frame) { return reader.fetch(frame.stored); },
           .bytes = [&](const Frame&) { return call_.memory(reader.frame_bytes()); },
           .prepare =
               [&](Frame& frame) {
                 if (!frame.item) frame.item = call_.make_item();
                 frame.stored.decode(frame.frame);
                 std::swap(frame.frame.image, call_.pixels(frame.item.get()));
               },
           .work = [&](Worker& worker, Frame& frame) { call_.run(worker.get(), frame.item.get()); },
           .complete =
               [&](Frame& frame) {
                 if (writer) call_.draw(frame.item.get());
               },
           .write = write_frame},
          {.in_flight = plan.in_flight,
           .threads = plan.runners,
           .memory_bytes = context_.memory_bytes,
           .expected = std::max<std::int64_t>(0, reader.expected_frames()),
           .exec = context_.exec});
    };
    const io::FrameRun run = context_.json ? in_array(batch, run_all) : run_all();
    if (writer && run.frames > 0) writer->finish();
    note_reading(context_, name, reader);
    const std::string line = call_.video_line(run.frames);
    if (run.whole()) note(call_.note_after_input(name));
    Outcome outcome{.fault = run.fault};
    if (run.frames > 0 && !path.empty()) {
      outcome.files = {path};
      outcome.members = fmt::format("\"output\": {}, ", detail::json_quote(path));
    }
    outcome.members += fmt::format("\"dropped\": {}", reader.dropped());
    outcome.line =
        fmt::format("{}: {}{}{}", name, line, dropped_text(reader), files_text(outcome.files));
    return outcome;
  }

  // Prints what `fill` prints as a JSON array, which is whole even where `fill` throws.
  static io::FrameRun in_array(Batch& batch, const std::function<io::FrameRun()>& fill) {
    batch.print_members("\"frames\": [");
    try {
      io::FrameRun run = fill();
      batch.print_more("]");
      return run;
    } catch (const ClosedPipe&) {
      throw;
    } catch (...) {
      batch.print_more("]");
      throw;
    }
  }

  void note(const std::string& text) {
    if (!text.empty()) context_.console.note(text);
  }

  int finish(Batch& batch) {
    try {
      const int status = batch.finish();
      note(call_.note_after_all());
      commit(status == kDone || status == kSomeFailed);
      return status;
    } catch (const Cancelled&) {
      commit(true);
      throw;
    }
  }

  // Completes the files of all inputs. Where every input failed, they are written only if some
  // frames were worked on before.
  void commit(bool some_succeeded) {
    if (!some_succeeded && added_ == 0) return;
    for (const auto& file : shared_)
      if (file) file->commit(provenance_json(context_));
  }

  // Explains the result of one input instead of writing it.
  int explain() {
    require_no_journal(context_);
    sort_by_ending();
    plan_inputs();
    call_.settle(plan_);
    for (const std::string& name : named_)
      if (!name.empty())
        throw InvalidArgument(
            fmt::format("--explain writes no results that {} could get; take "
                        "--explain-picture FILE",
                        detail::shown(name)));
    const char* kind = operation_.input == InputKind::kMesh ? "mesh" : "image";
    if (plan_.inputs.size() != 1)
      throw InvalidArgument(fmt::format("--explain explains one {}, but there are {} inputs", kind,
                                        plan_.inputs.size()));
    const std::string& input = plan_.inputs[0];
    if (takes_videos() && is_video(input))
      throw InvalidArgument(
          fmt::format("--explain explains one {}, but {} is a video", kind, input));
    const std::string picture = call_.explain_picture();
    check_outputs(context_, {{"--explain-picture", picture}}, plan_.inputs);
    resolve_device(context_);
    call_.begin(context_.exec_without_progress(), plan_);
    const operations::Explained explained = call_.explain(source_of(input));
    if (!picture.empty()) io::write_image(picture, explained.picture(explained.explanation).view());
    return print_explanation(context_, explained.explanation,
                             {.members = [&](io::JsonWriter& json) {
                               json.member("input", input);
                               if (!picture.empty()) json.member("picture", picture);
                             }});
  }

  const Operation& operation_;
  Call& call_;
  std::vector<std::string> named_;  // what each output was given
  Context& context_;
  Plan plan_{};
  std::vector<Worker> workers_{};
  int worker_threads_ = 0;
  std::vector<std::unique_ptr<SharedFile>> shared_{};  // one per output; null where it has none
  std::int64_t added_ = 0;
};

class OperationRequest final : public Request {
 public:
  explicit OperationRequest(const Operation& operation)
      : operation_(operation), call_(operation.call()), named_(operation.outputs.size()) {}

  void visit_options(OptionVisitor& visit) override {
    for (std::size_t i = 0; i < named_.size(); ++i) {
      const Output& output = operation_.outputs[i];
      visit.path(output.name, named_[i],
                 output.share == Share::kOneFolder ? TextUse::kFolder : TextUse::kOutput,
                 output.help);
    }
    call_->visit_options(visit);
  }
  void apply_preset() override {}  // no operation has one
  int run(Context& context) override {
    return OperationRun(operation_, *call_, named_, context).run();
  }

 private:
  const Operation& operation_;
  std::unique_ptr<Call> call_;
  std::vector<std::string> named_;
};

}  // namespace

Command command_of(const Operation& operation) {
  const operations::Words& words = operation.words;
  const bool images = operation.input != InputKind::kMesh;
  const bool videos = operation.input == InputKind::kImageOrVideo;
  Command command{.system = words.system,
                  .verb = words.verb,
                  .summary = words.summary,
                  .text = words.text,
                  .arguments = words.arguments,
                  .examples = words.examples,
                  .request = [&operation] { return std::make_unique<OperationRequest>(operation); },
                  .result = {.record = operation.sample,
                             .per_input = true,
                             .per_frame = videos,
                             .files = operation.outputs},
                  .reads_images = images,
                  .reads_videos = videos,
                  .takes_first_frame = videos,
                  .batches = true,
                  .shards = true};
  for (const Output& output : operation.outputs)
    if (output.share != Share::kPerInput || (output.picture && videos))
      command.shared_files.push_back(output.name);
  return command;
}

}  // namespace fovea::cli
