// fovea flow lk and fovea flow bm: the flow of a pair of images, or along a video.
#include "cli/flow/estimate.h"

#include <fovea/core/error.h>
#include <fovea/io/image_path.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/program/batch.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"

namespace fovea::cli {
namespace {

void describe_request(OptionVisitor& visit, EstimateRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "file of the field: .flo, .png (KITTI), .pfm, .npy or .tif; for a video the folder of "
             "its fields");
  visit("picture", request.pictures,
        "a picture of the field and its file: wheel, arrows, warp or confidence; for a video the "
        "file is a video or a folder. The option may be given several times",
        {.words = {"wheel", "arrows", "warp", "confidence"}});
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
}

void preset_chosen(EstimateRequest& request) { use_preset(request.flow, request.flow.preset); }

struct LkRequest : EstimateRequest {};
void describe(OptionVisitor& visit, LkRequest& request) {
  describe_request(visit, request);
  describe(visit, request.flow.lk);
  visit.group("bm", request.flow.bm);
}
struct BmRequest : EstimateRequest {};
void describe(OptionVisitor& visit, BmRequest& request) {
  describe_request(visit, request);
  describe(visit, request.flow.bm);
  visit.group("lk", request.flow.lk);
}

// The images of a pair as bytes, made only where a picture needs them.
class PairBytes {
 public:
  PairBytes(const ImagePair& pair, const std::vector<PictureFile>& pictures) {
    for (const PictureFile& picture : pictures) {
      if (picture.kind == FlowPicture::kArrows && first_.empty())
        first_ = picture_bytes(pair.first);
      if (picture.kind == FlowPicture::kWarp && second_.empty())
        second_ = picture_bytes(pair.second);
    }
  }
  const Image<std::uint8_t>& first() const { return first_; }
  const Image<std::uint8_t>& second() const { return second_; }

