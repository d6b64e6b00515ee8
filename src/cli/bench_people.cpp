// fovea bench people: whole detectors, from image to fused boxes, beside OpenCV's on the CPU and
// beside what papers report on a GPU.
#include <fovea/random.h>
#include <fovea/resize.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/bench.h"
#include "cli/people.h"

namespace fovea::cli {
namespace {

using Pixels = std::shared_ptr<const Image<std::uint8_t>>;

struct PeopleBenchOptions {
  BenchOptions bench{};
  std::string image{};
};
void describe(OptionVisitor& visit, PeopleBenchOptions& options) {
  describe(visit, options.bench);
  visit("image", options.image,
        "photo to search instead of a random scene; a cascade's time depends on what it sees");
}

// Noise whose power falls with frequency as it does in photos: octaves of random pixels, each
// coarser one enlarged and twice as strong.
Pixels random_scene(int width, int height) {
  Image<float> sum(width, height), layer(width, height);
  Random random(1);
  double weight = 1, total = 0;
  for (int step = 1; step * 4 <= height; step *= 2, weight *= 1.6) {
    Image<float> coarse(width / step, height / step);
    for (int y = 0; y < coarse.height(); ++y)
      for (int x = 0; x < coarse.width(); ++x)
        coarse.at(x, y) = static_cast<float>(random.uniform());
    resize(coarse.view(), layer.view(), {.exec = {.device = Device::cpu()}});
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) sum.at(x, y) += static_cast<float>(weight) * layer.at(x, y);
    total += weight;
  }
  auto image = std::make_shared<Image<std::uint8_t>>(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image->at(x, y) = static_cast<std::uint8_t>(sum.at(x, y) / total * 255);
  return image;
}

Pixels scene(const std::string& photo, int width, int height) {
  if (photo.empty()) return random_scene(width, height);
  const Image<std::uint8_t> grey = io::to_grey(people_pixels(io::read_image(photo)).view());
  auto image = std::make_shared<Image<std::uint8_t>>(width, height);
  resize(grey.view(), image->view(), {.antialias = true, .exec = {.device = Device::cpu()}});
  return image;
}

// Table 7-1 of Bilgic, "Fast human detection with cascaded ensembles", MIT 2010; Prisacariu and
// Reid, fastHOG, 2009. Both at 1280x960.
std::optional<PublishedTime> published(const std::string& kind, const BenchShape& shape) {
  if (shape.width != 1280) return {};
  if (kind == "cascade")
    return PublishedTime{"Bilgic 2010", shape.ratio == 1.05  ? 0.422
                                        : shape.ratio == 1.1 ? 0.228
                                                             : 0.131};
  if (kind == "hog")
    return PublishedTime{"Wojek 2008", shape.ratio == 1.05  ? 0.385
                                       : shape.ratio == 1.1 ? 0.216
                                                            : 0.133};
  return {};
}

// A detector made for the place that the first call names.
struct Runs {
  people::Model model;
  people::DetectOptions options;
  std::optional<people::Detector> detector{};

  void operator()(ImageView<const std::uint8_t> image, const Exec& exec) {
    if (!detector) {
      options.exec = exec;
      options.exec.stream = nullptr;  // a clock's own, gone with the first measurement
      detector.emplace(model, options);
    }
    detector->detect(image);
  }
};

// As OpenCV scans: no padding, steps of 8 pixels (its cells, or those that the channels share).
people::DetectOptions scan_of(double ratio) {
  people::DetectOptions options;
  options.scan = {.ratio = ratio, .stride = 8, .padding = 0};
  return options;
}

double pyramid_pixels(const people::ScanPlan& plan) {
  double pixels = 0;
  for (const people::ScanLevel& level : plan.levels)
    pixels += static_cast<double>(level.size.width) * level.size.height;
  return pixels;
}

BenchCase people_case(const std::string& kind, const people::Model& model, const BenchShape& shape,
                      const Pixels& image) {
  const people::DetectOptions options = scan_of(shape.ratio);
  const people::ScanPlan plan = people::plan_scan({shape.width, shape.height}, model.window(),
                                                  model.person_height, options.scan);
  return {.name = "people_" + kind,
          .shape = shape,
          .bytes = 2 * pyramid_pixels(plan),  // every level is written and read once at least
          .prepare = [=](Memory memory) -> BenchWork {
            const auto host = memory == Memory::kCuda ? Memory::kPinned : Memory::kHost;
            const auto pixels = std::make_shared<Image<std::uint8_t>>(clone(*image, host));
            const auto runs = std::make_shared<Runs>(Runs{model, options});
            return [=](const Exec& exec) { (*runs)(*pixels, exec); };
          },
          .image = image,
          .published = published(kind, shape)};
}

int run_bench_people(PeopleBenchOptions& options, Context& context) {
  std::vector<BenchCase> cases;
  for (const auto& [width, height] : {std::pair{640, 480}, std::pair{1280, 960}}) {
    const Pixels image = scene(options.image, width, height);
    for (const char* kind : {"hog", "cascade", "channels"}) {
      const people::Model model = read_people_model(kind);
      for (const double ratio : {1.05, 1.1, 1.2})
        cases.push_back(
            people_case(kind, model, {.width = width, .height = height, .ratio = ratio}, image));
    }
  }
  return run_bench(options.bench, cases, context);
}

}  // namespace

Command bench_people_command() {
  return {.system = "bench",
          .verb = "people",
          .summary = "time the detectors of people beside OpenCV's",
          .text =
              "Whole frames: levels, descriptors, classification and fusing, with the shipped "
              "models. OpenCV's HOGDescriptor searches the same grey image at the same ratio and "
              "stride, without padding, in turns with ours. GPU rows include the upload of the "
              "image from pinned memory and the download of the boxes; beside them stand times "
              "that papers gave for their GPUs.",
          .examples = {{"fovea bench people --device cpu", "both sizes, three ratios"},
                       {"fovea bench people --image street.jpg --filter 1280x960 --json",
                        "on a photo, for programs"}},
          .request = make_request<PeopleBenchOptions, run_bench_people>};
}

}  // namespace fovea::cli
