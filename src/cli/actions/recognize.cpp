// fovea actions recognize: reports the actions of a video while they happen.
#include <fovea/actions/recognize.h>
#include <fovea/actions/timeline.h>
#include <fovea/core/error.h>
#include <fovea/core/record.h>
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/actions/actions.h"
#include "cli/actions/annotated.h"
#include "cli/actions/points_input.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct RecognizeRequest {
  std::string model = "weizmann";
  std::string annotated{};
  std::string timeline{};
  std::uint64_t memory = std::uint64_t{1} << 30;
  actions::RecognizeOptions recognize{};
};

void describe(OptionVisitor& visit, RecognizeRequest& request) {
  visit.path("model", request.model, TextUse::kModel, "name of a shipped model, or a model file");
  visit.path("annotated", request.annotated, TextUse::kOutput,
             "video to write, with box and name of each action");
  visit.path("timeline", request.timeline, TextUse::kOutput,
             "picture to write of all actions over time, .svg");
  visit.bytes("memory", request.memory,
              "memory for frames of a pipe that --annotated keeps until their actions are certain");
  describe(visit, request.recognize);
}

// Colored frames are needed only where they cannot be read a second time for drawing.
io::VideoColor color_of(const RecognizeRequest& request, const std::string& source) {
  return request.annotated.empty() || can_be_read_again(source) ? io::VideoColor::kGray
                                                                : io::VideoColor::kRgb;
}

class RecognizeRun {
 public:
  RecognizeRun(RecognizeRequest& request, Context& context)
      : request_(request),
        context_(context),
        reader_(open_video(context, context.inputs[0],
                           video_options(context, color_of(request, context.inputs[0])))) {
    const io::Rational& rate = reader_.info().rate;
    actions::RecognizeOptions& options = request.recognize;
    if (!options.frame_rate) options.frame_rate = rate.numerator > 0 ? rate.value() : 25;
    rate_ = *options.frame_rate;
    options.exec = context.exec_without_progress();
    options.exec.stop = {};  // run_frames() stops between frames, so that events can be finished
    recognizers_.emplace_back(request.model, options);
    if (!request.annotated.empty())
      annotated_.emplace(AnnotatedVideo::Request{.path = request.annotated,
                                                 .source = context.inputs[0],
                                                 .frame_rate = rate_,
                                                 .memory = request.memory,
                                                 .reading = video_options(context)});
    if (!request.timeline.empty()) timeline_.emplace(recognizers_[0].model().classes, rate_);
  }

  int run() {
    const double start = steady_seconds();
    const std::int64_t expected = std::max<std::int64_t>(0, reader_.expected_frames());
    const io::FrameWorkers plan = io::plan_frame_workers(context_.exec, reader_, 1);
    const io::FrameRun run = io::run_frames<Step, actions::Recognizer>(
        recognizers_,
        {.read = [&](Step& step) { return reader_.fetch(step.stored); },
         .bytes = [&](const Step&) { return reader_.frame_bytes(); },
         .prepare = [](Step& step) { step.stored.decode(step.frame); },
         .work =
             [](actions::Recognizer& recognizer, Step& step) {
               const auto events = recognizer.push(step.frame.image);
               step.events.assign(events.begin(), events.end());
               step.settled = recognizer.settled_frames();
             },
         .write = [&](Step& step) { write(step); }},
        {.in_flight = plan.in_flight,
         .threads = plan.runners,
         .memory_bytes = context_.memory_bytes,
         .most_bytes = context_.most_bytes,
         .expected = expected,
         .exec = context_.exec});
    finish_after(run, [&] { report(recognizers_[0].finish()); });
    context_.console.end_progress();
    note_reading(context_, context_.inputs[0], reader_);
    if (frames_ > 0) complete(steady_seconds() - start, run.whole());
    run.rethrow();
    if (frames_ == 0)
      throw FormatError(fmt::format("{}: the video has no frames", context_.inputs[0]));
    return kDone;
  }

 private:
  // A frame, and the events that the recognizer returned after it.
  struct Step {
    io::StoredFrame stored{};
    io::Frame frame{};
    std::vector<actions::Event> events{};
    std::int64_t settled = 0;
  };

  void write(Step& step) {
    ++frames_;
    if (reader_.info().live) source_.add(step.frame);
    report(step.events);
    source_.forget_before(std::min(step.settled, frames_));
    if (!annotated_) return;
    annotated_->keep(step.frame.image);
    annotated_->write_until(std::min(step.settled, frames_));
    annotated_->make_room();
  }

