// fovea actions recognize: what happens in a video, told while it does.
#include <fovea/actions/recognize.h>
#include <fovea/actions/show.h>
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/actions/actions.h"
#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct RecognizeRequest {
  std::string annotated{};
  std::string timeline{};
  actions::RecognizeOptions recognize{};
};

void describe(OptionVisitor& visit, RecognizeRequest& request) {
  visit("annotated", request.annotated, "video to write with box and name of what was seen");
  visit("timeline", request.timeline, "picture of what was seen when, .svg");
  describe(visit, request.recognize);
}

class RecognizeRun {
 public:
  RecognizeRun(const RecognizeRequest& request, Context& context)
      : request_(request),
        context_(context),
        model_(read_actions_model(context.inputs[0])),
        reader_(context.inputs[1], {.color = io::VideoColor::kGray}),
        recognizer_(model_, request.recognize, context.exec) {
    if (reader_.info().rate.numerator > 0) rate_ = reader_.info().rate.value();
  }

  int run() {
    const double start = steady_seconds();
    std::exception_ptr broken;
    try {
      io::Frame frame;
      while (reader_.next(frame)) {
        throw_if_stopped(context_.exec);
        tell(recognizer_.push(frame.image));
        ++frames_;
        if (context_.exec.progress)
          context_.exec.progress(
              {"frames", static_cast<double>(frames_),
               static_cast<double>(std::max<std::int64_t>(0, reader_.expected_frames()))});
      }
    } catch (const FormatError&) {  // cut short, such as: what was seen before it is kept
      broken = std::current_exception();
    } catch (const Cancelled&) {
      broken = std::current_exception();
    }
    tell(recognizer_.finish());
    seconds_ = steady_seconds() - start;
    context_.console.end_progress();
    if (!request_.timeline.empty()) write_timeline();
    if (!request_.annotated.empty() && frames_ > 0) write_annotated();
    summarize();
    if (broken) std::rethrow_exception(broken);
    return kDone;
  }

 private:
  void tell(std::span<const actions::Event> events) {
    for (const actions::Event& event : events) {
      std::string line;
      io::JsonWriter json(io::string_sink(line), io::JsonStyle::kLines);
      json.begin_object().member("label", model_.classes[static_cast<std::size_t>(event.label)]);
      json.member("first_frame", event.first_frame).member("last_frame", event.last_frame);
      json.member("start_seconds", static_cast<double>(event.first_frame) / rate_);
      json.member("end_seconds", static_cast<double>(event.last_frame + 1) / rate_);
      json.key("box").values(std::span<const float>(event.box));
      json.member("distance", event.distance).member("margin", event.margin);
      json.member("dummies", event.dummies).member("prototype", event.prototype);
      json.member("latency_frames", event.latency).end_object().finish();
      context_.console.end_progress();
      context_.console.print(line);
      context_.console.flush();
      events_.push_back(event);
    }
  }

  void write_timeline() const {
    io::FileSink file(request_.timeline);
    file.write(actions::timeline_svg(events_, model_.classes, frames_, rate_));
    file.commit();
  }

  // Events are certain only some time after they began: the video is read once more.
  void write_annotated() {
    io::VideoReader reader(context_.inputs[1], {.count = static_cast<int>(frames_)});
    io::VideoWriter writer(request_.annotated, {.frame_rate = rate_});
    io::Frame frame;
    for (std::int64_t i = 0; i < frames_ && reader.next(frame); ++i) {
      actions::draw_events(frame.image, events_, model_.classes, i);
      writer.write(frame.image);
    }
    writer.finish();
  }

  void summarize() {
    context_.console.note(fmt::format("{} events in {} frames, {:.2f} s, {:.0f} frames a second",
                                      events_.size(), frames_, seconds_,
                                      static_cast<double>(frames_) / std::max(seconds_, 1e-9)));
    if (!context_.json) return;
    std::string line;
    io::JsonWriter json(io::string_sink(line), io::JsonStyle::kLines);
    json.begin_object().member("fovea", FOVEA_VERSION).member("command", context_.command.name());
    json.member("device", to_string(context_.exec.device)).key("options");
    json.raw(context_.options_json).member("model", context_.inputs[0]);
    json.member("input", context_.inputs[1]).member("frames", frames_);
    json.member("events", events_.size()).member("seconds", seconds_).end_object().finish();
    context_.console.print(line);
  }

  const RecognizeRequest& request_;
  Context& context_;
  actions::Model model_;
  io::VideoReader reader_;
  actions::Recognizer recognizer_;
  std::vector<actions::Event> events_;
  double rate_ = 25;
  double seconds_ = 0;
  std::int64_t frames_ = 0;
};

int run_recognize(RecognizeRequest& request, Context& context) {
  if (!request.annotated.empty() && context.inputs[1] == "-")
    throw InvalidArgument(
        "--annotated reads the video a second time, which standard input cannot do; save it first");
  if (!request.timeline.empty() && std::filesystem::path(request.timeline).extension() != ".svg")
    throw InvalidArgument(fmt::format("--timeline {}: its name ends in .svg", request.timeline));
  settle_device(context);
  return RecognizeRun(request, context).run();
}

}  // namespace

Command actions_recognize_command() {
  return {
      .system = "actions",
      .verb = "recognize",
      .summary = "what happens in a video, told while it does",
      .text =
          "Prints a line of JSON an action as soon as it is certain: its name, first and last "
          "frame and second, the box it happened in, its distance, by how much the next action is "
          "farther, and how many frames after its end it was told. What no prototype comes near "
          "enough to is not told. Memory does not grow with the video. A video that breaks gives "
          "what was seen before (exit status 3).",
      .arguments = {{"MODEL", "weizmann as shipped, or a model file"},
                    {"VIDEO",
                     "video file, folder or glob of images, or - for y4m on standard "
                     "input"}},
      .examples = {{"fovea actions recognize weizmann street.mp4 --timeline when.svg",
                    "the shipped model, with a picture"},
                   {"fovea actions recognize m.safetensors a.avi --annotated b.mp4 --reject 1.05",
                    "somewhat more is told, drawn into the video"},
                   {"fovea actions recognize weizmann -",
                    "a pipe of y4m, such as ffmpeg -i CAMERA -f yuv4mpegpipe - writes"}},
      .request = make_request<RecognizeRequest, run_recognize>};
}

}  // namespace fovea::cli
