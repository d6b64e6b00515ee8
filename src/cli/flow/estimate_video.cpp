// Flow along a video for fovea flow lk and bm.
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/io/frames.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/flow/estimate.h"
#include "cli/flow/frame_pairs.h"
#include "cli/jobs/frame_units.h"
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

// What a range of frames has given.
struct RangeOfFields {
  std::int64_t frames = 0, fields = 0;
  Extent size{};
  double frame_rate = 0;
};
void describe(FieldVisitor& visit, RangeOfFields& range) {
  visit("frames", range.frames, "that were read");
  visit("fields", range.fields, "that were estimated");
  visit("size", range.size, "of the frames");
  visit("frame_rate", range.frame_rate, "of the video");
}

// The files of a sequence of images; none where the reader reads a video.
std::vector<std::string> files_of_sequence(const Context& context, const io::VideoReader& reader) {
  if (reader.info().format != "images") return {};
  return context.inputs.size() > 1 ? context.inputs
                                   : io::expand_inputs(context.inputs, io::image_files());
}

// Where the results of a pass over ranges of frames go.
struct RangeRun {
  FrameUnits& units;
  FrameRange frames{};
  const std::vector<PartPictures>& pictures;
};

// One pass over the video: frames are decoded while the flow of those before is estimated and their
// fields are drawn and written. On the CPU several pairs of frames are estimated at a time. On a
// GPU, and with a mask, a single estimator follows the video, because it then prepares each frame
// once, or prepares the second frame of a pair with the mask as well.
class VideoRun final : public FramePass {
 public:
  VideoRun(const EstimateRequest& request, Context& context,
           const std::optional<RangeRun>& ranges = {})
      : request_(request),
        context_(context),
        estimating_(context.exec.device),
        uploading_(context.exec.device),
        pictures_(picture_files(request.pictures)),
        mask_(request.alpha() ? Image<std::uint8_t>{}
                              : read_mask(request.mask, {.max_pixels = context.max_pixels})),
        ranges_(ranges),
        video_(ranges ? FramePairs(context, ranges->frames) : FramePairs(context)),
        alpha_(alpha_files()),
        plan_(video_.plan(follows() ? 1 : 0)),
        in_pairs_(plan_.count > 1) {
    flow::FlowOptions options = request.flow;
    options.exec.stream = estimating_.get();
    options.exec.threads = plan_.threads;
    for (int i = 0; i < plan_.count; ++i) estimators_.emplace_back(options);
    if (ranges_) return;
    for (const PictureFile& picture : pictures_)
      writers_.emplace_back(
          picture.path, io::VideoWriteOptions{.frame_rate = video_.reader().info().rate.value()});
  }

  int run() {
    const io::FrameRun run = pass();
    if (fields_ > 0)
      for (io::VideoWriter& writer : writers_) writer.finish();
    if (video_.ended(run, fields_, "flow")) print(run);
    run.rethrow();
    return kDone;
  }

  io::FrameRun pass() override {
    return io::run_frames<Step, flow::Estimator>(
        estimators_,
        {.read = [&](Step& step) { return read(step); },
         .bytes = [&](const Step&) { return video_.step_bytes(kBytesPerPixel); },
         .prepare = [&](Step& step) { prepare(step); },
         .work = [&](flow::Estimator& estimator, Step& step) { work(estimator, step); },
         .complete = [&](Step& step) { complete(step); },
         .write = [&](Step& step) { write(step); }},
        video_.options(plan_));
  }

  UnitResult collect() override {
    const RangeOfFields range = std::exchange(range_, {});
    if (range.frames == 0 && range.fields == 0) return {};
    return {.shared = io::pack_record(record_ref(range)), .files = std::exchange(files_, {})};
  }

 private:
  struct Step {
    FramePairs::Pair frames{};
    std::int64_t field_number = -1;  // -1 for the first frame
    Image<std::uint8_t> there{};     // the frame in the device's memory, if that is not the host's
    bool found = false;              // whether there is a field
    flow::Flow field{};
    std::vector<Image<std::uint8_t>> drawn{};  // one per picture file
    std::vector<std::string> files{};          // that are the field's alone
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
    AlphaFiles files{{}, video_.reader().info().size, {.max_pixels = context_.max_pixels}};
    files.paths = files_of_sequence(context_, video_.reader());
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
    step.files.clear();
    if (!request_.output.empty()) step.files.push_back(field_path(step.field_number));
    for (const PictureFile& picture : pictures_)
      step.drawn.push_back(draw_flow(picture.kind,
                                     {step.frames.before->image(), step.frames.now->image(), view,
                                      field.confidence, request_.wheel.longest},
                                     exec));
    if (ranges_) write_parts(step);
  }

  void write_parts(Step& step) {
    for (std::size_t i = 0; i < step.drawn.size(); ++i) {
      step.files.push_back(ranges_->pictures[i].file(step.field_number));
      io::write_image(step.files.back(), step.drawn[i].view());
    }
  }

