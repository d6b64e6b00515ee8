// fovea flow stereo: the disparities of a rectified pair, and their errors where the truth is
// known.
#include "cli/flow/stereo.h"

#include <fovea/core/error.h>
#include <fovea/flow/show.h>
#include <fovea/io/disparity_io.h>
#include <fovea/io/image_path.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/program/batch.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "cli/program/stopwatch.h"

namespace fovea::cli {
namespace {

struct StereoRequest {
  std::string output{};
  std::string picture{};
  std::string confidence{};
  std::string truth{};
  std::string visible{};
  double truth_scale = 0;
  bool rivals = false;
  flow::DisparityPictureOptions colors{};
  flow::StereoOptions stereo{};
};

void describe(OptionVisitor& visit, StereoRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "file of the disparities: .pfm, .png (KITTI), .npy or .tif");
  visit.path("picture", request.picture, TextUse::kOutput,
             "picture of the disparities in colors, in which near is bright");
  visit.path("confidence", request.confidence, TextUse::kOutput,
             "image of the confidence from 0 to 1: .pfm, .npy or .tif, or a picture as .png");
  visit.path("truth", request.truth, TextUse::kInput,
             "file of the true disparities: errors are reported");
  visit("truth-scale", request.truth_scale,
        "what the true disparities are divided by where they are integers; 0 is 256 for 16 bits "
        "and 1 for others",
        0, 1e6);
  visit.path("visible", request.visible, TextUse::kInput,
             "image that is white where the right image shows a pixel, such as mask0nocc.png of "
             "Middlebury; without it this follows from the true disparities");
  visit("rivals", request.rivals, "also measure OpenCV's StereoBM and StereoSGBM on the same pair");
  describe(visit, request.colors);
  describe(visit, request.stereo);
}

flow::Disparity match_pair(flow::StereoMatcher& matcher, const ImagePair& pair) {
  const auto between = [&]<class T>(T) {
    return matcher.match<T>(std::get<ImageView<const T>>(pair.first.view()),
                            std::get<ImageView<const T>>(pair.second.view()));
  };
  switch (pair.first.type()) {
    case io::SampleType::kUint8: return between(std::uint8_t{});
    case io::SampleType::kUint16: return between(std::uint16_t{});
    default: return between(float{});
  }
}

// Numbers that sum a map up.
struct DisparityFacts {
  double known_share = 0, least = 0, greatest = 0, mean = 0;
};
DisparityFacts facts_of(ImageView<const float> disparity) {
  DisparityFacts facts{0, INFINITY, -INFINITY, 0};
  std::int64_t known = 0;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const double d = disparity.at(x, y);
      if (!std::isfinite(d)) continue;
      ++known;
      facts.mean += d;
      facts.least = std::min(facts.least, d);
      facts.greatest = std::max(facts.greatest, d);
    }
  }
  if (known == 0) return {};
  facts.mean /= static_cast<double>(known);
  facts.known_share =
      static_cast<double>(known) / (static_cast<double>(disparity.width) * disparity.height);
  return facts;
}

void describe(FieldVisitor& visit, DisparityFacts& facts) {
  visit("known_share", facts.known_share, "share of the pixels whose disparity is known");
  visit("mean_disparity", facts.mean, "of known pixels", {.unit = "pixels"});
  visit("least_disparity", facts.least, "of known pixels", {.unit = "pixels"});
  visit("greatest_disparity", facts.greatest, "of known pixels", {.unit = "pixels"});
}

// What is printed.
struct StereoPrinted {
  std::string left{}, right{};
  std::optional<std::string> output{}, picture{}, confidence{};
  Extent size{};
  DisparityFacts facts{};
  std::optional<flow::StereoReport> errors{};
  std::optional<std::vector<StereoResult>> rivals{};
  double match_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};
void describe(FieldVisitor& visit, StereoPrinted& printed) {
  visit.record("StereoResult", "the disparities of a rectified pair");
  visit("left", printed.left, "the left image");
  visit("right", printed.right, "the right image");
  visit("output", printed.output, "file of the disparities");
  visit("picture", printed.picture, "picture of the disparities");
  visit("confidence", printed.confidence, "file of the confidence");
  visit("width", printed.size.width, "of the images", {.unit = "pixels"});
  visit("height", printed.size.height, "of the images", {.unit = "pixels"});
  describe(visit, printed.facts);
  visit("errors", printed.errors, "where the truth is given", {.flat = true});
  visit("rivals", printed.rivals, "methods of other libraries");
  visit("match_seconds", printed.match_seconds, "time that it took", {.unit = "seconds"});
  visit("peak_memory_bytes", printed.peak_memory_bytes, "most memory of the process",
        {.unit = "bytes"});
}

