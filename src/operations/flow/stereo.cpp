// fovea flow stereo: the disparities of a rectified pair, and their errors where the truth is
// known.
#include "operations/flow/stereo.h"

#include <fovea/core/error.h>
#include <fovea/flow/show.h>
#include <fovea/io/disparity_io.h>
#include <fovea/io/image_path.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "operations/make_operation.h"
#include "operations/measure.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_flow_stereo {
namespace {

struct StereoRequest {
  std::string truth{};
  std::string visible{};
  double truth_scale = 0;
  bool rivals = false;
  flow::DisparityPictureOptions colors{};
  flow::StereoOptions stereo{};
};

void describe(OptionVisitor& visit, StereoRequest& request) {
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

struct Setup {
  StereoRequest asked{};
  Exec exec{};
  std::uint64_t max_pixels = 0;
  std::function<io::AnyImage(const std::string& path)> image{};  // reads one
  std::function<void(const std::string& text)> note{};
};

// A pair, its disparities, and how right they are.
struct Matched {
  ImagePair pair{};
  Image<float> truth{};  // empty where it is not given
  Image<std::uint8_t> visible{};
  flow::Disparity found{};
  std::vector<StereoResult> results{};  // of this method, and of rivals; none without a truth
  std::string named{};                  // the first file that is written, or else the left image
  StereoPrinted printed{};
};

// Options that would do nothing without another one.
void settle(Setup& setup, const Plan& plan) {
  const StereoRequest& request = setup.asked;
  if (plan.files.empty() && request.truth.empty())
    throw InvalidArgument(
        "flow stereo needs -o OUT, --picture FILE, --confidence FILE or --truth FILE");
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
  if (!plan.writes("picture")) {
    needs(request.colors.nearest.has_value(), "--nearest", "--picture");
    needs(request.colors.farthest.has_value(), "--farthest", "--picture");
  }
  if (request.rivals && request.stereo.min_disparity != 0)
    throw InvalidArgument(
        fmt::format("--min-disparity is {}, but with --rivals it is 0, from which they search on; "
                    "leave one of both out",
                    request.stereo.min_disparity));
  check_picture(request.colors);
}

std::vector<std::string> read_beside(const Setup& setup, const std::string&) {
  std::vector<std::string> files{setup.asked.truth, setup.asked.visible};
  std::erase(files, "");
  return files;
}

void begin(Setup& setup, const Exec& exec, const Plan& plan) {
  setup.exec = exec;
  setup.exec.progress = {};
  setup.max_pixels = plan.max_pixels;
  setup.image = plan.image;
  setup.note = plan.note;
}

flow::StereoMatcher matcher(const Setup& setup, const Exec&) {
  flow::StereoOptions options = setup.asked.stereo;
  options.exec = setup.exec;
  return flow::StereoMatcher(options);
}

void read_truth(const Setup& setup, Matched& item) {
  const StereoRequest& request = setup.asked;
  const auto require_size = [&](const std::string& path, int width, int height) {
    const io::AnyImage& left = item.pair.first;
    if (width != left.width() || height != left.height())
      throw FormatError(fmt::format("{}: is {}x{}, but its images are {}x{}; all have one size",
                                    path, width, height, left.width(), left.height()));
  };
  item.truth = io::read_disparity(request.truth,
                                  {.scale = request.truth_scale, .max_pixels = setup.max_pixels});
  require_size(request.truth, item.truth.width(), item.truth.height());
  if (request.visible.empty()) return;
  item.visible = as_mask(request.visible, setup.image(request.visible));
  require_size(request.visible, item.visible.width(), item.visible.height());
  for (int y = 0; y < item.visible.height(); ++y)
    for (int x = 0; x < item.visible.width(); ++x)  // Middlebury's 128 means hidden
      if (item.visible.at(x, y) < 255) item.visible.at(x, y) = 0;
}

void read(const Setup& setup, const Source& source, Matched& item) {
  item.pair = read_pair(source);
  if (!setup.asked.truth.empty()) read_truth(setup, item);
  StereoPrinted& printed = item.printed;
  printed.left = source.name;
  printed.right = source.second->name;
  item.named = source.name;
  const auto take = [&](std::string_view output, std::optional<std::string>& name) {
    if (const std::string file = source.file(output); !file.empty()) name = item.named = file;
  };
  take("confidence", printed.confidence);  // so that the first one gives the name
  take("picture", printed.picture);
  take("output", printed.output);
}

void run(const Setup& setup, flow::StereoMatcher& matcher, Matched& item) {
  const StereoRequest& request = setup.asked;
  const double start = steady_seconds();
  item.found =
      with_pixels(item.pair, [&]<class T>(ImageView<const T> left, ImageView<const T> right) {
        return matcher.match<T>(left, right);
      });
  StereoPrinted& printed = item.printed;
  printed.match_seconds = steady_seconds() - start;
  printed.size = {item.found.disparity.width(), item.found.disparity.height()};
  printed.facts = facts_of(item.found.disparity);
  if (!request.truth.empty()) {
    const StereoContest contest{item.pair, item.truth.view(), item.visible.view(),
                                request.stereo.max_disparity};
    item.results.push_back(
        stereo_result(contest, "fovea", item.found.disparity, printed.match_seconds));
    printed.errors = item.results.front().report;
    if (request.rivals) {
      printed.rivals = measure_stereo_rivals(contest, setup.exec, setup.note);
      item.results.insert(item.results.end(), printed.rivals->begin(), printed.rivals->end());
    }
  }
  printed.peak_memory_bytes = peak_memory_bytes();
}

std::string errors_text(const StereoResult& result) {
  const auto line = [&](const char* pixels, const flow::StereoErrors& errors) {
    return fmt::format(
        "\n{:<13} {:<8} {:>8.3f} {:>7.2f} {:>7.2f} {:>7.2f} {:>7.2f} {:>8.2f} {:>8.3f}",
        result.name, pixels, errors.mean, 100 * errors.bad05, 100 * errors.bad1, 100 * errors.bad2,
        100 * errors.bad4, 100 * errors.unknown, result.seconds);
  };
  return line("all", result.report.all) + line("visible", result.report.visible);
}

std::string line(const Setup&, const Matched& item) {
  const DisparityFacts& facts = item.printed.facts;
  std::string text =
      fmt::format("{}: disparities from {:.2f} to {:.2f} px, known at {:.1f} % of the pixels, {}",
                  item.named, facts.least, facts.greatest, 100 * facts.known_share,
                  seconds_text(item.printed.match_seconds));
  if (item.results.empty()) return text;
  text += fmt::format("\n{:<13} {:<8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8}", "method",
                      "pixels", "mean px", "bad0.5", "bad1", "bad2", "bad4", "unknown", "seconds");
  for (const StereoResult& result : item.results) text += errors_text(result);
  return text;
}

// Whether the confidence is written as numbers, or else as a picture.
bool holds_numbers(const std::string& path) {
  return io::has_extension(path, {.name = "array", .extensions = {"pfm", "npy", "tif", "tiff"}});
}

std::vector<OutputOf<Setup, Matched>> outputs() {
  return {
      {.about = {.name = "output",
                 .help = "file of the disparities: .pfm, .png (KITTI), .npy or .tif"},
       .write = [](const Setup&, const Matched& item,
                   const std::string& path) { io::write_disparity(path, item.found.disparity); },
       .check = [](const std::string& path) { io::require_disparity_path(path); }},
      {.about = {.name = "picture",
                 .help = "picture of the disparities in colors, in which near is bright"},
       .write =
           [](const Setup& setup, const Matched& item, const std::string& path) {
             io::write_image(path,
                             flow::disparity_picture(item.found.disparity, setup.asked.colors));
           },
       .check =
           [](const std::string& path) {
             io::require_image_path(path, io::SampleType::kUint8, 3);
           }},
      {.about = {.name = "confidence",
                 .help = "image of the confidence from 0 to 1: .pfm, .npy or .tif, or a picture as "
                         ".png"},
       .write =
           [](const Setup&, const Matched& item, const std::string& path) {
             if (holds_numbers(path)) io::write_image(path, item.found.confidence);
             else io::write_image(path, flow::confidence_picture(item.found.confidence));
           },
       .check =
           [](const std::string& path) {
             if (holds_numbers(path)) io::require_image_path(path, io::SampleType::kFloat32, 1);
             else io::require_image_path(path, io::SampleType::kUint8, 3);
           }}};
}

}  // namespace
}  // namespace of_flow_stereo

