#include "cli/operations/run_inputs.h"

#include <fovea/core/error.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/operations/list_output.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/json_text.h"
#include "operations/measure.h"

namespace fovea::cli {
namespace {

using operations::Call;
using operations::Dash;
using operations::InputKind;
using operations::Operation;
using operations::Output;

using Worker = std::shared_ptr<void>;

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

class InputsRun {
 public:
  explicit InputsRun(Job& job)
      : job_(job), operation_(job.operation), call_(job.call), context_(job.context) {}

  int run() {
    const bool only_images = std::ranges::none_of(
        inputs(), [this](const std::string& input) { return job_.has_frames(input); });
    const io::FrameWorkers workers =
        job_.workers_for(only_images ? static_cast<std::int64_t>(inputs().size()) : 0);
    // What follows is alone, and may take all threads.
    call_.begin(call_.follows() ? context_.exec_without_progress() : job_.exec_of(workers),
                job_.plan);
    make_workers(workers);  // which refuses options that no worker can do
    shared_.emplace(job_, writes_shared_files(context_));
    list_.emplace(job_);
    Batch batch(
        context_, inputs(),
        {.before = call_.members_before(),
         .after = [this](const operations::Totals& totals) { return call_.members_after(totals); },
         .file = list_->json_file()});
    batch.on_replay([&](std::size_t, std::string_view recorded) { replay(recorded); });
    while (batch.next() < inputs().size() && !batch.stopped()) run_next(batch);
    return finish(batch);
  }

 private:
  struct Frame {
    io::StoredFrame stored{};
    io::Frame frame{};
    std::shared_ptr<void> item{};
  };

  const std::vector<Output>& outputs() const { return operation_.outputs; }
  const std::vector<std::string>& inputs() const { return job_.plan.inputs; }

  void make_workers(const io::FrameWorkers& plan) {
    if (plan.threads != worker_threads_) workers_.clear();
    worker_threads_ = plan.threads;
    while (static_cast<int>(workers_.size()) < plan.count)
      workers_.push_back(call_.make_worker(job_.exec_of(plan)));
  }

  // The images up to the next video, or that video.
  void run_next(Batch& batch) {
    const std::size_t first = batch.next();
    std::size_t last = first;
    while (last < inputs().size() && !job_.has_frames(inputs()[last])) ++last;
    if (last > first) run_images(batch, last - first);
    else batch.run_alone([&] { return run_video(batch, first); });
  }

  void run_images(Batch& batch, std::size_t count) {
    const io::FrameWorkers plan = job_.workers_for(static_cast<std::int64_t>(count));
    make_workers(plan);
    batch.run_together<std::shared_ptr<void>, Worker>(
        count, workers_, plan,
        {.bytes =
             [&](const auto& item) {
               const std::string& input = inputs()[item.input];
               if (operation_.input == InputKind::kMesh) return call_.memory(file_bytes(input));
               const std::optional<io::ImageInfo> image = known_image(input);
               return image ? call_.image_memory(*image) : call_.memory(0);
             },
         .prepare =
             [&](auto& item) {
               item.value = call_.make_item();
               call_.read(job_.source_of(item.input), item.value.get());
             },
         .work = [&](Worker& worker, auto& item) { call_.run(worker.get(), item.value.get()); },
         .complete = [&](auto& item) { item.outcome = write(item.input, item.value.get()); },
         .write =
             [&](auto& item) {
               call_.start_input({});
               add(batch, {inputs()[item.input]}, item.value.get(), item.input);
               job_.note(call_.note_after_input(inputs()[item.input]));
             }});
  }

  bool is_printed(std::size_t output, const std::string& path) const {
    return outputs()[output].dash == Dash::kText && io::is_standard_output(path);
  }