  void write(Step& step) {
    size_ = {step.frames.now->image().width(), step.frames.now->image().height()};
    const std::int64_t number = step.frames.now->number();
    step.frames = {};
    if (ranges_) return add_to_range(step, number);
    if (!step.found) return;
    for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i].write(step.drawn[i]);
    written_.keep(field_path(step.field_number));
    ++fields_;
  }

  // A field belongs to the range of the first of its frames.
  void add_to_range(Step& step, std::int64_t number) {
    if (step.found) {
      note_size();
      ++range_.fields;
      files_.insert(files_.end(), step.files.begin(), step.files.end());
      if (!request_.output.empty()) written_.keep(field_path(step.field_number));
    }
    ranges_->units.reach(number);
    if (!ranges_->units.owns(number)) return;
    note_size();  // of another range, where this frame begins one
    ++range_.frames;
  }
  void note_size() {
    range_.size = size_;
    range_.frame_rate = video_.reader().info().rate.value();
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
          "{}: {} from {}{}{}\n", request_.output.empty() ? pictures_[0].path : request_.output,
          detail::counted(fields_, "field"), detail::counted(run.frames, "frame"),
          dropped_text(video_.reader()), time_at_end(context_, run.seconds)));
      return;
    }
    flow::FlowResult report = estimate_report(request_, context_, size_);
    report.video = {run.frames, video_.reader().dropped(), fields_, !run.whole()};
    if (reports_times(context_)) report.peak_memory_bytes = peak_memory_bytes();
    print_result(context_, record_ref(report));
  }

  const EstimateRequest& request_;
  Context& context_;
  Stream estimating_, uploading_;
  std::vector<PictureFile> pictures_;
  Image<std::uint8_t> mask_;
  std::optional<RangeRun> ranges_;
  FramePairs video_;
  AlphaFiles alpha_;
  io::FrameWorkers plan_;
  bool in_pairs_;
  std::vector<flow::Estimator> estimators_{};
  std::vector<io::VideoWriter> writers_{};
  std::once_flag folder_made_;
  PendingFiles written_{};  // fields behind the last that counts are removed
  std::int64_t fields_ = 0;
  RangeOfFields range_{};             // that is being worked on
  std::vector<std::string> files_{};  // of that range
  Extent size_{};
};

// The results of all ranges together.
class RangesReport {
 public:
  RangesReport(const EstimateRequest& request, Context& context,
               const std::vector<PartPictures>& pictures)
      : request_(request), context_(context), pictures_(pictures) {}

  void add(std::int64_t first, const RangeOfFields& range) {
    total_.frames += range.frames;
    for (std::int64_t i = 0; i < range.fields; ++i) numbers_.push_back(first + i);
    total_.size = range.size;
    total_.frame_rate = range.frame_rate;
  }
  void finish(int status) {
    if (!writes_shared_files(context_)) {
      if (!context_.json)
        context_.console.print(
            fmt::format("{}: {} from {} recorded; fovea merge joins all shards\n",
                        context_.inputs[0], fields(), frames()));
      return;
    }
    if (numbers_.empty() && status == kDone)
      throw FormatError(fmt::format("{}: one frame was read; flow needs two", context_.inputs[0]));
    for (const PartPictures& pictures : pictures_)
      join_pictures(context_, pictures, numbers_, total_.frame_rate);
    print();
  }

 private:
  std::string fields() const { return detail::counted(numbers_.size(), "field"); }
  std::string frames() const { return detail::counted(total_.frames, "frame"); }
  void print() {
    if (!context_.json) {
      context_.console.print(fmt::format(
          "{}: {} from {}\n", request_.output.empty() ? pictures_[0].path() : request_.output,
          fields(), frames()));
      return;
    }
    flow::FlowResult report = estimate_report(request_, context_, total_.size);
    report.video = {total_.frames, 0, static_cast<std::int64_t>(numbers_.size())};
    print_result(context_, record_ref(report));
  }

  const EstimateRequest& request_;
  Context& context_;
  const std::vector<PartPictures>& pictures_;
  RangeOfFields total_{};
  std::vector<std::int64_t> numbers_{};  // of the fields
};

}  // namespace

int estimate_in_ranges(const EstimateRequest& request, Context& context) {
  std::vector<PartPictures> pictures;
  for (const PictureFile& picture : picture_files(request.pictures))
    pictures.emplace_back(picture.path);
  FrameSource source;
  if (merged_units(context) == nullptr) {
    require_repeatable(context);
    FramePairs frames(context);
    source = frame_source(context, frames.reader(), files_of_sequence(context, frames.reader()));
  }
  RangesReport report(request, context, pictures);
  FrameUnits units(context, std::move(source), 1, [&](std::int64_t first, const UnitResult& given) {
    report.add(first, given.record<RangeOfFields>());
  });
  units.run([&](const FrameRange& frames) {
    return std::make_unique<VideoRun>(request, context, RangeRun{units, frames, pictures});
  });
  const int status = units.finish();
  report.finish(status);
  return status;
}

int estimate_video(const EstimateRequest& request, Context& context) {
  return VideoRun(request, context).run();
}

}  // namespace fovea::cli
