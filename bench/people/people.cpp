// fovea bench people: whole detectors, from image to fused boxes, compared with
// OpenCV's on the CPU and with times that papers report for a GPU.
#include <fovea/core/error.h>
#include <fovea/ops/resize.h>
#include <fovea/people/measure.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "bench/bench.h"
#include "bench/natural_scene.h"
#include "bench/people/people_integral.h"
#include "bench/people/people_stages.h"
#include "bench/people/people_track.h"
#include "cli/beside/beside.h"
#include "cli/people/people.h"
#include "cli/program/image_input.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr int kLeastSide = 16;

using Pixels = std::shared_ptr<const Image<std::uint8_t>>;

struct PeopleBenchOptions {
  BenchOptions bench{};
  std::string image{};
  std::vector<std::string> models{"hog", "cascade", "channels", "filtered"};
  std::vector<Extent> sizes{};
  std::vector<double> ratios{};
  int stride = 8;
  bool stages = false;
  bool integral = false;
  std::string charts{};

  std::vector<Extent> chosen_sizes() const {
    if (!sizes.empty()) return sizes;
    if (integral) return {{256, 256}, {512, 512}, {1024, 1024}, {2048, 2048}, {4096, 4096}};
    if (stages) return {{1280, 960}};
    return {{320, 240}, {640, 480}, {1280, 960}};
  }
  std::vector<double> chosen_ratios() const {
    if (!ratios.empty()) return ratios;
    return stages ? std::vector<double>{1.2} : std::vector<double>{1.05, 1.1, 1.2};
  }
};
void describe(OptionVisitor& visit, PeopleBenchOptions& options) {
  describe(visit, options.bench);
  visit.path("image", options.image, TextUse::kInput,
             "photo to search instead of a drawn street; the time of a cascade "
             "depends on what the "
             "image shows");
  visit("model", options.models, "shipped models or model files, with commas between them",
        {.use = TextUse::kModel});
  visit("sizes", options.sizes,
        "sizes that the image is given; by default 320x240,640x480,1280x960, "
        "with --stages "
        "1280x960, with --integral squares of 256 to 4096 pixels");
  visit("ratios", options.ratios,
        "ratios of the levels; by default 1.05,1.1,1.2, with --stages 1.2", 1.01, 4);
  visit("stride", options.stride, "step between windows, in pixels; OpenCV's is always 8", 1, 256);
  visit("stages", options.stages,
        "print the time of each step of a search instead, as table 7-2 of the "
        "thesis has it");
  visit("integral", options.integral,
        "print times of integral images against their size instead, as figures "
        "6-4 to 6-7 of the "
        "thesis have it");
  visit.path("charts", options.charts, TextUse::kFolder,
             "with --stages or --integral: folder for charts, a table and a page");
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

// Times on GPUs of 2008 to 2010: tables 4-1 and 7-1 of Bilgic, "Fast human
// detection with cascaded ensembles", MIT 2010, which quotes Wojek et al. 2008.
std::optional<PublishedTime> published(const std::string& kind, const RivalShape& shape) {
  struct Known {
    const char* kind;
    int width;
    double ratio;
    PublishedTime time;
  };
  static const Known kKnown[] = {{"cascade", 1280, 1.05, {"Bilgic 2010", 0.422}},
                                 {"cascade", 1280, 1.1, {"Bilgic 2010", 0.228}},
                                 {"cascade", 1280, 1.2, {"Bilgic 2010", 0.131}},
                                 {"hog", 1280, 1.05, {"Wojek 2008", 0.385}},
                                 {"hog", 1280, 1.1, {"Wojek 2008", 0.216}},
                                 {"hog", 1280, 1.2, {"Wojek 2008", 0.133}},
                                 {"hog", 640, 1.05, {"Wojek 2008", 0.080}},
                                 {"hog", 320, 1.05, {"Wojek 2008", 0.029}}};
  for (const Known& known : kKnown)
    if (kind == known.kind && shape.width == known.width && 4 * shape.height == 3 * shape.width &&
        shape.ratio == known.ratio)
      return known.time;
  return {};
}

struct NamedModel {
  std::string word;  // as --model has it
  std::shared_ptr<const people::Model> model;
};

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

// "people_cascade" for the model `cascade`, "people_cascade_thesis" for the cascade `thesis`.
std::string case_name(const NamedModel& model) {
  const std::string kind = people::to_string(model.model->kind);
  const std::string name = std::filesystem::path(model.word).stem().string();
  return name.starts_with(kind) ? "people_" + name : fmt::format("people_{}_{}", kind, name);
}

BenchCase people_case(const NamedModel& named, const RivalShape& shape, int stride,
                      const Pixels& image) {
  const std::shared_ptr<const people::Model>& model = named.model;
  const people::DetectOptions options = scan_of(shape.ratio, stride);
  const people::ScanPlan plan = people::plan_scan({shape.width, shape.height}, model->window(),
                                                  model->person_height, options.scan);
  return {.name = case_name(named),
          .shape = shape,
          .bytes = 2 * pyramid_pixels(plan),  // every level is written and read at least once
          .prepare = [=](Memory memory) -> BenchWork {
            const auto host = memory == Memory::kCuda ? Memory::kPinned : Memory::kHost;
            const auto pixels = std::make_shared<Image<std::uint8_t>>(clone(*image, host));
            const auto runs = std::make_shared<Runs>(Runs{model, options});
            return [=](const Exec& exec) { (*runs)(*pixels, exec); };
          },
          .image = image,
          .published = published(people::to_string(model->kind), shape)};
}

std::vector<Extent> checked_sizes(const PeopleBenchOptions& options) {
  std::vector<Extent> sizes = options.chosen_sizes();
  for (const Extent& size : sizes)
    if (size.width < kLeastSide || size.height < kLeastSide)
      throw InvalidArgument(fmt::format("--sizes has {}x{}; expected sides of {} pixels or more",
                                        size.width, size.height, kLeastSide));
  return sizes;
}

// The searches of one image, by model and ratio.
std::vector<PeopleSearch> searches_of(const PeopleBenchOptions& options, const Pixels& image,
                                      std::span<const NamedModel> models) {
  std::vector<PeopleSearch> searches;
  const std::vector<double> ratios = options.chosen_ratios();
  searches.reserve(models.size() * ratios.size());
  for (const NamedModel& model : models)
    for (const double ratio : ratios)
      searches.push_back(
          {model.model, scan_of(ratio, options.stride),
           people_case(model, {.width = image->width(), .height = image->height(), .ratio = ratio},
                       options.stride, image)});
  return searches;
}

std::vector<NamedModel> models_of(const PeopleBenchOptions& options) {
  std::vector<NamedModel> models;
  models.reserve(options.models.size());
  for (const std::string& word : options.models) models.push_back({word, people::load_model(word)});
  return models;
}

std::vector<BenchCase> cases_of(const PeopleBenchOptions& options, const Context& context) {
  const auto models = models_of(options);
  std::vector<BenchCase> cases;
  for (const Extent& size : checked_sizes(options)) {
    const Pixels image = scene(context, options.image, size);
    for (PeopleSearch& search : searches_of(options, image, models))
      cases.push_back(std::move(search.whole));
    cases.push_back(people_track_case(size, image));
  }
  return cases;
}

// The searches whose name and size contain --filter.
std::vector<PeopleSearch> kept_searches(const PeopleBenchOptions& options, const Context& context) {
  const auto models = models_of(options);
  std::vector<PeopleSearch> kept;
  for (const Extent& size : checked_sizes(options))
    for (PeopleSearch& search : searches_of(options, scene(context, options.image, size), models))
      if ((search.whole.name + " " + to_string(search.whole.shape)).find(options.bench.filter) !=
          std::string::npos)
        kept.push_back(std::move(search));
  if (kept.empty())
    throw InvalidArgument(
        fmt::format("--filter is '{}', which no search contains; there are names such as "
                    "people_cascade and sizes such as 1280x960 ratio 1.2",
                    detail::shown(options.bench.filter)));
  return kept;
}

int run_bench_people(PeopleBenchOptions& options, Context& context) {
  if (options.stages && options.integral)
    throw InvalidArgument("--stages and --integral exclude each other; give one of them");
  if (!options.charts.empty() && !options.stages && !options.integral)
    throw InvalidArgument("--charts needs --stages or --integral; give one of them");
  if (options.stages)
    return run_people_stages(options.bench, options.charts, context,
                             kept_searches(options, context));
  if (options.integral)
    return run_integral_sizes(options.bench, options.charts, context, checked_sizes(options));
  return run_bench(options.bench, context, [&] { return cases_of(options, context); });
}

}  // namespace

