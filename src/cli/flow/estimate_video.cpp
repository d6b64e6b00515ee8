// Flow along a video for fovea flow lk and bm.
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/io/frames.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "cli/flow/estimate.h"
#include "cli/flow/frame_pairs.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/backend.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// One pass over the video: frames are decoded while the flow of those before is estimated and their
// fields are drawn and written. On the CPU several pairs of frames are estimated at a time. On a
// GPU, and with a mask, a single estimator follows the video, because it then prepares each frame
// once, or prepares the second frame of a pair with the mask as well.
class VideoRun {
 public:
  VideoRun(const EstimateRequest& request, Context& context)
      : request_(request),
        context_(context),
        estimating_(context.exec.device),
        uploading_(context.exec.device),
        pictures_(picture_files(request.pictures)),
        mask_(request.alpha() ? Image<std::uint8_t>{}
                              : read_mask(request.mask, {.max_pixels = context.max_pixels})),
        video_(context),
        alpha_(alpha_files()),
        plan_(video_.plan(follows() ? 1 : 0)),
        in_pairs_(plan_.count > 1) {
    flow::FlowOptions options = request.flow;
    options.exec.stream = estimating_.get();
    options.exec.threads = plan_.threads;
    for (int i = 0; i < plan_.count; ++i) estimators_.emplace_back(options);
    for (const PictureFile& picture : pictures_)
      writers_.emplace_back(
          picture.path, io::VideoWriteOptions{.frame_rate = video_.reader().info().rate.value()});
  }

  int run() {
    const io::FrameRun run = io::run_frames<Step, flow::Estimator>(
        estimators_,
        {.read = [&](Step& step) { return read(step); },
         .bytes = [&](const Step&) { return video_.step_bytes(kBytesPerPixel); },
         .prepare = [&](Step& step) { prepare(step); },
         .work = [&](flow::Estimator& estimator, Step& step) { work(estimator, step); },
         .complete = [&](Step& step) { complete(step); },
         .write = [&](Step& step) { write(step); }},
        video_.options(plan_));
    if (fields_ > 0)
      for (io::VideoWriter& writer : writers_) writer.finish();
    if (video_.ended(run, fields_, "flow")) print(run);
    run.rethrow();
    return kDone;
  }

 private:
  struct Step {
    FramePairs::Pair frames{};
    std::int64_t field_number = -1;  // -1 for the first frame
    Image<std::uint8_t> there{};     // the frame in the device's memory, if that is not the host's
    bool found = false;              // whether there is a field
    flow::Flow field{};
    std::vector<Image<std::uint8_t>> drawn{};  // one per picture file
  };

  // With the field and the estimator.
  static constexpr std::uint64_t kBytesPerPixel = 200;

  bool on_cuda() const { return context_.exec.device.kind == DeviceKind::kCuda; }
  bool follows() const { return on_cuda() || !mask_.empty() || request_.alpha(); }

  bool needs_confidence() const {
    return !pictures_.empty() || request_.writing.least_confidence.has_value() ||
           request_.format != FieldFormat::kFlo;
  }

  // The mask of a frame: that of all frames, or its own.
  ImageView<const std::uint8_t> mask_of(SharedFrame& frame) const {
    return request_.alpha() ? frame.mask().view() : mask_.view();
  }
  AlphaFiles alpha_files() const {
    if (!request_.alpha()) return {};
    if (video_.reader().info().format != "images")
      throw InvalidArgument(fmt::format(
          "{}: is a video of format {}; --mask alpha takes images with an alpha channel",
          context_.inputs[0], video_.reader().info().format));
    AlphaFiles files{
        context_.inputs, video_.reader().info().size, {.max_pixels = context_.max_pixels}};
    if (context_.inputs.size() == 1)
      files.paths = io::expand_inputs(context_.inputs, io::image_files());
    return files;
  }

  bool read(Step& step) {
    if (!video_.read(step.frames, request_.alpha() ? &alpha_ : nullptr)) return false;
    step.field_number = step.frames.before ? step.frames.before->number() : -1;
    return true;
  }

  void prepare(Step& step) {
    const Image<std::uint8_t>& image = step.frames.now->image();
    if (!on_cuda()) return;
    const fovea::cuda::ScopedDevice here(context_.exec.device);
    if (step.there.width() != image.width() || step.there.height() != image.height())
      step.there =
          Image<std::uint8_t>(image.width(), image.height(), image.channels(), Memory::kCuda);
    Exec exec = context_.exec;
    exec.stream = uploading_.get();
    copy(image.view(), step.there.view(), exec);
  }

