// fovea flow segment: regions of like motion of a pair of images, or along a video.
#include "cli/flow/segment.h"

#include <fovea/core/error.h>
#include <fovea/io/image_path.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// Labels of an image of integers of one channel.
Image<std::uint16_t> read_labels(const Context& context, const std::string& path, Extent size) {
  const io::AnyImage image = read_input(context, path);
  if (image.channels() != 1)
    throw FormatError(
        fmt::format("{}: has {} channels; an image of labels has 1", path, image.channels()));
  if (image.width() != size.width || image.height() != size.height)
    throw FormatError(fmt::format("{}: is {}x{}, but its images are {}x{}; all have one size", path,
                                  image.width(), image.height(), size.width, size.height));
  Image<std::uint16_t> labels(size.width, size.height);
  std::visit(
      [&]<class T>(const ImageView<const T>& samples) {
        for (int y = 0; y < size.height; ++y) {
          for (int x = 0; x < size.width; ++x) {
            const auto value = static_cast<double>(samples.at(x, y));
            if (!(value >= 0 && value <= 65535))
              throw FormatError(
                  fmt::format("{}: the label of pixel ({}, {}) is {}; expected 0 to "
                              "65535",
                              path, x, y, value));
            labels.at(x, y) = static_cast<std::uint16_t>(value);
          }
        }
      },
      image.view());
  return labels;
}

std::string regions_text(const flow::MotionSegments& segments) {
  std::string text = fmt::format("{:>5} {:>5} {:>20} {:>8} {:>8} {:>8} {:>8}\n", "label", "layer",
                                 "box", "share %", "u px", "v px", "residual");
  for (const flow::MotionRegion& region : segments.regions)
    text += fmt::format(
        "{:>5} {:>5} {:>20} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.3f}\n", region.label, region.layer,
        fmt::format("{},{},{},{}", region.box.x, region.box.y, region.box.width, region.box.height),
        100 * region.share, region.u, region.v, region.residual);
  return text;
}

// What was divided, and how long that took.
struct DividedImage {
  Image<std::uint8_t> shown{};   // what borders are drawn over; empty for a field without an image
  Image<std::uint16_t> truth{};  // empty where it is not given
  flow::MotionSegments segments{};
  double estimate_seconds = 0, segment_seconds = 0;
};

// Whether the input is a field of motion: a single file of a kind that holds fields and no video.
bool is_field(const Context& context) {
  if (context.inputs.size() != 1 || context.inputs[0].find('%') != std::string::npos ||
      std::filesystem::is_directory(context.inputs[0]))
    return false;
  return io::has_extension(
      context.inputs[0],
      {.name = "field", .extensions = {"flo", "pfm", "npy", "tif", "tiff", "png"}});
}

DividedImage divide_pair(const SegmentRequest& request, const flow::SegmentPairOptions& options,
                         const Context& context) {
  const ImagePair pair =
      read_pair(context.inputs[0], context.inputs[1], {}, {.max_pixels = context.max_pixels});
  DividedImage divided{.shown = picture_bytes(pair.first)};
  if (!request.truth.empty())
    divided.truth = read_labels(context, request.truth, {pair.first.width(), pair.first.height()});
  const double start = steady_seconds();
  flow::Estimator estimator(estimation_options(options));
  const flow::Flow field = estimate_pair(estimator, pair, {});
  const double estimated = steady_seconds();
  divided.segments = flow::segment_motion({field.u, field.v}, field.confidence,
                                          divided.shown.view(), division_options(options));
  divided.estimate_seconds = estimated - start;
  divided.segment_seconds = steady_seconds() - estimated;
  return divided;
}

DividedImage divide_field(const SegmentRequest& request, const flow::SegmentPairOptions& options,
                          const Context& context) {
  const io::FlowField field = io::read_flow(context.inputs[0], {.max_pixels = context.max_pixels});
  DividedImage divided;
  if (!request.truth.empty())
    divided.truth = read_labels(context, request.truth, {field.width(), field.height()});
  if (!request.image.empty()) {
    divided.shown = picture_bytes(flow_image(read_input(context, request.image)));
    if (divided.shown.width() != field.width() || divided.shown.height() != field.height())
      throw FormatError(fmt::format("{}: is {}x{}, but the field is {}x{}; both have one size",
                                    request.image, divided.shown.width(), divided.shown.height(),
                                    field.width(), field.height()));
  }
  const double start = steady_seconds();
  divided.segments = flow::segment_motion(field, field.confidence, divided.shown.view(),
                                          division_options(options));
  divided.segment_seconds = steady_seconds() - start;
  return divided;
}

