// flow lk and flow bm: the motion between two images, or along a video, as fields and pictures.
#include <fovea/core/error.h>
#include <fovea/core/stream.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/explain.h>
#include <fovea/flow/show.h>
#include <fovea/flow/summary.h>
#include <fovea/io/image_path.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/backend.h"
#include "core/words.h"
#include "operations/explain.h"
#include "operations/flow/images.h"
#include "operations/make_operation.h"
#include "operations/measure.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_flow_estimate {
namespace {

// The format of the fields of a video; the enumerators have the order of their words.
enum class FieldFormat : unsigned char { kFlo, kPng, kPfm, kNpy, kTif };
std::span<const Choice> choices(FieldFormat) {
  static constexpr std::array<Choice, 5> kChoices{{{"flo", static_cast<int>(FieldFormat::kFlo)},
                                                   {"png", static_cast<int>(FieldFormat::kPng)},
                                                   {"pfm", static_cast<int>(FieldFormat::kPfm)},
                                                   {"npy", static_cast<int>(FieldFormat::kNpy)},
                                                   {"tif", static_cast<int>(FieldFormat::kTif)}}};
  return kChoices;
}

struct EstimateRequest {
  flow::FlowOptions flow{};
  std::string mask{};
  flow::WheelOptions wheel{};
  FieldFormat format = FieldFormat::kFlo;
  io::FlowWriteOptions writing{};
  ExplainNumbers explain{};
  std::string explain_picture{};

  // Whether the alpha of each image is its mask; a file of that name is given as ./alpha.
  bool alpha() const { return mask == "alpha"; }
};

void describe(OptionVisitor& visit, EstimateRequest& request) {
  visit("mask", request.mask,
        "image of the size of the inputs, whose black pixels are left out; or alpha, to leave out "
        "the transparent pixels of each image",
        {.use = TextUse::kInput, .words = {"alpha"}});
  visit("preset", request.flow.preset,
        "options of the method as a paper has them: paper is Marras et al. 2010; what is given "
        "beside it counts");
  visit("channels", request.flow.channels,
        "what is compared: gray values, or the three channels of colors; bm on the CPU only");
  visit("quality", request.flow.quality,
        "a better quality takes more time; it chooses those options below that are not given");
  visit("warps", request.flow.warps,
        "rounds of variational refinement at the finest level; 0 turns it off", 0, 20,
        {.absent = "3 with the best quality, else none"});
  visit("fuse", request.flow.fuse,
        "use both methods, each pixel with the flow that fits better; auto: with the best quality");
  visit.bytes("memory", request.flow.memory_bytes,
              "greatest amount of device memory that an estimation may take; larger images are "
              "estimated in tiles; 0 means no limit on the CPU and what a GPU has free");
  describe(visit, request.wheel);
  visit("format", request.format, "format of the fields of a video");
  describe(visit, request.writing);
  describe_explain(visit, request.explain,
                   "say why this pixel of the first image has its flow and confidence, instead of "
                   "writing a field",
                   "X,Y");
  describe_explain_picture(visit, request.explain_picture);
  if (request.flow.method == flow::Method::kLucasKanade) {
    describe(visit, request.flow.lk);
    visit.group("bm", request.flow.bm);
  } else {
    describe(visit, request.flow.bm);
    visit.group("lk", request.flow.lk);
  }
}

struct Setup {
  EstimateRequest asked{};
  Image<std::uint8_t> mask{};           // of all frames; empty where there is none
  std::shared_ptr<Stream> uploading{};  // of frames
  bool draws = false;

