// fovea actions points: finds the space-time interest points of a video and describes them.
#include <fovea/actions/model.h>
#include <fovea/actions/points.h>
#include <fovea/core/error.h>
#include <fovea/io/frames.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>

#include "cli/actions/actions.h"
#include "cli/actions/points_input.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

using actions::FramePoints;
using actions::PointStream;
using actions::SpaceTimePoint;

struct PointsRequest {
  std::string model{};
  actions::PointOptions points{};
  double least_confidence = 0;
  std::string output{};
  std::string annotated{};
};
void describe(OptionVisitor& visit, PointsRequest& request) {
  visit.path("model", request.model, TextUse::kModel,
             "find points as this model needs them, a shipped one or a file: its options are taken "
             "for all that are not given beside it");
  visit.path("output", request.output, TextUse::kOutput,
             "file for the points, in the text format of STIP-2.0; without it they are printed");
  visit.path("annotated", request.annotated, TextUse::kOutput,
             "video to write, with each point drawn as a circle of its extent");
  visit(
      "least-confidence", request.least_confidence,
      "keep only points of a file that are as confident as this; a video's detector has thresholds",
      0, 1e30);
  describe(visit, request.points);
}

// The model's options come before those that are given beside --model.
void preset_chosen(PointsRequest& request) {
  if (request.model.empty()) return;
  request.points = actions::load_model(request.model)->points;
  request.points.descriptors = true;
}

// Writes the video with a circle of three sigma around each point.
class Annotated {
 public:
  Annotated(const std::string& path, double frame_rate) {
    if (!path.empty()) writer_.emplace(path, io::VideoWriteOptions{.frame_rate = frame_rate});
  }
  void keep(ImageView<const std::uint8_t> gray) {
    if (writer_) waiting_.push_back(clone(gray));
  }
  // Draws the points on the oldest frame that is kept.
  void draw(std::span<const SpaceTimePoint> points) {
    if (!writer_) return;
    const Image<std::uint8_t> gray = std::move(waiting_.front());
    waiting_.pop_front();
    Image<std::uint8_t> picture(gray.width(), gray.height(), 3);
    for (int y = 0; y < gray.height(); ++y)
      for (int x = 0; x < gray.width(); ++x) std::fill_n(&picture.at(x, y), 3, gray.at(x, y));
    for (const SpaceTimePoint& point : points)
      report::draw_circle(picture, {point.x + 0.5, point.y + 0.5}, 3 * std::sqrt(point.sigma2),
                          {.color = report::palette(point.tau2 > 2 ? 1 : 0), .thickness = 1.5F});
    writer_->write(picture.view());
    drawn_ = true;
  }
  void finish() {
    if (writer_ && drawn_) writer_->finish();
  }

 private:
  std::optional<io::VideoWriter> writer_;
  std::deque<Image<std::uint8_t>> waiting_;
  bool drawn_ = false;
};

// A frame, and the points of earlier ones that it made ready.
struct PointsStep {
  io::StoredFrame stored{};
  io::Frame frame{};
  std::vector<FramePoints> ready{};
  std::string text{};  // the lines of `ready`, where they are written
};

// Where points go while the video runs: a file or the standard output, as text, and JSON.
class PointsOutput {
 public:
  PointsOutput(const PointsRequest& request, Context& context)
      : request_(request),
        context_(context),
        prints_text_(!context.json && request.output.empty() && request.annotated.empty()) {}

  // Whether the lines of the text format are wanted at all.
  bool has_text() const { return prints_text_ || !request_.output.empty(); }

  void begin(const actions::PointVideo& video) {
    if (!request_.output.empty()) file_.emplace(request_.output);
    if (has_text()) write_text(points_head(video));
    if (!context_.json) return;
    json_.emplace([this](std::string_view text) { context_.console.print(text); });
    begin_result(*json_, context_);
    const PointsHead head{.input = context_.inputs[0],
                          .output = request_.output,
                          .annotated = request_.annotated,
                          .size = video.size,
                          .frame_rate = video.frame_rate};
    io::write_fields(*json_, record_ref(head));
    json_->key("points").begin_array();
  }
  void write(std::span<const FramePoints> frames, std::string_view text) {
    if (has_text() && !text.empty()) write_text(text);
    if (!json_) return;
    for (const FramePoints& frame : frames)
      for (const SpaceTimePoint& point : frame.points) io::write_record(*json_, record_ref(point));
    context_.console.print_at_once({});
  }
  void finish(std::string_view text, const PointsFoot& foot) {
    if (has_text() && !text.empty()) write_text(text);
    if (file_) file_->commit();
    if (!json_) return;
    json_->end_array();
    io::write_fields(*json_, record_ref(foot));
    end_result(*json_, context_);
  }
  bool prints_text() const { return prints_text_; }

