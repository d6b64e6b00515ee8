// fovea actions points: finds the space-time interest points of a video and describes them.
#include <fovea/actions/points.h>
#include <fovea/core/error.h>
#include <fovea/io/frames.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>
#include <fovea/io/video.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
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
using actions::PointSet;
using actions::PointStream;
using actions::SpaceTimePoint;

struct PointsRequest {
  actions::PointOptions points{};
  double least_confidence = 0;
  std::string output{};
  std::string annotated{};
};
void describe(OptionVisitor& visit, PointsRequest& request) {
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

// One pass over the video, in which reading, finding and drawing overlap.
class PointsRun {
 public:
  PointsRun(const PointsRequest& request, Context& context)
      : request_(request),
        context_(context),
        reader_(
            open_video(context, context.inputs[0], video_options(context, io::VideoColor::kGray))),
        annotated_(request.annotated, reader_.info().rate.value()) {
    actions::PointOptions options = request.points;
    options.exec = context.exec_without_progress();
    options.exec.stop = {};  // run_frames() stops between frames, so that the rest can be finished
    exec_ = options.exec;
    streams_.emplace_back(options);
    set_.frame_rate = reader_.info().rate.value();
    set_.detector = request.points.detector;
  }

  int run() {
    const double start = steady_seconds();
    const std::int64_t expected = std::max<std::int64_t>(0, reader_.expected_frames());
    const io::FrameWorkers plan = io::plan_frame_workers(context_.exec, reader_, 1);
    const io::FrameRun run = io::run_frames<Step, PointStream>(
        streams_,
        {.read = [&](Step& step) { return reader_.fetch(step.stored); },
         .bytes = [&](const Step&) { return reader_.frame_bytes(); },
         .prepare = [](Step& step) { step.stored.decode(step.frame); },
         .work = [](PointStream& stream, Step& step) { step.take(stream.push(step.frame.image)); },
         .write = [&](Step& step) { write(step); }},
        {.in_flight = plan.in_flight,
         .threads = plan.runners,
         .memory_bytes = context_.memory_bytes,
         .expected = expected,
         .exec = context_.exec});
    finish_after(run, [&] { take_rest(); });
    context_.console.end_progress();
    note_reading(context_, context_.inputs[0], reader_);
    if (set_.frames > 0) {
      complete();
      if (set_.points.empty())
        context_.console.note(
            fmt::format("{}: no interest point in {}; a lower threshold finds weaker ones",
                        context_.inputs[0], detail::counted(set_.frames, "frame")));
      print(steady_seconds() - start, run.whole());
    }
    run.rethrow();
    if (set_.frames == 0)
      throw FormatError(fmt::format("{}: the video has no frames", context_.inputs[0]));
    return kDone;
  }

 private:
  // A frame, and the points of earlier ones that it made ready.
  struct Step {
    io::StoredFrame stored{};
    io::Frame frame{};
    std::vector<FramePoints> ready{};

    // What the stream returns is valid until its next call only.
    void take(std::span<const FramePoints> made) {
      ready.clear();
      for (const FramePoints& one : made) ready.push_back(copy_of(one));
    }
  };
  static FramePoints copy_of(const FramePoints& one) {
    return {one.frame, one.points,
            one.descriptors.empty() ? Image<float>() : clone(one.descriptors)};
  }

  void write(Step& step) {
    set_.size = {step.frame.image.width(), step.frame.image.height()};
    ++set_.frames;
    if (reader_.info().live) source_.add(step.frame);
    annotated_.keep(step.frame.image);
    for (FramePoints& one : step.ready) add(std::move(one));
  }
  void add(FramePoints one) {
    set_.points.insert(set_.points.end(), one.points.begin(), one.points.end());
    annotated_.draw(one.points);
    if (!one.descriptors.empty()) descriptors_.push_back(std::move(one.descriptors));
  }

  // A frame that a worker took but that was not written also has points, which do not count.
  void take_rest() {
    for (const FramePoints& one : streams_[0].finish())
      if (one.frame < set_.frames) add(copy_of(one));
  }

  void complete() {
    annotated_.finish();
    given_ = set_.frames;
    for (SpaceTimePoint& point : set_.points)
      point.frame = static_cast<std::int32_t>(source_.number(point.frame));
    set_.frames = static_cast<int>(source_.number(given_ - 1)) + 1;
    if (!descriptors_.empty()) {
      set_.descriptors =
          Image<float>(actions::kDescriptorSize, static_cast<int>(set_.points.size()));
      int row = 0;
      for (Image<float>& some : descriptors_) {
        copy(some.view(),
             set_.descriptors.view().crop(0, row, actions::kDescriptorSize, some.height()));
        row += some.height();
        some = {};
      }
    }
    if (!request_.output.empty()) {
      io::FileSink file(request_.output);
      actions::write_points(file.sink(), set_, exec_);
      file.commit();
    }
  }

  void print(double seconds, bool whole) {
    if (context_.json) return print_json(whole);
    if (request_.output.empty() && request_.annotated.empty())
      return context_.console.print(actions::points_text(set_, exec_));
    context_.console.print(fmt::format(
        "{}: {} in {}{}, {}\n", request_.output.empty() ? request_.annotated : request_.output,
        detail::counted(set_.points.size(), "point"), detail::counted(given_, "frame"),
        dropped_text(reader_), seconds_text(seconds)));
  }
  void print_json(bool whole) {
    print_result(context_, [&](io::JsonWriter& json) {
      json.member("input", context_.inputs[0]);
      if (!request_.output.empty()) json.member("output", request_.output);
      if (!request_.annotated.empty()) json.member("annotated", request_.annotated);
      json.member("width", set_.size.width).member("height", set_.size.height);
      json.member("frames", given_).member("dropped", reader_.dropped());
      json.member("frame_rate", set_.frame_rate);
      json.key("points").begin_array();
      for (const SpaceTimePoint& point : set_.points) {
        json.begin_object().member("frame", point.frame).member("x", point.x).member("y", point.y);
        json.member("sigma2", point.sigma2).member("tau2", point.tau2);
        json.member("confidence", point.confidence).end_object();
      }
      json.end_array().member("whole", whole);
    });
  }

  const PointsRequest& request_;
  Context& context_;
  io::VideoReader reader_;
  Annotated annotated_;
  std::vector<PointStream> streams_{};  // one, because points depend on earlier frames
  Exec exec_{};
  PointSet set_{};
  SourceFrames source_{};
  std::int64_t given_ = 0;                   // frames; those that were dropped do not count
  std::vector<Image<float>> descriptors_{};  // of each frame that has points
};

int run_points(PointsRequest& request, Context& context) {
  if (request.output == "-") request.output.clear();  // points are printed anyway
  if (request.annotated == "-")
    throw InvalidArgument("--annotated -: the standard output has the points; give a file name");
  check_outputs(context, {{"-o", request.output}, {"--annotated", request.annotated}});
  settle_device(context);
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
          "STIP-2.0, sorted by frame, with the confidence of each point in a comment. When the "
          "video breaks off or the program is interrupted, what was found up to then is written. "
          "Points need frames that follow each other: --live all drops none of a camera. A text "
          "file with points in this format is read instead of a video: its points are sorted, "
          "those that --most-per-frame, --least-confidence and --no-descriptors leave are written "
          "again, also as .csv, and no detector runs.",
      .arguments =
          {{"VIDEO",
            "video file, folder or glob of images, - for y4m on standard input, camera:N, the "
            "address of a stream, or a file of points",
            1, 1}},
      .examples = {{"fovea actions points walk.avi -o walk.txt", "find corners and describe them"},
                   {"fovea actions points walk.avi --detector periodic --annotated seen.mp4",
                    "draw the points of the periodic detector into the video"},
                   {"fovea actions points stip.txt --most-per-frame 1 -o points.csv",
                    "read points that STIP-2.0 has found, and write some of them as a table"},
                   {"fovea actions points - --most-per-frame 1 -o live.txt",
                    "keep the most confident point of each frame of a pipe"}},
      .request = make_request<PointsRequest, run_points>,
      .reads_images = true,
      .reads_videos = true,
      .batches = true};
}

}  // namespace fovea::cli