struct StereoTruth {
  Image<float> disparity{};
  Image<std::uint8_t> visible{};
};
StereoTruth read_stereo_truth(const StereoRequest& request, const ImagePair& pair,
                              const Context& context) {
  StereoTruth truth;
  if (request.truth.empty()) return truth;
  const auto require_size = [&](const std::string& path, int width, int height) {
    if (width != pair.first.width() || height != pair.first.height())
      throw FormatError(fmt::format("{}: is {}x{}, but its images are {}x{}; all have one size",
                                    path, width, height, pair.first.width(), pair.first.height()));
  };
  truth.disparity = io::read_disparity(
      request.truth, {.scale = request.truth_scale, .max_pixels = context.max_pixels});
  require_size(request.truth, truth.disparity.width(), truth.disparity.height());
  if (request.visible.empty()) return truth;
  truth.visible = read_mask(request.visible, {.max_pixels = context.max_pixels});
  require_size(request.visible, truth.visible.width(), truth.visible.height());
  for (int y = 0; y < truth.visible.height(); ++y)
    for (int x = 0; x < truth.visible.width(); ++x)  // Middlebury's 128 means hidden
      if (truth.visible.at(x, y) < 255) truth.visible.at(x, y) = 0;
  return truth;
}

std::string errors_text(const StereoResult& result) {
  const auto line = [&](const char* pixels, const flow::StereoErrors& errors) {
    return fmt::format(
        "{:<13} {:<8} {:>8.3f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>8.2f} {:>8.3f}\n",
        result.name, pixels, errors.mean, 100 * errors.bad05, 100 * errors.bad1, 100 * errors.bad2,
        100 * errors.bad4, 100 * errors.unknown, result.seconds);
  };
  return line("all", result.report.all) + line("visible", result.report.visible);
}

void print_text(const StereoRequest& request, const DisparityFacts& facts,
                const std::vector<StereoResult>& results, double seconds, Context& context) {
  const std::string& name = !request.output.empty()       ? request.output
                            : !request.picture.empty()    ? request.picture
                            : !request.confidence.empty() ? request.confidence
                                                          : context.inputs[0];
  context.console.print(fmt::format(
      "{}: disparities from {:.2f} to {:.2f} px, known at {:.1f} % of the pixels, {}\n", name,
      facts.least, facts.greatest, 100 * facts.known_share, seconds_text(seconds)));
  if (results.empty()) return;
  context.console.print(fmt::format("{:<13} {:<8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8}\n",
                                    "method", "pixels", "mean px", "bad0.5", "bad1", "bad2", "bad4",
                                    "unknown", "seconds"));
  for (const StereoResult& result : results) context.console.print(errors_text(result));
}

// Whether the confidence is written as numbers, or else as a picture.
bool holds_numbers(const std::string& path) {
  return io::has_extension(path, {.name = "array", .extensions = {"pfm", "npy", "tif", "tiff"}});
}

// Options that would do nothing without another one.
void check_stereo_pairs(const StereoRequest& request) {
  const auto needs = [](bool given, const char* option, const char* other) {
    if (given)
      throw InvalidArgument(
          fmt::format("{} needs {} FILE; add it, or leave {} out", option, other, option));
  };
  if (request.truth.empty()) {
    needs(request.rivals, "--rivals", "--truth");
    needs(!request.visible.empty(), "--visible", "--truth");
    needs(request.truth_scale != 0, "--truth-scale", "--truth");
  }
  if (request.picture.empty()) {
    needs(request.colors.nearest.has_value(), "--nearest", "--picture");
    needs(request.colors.farthest.has_value(), "--farthest", "--picture");
  }
  if (request.rivals && request.stereo.min_disparity != 0)
    throw InvalidArgument(
        fmt::format("--min-disparity is {}, but with --rivals it is 0, from which they search on; "
                    "leave one of both out",
                    request.stereo.min_disparity));
}

void check_stereo_request(const StereoRequest& request, Context& context) {
  if (request.output.empty() && request.picture.empty() && request.confidence.empty() &&
      request.truth.empty())
    throw InvalidArgument(
        "flow stereo needs -o OUT, --picture FILE, --confidence FILE or --truth FILE");
  check_stereo_pairs(request);
  check_picture(request.colors);
  if (!request.output.empty()) io::require_disparity_path(request.output);
  if (!request.picture.empty()) io::require_image_path(request.picture, io::SampleType::kUint8, 3);
  if (holds_numbers(request.confidence))
    io::require_image_path(request.confidence, io::SampleType::kFloat32, 1);
  else if (!request.confidence.empty())
    io::require_image_path(request.confidence, io::SampleType::kUint8, 3);
  check_outputs(context,
                {{"-o", request.output},
                 {"--picture", request.picture},
                 {"--confidence", request.confidence}},
                {request.truth, request.visible});
}

