// fovea flow lk and fovea flow bm: the flow of a pair of images, or along a video.
#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/flow/flow.h"
#include "cli/ops/images.h"
#include "cli/program/batch.h"
#include "cli/program/run.h"
#include "core/backend.h"
#include "core/ordered_pipeline.h"
#include "core/stream.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

enum class FieldFormat : unsigned char { kFlo, kPng, kPfm, kNpy };
std::span<const Choice> choices(FieldFormat) {
  static constexpr std::array<Choice, 4> kChoices{{{"flo", static_cast<int>(FieldFormat::kFlo)},
                                                   {"png", static_cast<int>(FieldFormat::kPng)},
                                                   {"pfm", static_cast<int>(FieldFormat::kPfm)},
                                                   {"npy", static_cast<int>(FieldFormat::kNpy)}}};
  return kChoices;
}

struct EstimateRequest {
  flow::FlowOptions flow{};
  std::string output{};
  std::vector<WordAndFile> pictures{};
  std::string mask{};
  double longest = 0;
  FieldFormat format = FieldFormat::kFlo;
};

void describe_request(OptionVisitor& visit, EstimateRequest& request) {
  visit("output", request.output,
        "field to write: .flo, .png (KITTI), .pfm or .npy; of a video the folder of its fields");
  visit("picture", request.pictures,
        "a picture of the field and its file: wheel, arrows, warp or confidence. For a video the "
        "file is a video or a folder. May be given several times",
        {.words = {"wheel", "arrows", "warp", "confidence"}});
  visit("mask", request.mask, "image file of the inputs' size: black pixels are left out");
  visit.bytes("memory", request.flow.memory_bytes,
              "most device memory to use; larger images are worked on in tiles; 0 is no limit");
  visit("longest", request.longest,
        "motion in pixels with the wheel's full color; 0: the longest of each field", 0, 1e6);
  visit("format", request.format, "of the fields of a video");
}

struct LkRequest : EstimateRequest {};
void describe(OptionVisitor& visit, LkRequest& request) {
  describe_request(visit, request);
  describe(visit, request.flow.lk);
}
struct BmRequest : EstimateRequest {
  flow::Quality quality = flow::Quality::kDefault;
};
void describe(OptionVisitor& visit, BmRequest& request) {
  describe_request(visit, request);
  visit("quality", request.quality, "how much work a field is worth");
  describe(visit, request.flow.bm);
}

void begin_result(io::JsonWriter& json, const Context& context) {
  json.begin_object().member("fovea", FOVEA_VERSION).member("command", context.command.name());
  json.member("device", to_string(context.exec.device)).member("seed", context.exec.seed);
  json.key("options").raw(context.options_json);
}

void write_pictures(io::JsonWriter& json, const std::vector<PictureFile>& pictures) {
  json.key("pictures").begin_array();
  for (const PictureFile& picture : pictures) json.value(picture.path);
  json.end_array();
}

void write_usage(io::JsonWriter& json, double seconds) {
  json.member("seconds", seconds).member("peak_memory_bytes", peak_memory_bytes());
}

// A picture's inputs as bytes, made only where a picture needs them.
class PairBytes {
 public:
  PairBytes(const ImagePair& pair, const std::vector<PictureFile>& pictures) {
    for (const PictureFile& picture : pictures) {
      if (picture.kind == FlowPicture::kArrows && first_.empty()) first_ = bytes_of(pair.first);
      if (picture.kind == FlowPicture::kWarp && second_.empty()) second_ = bytes_of(pair.second);
    }
  }
  const Image<std::uint8_t>& first() const { return first_; }
  const Image<std::uint8_t>& second() const { return second_; }

 private:
  static Image<std::uint8_t> bytes_of(const io::AnyImage& image) {
    return image.channels() == 4 ? io::to_bytes(io::drop_alpha(image)) : io::to_bytes(image);
  }
  Image<std::uint8_t> first_, second_;
};