Command bench_people_command() {
  return {.system = "bench",
          .verb = "people",
          .summary = beside_summary("bench", "people"),
          .text =
              "Times whole frames, from the image to the fused boxes, with the "
              "shipped models. "
              "The image is a street in color, drawn with the statistics of "
              "photographs, or a photo. "
              "OpenCV's HOGDescriptor searches the same pixels at the same "
              "ratio and stride, "
              "without padding, in turns with Fovea's detectors. GPU times "
              "include the upload of "
              "the image from pinned memory and the download of the boxes; the "
              "rows also have the "
              "times that papers report for their GPUs. people_track_200 is "
              "what following adds to a "
              "frame with 200 detections. --stages times the steps of a search "
              "one by one: with several "
              "threads, a step has the time that all threads spend in it, "
              "divided by their number, and "
              "waiting is the rest of the whole search; on a GPU events are "
              "recorded between the steps, "
              "which costs some microseconds each. --integral times integral "
              "images of floats, of four "
              "floats per pixel and of doubles, whose data lies in the memory "
              "of its device.",
          .examples = {{"fovea bench people --device cpu",
                        "time all models at three sizes and three ratios"},
                       {"fovea bench people --image street.jpg --filter 1280x960 --json",
                        "time them on a photo and print JSON"},
                       {"fovea bench people --model my.safetensors --sizes 320x240 "
                        "--stride 4",
                        "time your own model"},
                       {"fovea bench people --stages --charts steps",
                        "time the steps of each search at 1280x960 and draw them"},
                       {"fovea bench people --integral --charts integral --markdown",
                        "time integral images against their size and draw the thesis' "
                        "figures"}},
          .request = make_request<PeopleBenchOptions, run_bench_people>,
          .reads_images = true};
}

}  // namespace fovea::cli
