// fovea bench people: whole detectors, from image to fused boxes, compared with OpenCV's on the CPU
// and with times that papers report for a GPU.
#include <fovea/core/error.h>
#include <fovea/ops/resize.h>
#include <fovea/people/measure.h>

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/bench/bench.h"
#include "cli/bench/natural_scene.h"
#include "cli/bench/people_track.h"
#include "cli/people/people.h"
#include "cli/program/image_input.h"

namespace fovea::cli {
namespace {

constexpr int kLeastSide = 16;

using Pixels = std::shared_ptr<const Image<std::uint8_t>>;

struct PeopleBenchOptions {
  BenchOptions bench{};
  std::string image{};
  std::vector<std::string> models{"hog", "cascade", "channels"};
  std::vector<Extent> sizes{{640, 480}, {1280, 960}};
  int stride = 8;
};
void describe(OptionVisitor& visit, PeopleBenchOptions& options) {
  describe(visit, options.bench);
  visit.path("image", options.image, TextUse::kInput,
             "photo to search instead of a drawn street; the time of a cascade depends on what the "
             "image shows");
  visit("model", options.models, "shipped models or model files, with commas between them",
        {.use = TextUse::kModel});
  visit("sizes", options.sizes, "sizes that the image is given, such as 240x320,640x480");
  visit("stride", options.stride, "step between windows, in pixels; OpenCV's is always 8", 1, 256);
}

// A photo is taken in its colors, as `people detect` does.
Pixels scene(const Context& context, const std::string& photo, Extent size) {
  if (photo.empty())
    return std::make_shared<Image<std::uint8_t>>(NaturalScene(size).frame({}, context.exec));
  const Image<std::uint8_t> pixels = people::detector_pixels(read_input(context, photo));
  auto image = std::make_shared<Image<std::uint8_t>>(size.width, size.height, pixels.channels());
  resize(pixels.view(), image->view(), {.antialias = true, .exec = {.device = Device::cpu()}});
  return image;
}

// Times at 1280x960 from table 7-1 of Bilgic, "Fast human detection with cascaded ensembles", MIT
// 2010, and from Prisacariu and Reid, fastHOG, 2009.
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

// A detector that is made for the device of the first call.
struct Runs {
  std::shared_ptr<const people::Model> model;
  people::DetectOptions options;
  std::optional<people::Detector> detector{};

  void operator()(ImageView<const std::uint8_t> image, const Exec& exec) {
    if (!detector) {
      options.exec = exec;
      options.exec.stream = nullptr;  // the clock's stream ends with the first measurement
      detector.emplace(model, options);
    }
    detector->detect(image);
  }
};

// Scans like OpenCV, without padding.
people::DetectOptions scan_of(double ratio, int stride) {
  people::DetectOptions options;
  options.scan = {.ratio = ratio, .stride = stride, .padding = 0};
  return options;
}

double pyramid_pixels(const people::ScanPlan& plan) {
  double pixels = 0;
  for (const people::ScanLevel& level : plan.levels)
    pixels += static_cast<double>(level.size.width) * level.size.height;
  return pixels;
}

BenchCase people_case(const std::shared_ptr<const people::Model>& model, const BenchShape& shape,
                      int stride, const Pixels& image) {
  const std::string kind = people::to_string(model->kind);
  const people::DetectOptions options = scan_of(shape.ratio, stride);
  const people::ScanPlan plan = people::plan_scan({shape.width, shape.height}, model->window(),
                                                  model->person_height, options.scan);
  return {.name = "people_" + kind,
          .shape = shape,
          .bytes = 2 * pyramid_pixels(plan),  // every level is written and read at least once
          .prepare = [=](Memory memory) -> BenchWork {
            const auto host = memory == Memory::kCuda ? Memory::kPinned : Memory::kHost;
            const auto pixels = std::make_shared<Image<std::uint8_t>>(clone(*image, host));
            const auto runs = std::make_shared<Runs>(Runs{model, options});
            return [=](const Exec& exec) { (*runs)(*pixels, exec); };
          },
          .image = image,
          .published = published(kind, shape)};
}

std::vector<BenchCase> cases_of(const PeopleBenchOptions& options, const Context& context) {
  std::vector<std::shared_ptr<const people::Model>> models;
  for (const std::string& word : options.models) models.push_back(people::load_model(word));
  std::vector<BenchCase> cases;
  for (const Extent& size : options.sizes) {
    if (size.width < kLeastSide || size.height < kLeastSide)
      throw InvalidArgument(fmt::format("--sizes has {}x{}; expected sides of {} pixels or more",
                                        size.width, size.height, kLeastSide));
    const Pixels image = scene(context, options.image, size);
    for (const auto& model : models) {
      for (const double ratio : {1.05, 1.1, 1.2})
        cases.push_back(people_case(model,
                                    {.width = size.width, .height = size.height, .ratio = ratio},
                                    options.stride, image));
    }
    cases.push_back(people_track_case(size, image));
  }
  return cases;
}

int run_bench_people(PeopleBenchOptions& options, Context& context) {
  return run_bench(options.bench, context, [&] { return cases_of(options, context); });
}

}  // namespace

Command bench_people_command() {
  return {
      .system = "bench",
      .verb = "people",
      .summary = "time the people detectors, compared with OpenCV's",
      .text =
          "Times whole frames, from the image to the fused boxes, with the shipped models. "
          "The image is a street in color, drawn with the statistics of photographs, or a photo. "
          "OpenCV's HOGDescriptor searches the same pixels at the same ratio and stride, "
          "without padding, in turns with Fovea's detectors. GPU times include the upload of "
          "the image from pinned memory and the download of the boxes; the rows also have the "
          "times that papers report for their GPUs. people_track_200 is what following adds to a "
          "frame "
          "with 200 detections.",
      .examples = {{"fovea bench people --device cpu",
                    "time all models at two sizes and three ratios"},
                   {"fovea bench people --image street.jpg --filter 1280x960 --json",
                    "time them on a photo and print JSON"},
                   {"fovea bench people --model my.safetensors --sizes 320x240 --stride 4",
                    "time your own model"}},
      .request = make_request<PeopleBenchOptions, run_bench_people>,
      .reads_images = true};
}

}  // namespace fovea::cli