 private:
  Image<std::uint8_t> first_, second_;
};

int run_pair(const EstimateRequest& request, Context& context, flow::Estimator& estimator) {
  const auto pictures = picture_files(request.pictures);
  const io::ImageReadOptions reading{.max_pixels = context.max_pixels};
  const std::string &first = context.inputs[0], &second = context.inputs[1];
  const Image<std::uint8_t> outline =
      request.alpha() ? Image<std::uint8_t>{} : read_mask(request.mask, reading);
  const ImagePair pair = request.alpha() ? read_alpha_pair(first, second, reading)
                                         : read_pair(first, second, outline.view(), reading);
  const Image<std::uint8_t>& mask = request.alpha() ? pair.first_mask : outline;
  const MemoryWatch memory;
  const double start = steady_seconds();
  const flow::Flow field = estimate_pair(estimator, pair, outline.view());
  const double seconds = steady_seconds() - start;
  const std::uint64_t working =
      memory.working_bytes(3 * sizeof(float) * static_cast<std::uint64_t>(field.u.stride()) *
                           static_cast<std::uint64_t>(field.u.height()));
  const io::FlowFieldView view{field.u, field.v, mask.view(), field.confidence};
  if (!request.output.empty()) io::write_flow(request.output, view, request.writing);
  const PairBytes bytes(pair, pictures);
  for (const PictureFile& picture : pictures)
    io::write_image(picture.path, draw_flow(picture.kind,
                                            {bytes.first(), bytes.second(), view, field.confidence,
                                             request.wheel.longest},
                                            context.exec));
  flow::FlowResult report = estimate_report(request, context, {field.u.width(), field.u.height()});
  report.motion = flow::summarize(view);
  context.console.end_progress();
  if (!context.json) {
    context.console.print(
        fmt::format("{}: {}x{}, mean motion {:.2f} px, mean confidence {:.2f}{}\n",
                    request.output.empty() ? pictures[0].path : request.output, field.u.width(),
                    field.u.height(), report.motion->mean_motion, *report.motion->mean_confidence,
                    time_at_end(context, seconds)));
    return kDone;
  }
  if (reports_times(context)) {
    report.working_memory_bytes = working;
    report.estimate_seconds = seconds;
    report.peak_memory_bytes = peak_memory_bytes();
  }
  print_result(context, record_ref(report));
  return kDone;
}

// An unknown word, or a file that cannot be written under its name, is reported before anything is
// read.
void check_files(const EstimateRequest& request, Context& context) {
  if (context.inputs.size() == 2 && !request.output.empty()) io::require_flow_path(request.output);
  std::vector<OutputFile> outputs{{"-o", request.output, OutputUse::kFrames}};
  const std::vector<PictureFile> pictures = picture_files(request.pictures);
  for (const PictureFile& picture : pictures)
    outputs.push_back({"--picture", picture.path, OutputUse::kFrames});
  check_outputs(context, outputs, {request.alpha() ? std::string() : request.mask});
  if (context.inputs.size() != 2) return;
  for (const PictureFile& picture : pictures) io::require_image_path(picture.path);
}

int run_estimate(EstimateRequest& request, Context& context) {
  check_explain(request.explain, {2}, request.explain_picture);
  if (!request.explain.empty()) return explain_pair(request, context);
  if (request.output.empty() && request.pictures.empty())
    throw InvalidArgument(
        fmt::format("{} needs -o OUT or --picture KIND FILE", context.command.name()));
  if (context.unit_frames > 0 && context.inputs.size() == 2)
    throw InvalidArgument(
        "two images are one pair, which cannot be cut into parts; leave out --shard, --resume and "
        "--manifest");
  check_files(request, context);
  resolve_flow_device(request.flow, context);
  request.flow.exec = context.exec;
  if (context.inputs.size() != 2) {
    request.flow.exec.progress = {};  // progress counts frames
    return context.unit_frames > 0 ? estimate_in_ranges(request, context)
                                   : estimate_video(request, context);
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
  return run_estimate(request, context);
}

std::vector<Argument> inputs() {
  return {{"INPUT",
           "two images; or a video, a folder of images, three or more images, - for y4m on "
           "standard input, camera:N, or the address of a stream",
           1, kAnyNumber}};
}

}  // namespace

std::span<const Choice> choices(FieldFormat) {
  static constexpr std::array<Choice, 5> kChoices{{{"flo", static_cast<int>(FieldFormat::kFlo)},
                                                   {"png", static_cast<int>(FieldFormat::kPng)},
                                                   {"pfm", static_cast<int>(FieldFormat::kPfm)},
                                                   {"npy", static_cast<int>(FieldFormat::kNpy)},
                                                   {"tif", static_cast<int>(FieldFormat::kTif)}}};
  return kChoices;
}

flow::FlowResult estimate_report(const EstimateRequest& request, const Context& context,
                                 Extent size) {
  flow::FlowResult report;
  (context.inputs.size() == 2 ? report.first : report.input) = context.inputs[0];
  if (context.inputs.size() == 2) report.second = context.inputs[1];
  report.output = written_file(request.output);
  for (const PictureFile& picture : picture_files(request.pictures))
    report.pictures.push_back(picture.path);
  report.size = size;
  return report;
}

Command flow_lk_command() {
  return {
      .system = "flow",
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
          "not valid (--least-confidence). Options that begin with --bm- belong to the blocks that "
          "the flow is fused with (--fuse).",
      .arguments = inputs(),
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
                    "read y4m from a pipe, such as ffmpeg -i walk.mp4 -f yuv4mpegpipe - | ..."}},
      .request = make_request<LkRequest, run_lk>,
      .preset = "preset",
      .result = {sample_record<flow::FlowResult>},
      .reads_images = true,
      .reads_videos = true,
      .takes_first_frame = true,
      .shards = true,
      .repeats_per_input = true,
      .inputs_form_sequence = true,
      .ranges_are_units = true};
}

Command flow_bm_command() {
  return {.system = "flow",
          .verb = "bm",
          .summary = "estimate motion by matching blocks",
          .text =
              "Estimates flow as fovea flow lk does, but searches the second image for each block "
              "of the first. It fails less often where motion is large or the light changes, and "
              "is less exact where motion is small. Options that begin with --lk- belong to the "
              "method of Lucas and Kanade, whose flow is fused with that of blocks (--fuse).",
          .arguments = inputs(),
          .examples = {{"fovea flow bm a.png b.png -o ab.flo", "estimate one pair"},
                       {"fovea flow bm a.png b.png -o ab.png --mask outline.png",
                        "write KITTI's PNG for pixels where the mask is not black"},
                       {"fovea flow bm a.png b.png --explain 120,80 --explain-picture why.png",
                        "show how well a block fits at all displacements that were tried"},
                       {"fovea flow bm a.png b.png -o ab.flo --least-confidence 0.2",
                        "write vectors of less confidence as not known"}},
          .request = make_request<BmRequest, run_bm>,
          .preset = "preset",
          .result = {sample_record<flow::FlowResult>},
          .reads_images = true,
          .reads_videos = true,
          .takes_first_frame = true,
          .shards = true,
          .repeats_per_input = true,
          .inputs_form_sequence = true,
          .ranges_are_units = true};
}

}  // namespace fovea::cli