 private:
  void write_text(std::string_view text) {
    if (file_) file_->write(text);
    if (prints_text_) context_.console.print_at_once(text);
  }

  const PointsRequest& request_;
  Context& context_;
  bool prints_text_;
  std::optional<io::FileSink> file_{};
  std::optional<io::JsonWriter> json_{};
};

// One pass over the video, in which reading, finding, formatting and writing overlap. Nothing of a
// frame is kept longer than the filters need it.
class PointsRun {
 public:
  PointsRun(const PointsRequest& request, Context& context)
      : request_(request),
        context_(context),
        reader_(
            open_video(context, context.inputs[0], video_options(context, io::VideoColor::kGray))),
        annotated_(request.annotated, reader_.info().rate.value()),
        output_(request, context) {
    actions::PointOptions options = request.points;
    options.exec = context.exec_without_progress();
    options.exec.stop = {};  // run_frames() stops between frames, so that the rest can be finished
    streams_.emplace_back(options);
    video_.frame_rate = reader_.info().rate.value();
    video_.frames = reader_.info().live ? 0 : std::max<std::int64_t>(0, reader_.expected_frames());
    video_.descriptors = options.descriptors;
    video_.detector = options.detector;
    if (options.descriptors) video_.votes = options.votes;
    video_.found_with = actions::point_words(options);
  }

  int run() {
    const double start = steady_seconds();
    const std::int64_t expected = std::max<std::int64_t>(0, reader_.expected_frames());
    const io::FrameWorkers plan = io::plan_frame_workers(context_.exec, reader_, 1);
    const io::FrameRun run = io::run_frames<PointsStep, PointStream>(
        streams_,
        {.read = [&](PointsStep& step) { return reader_.fetch(step.stored); },
         .bytes = [&](const PointsStep&) { return reader_.frame_bytes(); },
         .prepare = [](PointsStep& step) { step.stored.decode(step.frame); },
         .work = [&](PointStream& stream, PointsStep& step) { work(stream, step); },
         .complete = [&](PointsStep& step) { format(step); },
         .write = [&](PointsStep& step) { write(step); }},
        {.in_flight = plan.in_flight,
         .threads = plan.runners,
         .memory_bytes = context_.memory_bytes,
         .most_bytes = context_.most_bytes,
         .expected = expected,
         .exec = context_.exec});
    finish_after(run, [&] { take_rest(); });
    context_.console.end_progress();
    note_reading(context_, context_.inputs[0], reader_);
    if (given_ > 0) complete(steady_seconds() - start, run.whole());
    run.rethrow();
    if (given_ == 0)
      throw FormatError(fmt::format("{}: the video has no frames", context_.inputs[0]));
    return kDone;
  }

 private:
  // Frames come to the single worker in order. What the stream returns is valid until its next call
  // only, and counts the frames that it was given.
  void work(PointStream& stream, PointsStep& step) {
    if (reader_.info().live) source_.add(step.frame);
    keep(stream.push(step.frame.image), step.ready);
  }
  void keep(std::span<const FramePoints> made, std::vector<FramePoints>& ready) {
    ready.clear();
    for (const FramePoints& one : made) {
      ready.push_back({one.frame, one.points,
                       one.descriptors.empty() ? Image<float>() : clone(one.descriptors)});
      for (SpaceTimePoint& point : ready.back().points)
        point.frame = static_cast<std::int32_t>(source_.number(one.frame));
      source_.forget_before(one.frame + 1);
    }
  }

  // The size is that of the step's own frame, because other steps are formatted at the same time.
  void format(PointsStep& step) const {
    step.text.clear();
    if (!output_.has_text()) return;
    actions::PointVideo video = video_;
    video.size = {step.frame.image.width(), step.frame.image.height()};
    for (const FramePoints& one : step.ready) append_points(step.text, one, video);
  }

  void write(PointsStep& step) {
    if (given_ == 0) {
      size_ = {step.frame.image.width(), step.frame.image.height()};
      actions::PointVideo video = video_;
      video.size = size_;
      output_.begin(video);
    }
    ++given_;
    last_number_ = reader_.info().live ? step.frame.frame : given_ - 1;
    annotated_.keep(step.frame.image);
    give(step);
  }
  void give(const PointsStep& step) {
    output_.write(step.ready, step.text);
    for (const FramePoints& one : step.ready) {
      points_ += one.points.size();
      annotated_.draw(one.points);
    }
  }

  // A frame that a worker took but that was not written also has points, which do not count.
  void take_rest() {
    PointsStep step;
    keep(streams_[0].finish(), step.ready);
    std::erase_if(step.ready, [&](const FramePoints& one) { return one.frame >= given_; });
    actions::PointVideo video = video_;
    video.size = size_;
    if (output_.has_text())
      for (const FramePoints& one : step.ready) append_points(step.text, one, video);
    give(step);
  }

