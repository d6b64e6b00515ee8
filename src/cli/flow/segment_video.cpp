// Regions of like motion along a video for fovea flow segment.
#include <fovea/core/error.h>
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/flow/segment.h"
#include "cli/flow/shared_frame.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// One pass over the video. Frames are divided in any order on the CPU, and in order by one
// estimator on a GPU; labels are matched with those of the frame before, drawn and written in
// order.
class SegmentRun {
 public:
  SegmentRun(const SegmentRequest& request, Context& context)
      : request_(request),
        context_(context),
        reader_(make_reader(context)),
        expected_(std::max<std::int64_t>(0, reader_.expected_frames())),
        plan_(io::plan_frame_workers(context.exec, reader_, on_cuda() ? 1 : 0)),
        table_(request.table) {
    Exec exec = context.exec_without_progress();
    exec.threads = plan_.threads;
    flow::SegmentPairOptions pair = request.pair;
    pair.exec = exec;
    for (int i = 0; i < plan_.count; ++i) estimators_.emplace_back(estimation_options(pair));
    segment_ = division_options(pair);
    if (!request.picture.empty())
      writer_.emplace(request.picture,
                      io::VideoWriteOptions{.frame_rate = reader_.info().rate.value()});
  }

  int run() {
    const io::FrameRun run = io::run_frames<Step, flow::Estimator>(
        estimators_,
        {.read = [&](Step& step) { return read(step); },
         .bytes = [&](const Step&) { return step_bytes(); },
         .prepare = [](Step& step) { step.now->image(); },
         .work = [&](flow::Estimator& estimator, Step& step) { work(estimator, step); },
         .write = [&](Step& step) { write(step); }},
        {.in_flight = plan_.in_flight,
         .threads = plan_.runners,
         .memory_bytes = context_.memory_bytes,
         .expected = expected_,
         .exec = context_.exec});
    if (frames_ > 0) {
      if (writer_) writer_->finish();
      table_.finish();
    }
    context_.console.end_progress();
    note_reading(context_, context_.inputs[0], reader_);
    if (frames_ == 0 && run.whole())
      throw FormatError(
          fmt::format("{}: one frame was read; motion needs two", context_.inputs[0]));
    if (frames_ > 0 || run.whole()) print(run);
    run.rethrow();
    return kDone;
  }

 private:
  struct Step {
    std::shared_ptr<SharedFrame> before{}, now{};
    flow::MotionSegments segments{};
  };

  bool on_cuda() const { return context_.exec.device.kind == DeviceKind::kCuda; }

  // An estimate of the memory that a frame takes with its field, its estimator and its labels.
  std::uint64_t step_bytes() const {
    constexpr std::uint64_t kBytesPerPixel = 240;
    const Extent size = reader_.info().size;
    return reader_.frame_bytes() + kBytesPerPixel * static_cast<std::uint64_t>(size.width) *
                                       static_cast<std::uint64_t>(size.height);
  }

  bool read(Step& step) {
    auto frame = std::make_shared<SharedFrame>();
    if (!frame->fetch(reader_)) return false;
    step.before = std::exchange(last_, frame);
    step.now = std::move(frame);
    return true;
  }

  void work(flow::Estimator& estimator, Step& step) {
    if (!step.before) return;
    const flow::Flow field = estimator.estimate(step.before->image(), step.now->image());
    step.segments = flow::segment_motion({field.u, field.v}, field.confidence,
                                         step.before->image().view(), segment_);
  }

  void write(Step& step) {
    const std::shared_ptr<SharedFrame> shown = std::move(step.before);
    step.before.reset();
    step.now.reset();
    if (!shown) return;
    flow::MotionSegments segments = std::move(step.segments);
    labels_.label(segments);
    if (!request_.output.empty()) {
      if (frames_ == 0) make_folder(request_.output);
      io::write_image(
          (std::filesystem::path(request_.output) / fmt::format("{:06}.png", shown->number()))
              .string(),
          segments.labels.view());
    }
    if (writer_) writer_->write(flow::segments_picture(segments.labels.view(), shown->image()));
    table_.add(shown->number(), segments);
    regions_ += static_cast<std::int64_t>(segments.regions.size());
    ++frames_;
  }

  static io::VideoReader make_reader(const Context& context) {
    const io::VideoReadOptions options = video_options(context);
    return context.inputs.size() == 1 ? open_video(context, context.inputs[0], options)
                                      : io::VideoReader(context.inputs, options);
  }

  void print(const io::FrameRun& run) {
    const double each =
        frames_ > 0 ? static_cast<double>(regions_) / static_cast<double>(frames_) : 0;
    if (!context_.json) {
      context_.console.print(fmt::format("{}: {} of {} divided{}, {:.1f} regions on average, {}\n",
                                         context_.inputs[0], frames_,
                                         detail::counted(run.frames, "frame"),
                                         dropped_text(reader_), each, seconds_text(run.seconds)));
      return;
    }
    print_result(context_, [&](io::JsonWriter& json) {
      json.member("input", context_.inputs[0]);
      if (!request_.output.empty()) json.member("output", request_.output);
      if (!request_.picture.empty()) json.member("picture", request_.picture);
      if (!request_.table.empty()) json.member("table", request_.table);
      json.member("frames", run.frames).member("dropped", reader_.dropped());
      json.member("divided", frames_).member("mean_regions", each);
      json.member("interrupted", !run.whole());
      json.member("peak_memory_bytes", peak_memory_bytes());
    });
  }

  const SegmentRequest& request_;
  Context& context_;
  io::VideoReader reader_;
  std::int64_t expected_;
  io::FrameWorkers plan_;
  RegionTable table_;
  flow::SegmentOptions segment_{};
  std::vector<flow::Estimator> estimators_{};
  std::optional<io::VideoWriter> writer_{};
  std::shared_ptr<SharedFrame> last_{};  // the frame that was read last
  flow::LabelKeeper labels_{};
  std::int64_t frames_ = 0, regions_ = 0;
};

}  // namespace

int segment_video(const SegmentRequest& request, Context& context) {
  return SegmentRun(request, context).run();
}

}  // namespace fovea::cli