  const Exec& exec() const { return asked.flow.exec; }
  bool on_cuda() const { return exec().device.kind == DeviceKind::kCuda; }
  bool needs_confidence() const {
    return draws || asked.writing.least_confidence.has_value() || asked.format != FieldFormat::kFlo;
  }
};

template <flow::Method kMethod>
Setup start() {
  return {.asked = {.flow = {.method = kMethod}}};
}

// A pair, or a step along a video, and its motion.
struct Estimated {
  ImagePair pair{};
  const Step* step = nullptr;   // null for a pair
  Image<std::uint8_t> there{};  // the frame in the device's memory, if that is not the host's
  flow::Flow field{};
  flow::FlowResult result{};  // of a pair
  std::string between{};      // "a.png to b.png"
};

struct Worker {
  Stream stream;
  flow::Estimator estimator;
};

struct Count {
  flow::FlowResult result{};
};

void check(const Setup& setup) {
  check_explain(setup.asked.explain, {2}, setup.asked.explain_picture);
  if (!setup.asked.explain.empty() && !setup.asked.mask.empty())
    throw InvalidArgument("--explain takes no mask; leave out --mask");
}

void begin(Setup& setup, const Exec& exec, const Plan& plan) {
  EstimateRequest& request = setup.asked;
  request.flow.exec = exec;
  setup.draws = plan.writes("picture") || plan.shows;
  setup.uploading = std::make_shared<Stream>(exec.device);
  if (!request.mask.empty() && !request.alpha())
    setup.mask = as_mask(request.mask, plan.image(request.mask));
}

Worker worker(const Setup& setup, const Exec& exec) {
  flow::FlowOptions options = setup.asked.flow;
  Stream stream(exec.device);
  options.exec = exec;
  options.exec.stream = stream.get();
  return {std::move(stream), flow::Estimator(options)};
}

void read(const Setup& setup, const Source& source, Estimated& item) {
  const auto file = [](const Source& one) { return std::filesystem::path(one.name).filename(); };
  item.between = fmt::format("{} to {}", file(source).string(), file(*source.second).string());
  item.pair = setup.asked.alpha() ? read_alpha_pair(source) : read_pair(source, setup.mask);
}

// Frames go to a GPU while the flow of those before is estimated there.
void take(const Setup& setup, const Step& step, Estimated& item) {
  item.step = &step;
  if (step.before)
    item.between = fmt::format("frame {} to frame {}", step.before->number(), step.now->number());
  const Image<std::uint8_t>& image = step.now->pixels();
  if (!setup.on_cuda()) return;
  const cuda::ScopedDevice here(setup.exec().device);
  if (item.there.width() != image.width() || item.there.height() != image.height())
    item.there =
        Image<std::uint8_t>(image.width(), image.height(), image.channels(), Memory::kCuda);
  Exec exec = setup.exec();
  exec.stream = setup.uploading->get();
  copy(image.view(), item.there.view(), exec);
}

ImageView<const std::uint8_t> mask_of(const Setup& setup, Frame& frame) {
  return setup.asked.alpha() ? frame.mask().view() : setup.mask.view();
}

io::FlowFieldView field_of(const Setup& setup, const Estimated& item) {
  const auto mask = item.step != nullptr  ? mask_of(setup, *item.step->before)
                    : setup.asked.alpha() ? item.pair.first_mask.view()
                                          : setup.mask.view();
  return {item.field.u, item.field.v, mask, item.field.confidence};
}

void run_pair(const Setup& setup, flow::Estimator& estimator, Estimated& item) {
  const MemoryWatch memory;
  const double start = steady_seconds();
  item.field = estimate_pair(estimator, item.pair, setup.mask);
  flow::FlowResult& result = item.result;
  result.estimate_seconds = steady_seconds() - start;
  result.working_memory_bytes =
      memory.working_bytes(3 * sizeof(float) * static_cast<std::uint64_t>(item.field.u.stride()) *
                           static_cast<std::uint64_t>(item.field.u.height()));
  result.size = {item.field.u.width(), item.field.u.height()};
  result.motion = flow::summarize(field_of(setup, item));
}

// Pinned memory is kept from frame to frame, because it is fast to fill and slow to allocate.
void fetch(const Image<float>& plane, Image<float>& here, const Exec& exec) {
  if (here.width() != plane.width() || here.height() != plane.height()) {
    const cuda::ScopedDevice device(exec.device);
    here = Image<float>(plane.width(), plane.height(), 1, Memory::kPinned);
  }
  copy(plane.view(), here.view(), exec);
}

// A single estimator follows the video, because it then prepares each frame once, or prepares the
// second frame of a pair with the mask as well.
void run_in_order(const Setup& setup, flow::Estimator& estimator, Estimated& item) {
  // On a GPU the first frame is taken from host memory too: it has no field that would have to be
  // fetched.
  Frame& now = *item.step->now;
  const ImageView<const std::uint8_t> mask = mask_of(setup, now);
  auto found = setup.on_cuda() && item.step->before ? estimator.push(item.there, mask)
                                                    : estimator.push(now.pixels(), mask);
  if (!found) return;
  if (!setup.on_cuda()) {
    item.field = std::move(*found);
    return;
  }
  const Exec& exec = estimator.options().exec;
  fetch(found->u, item.field.u, exec);
  fetch(found->v, item.field.v, exec);
  if (setup.needs_confidence()) fetch(found->confidence, item.field.confidence, exec);
}

void run(const Setup& setup, Worker& worker, Estimated& item) {
  if (item.step == nullptr) return run_pair(setup, worker.estimator, item);
  if (item.step->in_order) return run_in_order(setup, worker.estimator, item);
  if (item.step->before)
    item.field = worker.estimator.estimate(item.step->before->pixels(), item.step->now->pixels());
}

// A frame with the field and the estimator takes 200 bytes per pixel.
std::uint64_t memory(const Setup&, std::uint64_t bytes) { return bytes / 3 * 200; }

void write_field(const Setup& setup, const Estimated& item, const std::string& path) {
  io::write_flow(path, field_of(setup, item), setup.asked.writing);
}

Image<std::uint8_t> paint(const Setup& setup, std::size_t kind, const Estimated& item) {
  const io::FlowFieldView field = field_of(setup, item);
  const Step* step = item.step;
  switch (static_cast<FlowPicture>(kind)) {
    case FlowPicture::kArrows:
      return step != nullptr ? flow::arrows_picture(step->before->pixels(), field)
                             : flow::arrows_picture(picture_bytes(item.pair.first), field);
    case FlowPicture::kWarp:
      return step != nullptr
                 ? flow::warp_picture(step->now->pixels(), field, setup.exec())
                 : flow::warp_picture(picture_bytes(item.pair.second), field, setup.exec());
    case FlowPicture::kConfidence: return flow::confidence_picture(item.field.confidence);
    default:
      return flow::wheel_picture(field,
                                 {.longest = setup.asked.wheel.longest, .exec = setup.exec()});
  }
}

void tally(Count& count, Estimated& item) {
  if (item.step == nullptr) count.result = item.result;
}

RecordRef report(const Setup&, Count& count, const Ended& ended) {
  const Plan& plan = ended.plan;
  flow::FlowResult& result = count.result;
  if (ended.first_frame) {
    result.input = plan.inputs[0];
    result.first_frame = ended.first_frame;
  } else if (ended.still) {
    result.first = plan.inputs[0];
    result.second = plan.inputs[1];
  } else {
    result = {.input = plan.inputs[0], .size = ended.size};
    result.video = {ended.frames, ended.dropped, ended.results, !ended.whole};
  }
  if (plan.writes("output")) result.output = plan.files.at("output").front();
  if (plan.writes("picture")) result.pictures = plan.files.at("picture");
  if (plan.times) {
    result.peak_memory_bytes = peak_memory_bytes();
  } else {
    result.working_memory_bytes.reset();
    result.estimate_seconds.reset();
  }
  return record_ref(result);
}

std::string report_text(const Setup&, Count& count, const Ended& ended) {
  const flow::FlowResult& result = count.result;
  if (ended.still)
    return fmt::format("{}: {}x{}, mean motion {:.2f} px, mean confidence {:.2f}{}\n", ended.named,
                       result.size.width, result.size.height, result.motion->mean_motion,
                       *result.motion->mean_confidence,
                       time_at_end(ended.plan.times, *result.estimate_seconds));
  return fmt::format("{}: {} from {}{}{}\n", ended.named, detail::counted(ended.results, "field"),
                     detail::counted(ended.frames, "frame"), dropped_text(ended.dropped),
                     time_at_end(ended.plan.times, ended.seconds));
}

// Where the frames of a stream pass by, colors keep their meaning from frame to frame, as far as
// motion does not become longer.
void show(const Setup& setup, const Estimated& item, Shown& shown) {
  const flow::MotionSummary motion =
      item.step != nullptr ? flow::summarize(field_of(setup, item)) : *item.result.motion;
  shown.summary = fmt::format(
      "Pixels moved by {:.2f} pixels on average and by {:.1f} at most from {}, with a mean "
      "confidence of {:.2f}.",
      motion.mean_motion, motion.longest_motion, item.between, *motion.mean_confidence);
  shown.facts = {{"size", fmt::format("{}x{}", item.field.u.width(), item.field.u.height())},
                 {"mean motion", fmt::format("{:.3f} pixels", motion.mean_motion)},
                 {"longest motion", fmt::format("{:.2f} pixels", motion.longest_motion)},
                 {"mean confidence", fmt::format("{:.3f}", *motion.mean_confidence)}};
  if (shown.range) *shown.range = std::max({1.0, 0.95 * *shown.range, motion.longest_motion});
  shown.layers.push_back(
      {.name = "wheel",
       .title = "Motion in colors",
       .text = "The hue is the direction, the saturation is the length; white stands still.",
       .pixels = flow::wheel_picture(field_of(setup, item),
                                     {.longest = shown.range, .exec = setup.exec()})});
  if (shown.range) return;
  const auto add = [&](const char* name, const char* title, const char* text,
                       Image<std::uint8_t> pixels) {
    shown.layers.push_back(
        {.name = name, .title = title, .text = text, .pixels = std::move(pixels), .shown = false});
  };
  const auto painted = [&](FlowPicture kind) {
    return paint(setup, static_cast<std::size_t>(kind), item);
  };
  add("arrows", "Arrows", "Arrows show the mean motion of the cell around them.",
      painted(FlowPicture::kArrows));
  add("confidence", "Confidence", "Bright where the motion is certain, dark where it is a guess.",
      painted(FlowPicture::kConfidence));
  add("warp", "Second image, warped back",
      "Where the motion is right, it looks like the first image; black has left the image.",
      painted(FlowPicture::kWarp));
  add("second", "Second image", "The image that follows the first.",
      picture_bytes(item.pair.second));
}

// The wheel of the estimate gets the scale of the truth, so that the two can be compared.
void compare(const Setup&, const Estimated& item, const Truth& known, Shown& shown) {
  constexpr double kGreatest = 3;
  const auto truth = item.step == nullptr ? known.flow() : std::nullopt;
  if (!truth) return;
  const io::FlowFieldView estimate(item.field.u, item.field.v);
  const flow::FlowErrors errors =
      flow::evaluate_flow(estimate, item.field.confidence, *truth).all;  // refuses another size
  const double longest = flow::summarize(*truth).longest_motion;
  const flow::WheelOptions colors{.longest = longest > 0 ? std::optional(longest) : std::nullopt};
  shown.layers.front().pixels = flow::wheel_picture(estimate, colors);
  shown.layers.push_back({.name = "truth",
                          .title = "True motion",
                          .text = "The truth, in the same colors; black where it is not known.",
                          .pixels = flow::wheel_picture(*truth, colors),
                          .shown = false,
                          .opacity = 1});
  shown.layers.push_back(
      {.name = "error",
       .title = "Endpoint error",
       .text = fmt::format("Dark where the motion is right, bright where it is {:g} pixels or more "
                           "beside the truth, gray where that is not known.",
                           kGreatest),
       .pixels = flow::error_picture(flow::endpoint_errors(estimate, *truth), kGreatest),
       .shown = false,
       .opacity = 1});
  shown.summary +=
      fmt::format(" It is {:.2f} pixels beside the truth on average.", errors.endpoint);
  shown.facts.emplace_back("endpoint error", fmt::format("{:.3f} pixels", errors.endpoint));
  shown.facts.emplace_back("angular error", fmt::format("{:.2f} degrees", errors.angular));
  shown.facts.emplace_back("more than 1 pixel beside", fmt::format("{:.1f} %", 100 * errors.r1));
}

// The memory of the field and of the two images.
std::size_t held_bytes(const Estimated& item) {
  const auto pixels = static_cast<std::size_t>(item.pair.first.width()) *
                      static_cast<std::size_t>(item.pair.first.height());
  const auto channels = static_cast<std::size_t>(item.pair.first.channels());
  const std::size_t sample = with_pixels(
      item.pair, []<class T>(ImageView<const T>, ImageView<const T>) { return sizeof(T); });
  return pixels * (3 * sizeof(float) + 2 * channels * sample);
}

Explained explain(const Setup& setup, const std::shared_ptr<const Estimated>& item,
                  const Asked& asked) {
  const ImagePair& pair = item->pair;
  const ExplainedPixel at = explained_pixel(
      asked.question != nullptr ? ExplainNumbers{asked.question->place.x, asked.question->place.y}
                                : setup.asked.explain,
      {pair.first.width(), pair.first.height()});
  flow::FlowOptions options = setup.asked.flow;
  options.exec = asked.exec;
  const flow::Estimator estimator(options);
  const flow::FlowExplanation why =
      with_pixels(pair, [&]<class T>(ImageView<const T> first, ImageView<const T> second) {
        return flow::explain<T>(estimator, first, second, {at.x, at.y});
      });
  return {.explanation = present(why),
          .picture =
              [item](const report::Explanation& shown) {
                return report::draw_explanation(picture_bytes(item->pair.first), shown,
                                                {.margin = 1.5});
              },
          .numbers = {{"u", why.u}, {"v", why.v}, {"confidence", why.confidence}}};
}

std::vector<OutputOf<Setup, Estimated>> outputs() {
  return {
      {.about = {.name = "output",
                 .help = "file of the field: .flo, .png (KITTI), .pfm, .npy or .tif; for a video "
                         "the folder of its fields"},
       .write = write_field,
       .check = io::require_flow_path,
       .ending =
           [](const Setup& setup) {
             const FieldFormat format = setup.asked.format;
             return std::string(choices(format)[static_cast<std::size_t>(format)].word);
           }},
      {.about = {.name = "picture",
                 .help = "a picture of the field and its file: wheel, arrows, warp or confidence; "
                         "for a video the file is a video or a folder. The option may be given "
                         "several times",
                 .dash = Dash::kWriter,
                 .picture = true,
                 .kinds = {"wheel", "arrows", "warp", "confidence"}},
       .check = [](const std::string& path) { io::require_image_path(path); },
       .paint = paint}};
}

std::vector<Argument> inputs() {
  return {{"INPUT",
           "two images; or a video, a folder of images, three or more images, - for y4m on "
           "standard input, camera:N, or the address of a stream",
           1, kAnyNumber}};
}

// The fast quality answers while a slider moves; better ones are one choice away.
OnPage on_page() {
  return {.title = "Motion",
          .hint = "Click a pixel to see how sure its motion is, and why.",
          .verbs = "method",
          .python = "estimate",
          .start = {{"quality", "fast"}},
          .hidden = {"memory"}};
}

Operation estimate(Setup (*start)(), Words words, OnPage on_page) {
  words.arguments = inputs();
  return make_operation<Setup, Estimated, Worker, Count>(
      {.words = std::move(words),
       .on_page = std::move(on_page),
       .input = InputKind::kFrames,
       .needs_output = true,
       .alone_on_gpu = true,
       .explains_on_processor = true,
       .preset = "preset",
       .pairs = "flow",
       .unit = "field",
       .outputs = outputs(),
       .start = start,
       .apply_preset = [](Setup& setup) { use_preset(setup.asked.flow, setup.asked.flow.preset); },
       .check = check,
       .cpu_only = [](const Setup& setup,
                      const Plan&) { return std::string(flow::cpu_only(setup.asked.flow)); },
       .read_beside =
           [](const Setup& setup, const std::string&) {
             return setup.asked.alpha() || setup.asked.mask.empty() ? std::vector<std::string>{}
                                                                    : std::vector{setup.asked.mask};
           },
       .begin = begin,
       .worker = worker,
       .read = read,
       .run = run,
       .in_order = [](const Setup& setup) { return !setup.asked.mask.empty(); },
       .images_only =
           [](const Setup& setup) {
             return std::string(
                 setup.asked.alpha() ? "--mask alpha takes images with an alpha channel" : "");
           },
       .decode =
           [](io::AnyImage image, Image<std::uint8_t>& pixels, Image<std::uint8_t>& mask) {
             mask = alpha_mask(image);
             pixels = io::to_bytes(io::drop_alpha(image));
           },
       .take = take,
       .report = report,
       .report_text = report_text,
       .memory = memory,
       .result = [](const Estimated& item) { return record_ref(item.field); },
       .controls = [](OptionVisitor& visit, Setup& setup) { describe(visit, setup.asked.flow); },
       .show = show,
       .compare = compare,
       .held_bytes = held_bytes,
       .tally = tally,
       .explains = [](const Setup& setup) { return !setup.asked.explain.empty(); },
       .explain_picture = [](const Setup& setup) { return setup.asked.explain_picture; },
       .explain = explain},
      sample_record<flow::FlowResult>);
}

}  // namespace
}  // namespace of_flow_estimate