void write_stereo_files(const StereoRequest& request, const flow::Disparity& found) {
  if (!request.output.empty()) io::write_disparity(request.output, found.disparity);
  if (!request.picture.empty())
    io::write_image(request.picture, flow::disparity_picture(found.disparity, request.colors));
  if (request.confidence.empty()) return;
  if (holds_numbers(request.confidence)) io::write_image(request.confidence, found.confidence);
  else io::write_image(request.confidence, flow::confidence_picture(found.confidence));
}

int run_stereo(StereoRequest& request, Context& context) {
  check_stereo_request(request, context);
  if (context.exec.device.kind == DeviceKind::kAuto) context.exec.device = Device::cpu();
  request.stereo.exec = context.exec_without_progress();
  flow::StereoMatcher matcher(request.stereo);
  const ImagePair pair =
      read_pair(context.inputs[0], context.inputs[1], {}, {.max_pixels = context.max_pixels});
  const StereoTruth truth = read_stereo_truth(request, pair, context);
  const double start = steady_seconds();
  const flow::Disparity found = match_pair(matcher, pair);
  const double seconds = steady_seconds() - start;
  write_stereo_files(request, found);
  const DisparityFacts facts = facts_of(found.disparity);
  std::vector<StereoResult> results;
  if (!request.truth.empty()) {
    const StereoContest contest{pair, truth.disparity.view(), truth.visible.view(),
                                request.stereo.max_disparity};
    results.push_back(stereo_result(contest, "fovea", found.disparity, seconds));
    if (request.rivals)
      for (StereoResult& rival : measure_stereo_rivals(contest, context))
        results.push_back(std::move(rival));
  }
  if (!context.json) {
    print_text(request, facts, results, seconds, context);
    return kDone;
  }
  StereoPrinted printed{.left = context.inputs[0],
                        .right = context.inputs[1],
                        .output = written_file(request.output),
                        .picture = written_file(request.picture),
                        .confidence = written_file(request.confidence),
                        .size = {found.disparity.width(), found.disparity.height()},
                        .facts = facts,
                        .match_seconds = seconds,
                        .peak_memory_bytes = peak_memory_bytes()};
  if (!results.empty()) printed.errors = results.front().report;
  if (request.rivals) printed.rivals.emplace(results.begin() + 1, results.end());
  print_result(context, record_ref(printed));
  return kDone;
}

}  // namespace

void describe(FieldVisitor& visit, StereoResult& result) {
  visit.record("StereoRival", "another method on the same pair");
  visit("method", result.name, "its name");
  describe(visit, result.report);
  visit("seconds", result.seconds, "how long it took", {.unit = "seconds"});
}

Command flow_stereo_command() {
  return {
      .system = "flow",
      .verb = "stereo",
      .summary = "find the disparities of a rectified pair of images",
      .text =
          "Finds for every pixel (x, y) of the left image its disparity d: the right image shows "
          "the same at (x - d, y). The pair must be rectified, so that matches lie on one row. "
          "Costs of all disparities in the range are compared, by default through a census of 9x7 "
          "pixels and along eight paths through each pixel. Pixels that only the left image shows, "
          "that match two places alike, or that lie in small patches are not known: infinity in "
          ".pfm, .npy and .tif, 0 in PNG (KITTI's, with 256 times the disparity). With --truth the "
          "errors are reported as Middlebury counts them: shares of all pixels whose error is "
          "above 0.5, 1, 2 and 4 pixels, and the share that is not known, over all pixels and over "
          "those that both images show. The work is done on the CPU; --device cuda is refused.",
      .arguments = {{"LEFT", "left image", 1, 1}, {"RIGHT", "right image of the same size", 1, 1}},
      .examples = {{"fovea flow stereo left.png right.png -o disparity.pfm --picture near.png",
                    "write the disparities and a picture of them"},
                   {"fovea flow stereo l.png r.png --max-disparity 128 --fill -o d.png",
                    "search a larger range and fill in what is not known"},
                   {"fovea flow stereo l.png r.png --truth disparity.pfm --rivals",
                    "report errors, also of OpenCV's methods"}},
      .request = make_request<StereoRequest, run_stereo>,
      .result = {sample_record<StereoPrinted>},
      .reads_images = true};
}

}  // namespace fovea::cli
