// Positives and mined negatives for the training of a cascade. Images are searched some at a time,
// on all cores, in a random order that the seed decides; what is kept of an image depends on the
// image alone.
#include "people/train/train_cascade_samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"

namespace fovea::people {
namespace {

constexpr int kBatch =
    32;  // images that are searched between two checks of how many windows there are
constexpr std::size_t kFirstShare = 32;       // windows per image, while others have more to give
constexpr std::size_t kMostOfAnImage = 4000;  // windows per image that are remembered
constexpr float kEveryPassed = -90;           // below the scores of all windows that pass

struct Found {
  WindowPlace place;
  float score;
};

struct ImageFinds {
  std::vector<Found> windows;
  std::int64_t seen = 0, passed = 0, evaluations = 0;
};

ScanPlan plan_of(Extent image, const MineOptions& options) {
  return plan_scan(image, options.window, 1, options.scan);
}

// `count` random windows of the plan.
std::vector<Found> random_windows(const ScanPlan& plan, int image, std::size_t count,
                                  Random& random) {
  std::int64_t total = 0;
  for (const ScanLevel& level : plan.levels)
    total += static_cast<std::int64_t>(level.columns) * level.rows;
  std::vector<Found> found;
  if (total == 0) return found;
  for (std::size_t i = 0; i < count; ++i) {
    auto at = static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(total)));
    int level = 0;
    for (; at >= static_cast<std::int64_t>(plan.levels[static_cast<std::size_t>(level)].columns) *
                     plan.levels[static_cast<std::size_t>(level)].rows;
         ++level)
      at -= static_cast<std::int64_t>(plan.levels[static_cast<std::size_t>(level)].columns) *
            plan.levels[static_cast<std::size_t>(level)].rows;
    const int columns = plan.levels[static_cast<std::size_t>(level)].columns;
    found.push_back(
        {{image, level, static_cast<int>(at % columns), static_cast<int>(at / columns)}, 0.0F});
  }
  return found;
}

ImageFinds search(const ImageSet& negatives, int index, const MineRequest& request,
                  const MineOptions& options, NegativeScanner& scanner) {
  Random random(options.exec.seed,
                request.sequence * 0x100000000ULL + static_cast<std::uint64_t>(index) + 1);
  ImageFinds finds;
  if (request.model.stages.empty()) {
    const Image<std::uint8_t> image = negatives.read(index);
    finds.windows = random_windows(plan_of({image.width(), image.height()}, options), index,
                                   options.random_windows, random);
    finds.seen = finds.passed = static_cast<std::int64_t>(finds.windows.size());
    return finds;
  }
  const ScanResult result = scanner.scan(index, std::max(request.threshold, kEveryPassed)).result;
  finds.seen = result.counts.windows;
  finds.evaluations = result.counts.evaluations;
  finds.passed = static_cast<std::int64_t>(result.hits.size());
  for (const Hit& hit : result.hits)
    finds.windows.push_back({{index, hit.level, hit.column, hit.row}, hit.score});
  shuffle(finds.windows, random);
  if (request.hardest)
    std::stable_sort(finds.windows.begin(), finds.windows.end(),
                     [](const Found& a, const Found& b) { return a.score > b.score; });
  if (finds.windows.size() > kMostOfAnImage) finds.windows.resize(kMostOfAnImage);
  return finds;
}

// Takes the same number from every image, as long as it has so many.
std::vector<Found> shares(const std::vector<ImageFinds>& finds, std::size_t wanted) {
  std::vector<Found> chosen;
  std::size_t from = 0;
  for (std::size_t share = kFirstShare; chosen.size() < wanted && from < kMostOfAnImage;
       from = share, share *= 2)
    for (const ImageFinds& image : finds)
      for (std::size_t i = from; i < std::min(share, image.windows.size()); ++i)
        if (chosen.size() < wanted) chosen.push_back(image.windows[i]);
  return chosen;
}

// Drops windows that cannot be among the hardest, because enough others have higher scores.
void prune(std::vector<ImageFinds>& finds, std::size_t wanted) {
  std::vector<float> scores;
  for (const ImageFinds& image : finds)
    for (const Found& found : image.windows) scores.push_back(found.score);
  if (scores.size() < 2 * wanted) return;
  const auto last = scores.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
  std::nth_element(scores.begin(), last, scores.end(), std::greater<>());
  for (ImageFinds& image : finds) {
    std::erase_if(image.windows, [&](const Found& found) { return found.score < *last; });
    image.windows.shrink_to_fit();
  }
}

std::vector<Found> hardest(const std::vector<ImageFinds>& finds, std::size_t wanted) {
  std::vector<Found> chosen;
  for (const ImageFinds& image : finds)
    chosen.insert(chosen.end(), image.windows.begin(), image.windows.end());
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Found& a, const Found& b) { return a.score > b.score; });
  if (chosen.size() > wanted) chosen.resize(wanted);
  return chosen;
}

}  // namespace

SampleSums::SampleSums(Extent window)
    : size_(cpu::WindowSums(window).size()),
      row_(static_cast<std::size_t>(window.width / 2 + 1) * cascade::kBins) {}