  // The event with the numbers and times of its frames in the source.
  actions::Event in_source(actions::Event event) const {
    event.start_seconds = source_.seconds(event.first_frame).value_or(event.start_seconds);
    if (const auto last = source_.seconds(event.last_frame)) event.end_seconds = *last + 1 / rate_;
    event.first_frame = source_.number(event.first_frame);
    event.last_frame = source_.number(event.last_frame);
    return event;
  }

  void report(std::span<const actions::Event> events) {
    for (const actions::Event& counted : events) {
      const actions::Event event = in_source(counted);
      const std::string line = event_line(event, recognizers_[0].model());
      context_.console.end_progress();
      context_.console.print(line);
      context_.console.flush();
      ++events_;
      if (annotated_) annotated_->add(counted);
      if (timeline_) timeline_->add(event);
    }
  }

  void complete(double seconds, bool whole) {
    if (annotated_) {
      annotated_->write_until(frames_);
      annotated_->finish();
      if (annotated_->early_frames() > 0)
        context_.console.note(fmt::format(
            "{}: {} of {} frames were written before their actions were certain, because {} of "
            "memory hold too few frames; a greater --memory keeps more",
            request_.annotated, annotated_->early_frames(), frames_, bytes_text(request_.memory)));
    }
    if (timeline_) write_text(request_.timeline, timeline_->svg(source_.number(frames_ - 1) + 1));
    report_recognized({.model = request_.model,
                       .input = context_.inputs[0],
                       .frames = frames_,
                       .dropped = reader_.dropped(),
                       .whole = whole,
                       .events = events_},
                      seconds, dropped_text(reader_), context_);
  }

  const RecognizeRequest& request_;
  Context& context_;
  io::VideoReader reader_;
  std::vector<actions::Recognizer> recognizers_{};  // one, because events depend on earlier frames
  std::optional<AnnotatedVideo> annotated_{};
  std::optional<actions::Timeline> timeline_{};
  std::int64_t events_ = 0;  // their number; what was reported is not kept
  SourceFrames source_{};
  double rate_ = 25;
  std::int64_t frames_ = 0;
};

int run_recognize(RecognizeRequest& request, Context& context) {
  if (request.annotated == "-")
    throw InvalidArgument("--annotated -: the standard output has the events; give a file name");
  if (!request.timeline.empty() && std::filesystem::path(request.timeline).extension() != ".svg")
    throw InvalidArgument(
        fmt::format("--timeline {}: the name must end in .svg", request.timeline));
  check_outputs(context, {{"--annotated", request.annotated, OutputUse::kFrames},
                          {"--timeline", request.timeline}});
  resolve_device(context);
  if (actions::is_points_file(context.inputs[0]))
    return recognize_points({.model = request.model,
                             .annotated = request.annotated,
                             .timeline = request.timeline,
                             .recognize = request.recognize},
                            context);
  return RecognizeRun(request, context).run();
}

}  // namespace

Command actions_recognize_command() {
  return {
      .system = "actions",
      .verb = "recognize",
      .summary = "recognize actions in a video while they happen",
      .text =
          "Prints one line of JSON per action as soon as it is certain: its name, its score, its "
          "first and last frame and second, the box around it, its distance to the nearest "
          "prototype, by how much the second nearest action is farther away, and how many frames "
          "after its end it is reported, and with --explain why. Movement that is not close to any "
          "prototype is not "
          "reported. Memory does not grow with the video. A text file with points and descriptors "
          "in "
          "the format of STIP-2.0 stands for its video. "
          "When the video breaks off (exit status 3) or the program is interrupted (130), what was "
          "seen up to then is kept, the annotated video and the timeline included.",
      .arguments =
          {{"VIDEO",
            "video file, folder or glob of images, - for y4m on standard input, camera:N, or the "
            "address of a stream; several, or @list, one after the other",
            1, kAnyNumber}},
      .examples = {{"fovea actions recognize street.mp4 --timeline when.svg",
                    "use the shipped model weizmann, and draw a timeline"},
                   {"fovea actions recognize a.avi --model m.safetensors --annotated b.mp4",
                    "use your own model, and draw what it reports into the video"},
                   {"fovea actions recognize camera:0 --live all",
                    "watch a camera; every frame counts, because actions are movements"},
                   {"fovea actions recognize street.mp4 --explain",
                    "say of each event which nodes and triangles its distance comes from"},
                   {"fovea actions recognize -",
                    "read y4m from a pipe, as ffmpeg -i CAMERA -f yuv4mpegpipe - writes it"}},
      .request = make_request<RecognizeRequest, run_recognize>,
      .result = {.record = sample_record<RecognizeResult>, .line = sample_record<EventLine>},
      .reads_images = true,
      .reads_videos = true,
      .shards = true,
      .repeats_per_input = true};
}

}  // namespace fovea::cli