Operation flow_lk() {
  return of_flow_estimate::estimate(
      of_flow_estimate::start<flow::Method::kLucasKanade>,
      {.system = "flow",
       .verb = "lk",
       .summary = "estimate motion by the method of Lucas and Kanade",
       .text =
           "Estimates where each pixel of the first image has moved in the second, in pixels to "
           "the right and down, with a confidence from 0 to 1. A video gives one field for "
           "every frame but the last, 000000.flo and on; of a camera or stream, between frames "
           "that were not dropped, under the number of the first of both. Where it breaks or is "
           "interrupted, the fields and pictures so far are kept. Images may have any depth and be "
           "gray or "
           "RGB; the two images of a pair have one size. Every value of a float image must be "
           "finite, except where --mask leaves the pixel out. With --mask alpha the transparent "
           "pixels of each image are left out. Files of the kinds .pfm, .npy and .tif hold the "
           "confidence as a third channel, and KITTI's PNG marks vectors of little confidence as "
           "not valid (--least-confidence). Options that begin with --bm- belong to the blocks "
           "that "
           "the flow is fused with (--fuse).",
       .examples = {{"fovea flow lk a.png b.png -o ab.flo --picture wheel ab.png",
                     "estimate one pair and draw its motion"},
                    {"fovea flow lk a.png b.png -o ab.flo --quality best",
                     "use both methods and refine their flow, for the least error"},
                    {"fovea flow lk a.png b.png -o ab.flo --quality best --bm-block 11",
                     "the same, with larger blocks"},
                    {"fovea flow lk a.tif b.tif -o ab.flo --memory 512M",
                     "estimate images that need more than 512 MiB in tiles"},
                    {"fovea flow lk a.png b.png -o ab.npy --mask alpha",
                     "leave out transparent pixels; write u, v and confidence"},
                    {"fovea flow lk walk.mp4 -o fields --picture arrows walk_arrows.mp4",
                     "estimate along a video"},
                    {"fovea flow lk long.mp4 -o fields --shard 0/4",
                     "estimate the first quarter of a video's fields; fovea merge joins them"},
                    {"fovea flow lk a.png b.png --explain 120,80 --explain-picture why.png",
                     "say why a pixel has its flow, and what its confidence is made of"},
                    {"fovea flow lk - -o fields",
                     "read y4m from a pipe, such as ffmpeg -i walk.mp4 -f yuv4mpegpipe - | ..."}}},
      of_flow_estimate::on_page());
}

Operation flow_bm() {
  return of_flow_estimate::estimate(
      of_flow_estimate::start<flow::Method::kBlockMatching>,
      {.system = "flow",
       .verb = "bm",
       .summary = "estimate motion by matching blocks",
       .text = "Estimates flow as fovea flow lk does, but searches the second image for each block "
               "of the first. It fails less often where motion is large or the light changes, and "
               "is less exact where motion is small. Options that begin with --lk- belong to the "
               "method of Lucas and Kanade, whose flow is fused with that of blocks (--fuse).",
       .examples = {{"fovea flow bm a.png b.png -o ab.flo", "estimate one pair"},
                    {"fovea flow bm a.png b.png -o ab.png --mask outline.png",
                     "write KITTI's PNG for pixels where the mask is not black"},
                    {"fovea flow bm a.png b.png --explain 120,80 --explain-picture why.png",
                     "show how well a block fits at all displacements that were tried"},
                    {"fovea flow bm a.png b.png -o ab.flo --least-confidence 0.2",
                     "write vectors of less confidence as not known"}}},
      {});
}

}  // namespace fovea::operations