void SampleSums::numbers(std::size_t i, const cascade::BlockPlan& plan, float* out) const {
  const std::uint32_t* sums = sums_.data() + i * size_;
  float square = plan.fade;
  for (int cell = 0; cell < cascade::kCells; ++cell) {
    const int cx = cell % 2, cy = cell / 2;
    const std::uint32_t* top = sums + static_cast<std::size_t>(plan.y[cy]) * row_;
    const std::uint32_t* bottom = sums + static_cast<std::size_t>(plan.y[cy + 1]) * row_;
    const int left = plan.x[cx] * cascade::kBins, right = plan.x[cx + 1] * cascade::kBins;
    float* numbers = out + cell * cascade::kBins;
    for (int b = 0; b < cascade::kBins; ++b) {
      const std::uint32_t sum =
          bottom[right + b] - bottom[left + b] - (top[right + b] - top[left + b]);
      numbers[b] = static_cast<float>(static_cast<std::int32_t>(sum));
    }
    for (int b = 0; b < cascade::kBins; ++b) square += numbers[b] * numbers[b];
  }
  const float scale = 1.0F / std::sqrt(square);
  for (int k = 0; k < cascade::kNumbers; ++k) out[k] *= scale;
}

SampleSums positive_sums(const ImageSet& positives, bool mirror, const MineOptions& options) {
  const int copies = mirror ? 2 : 1;
  SampleSums samples(options.window);
  samples.resize(static_cast<std::size_t>(positives.count()) * static_cast<std::size_t>(copies));
  parallel_for(options.exec, positives.count(), 16, [&](std::int64_t begin, std::int64_t end) {
    cpu::SourcePlanes source;
    cpu::LevelPlanes level;
    cpu::WindowSums window(options.window);
    const Exec one{.device = Device::cpu(), .threads = 1};
    for (auto i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
      Image<std::uint8_t> crop = positives.read(i);
      for (int copy = 0; copy < copies; ++copy) {
        if (copy == 1) crop = mirrored(crop);
        const ScanPlan plan = plan_crop({crop.width(), crop.height()}, options.window);
        source.set(crop, options.color, one);
        level.build(source, plan, plan.levels[0], one);
        window.fill(level, plan.origin, plan.origin,
                    samples.sample(static_cast<std::size_t>(i) * static_cast<std::size_t>(copies) +
                                   static_cast<std::size_t>(copy)));
      }
    }
  });
  return samples;
}

MineResult mine(const ImageSet& negatives, const MineRequest& request, const MineOptions& options) {
  std::vector<int> order(static_cast<std::size_t>(negatives.count()));
  std::iota(order.begin(), order.end(), 0);
  Random random(options.exec.seed, request.sequence * 0x100000000ULL);
  shuffle(order, random);
  NegativeScanner scanner({negatives, [&](Extent image) { return plan_of(image, options); },
                           [&](bool cuda) {
                             return cuda ? cuda::make_cascade_scanner(request.model)
                                         : cpu::make_cascade_scanner(request.model);
                           }},
                          options.exec);
  std::vector<ImageFinds> finds(order.size());
  std::size_t looked = 0,
              enough = 0;  // images that were searched; windows that the first share of each gives
  for_each_image(
      {request.what, negatives.count(), kBatch}, options.exec,
      [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        finds[at] = search(negatives, order[at], request, options, scanner);
      },
      [&] {
        for (const std::size_t end = std::min(looked + kBatch, finds.size()); looked < end;
             ++looked)
          enough += std::min(kFirstShare, finds[looked].windows.size());
        if (request.hardest) prune(finds, request.wanted);
        return !request.hardest && enough >= request.wanted;
      });
  MineResult result;
  for (const ImageFinds& image : finds) {
    result.windows += image.seen;
    result.passed += image.passed;
    result.evaluations += image.evaluations;
  }
  for (const Found& found :
       request.hardest ? hardest(finds, request.wanted) : shares(finds, request.wanted)) {
    result.places.push_back(found.place);
    result.scores.push_back(found.score);
  }
  return result;
}

void add_sums(const ImageSet& negatives, const std::vector<WindowPlace>& places,
              const MineOptions& options, SampleSums& to) {
  const std::size_t before = to.count();
  to.resize(before + places.size());
  for_each_window(negatives, places, options, [&](std::size_t i, const SampleSums& sums) {
    std::ranges::copy(sums.sample(0), to.sample(before + i).begin());
  });
}

void for_each_window(const ImageSet& negatives, const std::vector<WindowPlace>& places,
                     const MineOptions& options,
                     const std::function<void(std::size_t, const SampleSums&)>& use) {
  // Places by image and level, so that each level is computed once.
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(places[a].image, places[a].level) <
           std::pair(places[b].image, places[b].level);
  });
  std::vector<std::size_t> starts;  // where the places of each image begin in the order
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || places[order[i]].image != places[order[i - 1]].image) starts.push_back(i);
  starts.push_back(order.size());
  parallel_for(
      options.exec, static_cast<std::int64_t>(starts.size()) - 1, 1,
      [&](std::int64_t begin, std::int64_t end) {
        cpu::SourcePlanes source;
        cpu::LevelPlanes level;
        cpu::WindowSums window(options.window);
        SampleSums sums(options.window);
        sums.resize(1);
        const Exec one{.device = Device::cpu(), .threads = 1};
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
          const Image<std::uint8_t> image = negatives.read(places[order[starts[k]]].image);
          const ScanPlan plan = plan_of({image.width(), image.height()}, options);
          source.set(image, options.color, one);
          int built = -1;
          for (std::size_t i = starts[k]; i < starts[k + 1]; ++i) {
            const WindowPlace& place = places[order[i]];
            if (place.level != built)
              level.build(source, plan, plan.levels[static_cast<std::size_t>(place.level)], one);
            built = place.level;
            window.fill(level, plan.origin + place.column * plan.stride,
                        plan.origin + place.row * plan.stride, sums.sample(0));
            use(order[i], sums);
          }
        }
      });
}

}  // namespace fovea::people