Operation flow_stereo() {
  using namespace of_flow_stereo;
  return make_operation<Setup, Matched, flow::StereoMatcher>(
      {.words = {.system = "flow",
                 .verb = "stereo",
                 .summary = "find the disparities of a rectified pair of images",
                 .text = "Finds for every pixel (x, y) of the left image its disparity d: the "
                         "right image shows "
                         "the same at (x - d, y). The pair must be rectified, so that matches lie "
                         "on one row. "
                         "Costs of all disparities in the range are compared, by default through a "
                         "census of 9x7 "
                         "pixels and along eight paths through each pixel. Pixels that only the "
                         "left image shows, "
                         "that match two places alike, or that lie in small patches are not known: "
                         "infinity in "
                         ".pfm, .npy and .tif, 0 in PNG (KITTI's, with 256 times the disparity). "
                         "With --truth the "
                         "errors are reported as Middlebury counts them: shares of all pixels "
                         "whose error is "
                         "above 0.5, 1, 2 and 4 pixels, and the share that is not known, over all "
                         "pixels and over "
                         "those that both images show. The work is done on the CPU; --device cuda "
                         "is refused.",
                 .arguments = {{"LEFT", "left image", 1, 1},
                               {"RIGHT", "right image of the same size", 1, 1}},
                 .examples =
                     {{"fovea flow stereo left.png right.png -o disparity.pfm --picture near.png",
                       "write the disparities and a picture of them"},
                      {"fovea flow stereo l.png r.png --max-disparity 128 --fill -o d.png",
                       "search a larger range and fill in what is not known"},
                      {"fovea flow stereo l.png r.png --truth disparity.pfm --rivals",
                       "report errors, also of OpenCV's methods"}}},
       .input = InputKind::kImage,
       .alone = true,
       .outputs = outputs(),
       .settle = settle,
       .cpu_only = [](const Setup&, const Plan&) { return std::string("disparities are found"); },
       .read_beside = read_beside,
       .begin = begin,
       .worker = matcher,
       .read = read,
       .run = run,
       .result = [](const Matched& item) { return record_ref(item.printed); },
       .line = line},
      sample_record<StereoPrinted>);
}

}  // namespace fovea::operations
