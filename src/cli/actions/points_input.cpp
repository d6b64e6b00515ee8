#include "cli/actions/points_input.h"

#include <fovea/actions/explain.h>
#include <fovea/actions/select_points.h>
#include <fovea/actions/show.h>
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using actions::PointSet;

void refuse_drawing(const std::string& annotated, const std::string& input) {
  if (!annotated.empty())
    throw InvalidArgument(
        fmt::format("--annotated {}: {} has points and no frames to draw on; give the video",
                    annotated, input));
}

// Returns the points of a file that may be compared with those of the model.
PointSet points_for(const actions::Model& model, const std::string& input) {
  // clip_points() checks descriptors and detector.
  const actions::Clip clip{.path = input, .subject = {}, .scenario = {}};
  actions::ClipOptions options;
  options.points = model.points;
  return std::move(actions::clip_points({&clip, 1}, options)[0]);
}

}  // namespace

void describe(FieldVisitor& visit, EventLine& line) {
  describe(visit, line.event);
  visit("explanation", line.explanation, "why it was reported, with --explain");
}

std::string event_line(const actions::Event& event, const actions::Model& model) {
  EventLine record{.event = event};
  if (event.evidence) record.explanation = present(explain(model, event));
  std::string line;
  io::JsonWriter json(io::string_sink(line), io::JsonStyle::kLines);
  io::write_record(json, record_ref(record), {.arrays = io::ArrayJson::kElements});
  json.finish();
  return line;
}

void describe(FieldVisitor& visit, RecognizeResult& result) {
  visit.record("RecognizeResult", "what was looked at; the events stand in the lines before");
  visit("model", result.model, "name or file of the model");
  visit("input", result.input, "the video, or the address of a stream");
  visit("frames", result.frames, "that were looked at");
  visit("dropped", result.dropped, "frames of a live source that were not looked at");
  visit("whole", result.whole, "whether the video was read to its end");
  visit("events", result.events, "how many there were");
}

void report_recognized(const RecognizeResult& result, double seconds, const std::string& dropped,
                       const Context& context) {
  context.console.note(fmt::format("{} in {}{}, {:.2f} s, {:.0f} frames per second",
                                   detail::counted(result.events, "event"),
                                   detail::counted(result.frames, "frame"), dropped, seconds,
                                   static_cast<double>(result.frames) / std::max(seconds, 1e-9)));
  if (!context.json) return;
  std::string line;
  io::JsonWriter json(io::string_sink(line), io::JsonStyle::kLines);
  begin_result(json, context);
  io::write_fields(json, record_ref(result));
  end_result(json, context);
  context.console.print(line);
}

int recognize_points(const RecognizePoints& request, Context& context) {
  const std::string& input = context.inputs[0];
  refuse_drawing(request.annotated, input);
  const double start = steady_seconds();
  const auto model = actions::load_model(request.model);
  const PointSet set = points_for(*model, input);
  actions::RecognizeOptions options = request.recognize;
  if (!options.frame_rate) options.frame_rate = set.frame_rate;
  options.exec = context.exec_without_progress();
  actions::Recognizer recognizer(model, options);
  std::vector<actions::Event> events;
  const auto report = [&](std::span<const actions::Event> some) {
    for (const actions::Event& event : some) {
      context.console.end_progress();
      context.console.print_at_once(event_line(event, *model));
      events.push_back(event);
    }
  };
  actions::PointFrames frames(set);
  std::int64_t done = 0;
  for (; done < set.frames && !context.exec.stop.stop_requested(); ++done) {
    if (context.exec.progress && done % 100 == 0)
      context.exec.progress({"frames", static_cast<double>(done), static_cast<double>(set.frames)});
    report(recognizer.push(frames.next(), set.size));
  }
  report(recognizer.finish());
  context.console.end_progress();
  if (!request.timeline.empty())
    write_text(request.timeline,
               actions::timeline_svg(events, model->classes, done, *options.frame_rate));
  report_recognized({.model = request.model,
                     .input = input,
                     .frames = done,
                     .whole = done == set.frames,
                     .events = std::ssize(events)},
                    steady_seconds() - start, "", context);
  throw_if_stopped(context.exec);
  return kDone;
}

void describe(FieldVisitor& visit, PointsHead& head) {
  visit("input", head.input, "the video or file of points, or the address of a stream");
  visit.optional("output", head.output, "the file that was written");
  visit.optional("annotated", head.annotated, "the video that was written");
  visit("width", head.size.width, "of the video", {.unit = "pixels"});
  visit("height", head.size.height, "of the video", {.unit = "pixels"});
  visit("frame_rate", head.frame_rate, "frames per second");
}

void describe(FieldVisitor& visit, PointsFoot& foot) {
  visit("frames", foot.frames, "how many there were");
  visit("dropped", foot.dropped, "frames of a live source that were not looked at");
  visit("whole", foot.whole, "whether the video was read to its end");
  visit.optional("read", foot.read, "points that a file has, of which some are chosen");
}

void describe(FieldVisitor& visit, PointsResult& result) {
  visit.record("PointsResult", "space-time interest points");
  describe(visit, result.head);
  visit("points", result.points, "in the order of frames");
  describe(visit, result.foot);
}

int convert_points(const ConvertPoints& request, Context& context) {
  const std::string& input = context.inputs[0];
  refuse_drawing(request.annotated, input);
  const PointSet all = actions::read_points(input);
  const PointSet set = actions::select_points(all, {.most_per_frame = request.most_per_frame,
                                                    .least_confidence = request.least_confidence,
                                                    .descriptors = request.descriptors});
  if (!request.output.empty()) {
    io::FileSink file(request.output);
    if (std::filesystem::path(request.output).extension() == ".csv")
      actions::write_points_csv(file.sink(), set);
    else actions::write_points(file.sink(), set, context.exec);
    file.commit();
  }
  const PointsFoot foot{.frames = set.frames, .read = std::ssize(all.points)};
  if (context.json)
    print_result(context, record_ref(PointsResult{.head = {.input = input,
                                                           .output = request.output,
                                                           .size = set.size,
                                                           .frame_rate = set.frame_rate},
                                                  .points = set.points,
                                                  .foot = foot}));
  else if (request.output.empty()) context.console.print(actions::points_text(set, context.exec));
  else
    context.console.print(fmt::format("{}: {} of {} in {}\n", request.output, set.points.size(),
                                      detail::counted(all.points.size(), "point"),
                                      detail::counted(set.frames, "frame")));
  return kDone;
}

}  // namespace fovea::cli