  void complete(double seconds, bool whole) {
    annotated_.finish();
    actions::PointVideo video = video_;
    video.size = size_;
    output_.finish(points_foot(video, last_number_ + 1),
                   {.frames = given_, .dropped = reader_.dropped(), .whole = whole});
    if (points_ == 0)
      context_.console.note(
          fmt::format("{}: no interest point in {}; a lower threshold finds weaker ones",
                      context_.inputs[0], detail::counted(given_, "frame")));
    if (context_.json || output_.prints_text()) return;
    context_.console.print(fmt::format(
        "{}: {} in {}{}{}\n", request_.output.empty() ? request_.annotated : request_.output,
        detail::counted(points_, "point"), detail::counted(given_, "frame"), dropped_text(reader_),
        time_at_end(context_, seconds)));
  }

  const PointsRequest& request_;
  Context& context_;
  io::VideoReader reader_;
  Annotated annotated_;
  PointsOutput output_;
  std::vector<PointStream> streams_{};  // one, because points depend on earlier frames
  actions::PointVideo video_{};         // without the size
  Extent size_{};
  SourceFrames source_{};
  std::size_t points_ = 0;
  std::int64_t given_ = 0;        // frames; those that were dropped do not count
  std::int64_t last_number_ = 0;  // of the last frame, in the source
};

int run_points(PointsRequest& request, Context& context) {
  if (request.output == "-") request.output.clear();  // points are printed anyway
  if (request.annotated == "-")
    throw InvalidArgument("--annotated -: the standard output has the points; give a file name");
  check_outputs(context,
                {{"-o", request.output}, {"--annotated", request.annotated, OutputUse::kFrames}});
  resolve_device(context);
  if (actions::is_points_file(context.inputs[0]))
    return convert_points({.output = request.output,
                           .annotated = request.annotated,
                           .most_per_frame = request.points.most_per_frame,
                           .least_confidence = request.least_confidence,
                           .descriptors = request.points.descriptors},
                          context);
  if (request.least_confidence > 0)
    throw InvalidArgument(
        fmt::format("--least-confidence {}: it is for files of points; a video's points have "
                    "--harris-threshold or --periodic-threshold",
                    request.least_confidence));
  if (std::filesystem::path(request.output).extension() == ".csv")
    throw InvalidArgument(
        fmt::format("-o {}: the points of a video are written as text while it runs; write a .txt "
                    "file, which 'fovea actions points FILE.txt -o {}' converts",
                    request.output, request.output));
  return PointsRun(request, context).run();
}

}  // namespace

Command actions_points_command() {
  return {
      .system = "actions",
      .verb = "points",
      .summary = "find the space-time interest points of a video, with HoG and HoF",
      .text =
          "Finds the places where a video changes in space and time at once, by Laptev's "
          "space-time corners with the scales of STIP-2.0 or by Dollar's periodic detector, and "
          "describes each by histograms of gradients and flow. The result is text in the format of "
          "STIP-2.0, sorted by frame, with the confidence of each point in a comment. It is "
          "written while the video runs, and memory does not grow with the video; where the number "
          "of frames is not known beforehand, t-norm is 0 and a last comment has it. When the "
          "video breaks off or the program is interrupted, what was found up to then is written. "
          "Points need frames that follow each other: --live all drops none of a camera. A text "
          "file with points in this format is read instead of a video: its points are sorted, "
          "those that --most-per-frame, --least-confidence and --no-descriptors leave are written "
          "again, also as .csv, and no detector runs.",
      .arguments =
          {{"VIDEO",
            "video file, folder or glob of images, - for y4m on standard input, camera:N, the "
            "address of a stream, or a file of points; several, or @list, one after the other",
            1, kAnyNumber}},
      .examples = {{"fovea actions points walk.avi -o walk.txt", "find corners and describe them"},
                   {"fovea actions points walk.avi --model weizmann -o walk.txt",
                    "find what actions classify and recognize need with this model"},
                   {"fovea actions points walk.avi --detector periodic --annotated seen.mp4",
                    "draw the points of the periodic detector into the video"},
                   {"fovea actions points stip.txt --most-per-frame 1 -o points.csv",
                    "read points that STIP-2.0 has found, and write some of them as a table"},
                   {"fovea actions points - --most-per-frame 1 -o live.txt",
                    "keep the most confident point of each frame of a pipe"}},
      .request = make_request<PointsRequest, run_points>,
      .preset = "model",
      .result = {.record = sample_record<PointsResult>},
      .reads_images = true,
      .reads_videos = true,
      .batches = true,
      .shards = true,
      .repeats_per_input = true};
}

}  // namespace fovea::cli
