// Regions of like motion along a video for fovea flow segment.
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cli/flow/frame_pairs.h"
#include "cli/flow/segment.h"
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
        video_(context),
        plan_(video_.plan(on_cuda() ? 1 : 0)),
        table_(request.table) {
    Exec exec = context.exec_without_progress();
    exec.threads = plan_.threads;
    flow::SegmentPairOptions pair = request.pair;
    pair.exec = exec;
    for (int i = 0; i < plan_.count; ++i) estimators_.emplace_back(estimation_options(pair));
    segment_ = division_options(pair);
    if (!request.picture.empty())
      writer_.emplace(request.picture,
                      io::VideoWriteOptions{.frame_rate = video_.reader().info().rate.value()});
  }

  int run() {
    const io::FrameRun run = io::run_frames<Step, flow::Estimator>(
        estimators_,
        {.read = [&](Step& step) { return video_.read(step.frames); },
         .bytes = [&](const Step&) { return video_.step_bytes(kBytesPerPixel); },
         .prepare = [](Step& step) { step.frames.now->image(); },
         .work = [&](flow::Estimator& estimator, Step& step) { work(estimator, step); },
         .write = [&](Step& step) { write(step); }},
        video_.options(plan_));
    if (frames_ > 0) {
      if (writer_) writer_->finish();
      table_.finish();
    }
    if (video_.ended(run, frames_, "motion")) print(run);
    run.rethrow();
    return kDone;
  }

 private:
  struct Step {
    FramePairs::Pair frames{};
    flow::MotionSegments segments{};
  };

  bool on_cuda() const { return context_.exec.device.kind == DeviceKind::kCuda; }

  // With the field, the estimator and the labels.
  static constexpr std::uint64_t kBytesPerPixel = 240;

  void work(flow::Estimator& estimator, Step& step) {
    auto& [before, now] = step.frames;
    if (!before) return;
    const flow::Flow field = estimator.estimate(before->image(), now->image());
    step.segments = flow::segment_motion({field.u, field.v}, field.confidence,
                                         before->image().view(), segment_);
  }

  void write(Step& step) {
    const std::shared_ptr<SharedFrame> shown = std::exchange(step.frames, {}).before;
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

  void print(const io::FrameRun& run) {
    const double each =
        frames_ > 0 ? static_cast<double>(regions_) / static_cast<double>(frames_) : 0;
    if (!context_.json) {
      context_.console.print(
          fmt::format("{}: {} of {} divided{}, {:.1f} regions on average{}\n", context_.inputs[0],
                      frames_, detail::counted(run.frames, "frame"), dropped_text(video_.reader()),
                      each, time_at_end(context_, run.seconds)));
      return;
    }
    DividedReport report = divided_report(request_);
    report.input = context_.inputs[0];
    report.video = {run.frames, video_.reader().dropped(), frames_, each, !run.whole()};
    if (reports_times(context_)) report.peak_memory_bytes = peak_memory_bytes();
    print_result(context_, record_ref(report));
  }

  const SegmentRequest& request_;
  Context& context_;
  FramePairs video_;
  io::FrameWorkers plan_;
  RegionTable table_;
  flow::SegmentOptions segment_{};
  std::vector<flow::Estimator> estimators_{};
  std::optional<io::VideoWriter> writer_{};
  flow::LabelKeeper labels_{};
  std::int64_t frames_ = 0, regions_ = 0;
};

}  // namespace

int segment_video(const SegmentRequest& request, Context& context) {
  return SegmentRun(request, context).run();
}

}  // namespace fovea::cli
