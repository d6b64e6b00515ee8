// fovea bench scenes: the filters, the dictionary's k-means and the search for words beside FAISS
// and OpenCV, and the classifiers.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/ops/kmeans.h>
#include <fovea/scenes/features.h>

#include <algorithm>
#include <cmath>

#include "bench/bench.h"
#include "bench/natural_scene.h"
#include "bench/scenes/scenes_blocks.h"
#include "bench/scenes/scenes_classifiers.h"
#include "bench/scenes/scenes_codes.h"
#include "bench/scenes/scenes_corpus.h"
#include "bench/scenes/scenes_stages.h"
#include "cli/beside/beside.h"
#include "cli/program/run.h"
#include "ops/kmeans/backend.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/describe_cpu.h"

namespace fovea::cli {
namespace {

constexpr int kDimensions = 32;       // filter responses per pixel
constexpr int kClusters = 500;        // number of words
constexpr int kSamples = 1491 * 200;  // pixels from which the words are made
constexpr int kPixels = 246 * 310;    // pixels of a photo
constexpr int kClassified = 4096;     // histograms that one run classifies

struct ScenesBenchOptions {
  BenchOptions bench{};
  bool corpus = false;
  bool stages = false;
  bool blocks = false;
  std::string chart{};
};
void describe(OptionVisitor& visit, ScenesBenchOptions& options) {
  describe(visit, options.bench);
  visit("corpus", options.corpus,
        "also compute the features of 1491 photos, which takes a minute per run on a CPU");
  visit("stages", options.stages,
        "print table 1 of the paper instead: the time of each stage with one thread, with all "
        "threads and on a GPU, and the speed-ups beside those of the paper");
  visit("blocks", options.blocks,
        "measure the kernels of filters and k-means with blocks of several shapes on a GPU "
        "instead, as figures 3 and 4 of the paper do");
  visit.path("chart", options.chart, TextUse::kOutput, "with --blocks: file for a chart, .svg");
}

using Bytes = std::shared_ptr<const Image<std::uint8_t>>;

constexpr int kWidth = 310, kHeight = 246;  // of a photo
Bytes drawn_photo(std::uint64_t seed) {
  return std::make_shared<Image<std::uint8_t>>(
      io::to_gray(NaturalScene({kWidth, kHeight}, seed).frame().view()));
}

// Filter responses of places in drawn photos, one place per row. Every number is brought to bytes,
// which rivals take too.
Bytes descriptor_rows(int rows, std::uint64_t seed) {
  constexpr float kLevels = 40;  // per standard deviation
  Image<float> responses(kDimensions, rows);
  for (int row = 0; row < rows; ++seed) {
    const int count = std::min(rows - row, kPixels);
    const scenes::DescriptorOptions options{.exec = {.device = Device::cpu()}};
    copy(scenes::sample_descriptors(*drawn_photo(seed), 0, count, options).view(),
         responses.view().crop(0, row, kDimensions, count));
    row += count;
  }
  auto image = std::make_shared<Image<std::uint8_t>>(kDimensions, rows);
  for (int x = 0; x < kDimensions; ++x) {
    double sum = 0, squares = 0;
    for (int y = 0; y < rows; ++y) {
      const double value = responses.at(x, y);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / rows;
    const double deviation = std::sqrt(std::max(1e-12, squares / rows - mean * mean));
    for (int y = 0; y < rows; ++y) {
      const double level = 128 + kLevels * (responses.at(x, y) - mean) / deviation;
      image->at(x, y) = static_cast<std::uint8_t>(std::clamp(level, 0.0, 255.0));
    }
  }
  return image;
}

Image<float> as_floats(const Image<std::uint8_t>& bytes, Memory memory = Memory::kHost) {
  Image<float> numbers(bytes.width(), bytes.height());
  for (int y = 0; y < bytes.height(); ++y) std::copy_n(bytes.row(y), bytes.width(), numbers.row(y));
  return memory == Memory::kHost ? std::move(numbers) : clone(numbers, memory);
}

BenchCase case_of(std::string name, const Bytes& points, const Bytes& centers) {
  const double count = points->height();
  return {.name = std::move(name),
          .shape = {.width = kDimensions,
                    .height = points->height(),
                    .to_width = kDimensions,
                    .to_height = kClusters},
          .bytes = count * (kDimensions * sizeof(float) + sizeof(std::int32_t)),
          .operations = 2 * count * kDimensions * kClusters,
          .prepare = {},
          .image = points,
          .second = centers};
}

// What is made once per device: a search, or an iteration from the start, in which every point
// changes its cluster.
struct Search {
  Image<float> points;
  Array<std::int32_t> labels;
  NearestCenter nearest;
};
struct Iteration {
  Image<float> points;
  std::unique_ptr<detail::KmeansEngine> engine;
  std::vector<std::int32_t> start;
};

// Settings with a stream of their own, because the clock's stream ends with the first measurement.
Exec without_stream(Exec exec) {
  exec.stream = nullptr;
  return exec;
}

BenchCase assign_case(const char* name, const Bytes& points, const Bytes& centers) {
  BenchCase bench = case_of(name, points, centers);
  bench.prepare = [=](Memory memory) -> BenchWork {
    const auto search = std::make_shared<std::unique_ptr<Search>>();
    return [=](const Exec& exec) {
      if (!*search)
        *search = std::make_unique<Search>(
            Search{as_floats(*points, memory),
                   Array<std::int32_t>(static_cast<std::size_t>(points->height()), memory),
                   NearestCenter(as_floats(*centers), without_stream(exec))});
      Search& s = **search;
      s.nearest.find(s.points, {s.labels.data(), s.labels.size()});
    };
  };
  return bench;
}

BenchCase iteration_case(const Bytes& points, const Bytes& centers) {
  BenchCase bench = case_of("kmeans_iteration", points, centers);
  bench.prepare = [=](Memory memory) -> BenchWork {
    const auto iteration = std::make_shared<std::unique_ptr<Iteration>>();
    return [=](const Exec& exec) {
      if (!*iteration) {
        auto made = std::make_unique<Iteration>();
        made->points = as_floats(*points, memory);
        made->engine = memory == Memory::kCuda
                           ? cuda::make_kmeans_engine(made->points, without_stream(exec))
                           : cpu::make_kmeans_engine(made->points, without_stream(exec));
        made->engine->set_scales({std::vector<double>(kDimensions, 0x1p32), 0x1p20});
        for (int c = 0; c < kClusters; ++c) made->start.push_back(c * (kSamples / kClusters));
        *iteration = std::move(made);
      }
      (*iteration)->engine->start_at((*iteration)->start);
      (*iteration)->engine->step(true);
    };
  };
  return bench;
}

BenchCase photo_case(std::string name, Bytes photo) {
  constexpr double kMultiplyAdds = 832;  // per pixel, where separable filters are applied as such
  return {.name = std::move(name),
          .shape = {.width = kWidth, .height = kHeight},
          .bytes = kPixels * (1 + kDimensions * static_cast<double>(sizeof(float))),
          .operations = 2 * kMultiplyAdds * kPixels,
          .prepare = {},
          .image = std::move(photo)};
}

// On the CPU, responses are passed on in planes, some lines at a time, as the search for words
// takes them. Here nothing reads them.
struct CpuFilters {
  std::vector<scenes::cpu::PlaceTile> tiles;
  std::vector<std::unique_ptr<scenes::cpu::Describer>> describers;

  CpuFilters(const scenes::PlaceGrid& grid, int threads)
      : tiles(scenes::cpu::place_tiles({&grid, 1}, threads == 1 ? kHeight : kHeight / 4)) {
    for (std::size_t i = 0; i < tiles.size(); ++i)
      describers.push_back(scenes::cpu::make_describer({}, {}));
  }
};

BenchCase filters_case(const Bytes& photo) {
  BenchCase bench = photo_case("scenes_filters", photo);
  bench.prepare = [=](Memory memory) -> BenchWork {
    const auto image = std::make_shared<Image<std::uint8_t>>(clone(photo->view(), memory));
    if (memory == Memory::kCuda) {
      const auto out = std::make_shared<Image<float>>(kDimensions, kPixels, 1, memory);
      return [=](const Exec& exec) { scenes::cuda::descriptors(*image, {}, {}, *out, exec); };
    }
    const auto filters = std::make_shared<std::unique_ptr<CpuFilters>>();
    return [=](const Exec& exec) {
      const scenes::PlaceGrid grid = scenes::place_grids({}, kWidth, kHeight).front();
      if (!*filters) *filters = std::make_unique<CpuFilters>(grid, thread_count(exec));
      const auto count = static_cast<std::int64_t>((*filters)->tiles.size());
      parallel_for(exec, count, 1, [&](std::int64_t begin, std::int64_t) {
        const auto i = static_cast<std::size_t>(begin);
        (*filters)->describers[i]->describe(*image, grid, (*filters)->tiles[i],
                                            [](const scenes::cpu::PlaceBlock&) {});
      });
    };
  };
  return bench;
}

// From the photo to one word per pixel.
BenchCase words_case(const Bytes& photo, const Bytes& centers) {
  BenchCase bench = photo_case("scenes_words", photo);
  bench.shape.to_width = kDimensions;
  bench.shape.to_height = kClusters;
  bench.bytes = kPixels * (1.0 + sizeof(std::uint16_t));
  bench.operations += 2.0 * kPixels * kDimensions * kClusters;
  bench.second = centers;
  bench.prepare = [=](Memory memory) -> BenchWork {
    const auto image = std::make_shared<Image<std::uint8_t>>(clone(photo->view(), memory));
    const auto maker = std::make_shared<std::unique_ptr<scenes::FeatureMaker>>();
    return [=](const Exec& exec) {
      if (!*maker) {
        scenes::Dictionary dictionary;
        dictionary.words = as_floats(*centers);
        scenes::FeatureOptions options;
        options.exec = without_stream(exec);
        *maker = std::make_unique<scenes::FeatureMaker>(dictionary, options);
      }
      (*maker)->words(*image);
    };
  };
  return bench;
}

std::vector<BenchCase> cases_of(const ScenesBenchOptions& options) {
  const Bytes samples = descriptor_rows(kSamples, 1), pixels = descriptor_rows(kPixels, 11);
  const Bytes centers = descriptor_rows(kClusters, 12), photo = drawn_photo(13);
  std::vector<BenchCase> cases{iteration_case(samples, centers),
                               assign_case("kmeans_assign", samples, centers),
                               assign_case("words_assign", pixels, centers), filters_case(photo),
                               words_case(photo, centers)};
  for (BenchCase& one : scenes_code_cases()) cases.push_back(std::move(one));
  for (ClassifierCase& one : scenes_classifier_cases(kClassified))
    cases.push_back(std::move(one.work));
  if (options.corpus) cases.push_back(scenes_corpus_case());
  return cases;
}

// The stages of table 1, in the order in which an image passes them. The paper's times of features
// include the histograms, but not the filters.
std::vector<SceneStage> stages_of() {
  const Bytes samples = descriptor_rows(kSamples, 1), pixels = descriptor_rows(kPixels, 11);
  const Bytes centers = descriptor_rows(kClusters, 12), photo = drawn_photo(13);
  std::vector<SceneStage> stages{
      {.name = "filters", .work = filters_case(photo), .paper_threads = 7.0, .paper_gpu = 55.8},
      sampling_stage(),
      {.name = "k-means iteration",
       .work = iteration_case(samples, centers),
       .paper_threads = 7.2,
       .paper_gpu = 42.9},
      {.name = "words",
       .work = assign_case("words_assign", pixels, centers),
       .paper_threads = 7.6,
       .paper_gpu = 48.1},
      histogram_stage(),
      {.name = "filters to words", .work = words_case(photo, centers)}};
  for (SceneStage& stage : classification_stages()) stages.push_back(std::move(stage));
  return stages;
}

// Sixteen photos, and the samples and words of the paper.
BlockData block_data() {
  constexpr int kPhotos = 16;
  BlockData data{Image<std::uint8_t>(kWidth, kPhotos * kHeight),
                 as_floats(*descriptor_rows(kSamples, 1)),
                 as_floats(*descriptor_rows(kClusters, 12))};
  for (int i = 0; i < kPhotos; ++i)
    copy(drawn_photo(50 + static_cast<std::uint64_t>(i))->view(),
         data.photos.view().crop(0, i * kHeight, kWidth, kHeight));
  return data;
}

int run_bench_scenes(ScenesBenchOptions& options, Context& context) {
  if (options.stages && options.corpus)
    throw InvalidArgument("--stages and --corpus exclude each other; give one of them");
  if (options.blocks && (options.stages || options.corpus))
    throw InvalidArgument("--blocks excludes --stages and --corpus; give one of them");
  if (!options.chart.empty() && !options.blocks)
    throw InvalidArgument("--chart is drawn with --blocks only");
  if (options.blocks) return run_scene_blocks(options.bench, options.chart, context, block_data);
  if (options.stages) return run_scene_stages(options.bench, context, stages_of());
  return run_bench(options.bench, context, [&] { return cases_of(options); });
}

}  // namespace

Command bench_scenes_command() {
  return {
      .system = "bench",
      .verb = "scenes",
      .summary = beside_summary("bench", "scenes"),
      .text =
          "Photos are drawn with the statistics of photographs, and points are the filters' "
          "responses to them. kmeans_iteration is the first "
          "iteration of k-means with 298200 points of 32 numbers and 500 clusters, in which every "
          "point changes its cluster. kmeans_assign is the search for the nearest centers alone, "
          "and words_assign is the same search for the 76260 pixels of a photo. scenes_filters "
          "computes the 32 filters of such a photo, scenes_words finds its words from its gray "
          "levels, and scenes_corpus computes the features of 1491 photos. scenes_code_hard, "
          "_soft, _vlad and "
          "_fisher compute the features of a photo from gradient words (500, or 64 with vlad and "
          "fisher) with one level of a pyramid. scenes_knn, scenes_svm "
          "and scenes_logistic classify 4096 histograms of 500 words with a classifier that was "
          "trained on 1193. On the CPU, FAISS and "
          "OpenCV take turns with Fovea. --rivals adds the times of scikit-learn that "
          "bench/rivals/sklearn_scenes.py measured.",
      .examples = {{"fovea bench scenes --device cpu --threads 1",
                    "time everything with one thread"},
                   {"fovea bench scenes --filter words", "time the search for words only"},
                   {"fovea bench scenes --stages --markdown",
                    "print the speed-ups of all stages beside those of the paper"},
                   {"fovea bench scenes --blocks --chart blocks.svg",
                    "measure block sizes on a GPU and draw them"}},
      .request = make_request<ScenesBenchOptions, run_bench_scenes>};
}

}  // namespace fovea::cli