int run_pair(const EstimateRequest& request, Context& context, flow::Estimator& estimator) {
  const auto pictures = picture_files(request.pictures);
  const ImagePair pair = read_pair(context.inputs[0], context.inputs[1]);
  const Image<std::uint8_t> mask = read_mask(request.mask);
  const MemoryWatch memory;
  const double start = steady_seconds();
  const flow::Flow field = estimate_pair(estimator, pair, mask.view());
  const double seconds = steady_seconds() - start;
  const std::uint64_t working =
      memory.working_bytes(3 * sizeof(float) * static_cast<std::uint64_t>(field.u.stride()) *
                           static_cast<std::uint64_t>(field.u.height()));
  const io::FlowFieldView view{field.u, field.v, mask.view()};
  if (!request.output.empty()) io::write_flow(request.output, view);
  const PairBytes bytes(pair, pictures);
  for (const PictureFile& picture : pictures)
    io::write_image(picture.path, draw_flow(picture.kind,
                                            {bytes.first(), bytes.second(), view, field.confidence,
                                             request.longest},
                                            context.exec));
  const MotionFacts facts = motion_facts(field);
  context.console.end_progress();
  if (!context.json) {
    context.console.print(
        fmt::format("{}: {}x{}, mean motion {:.2f} px, mean confidence {:.2f}, {:.3g} s\n",
                    request.output.empty() ? pictures[0].path : request.output, field.u.width(),
                    field.u.height(), facts.mean_motion, facts.mean_confidence, seconds));
    return kDone;
  }
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  begin_result(json, context);
  json.member("first", context.inputs[0]).member("second", context.inputs[1]);
  if (!request.output.empty()) json.member("output", request.output);
  write_pictures(json, pictures);
  json.member("width", field.u.width()).member("height", field.u.height());
  json.member("mean_motion", facts.mean_motion).member("longest_motion", facts.longest_motion);
  json.member("mean_confidence", facts.mean_confidence);
  json.member("working_memory_bytes", working);
  write_usage(json, seconds);
  json.end_object().finish();
  context.console.print(text);
  return kDone;
}

// Fields and pictures along a video, in one pass: frames are read and brought to the device while
// the one before is worked on and its field is written. A handful of them are held.
class VideoRun {
 public:
  VideoRun(const EstimateRequest& request, Context& context)
      : request_(request),
        context_(context),
        estimating_(context.exec.device),
        uploading_(context.exec.device),
        pictures_(picture_files(request.pictures)),
        mask_(read_mask(request.mask)),
        reader_(make_reader(context.inputs)) {
    flow::FlowOptions options = request.flow;
    options.exec.stream = estimating_.get();
    estimators_.emplace_back(options);
    for (const PictureFile& picture : pictures_)
      writers_.emplace_back(picture.path,
                            io::VideoWriteOptions{.frame_rate = reader_.info().rate.value()});
  }

  int run() {
    const double start = steady_seconds();
    bool stopped = false;
    // One thread at a time where one was asked for.
    const int in_flight = context_.exec.threads == 1 ? 1 : 4;
    OrderedPipeline<Step, flow::Estimator> steps(
        estimators_, in_flight,
        {.read = [&](Step& step) { return read(step); },
         .work = [&](flow::Estimator& estimator, Step& step) { work(estimator, step); },
         .write = [&](Step& step) { write(step); }});
    try {
      steps.run(context_.exec);
    } catch (const Cancelled&) {
      stopped = true;
    } catch (...) {  // a truncated file, such as: what was drawn before is kept
      finish_pictures();
      throw;
    }
    finish_pictures();
    context_.console.end_progress();
    if (fields_ == 0 && !stopped)
      throw FormatError(fmt::format("{}: has one frame; flow needs two", context_.inputs[0]));
    print(steady_seconds() - start, stopped);
    if (stopped) throw Cancelled("stopped as asked");
    return kDone;
  }

 private:
  struct Step {
    io::Frame frame{};
    Image<std::uint8_t> there{};  // the frame in the device's memory, where that is not the host's
    std::optional<flow::Flow> field{};
  };

  bool on_cuda() const { return context_.exec.device.kind == DeviceKind::kCuda; }
  void finish_pictures() {
    for (io::VideoWriter& writer : writers_)
      if (fields_ > 0) writer.finish();
  }

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
    // The first frame too comes from the host on a GPU: nothing is fetched that would await it.
    if (!on_cuda() || !begun_) {
      begun_ = true;
      step.field = estimator.next(step.frame.image, mask_.view());
      return;
    }
    const auto found = estimator.next(step.there, mask_.view());
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
    ++frames_;
    std::swap(step.frame.image, before_);
    tell();
  }

  static io::VideoReader make_reader(const std::vector<std::string>& inputs) {
    return inputs.size() == 1 ? io::VideoReader(inputs[0]) : io::VideoReader(inputs);
  }

  void make_folder() const {
    std::error_code error;
    fs::create_directories(request_.output, error);
    if (error)
      throw WriteError(
          fmt::format("{}: cannot make the folder: {}", request_.output, error.message()));
  }

  void add(const flow::Flow& field, ImageView<const std::uint8_t> before,
           ImageView<const std::uint8_t> now) {
    const io::FlowFieldView view{field.u, field.v, mask_.view()};
    if (!request_.output.empty()) {
      if (fields_ == 0) make_folder();
      FieldFormat format = request_.format;
      const std::string name =
          fmt::format("{:06}.{}", fields_, choices(format)[static_cast<std::size_t>(format)].word);
      io::write_flow((fs::path(request_.output) / name).string(), view);
    }
    for (std::size_t i = 0; i < pictures_.size(); ++i)
      writers_[i].write(draw_flow(pictures_[i].kind,
                                  {before, now, view, field.confidence, request_.longest},
                                  context_.exec));
    ++fields_;
  }

  void tell() const {
    if (context_.exec.progress)
      context_.exec.progress(
          {"frames", static_cast<double>(frames_),
           static_cast<double>(std::max<std::int64_t>(0, reader_.expected_frames()))});
  }

  void print(double seconds, bool stopped) {
    if (!context_.json) {
      context_.console.print(
          fmt::format("{}: {} fields of {} frames, {:.3g} s\n",
                      request_.output.empty() ? pictures_[0].path : request_.output, fields_,
                      frames_, seconds));
      return;
    }
    std::string text;
    io::JsonWriter json(io::string_sink(text));
    begin_result(json, context_);
    json.member("input", context_.inputs[0]);
    if (!request_.output.empty()) json.member("output", request_.output);
    write_pictures(json, pictures_);
    json.member("width", width_).member("height", height_);
    json.member("frames", frames_).member("fields", fields_).member("interrupted", stopped);
    write_usage(json, seconds);
    json.end_object().finish();
    context_.console.print(text);
  }

  const EstimateRequest& request_;
  Context& context_;
  Stream estimating_, uploading_;
  std::vector<flow::Estimator> estimators_{};  // one: a field follows from the frame before
  std::vector<PictureFile> pictures_;
  Image<std::uint8_t> mask_;
  io::VideoReader reader_;
  Image<std::uint8_t> before_{};
  bool begun_ = false;
  std::vector<io::VideoWriter> writers_{};
  std::int64_t frames_ = 0, fields_ = 0;
  int width_ = 0, height_ = 0;
};

