// Flow along a video for fovea flow lk and bm.
#include <fovea/core/error.h>
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/flow/estimate.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/backend.h"
#include "core/stream.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// One pass over the video: a frame is read and copied to the device while the flow of the frames
// before it is estimated and their fields are written. At most four frames are held.
class VideoRun {
 public:
  VideoRun(const EstimateRequest& request, Context& context)
      : request_(request),
        context_(context),
        estimating_(context.exec.device),
        uploading_(context.exec.device),
        pictures_(picture_files(request.pictures)),
        mask_(read_mask(request.mask, {.max_pixels = context.max_pixels})),
        reader_(make_reader(context)) {
    flow::FlowOptions options = request.flow;
    options.exec.stream = estimating_.get();
    estimators_.emplace_back(options);
    for (const PictureFile& picture : pictures_)
      writers_.emplace_back(picture.path,
                            io::VideoWriteOptions{.frame_rate = reader_.info().rate.value()});
  }

  int run() {
    // With one thread the steps take turns; otherwise frames are read and written during the work.
    const int in_flight = context_.exec.threads == 1 ? 1 : 4;
    const io::FrameRun run = io::run_frames<Step, flow::Estimator>(
        estimators_,
        {.read = [&](Step& step) { return read(step); },
         .work = [&](flow::Estimator& estimator, Step& step) { work(estimator, step); },
         .write = [&](Step& step) { write(step); }},
        {.in_flight = in_flight,
         .expected = std::max<std::int64_t>(0, reader_.expected_frames()),
         .exec = context_.exec});
    if (fields_ > 0)
      for (io::VideoWriter& writer : writers_) writer.finish();
    context_.console.end_progress();
    if (fields_ == 0 && run.whole())
      throw FormatError(fmt::format("{}: has one frame; flow needs two", context_.inputs[0]));
    if (fields_ > 0 || run.whole()) print(run);
    run.rethrow();
    return kDone;
  }

 private:
  struct Step {
    io::Frame frame{};
    Image<std::uint8_t> there{};  // the frame in the device's memory, if that is not the host's
    std::optional<flow::Flow> field{};
  };

  bool on_cuda() const { return context_.exec.device.kind == DeviceKind::kCuda; }

  bool read(Step& step) {
    if (!reader_.next(step.frame)) return false;
    if (!on_cuda()) return true;
    const fovea::cuda::ScopedDevice here(context_.exec.device);
    const Image<std::uint8_t>& image = step.frame.image;
    if (step.there.width() != image.width() || step.there.height() != image.height())
      step.there =
          Image<std::uint8_t>(image.width(), image.height(), image.channels(), Memory::kCuda);
    Exec exec = context_.exec;
    exec.stream = uploading_.get();
    copy(image.view(), step.there.view(), exec);
    return true;
  }

  void work(flow::Estimator& estimator, Step& step) {
    // On a GPU too, the first frame is passed from the host: it gives no field, so that nothing
    // would wait until the estimator has read the copy on the device.
    if (!on_cuda() || !begun_) {
      begun_ = true;
      step.field = estimator.push(step.frame.image, mask_.view());
      return;
    }
    const auto found = estimator.push(step.there, mask_.view());
    step.field.reset();
    if (!found) return;
    const auto fetched = [&](const Image<float>& plane) {
      Image<float> here(plane.width(), plane.height());
      copy(plane.view(), here.view(), estimator.options().exec);
      return here;
    };
    step.field = flow::Flow{fetched(found->u), fetched(found->v), fetched(found->confidence)};
  }

  void write(Step& step) {
    if (step.field) add(*step.field, before_, step.frame.image);
    width_ = step.frame.image.width();
    height_ = step.frame.image.height();
    std::swap(step.frame.image, before_);
  }

  static io::VideoReader make_reader(const Context& context) {
    const io::VideoReadOptions options{.max_pixels = context.max_pixels, .stop = context.exec.stop};
    return context.inputs.size() == 1 ? io::VideoReader(context.inputs[0], options)
                                      : io::VideoReader(context.inputs, options);
  }

  void add(const flow::Flow& field, ImageView<const std::uint8_t> before,
           ImageView<const std::uint8_t> now) {
    const io::FlowFieldView view{field.u, field.v, mask_.view()};
    if (!request_.output.empty()) {
      if (fields_ == 0) make_folder(request_.output);
      FieldFormat format = request_.format;
      const std::string name =
          fmt::format("{:06}.{}", fields_, choices(format)[static_cast<std::size_t>(format)].word);
      io::write_flow((fs::path(request_.output) / name).string(), view);
    }
    for (std::size_t i = 0; i < pictures_.size(); ++i)
      writers_[i].write(draw_flow(pictures_[i].kind,
                                  {before, now, view, field.confidence, request_.wheel.longest},
                                  context_.exec));
    ++fields_;
  }

  void print(const io::FrameRun& run) {
    if (!context_.json) {
      context_.console.print(fmt::format(
          "{}: {} from {}, {}\n", request_.output.empty() ? pictures_[0].path : request_.output,
          detail::counted(fields_, "field"), detail::counted(run.frames, "frame"),
          seconds_text(run.seconds)));
      return;
    }
    print_result(context_, [&](io::JsonWriter& json) {
      json.member("input", context_.inputs[0]);
      if (!request_.output.empty()) json.member("output", request_.output);
      write_pictures(json, pictures_);
      json.member("width", width_).member("height", height_);
      json.member("frames", run.frames).member("fields", fields_);
      json.member("interrupted", !run.whole());
      json.member("peak_memory_bytes", peak_memory_bytes());
    });
  }

  const EstimateRequest& request_;
  Context& context_;
  Stream estimating_, uploading_;
  std::vector<flow::Estimator> estimators_{};  // one, since a field needs the frame before
  std::vector<PictureFile> pictures_;
  Image<std::uint8_t> mask_;
  io::VideoReader reader_;
  Image<std::uint8_t> before_{};
  bool begun_ = false;
  std::vector<io::VideoWriter> writers_{};
  std::int64_t fields_ = 0;
  int width_ = 0, height_ = 0;
};

}  // namespace

int estimate_video(const EstimateRequest& request, Context& context) {
  return VideoRun(request, context).run();
}

}  // namespace fovea::cli