  void work(flow::Estimator& estimator, Step& step) {
    const bool first = step.field_number < 0;
    if (in_pairs_) {
      step.found = !first;
      if (step.found)
        step.field = estimator.estimate(step.frames.before->image(), step.frames.now->image());
      return;
    }
    // On a GPU the first frame is taken from host memory too: it has no field that would have to be
    // fetched.
    const ImageView<const std::uint8_t> mask = mask_of(*step.frames.now);
    auto found = on_cuda() && !first ? estimator.push(step.there, mask)
                                     : estimator.push(step.frames.now->image(), mask);
    step.found = found.has_value();
    if (!step.found) return;
    if (!on_cuda()) {
      step.field = std::move(*found);
      return;
    }
    const Exec& exec = estimator.options().exec;
    fetch(found->u, step.field.u, exec);
    fetch(found->v, step.field.v, exec);
    if (needs_confidence()) fetch(found->confidence, step.field.confidence, exec);
  }

  // Pinned memory is kept from frame to frame, because it is fast to fill and slow to allocate.
  static void fetch(const Image<float>& plane, Image<float>& here, const Exec& exec) {
    if (here.width() != plane.width() || here.height() != plane.height()) {
      const fovea::cuda::ScopedDevice device(exec.device);
      here = Image<float>(plane.width(), plane.height(), 1, Memory::kPinned);
    }
    copy(plane.view(), here.view(), exec);
  }

  // Writes the field to its file and draws it.
  void complete(Step& step) {
    if (!step.found) return;
    const flow::Flow& field = step.field;
    const io::FlowFieldView view{field.u, field.v, mask_of(*step.frames.before), field.confidence};
    if (!request_.output.empty()) {
      std::call_once(folder_made_, [&] { make_folder(request_.output); });
      io::write_flow(field_path(step.field_number), view, request_.writing);
      written_.add(field_path(step.field_number));
    }
    Exec exec = context_.exec_without_progress();
    exec.threads = plan_.threads;
    step.drawn.clear();
    for (const PictureFile& picture : pictures_)
      step.drawn.push_back(draw_flow(picture.kind,
                                     {step.frames.before->image(), step.frames.now->image(), view,
                                      field.confidence, request_.wheel.longest},
                                     exec));
  }

  void write(Step& step) {
    width_ = step.frames.now->image().width();
    height_ = step.frames.now->image().height();
    step.frames = {};
    if (!step.found) return;
    for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i].write(step.drawn[i]);
    written_.keep(field_path(step.field_number));
    ++fields_;
  }

  std::string field_path(std::int64_t number) const {
    FieldFormat format = request_.format;
    const std::string name =
        fmt::format("{:06}.{}", number, choices(format)[static_cast<std::size_t>(format)].word);
    return (fs::path(request_.output) / name).string();
  }

  void print(const io::FrameRun& run) {
    if (!context_.json) {
      context_.console.print(fmt::format(
          "{}: {} from {}{}, {}\n", request_.output.empty() ? pictures_[0].path : request_.output,
          detail::counted(fields_, "field"), detail::counted(run.frames, "frame"),
          dropped_text(video_.reader()), seconds_text(run.seconds)));
      return;
    }
    print_result(context_, [&](io::JsonWriter& json) {
      json.member("input", context_.inputs[0]);
      if (!request_.output.empty()) json.member("output", request_.output);
      write_pictures(json, pictures_);
      json.member("width", width_).member("height", height_);
      json.member("frames", run.frames).member("dropped", video_.reader().dropped());
      json.member("fields", fields_);
      json.member("interrupted", !run.whole());
      json.member("peak_memory_bytes", peak_memory_bytes());
    });
  }

  const EstimateRequest& request_;
  Context& context_;
  Stream estimating_, uploading_;
  std::vector<PictureFile> pictures_;
  Image<std::uint8_t> mask_;
  FramePairs video_;
  AlphaFiles alpha_;
  io::FrameWorkers plan_;
  bool in_pairs_;
  std::vector<flow::Estimator> estimators_{};
  std::vector<io::VideoWriter> writers_{};
  std::once_flag folder_made_;
  PendingFiles written_{};  // fields behind the last that counts are removed
  std::int64_t fields_ = 0;
  int width_ = 0, height_ = 0;
};

}  // namespace

int estimate_video(const EstimateRequest& request, Context& context) {
  return VideoRun(request, context).run();
}

}  // namespace fovea::cli