  // Writes the files of one input.
  Outcome write(std::size_t input, void* item) {
    std::vector<std::vector<std::string>> written(outputs().size());
    const auto write_those = [&](bool pictures) {
      for (std::size_t i = 0; i < outputs().size(); ++i) {
        const std::string path = job_.file_at(i, input);
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
      if (!operation_.names_files)
        outcome.members += fmt::format("\"{}\": {}, ", outputs()[i].name, json_names(written[i]));
      outcome.files.insert(outcome.files.end(), written[i].begin(), written[i].end());
    }
    outcome.members += io::record_members(call_.result(item), written_fields(context_));
    if (list_->wanted()) return outcome;
    const std::string line = call_.line(item);
    outcome.line = operation_.names_files ? line
                   : line.empty()
                       ? fmt::format("{}", fmt::join(outcome.files, "\n"))
                       : fmt::format("{}: {}{}", inputs()[input], line, files_text(outcome.files));
    return outcome;
  }

  // Adds an image or a frame to what all inputs share, and records it.
  void add(Batch& batch, const io::Place& place, void* item, std::size_t input) {
    Recorded recorded{.place = place, .text = {}, .result = {}};
    for (std::size_t i = 0; i < outputs().size(); ++i)
      if (is_printed(i, job_.file_at(i, input))) recorded.text += call_.text(i, item);
    if (!recorded.text.empty()) context_.console.print_data(recorded.text);
    shared_->add(place, call_.result(item));
    list_->add(place, item);
    call_.tally(item);
    if (context_.journal == nullptr) return;
    if (shared_->wanted() || list_->wanted()) recorded.result = io::pack_record(call_.result(item));
    if (!recorded.text.empty() || !recorded.result.empty())
      batch.record(io::pack_record(record_ref(recorded)));
  }

  // Adds what an input that is done already has given.
  void replay(std::string_view packed) {
    while (!packed.empty()) {
      Recorded recorded;
      io::unpack_record(packed, record_ref(recorded));
      if (!recorded.text.empty()) context_.console.print_data(recorded.text);
      if (recorded.result.empty()) continue;
      const std::shared_ptr<void> item = call_.make_item();
      const RecordRef result = call_.result(item.get());
      std::string_view bytes = recorded.result;
      io::unpack_record(bytes, result);
      shared_->add(recorded.place, result);
      if (!list_->wanted()) continue;
      list_->add(recorded.place, item.get());
      call_.tally(item.get());
    }
  }

  // The next input of the batch. Its frames are printed as they come.
  Outcome run_video(Batch& batch, std::size_t input) {
    const std::string& name = inputs()[input];
    io::VideoReadOptions reading = video_options(context_);
    reading.orientation = call_.orientation();
    const std::optional<std::int64_t> blind = call_.blind_frames(name);
    std::optional<io::VideoReader> reader;
    if (!blind) reader.emplace(open_video(context_, name, reading));
    call_.start_input(reader ? reader->info().size : Extent{});
    const double rate = reader ? reader->info().rate.value() : reading.frame_rate;
    SharedFiles own(job_, input);
    std::optional<io::VideoWriter> writer;
    std::vector<std::string> files, pictures;
    for (std::size_t i = 0; i < outputs().size(); ++i) {
      const std::string path = job_.file_at(i, input);
      if (path.empty()) continue;
      files.push_back(path);
      if (outputs()[i].picture) pictures.push_back(path);
    }
    if (!pictures.empty()) writer.emplace(pictures[0], io::VideoWriteOptions{.frame_rate = rate});
    const char* separator = "";
    const auto write_frame = [&](Frame& frame) {
      void* item = frame.item.get();
      const io::FrameTime time{frame.frame.frame, frame.frame.seconds};
      if (call_.follows()) {
        call_.follow(item);
        if (writer) call_.draw(item);
      }
      add(batch, {name, time}, item, input);
      if (context_.json)
        batch.print_more(fmt::format(
            "{}{{{}, {}}}", std::exchange(separator, ", "), io::record_members(record_ref(time)),
            io::record_members(call_.result(item), written_fields(context_))));
      own.add({name, time}, call_.result(item));
      if (writer) writer->write(call_.pixels(item));
      std::swap(frame.frame.image, call_.pixels(item));  // its memory is used again
    };
    std::int64_t blind_frame = 0;
    const std::int64_t expected =
        reader ? std::max<std::int64_t>(0, reader->expected_frames()) : *blind;
    const io::FrameWorkers plan =
        reader ? io::plan_frame_workers(context_.exec, *reader, job_.most_workers())
               : job_.workers_for(expected);
    make_workers(plan);
    const auto run_all = [&] {
      return io::run_frames<Frame, Worker>(
          std::span(workers_).first(static_cast<std::size_t>(plan.count)),
          {.read =
               [&](Frame& frame) {
                 if (reader) return reader->fetch(frame.stored);
                 frame.frame.frame = blind_frame;
                 frame.frame.seconds = static_cast<double>(blind_frame) / rate;
                 return blind_frame++ < expected;
               },
           .bytes = [&](const Frame&) { return reader ? call_.memory(reader->frame_bytes()) : 0; },
           .prepare =
               [&](Frame& frame) {
                 if (!frame.item) frame.item = call_.make_item();
                 if (reader) frame.stored.decode(frame.frame);
                 std::swap(frame.frame.image, call_.pixels(frame.item.get()));
                 call_.place({frame.frame.frame, frame.frame.seconds}, frame.item.get());
               },
           .work = [&](Worker& worker, Frame& frame) { call_.run(worker.get(), frame.item.get()); },
           .complete =
               [&](Frame& frame) {
                 if (writer && !call_.follows()) call_.draw(frame.item.get());
               },
           .write = write_frame},
          {.in_flight = plan.in_flight,
           .threads = plan.runners,
           .memory_bytes = context_.memory_bytes,
           .most_bytes = context_.most_bytes,
           .expected = expected,
           .exec = context_.exec});
    };
    const io::FrameRun run = context_.json ? in_array(batch, run_all) : run_all();
    if (run.frames > 0) own.commit(provenance_json(context_));
    if (run.frames > 0 && writer) writer->finish();
    if (run.frames == 0) files = pictures = {};
    if (reader) note_reading(context_, name, *reader);
    const std::string line = call_.video_line(run.frames);
    if (run.whole()) job_.note(call_.note_after_input(name));
    operations::Ended ended{.plan = job_.plan};
    ended.frames = run.frames;
    ended.dropped = reader ? reader->dropped() : 0;
    ended.input = input;
    Outcome outcome{.fault = run.fault, .files = files};
    if (operation_.sample_video != nullptr)
      outcome.members = io::record_members(call_.video(ended));
    else if (files.empty()) outcome.members = fmt::format("\"dropped\": {}", ended.dropped);
    else
      outcome.members = fmt::format("\"output\": {}, \"dropped\": {}", detail::json_quote(files[0]),
                                    ended.dropped);
    outcome.line = fmt::format("{}: {}{}{}", name, line, operations::dropped_text(ended.dropped),
                               files_text(pictures));
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

  int finish(Batch& batch) {
    try {
      const int status = batch.finish();
      list_->commit();
      job_.note(call_.note_after_all(batch.totals()));
      commit(status == kDone || status == kSomeFailed);
      return status;
    } catch (const Cancelled&) {
      list_->commit();
      commit(true);
      throw;
    }
  }

  // Completes the files of all inputs. Where every input failed, they are written only if some
  // frames were worked on before.
  void commit(bool some_succeeded) {
    if (some_succeeded || shared_->added() > 0) shared_->commit(provenance_json(context_));
  }

  Job& job_;
  const Operation& operation_;
  Call& call_;
  Context& context_;
  std::vector<Worker> workers_{};
  int worker_threads_ = 0;
  std::optional<ListOutput> list_{};
  std::optional<SharedFiles> shared_{};
};

}  // namespace

int run_inputs(Job& job) { return InputsRun(job).run(); }

}  // namespace fovea::cli