// A wrong word, or one file for two results, is said before anything is read.
void check_outputs(const EstimateRequest& request, bool pair) {
  const auto pictures = picture_files(request.pictures);
  if (pair && !request.output.empty()) io::require_flow_path(request.output);
  std::vector<std::string> taken{request.output};
  for (const PictureFile& picture : pictures) {
    if (std::find(taken.begin(), taken.end(), picture.path) != taken.end())
      throw InvalidArgument(
          fmt::format("{} would be written twice; give each result its own name", picture.path));
    taken.push_back(picture.path);
  }
}

int run_estimate(EstimateRequest& request, Context& context) {
  if (request.output.empty() && request.pictures.empty())
    throw InvalidArgument(fmt::format("{} needs -o OUT or --picture KIND FILE, something to write",
                                      context.command.name()));
  check_outputs(request, context.inputs.size() == 2);
  settle_device(context);
  request.flow.exec = context.exec;
  if (context.inputs.size() != 2) {
    request.flow.exec.progress = {};  // frames are told
    return VideoRun(request, context).run();
  }
  flow::Estimator estimator(request.flow);
  return run_pair(request, context, estimator);
}

int run_lk(LkRequest& request, Context& context) {
  request.flow.method = flow::Method::kLucasKanade;
  return run_estimate(request, context);
}
int run_bm(BmRequest& request, Context& context) {
  request.flow.method = flow::Method::kBlockMatching;
  set_quality(request.flow, request.quality);
  return run_estimate(request, context);
}

std::vector<Argument> inputs() {
  return {{"INPUT",
           "two images; or a video, a folder or three or more images, or - for y4m on standard "
           "input",
           1, kAnyNumber}};
}

}  // namespace

Command flow_lk_command() {
  return {.system = "flow",
          .verb = "lk",
          .summary = "motion between images by Lucas and Kanade's method",
          .text =
              "Writes where each pixel of the first image has gone in the second, in pixels to the "
              "right and down, with a confidence: dense, over a pyramid. A video gives a field for "
              "every frame but the last, 000000.flo and on. Images of any depth, gray or RGB; a "
              "pair has one size.",
          .arguments = inputs(),
          .examples = {{"fovea flow lk a.png b.png -o ab.flo --picture wheel ab.png",
                        "one pair, and a picture of it"},
                       {"fovea flow lk a.tif b.tif -o ab.flo --memory 512M",
                        "images larger than the memory"},
                       {"fovea flow lk walk.mp4 -o fields --picture arrows walk_arrows.mp4",
                        "along a video"},
                       {"fovea flow lk - -o fields",
                        "along a pipe, such as ffmpeg -i walk.mp4 -f yuv4mpegpipe - | ..."}},
          .request = make_request<LkRequest, run_lk>};
}

Command flow_bm_command() {
  return {.system = "flow",
          .verb = "bm",
          .summary = "motion between images by matching blocks",
          .text =
              "As flow lk, by looking for each block of the first image in the second: slower to "
              "mislead where motion is large or the light changes, less exact where it is small.",
          .arguments = inputs(),
          .examples = {{"fovea flow bm a.png b.png -o ab.flo", "one pair"},
                       {"fovea flow bm a.png b.png -o ab.png --mask outline.png",
                        "KITTI's PNG, and only where the mask is not black"}},
          .request = make_request<BmRequest, run_bm>};
}

}  // namespace fovea::cli