void print_divided(const SegmentRequest& request, DividedImage& divided,
                   const flow::SegmentReport& report, Context& context) {
  flow::MotionSegments& segments = divided.segments;
  if (!context.json) {
    const auto regions = static_cast<std::int64_t>(segments.regions.size());
    context.console.print(
        fmt::format("{} of {}{}\n", fovea::detail::counted(regions, "region"),
                    fovea::detail::counted(segments.layers, "motion"),
                    time_at_end(context, divided.estimate_seconds + divided.segment_seconds)));
    if (request.table.empty() || !request.truth.empty())
      context.console.print(regions_text(segments));
    if (!request.truth.empty())
      context.console.print(fmt::format("Rand index {:.4f}, adjusted {:.4f}, covering {:.4f}\n",
                                        report.rand_index, report.adjusted_rand_index,
                                        report.covering));
    return;
  }
  DividedReport printed = divided_report(request);
  (is_field(context) ? printed.field : printed.first) = context.inputs[0];
  if (!is_field(context)) printed.second = context.inputs[1];
  printed.width = segments.labels.width();
  printed.height = segments.labels.height();
  if (!request.truth.empty()) printed.agreement = report;
  if (reports_times(context)) {
    if (!is_field(context)) printed.estimate_seconds = divided.estimate_seconds;
    printed.segment_seconds = divided.segment_seconds;
    printed.peak_memory_bytes = peak_memory_bytes();
  }
  printed.segments = std::move(segments);
  print_result(context, record_ref(printed));
}

// A pair of images, or a field.
int run_segment_single(const SegmentRequest& request, Context& context) {
  flow::SegmentPairOptions options = request.pair;
  options.exec = context.exec_without_progress();
  DividedImage divided = is_field(context) ? divide_field(request, options, context)
                                           : divide_pair(request, options, context);
  const flow::MotionSegments& segments = divided.segments;
  flow::SegmentReport report;
  if (!request.truth.empty()) report = flow::evaluate_segments(segments.labels, divided.truth);
  if (!request.output.empty()) io::write_image(request.output, segments.labels.view());
  if (!request.picture.empty())
    io::write_image(request.picture,
                    flow::segments_picture(segments.labels.view(), divided.shown.view()).view());
  RegionTable table(request.table);
  table.add(0, segments);
  table.finish();
  print_divided(request, divided, report, context);
  return kDone;
}

// Throws before anything is read or written.
void check_segment_request(const SegmentRequest& request, const Context& context) {
  const bool field = is_field(context), video = !field && context.inputs.size() != 2;
  if (request.output.empty() && request.picture.empty() && request.table.empty() &&
      (video || (request.truth.empty() && !context.json)))
    throw InvalidArgument(
        "flow segment needs -o OUT, --picture FILE, --table FILE or, for a pair, --truth FILE");
  if (video && !request.truth.empty())
    throw InvalidArgument("--truth holds the labels of a pair of images, but a video was given");
  if (!field && !request.image.empty())
    throw InvalidArgument(
        "--image is the first image of a field that is divided; leave it out, or give a single "
        "field such as a.flo");
  const flow::SegmentPairOptions usual;
  if (field && (request.pair.method != usual.method || request.pair.quality != usual.quality))
    throw InvalidArgument(fmt::format(
        "{}: is a field, whose motion is not estimated; leave out --method and --quality",
        context.inputs[0]));
  if (video) return;  // names of videos and folders are checked when they are made, before the work
  if (!request.output.empty()) io::require_image_path(request.output, io::SampleType::kUint16, 1);
  if (!request.picture.empty()) io::require_image_path(request.picture, io::SampleType::kUint8, 3);
}

void settle_cpu(Context& context) {
  if (context.exec.device.kind == DeviceKind::kCuda)
    throw InvalidArgument("fields are divided on the CPU only; use --device cpu instead of cuda");
  context.exec.device = Device::cpu();
}

int run_segment(SegmentRequest& request, Context& context) {
  check_segment_request(request, context);
  check_outputs(context,
                {{"-o", request.output, OutputUse::kFrames},
                 {"--picture", request.picture, OutputUse::kFrames},
                 {"--table", request.table}},
                {request.truth, request.image});
  if (is_field(context)) settle_cpu(context);
  else resolve_device(context);
  if (is_field(context) || context.inputs.size() == 2) return run_segment_single(request, context);
  return segment_video(request, context);
}

}  // namespace

void describe(OptionVisitor& visit, SegmentRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "image of the labels, 1 and on, with 16 bits: .png, .npy or .tif; for a video the "
             "folder of its images");
  visit.path("picture", request.picture, TextUse::kOutput,
             "picture of the regions in colors over the first image; for a video a video or a "
             "folder");
  visit.path("table", request.table, TextUse::kOutput, "CSV file with one row per region");
  visit.path("truth", request.truth, TextUse::kInput,
             "image of the true labels of a pair, in which 0 is not known: the Rand index and the "
             "covering are reported");
  visit.path("image", request.image, TextUse::kInput,
             "first image of a field that is divided: borders are drawn to its edges, and the "
             "picture over it");
  describe(visit, request.pair);
}

// The columns of a region: its frame before, and the terms of its motion behind it.
struct RegionFrame {
  std::int64_t frame = 0;
};
static void describe(FieldVisitor& visit, RegionFrame& row) {
  visit("frame", row.frame, "number of the frame, from 0");
}
struct MotionTerms {
  flow::AffineMotion motion{};
};
static void describe(FieldVisitor& visit, MotionTerms& row) {
  constexpr std::array kNames{"a0", "a1", "a2", "b0", "b1", "b2"};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    visit(kNames[i], row.motion.terms[i], "a term of the motion");
}
RegionTable::RegionTable(const std::string& path) {
  if (path.empty()) return;
  file_.emplace(path);
  const RegionFrame frame;
  const flow::MotionRegion region;
  const MotionTerms terms;
  table_.emplace(file_->sink(), io::TableFormat::kCsv,
                 std::array{record_ref(frame), record_ref(region), record_ref(terms)});
}

void RegionTable::add(std::int64_t frame, const flow::MotionSegments& segments) {
  if (!table_) return;
  const RegionFrame number{frame};
  for (const flow::MotionRegion& each : segments.regions) {
    const MotionTerms terms{each.motion};
    table_->row({record_ref(number), record_ref(each), record_ref(terms)});
  }
}

void RegionTable::finish() {
  if (!file_) return;
  table_->finish();
  file_->commit();
}

void describe(FieldVisitor& visit, DividedReport::Video& video) {
  visit("frames", video.frames, "frames that were read");
  visit("dropped", video.dropped, "of a live source: frames that were not looked at");
  visit("divided", video.divided, "frames that were divided");
  visit("mean_regions", video.mean_regions, "regions of a frame on average");
  visit("interrupted", video.interrupted, "whether the run ended before the video did");
}

void describe(FieldVisitor& visit, DividedReport& report) {
  visit.record("DividedMotion", "regions of like motion");
  visit("field", report.field, "the field of motion that was divided");
  visit("first", report.first, "of a pair: the first image");
  visit("second", report.second, "of a pair: the second image");
  visit("input", report.input, "the video, or the first of several images");
  visit("output", report.output, "image or folder of the labels");
  visit("picture", report.picture, "picture or video of the regions");
  visit("table", report.table, "CSV file of the regions");
  visit("width", report.width, "of a pair or field", {.unit = "pixels"});
  visit("height", report.height, "of a pair or field", {.unit = "pixels"});
  visit("segments", report.segments, "of a pair or field", {.flat = true});
  visit("agreement", report.agreement, "with the truth", {.flat = true});
  visit("video", report.video, "of a video", {.flat = true});
  visit("estimate_seconds", report.estimate_seconds, "time of the estimation", {.unit = "seconds"});
  visit("segment_seconds", report.segment_seconds, "time of the division", {.unit = "seconds"});
  visit("peak_memory_bytes", report.peak_memory_bytes, "most memory of the process",
        {.unit = "bytes"});
}

DividedReport divided_report(const SegmentRequest& request) {
  return {.output = written_file(request.output),
          .picture = written_file(request.picture),
          .table = written_file(request.table)};
}

Command flow_segment_command() {
  return {
      .system = "flow",
      .verb = "segment",
      .summary = "divide an image or a video into regions of like motion",
      .text =
          "Estimates the motion of every pixel and divides the image into connected regions whose "
          "motion is affine, u = a0 + a1 x + a2 y and v = b0 + b1 x + b2 y: what moves, turns or "
          "grows as one. Regions of one motion that do not touch share a layer. Pixels that only "
          "the first image shows, and those without texture, go with their neighbors. Along a "
          "video each frame but the last is divided by its motion to the next, and a region keeps "
          "its label while it overlaps itself; of a camera or stream, frames that were dropped are "
          "left out. A single field of motion is divided as it is. The motion may be estimated on "
          "a GPU; the division is done on the CPU.",
      .arguments = {{"INPUT",
                     "two images; or a field of motion (.flo, KITTI's .png, .pfm, .npy or .tif); "
                     "or a video, a folder of images, three or more images, - for y4m "
                     "on standard input, camera:N, or the address of a stream",
                     1, kAnyNumber}},
      .examples = {{"fovea flow segment a.png b.png -o labels.png --picture regions.png",
                    "divide the first image"},
                   {"fovea flow segment walk.mp4 --picture regions.mp4 --table regions.csv",
                    "draw and list the regions of every frame"},
                   {"fovea flow segment a.png b.png --layers 2 --table regions.csv",
                    "part what moves from the rest"},
                   {"fovea flow segment ab.flo --image a.png -o labels.png",
                    "divide a field that is there already"}},
      .request = make_request<SegmentRequest, run_segment>,
      .result = {sample_record<DividedReport>},
      .reads_images = true,
      .reads_videos = true,
      .shards = true,
      .repeats_per_input = true,
      .inputs_form_sequence = true};
}

}  // namespace fovea::cli
