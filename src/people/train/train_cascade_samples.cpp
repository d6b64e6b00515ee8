// Positives and mined negatives for the training of a cascade. Images are searched some at a time,
// on all cores, in a random order that the seed decides; what is kept of an image depends on the
// image alone.
#include "people/train/train_cascade_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "people/train/mine_images.h"

namespace fovea::people {
namespace {

constexpr int kBatch =
    32;  // images that are searched between two checks of how many windows there are
constexpr std::size_t kFirstShare = 32;       // windows per image, while others have more to give
constexpr std::size_t kMostOfAnImage = 4000;  // windows per image that are remembered
constexpr float kEveryPassed = -90;           // below the scores of all windows that pass

ScanPlan cascade_plan(Extent image, const MineOptions& options) {
  return plan_scan(image, options.window, 1, options.scan);
}

// `count` random windows of the plan.
std::vector<MinedWindow> random_windows(const ScanPlan& plan, int image, std::size_t count,
                                        Random& random) {
  std::int64_t total = 0;
  for (const ScanLevel& level : plan.levels)
    total += static_cast<std::int64_t>(level.columns) * level.rows;
  std::vector<MinedWindow> found;
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

// Random windows of an image, where there are no stages that could choose.
MinedImage draw(const ImageSet& negatives, int index, const CascadeSearch& request,
                const MineOptions& options) {
  Random random(options.exec.seed,
                request.sequence * 0x100000000ULL + static_cast<std::uint64_t>(index) + 1);
  const Image<std::uint8_t> image = negatives.read(index);
  MinedImage drawn{.image = index};
  drawn.found = random_windows(cascade_plan({image.width(), image.height()}, options), index,
                               options.random_windows, random);
  drawn.windows = drawn.passed = static_cast<std::int64_t>(drawn.found.size());
  return drawn;
}

// Takes the same number from every image, as long as it has so many.
std::vector<MinedWindow> shares(const std::vector<MinedImage>& finds, std::size_t wanted) {
  std::vector<MinedWindow> chosen;
  std::size_t from = 0;
  for (std::size_t share = kFirstShare; chosen.size() < wanted && from < kMostOfAnImage;
       from = share, share *= 2)
    for (const MinedImage& image : finds)
      for (std::size_t i = from; i < std::min(share, image.found.size()); ++i)
        if (chosen.size() < wanted) chosen.push_back(image.found[i]);
  return chosen;
}

std::vector<MinedWindow> hardest(const std::vector<MinedImage>& finds, std::size_t wanted) {
  std::vector<MinedWindow> chosen;
  for (const MinedImage& image : finds)
    chosen.insert(chosen.end(), image.found.begin(), image.found.end());
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const MinedWindow& a, const MinedWindow& b) { return a.score > b.score; });
  if (chosen.size() > wanted) chosen.resize(wanted);
  return chosen;
}

// The windows that the first share of each image gives.
std::size_t first_shares(std::span<const MinedImage> finds) {
  std::size_t sum = 0;
  for (const MinedImage& image : finds) sum += std::min(kFirstShare, image.found.size());
  return sum;
}

std::size_t whole_batches(double images) {
  return static_cast<std::size_t>(std::ceil(images / kBatch)) * kBatch;
}

// How many images to search next elsewhere: as many as give the rest of the windows if they have as
// many each as those before, and some more, because every search takes a while to ask for.
std::size_t next_images(std::span<const MinedImage> finds, std::size_t wanted) {
  constexpr double kMore = 1.2;
  const std::size_t found = first_shares(finds);
  if (finds.empty()) return whole_batches(static_cast<double>(wanted) / kFirstShare);
  if (found == 0) return std::numeric_limits<std::size_t>::max();
  const double each = static_cast<double>(found) / static_cast<double>(finds.size());
  return whole_batches(kMore * static_cast<double>(wanted - found) / each);
}

// Searches elsewhere, some images at a time, and keeps those that a search here would have come to.
std::vector<MinedImage> random_from_elsewhere(SearchRequest request, const SearchedSet& set,
                                              std::size_t wanted) {
  const std::vector<int> order = std::move(request.images);
  std::vector<MinedImage> finds;
  std::size_t looked = 0;
  while (looked < order.size()) {
    if (looked == finds.size()) {
      const std::size_t count = std::min(next_images(finds, wanted), order.size() - looked);
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(looked);
      request.images.assign(first, first + static_cast<std::ptrdiff_t>(count));
      for (MinedImage& image : search_negatives(request, set)) finds.push_back(std::move(image));
    }
    looked = std::min(looked + kBatch, finds.size());
    if (first_shares(std::span(finds).first(looked)) >= wanted) break;
  }
  finds.resize(looked);
  return finds;
}

std::vector<MinedImage> find_windows(const ImageSet& negatives, const CascadeSearch& search,
                                     std::vector<int> order, const MineOptions& options) {
  const auto enough = [&](std::span<const MinedImage> finds) {
    return !search.hardest && first_shares(finds) >= search.wanted;
  };
  if (search.model.stages.empty()) {
    std::vector<MinedImage> finds(order.size());
    std::size_t looked = 0;
    for_each_image(
        {search.what, negatives.count(), kBatch}, options.exec,
        [&](int i) {
          const auto at = static_cast<std::size_t>(i);
          finds[at] = draw(negatives, order[at], search, options);
        },
        [&] {
          looked = std::min(looked + kBatch, finds.size());
          return enough(std::span(finds).first(looked));
        });
    finds.resize(looked);
    return finds;
  }
  SearchRequest request{
      .what = search.what,
      .scan = options.scan,
      .least_score = std::max(search.threshold, kEveryPassed),
      .choice = search.hardest ? WindowChoice::kRandomHighest : WindowChoice::kRandom,
      .per_image = static_cast<int>(kMostOfAnImage),
      .most = search.hardest ? static_cast<int>(search.wanted) : 0,
      .seed = options.exec.seed,
      .sequence = search.sequence,
      .images = std::move(order)};
  request.model.kind = Kind::kCascade;
  request.model.classifier = search.model;
  if (options.elsewhere == nullptr)
    return mine_images({request, negatives, request.images, options.exec, kBatch, enough});
  request.checksums = options.survey->checksums;
  const SearchedSet set{negatives, *options.survey, *options.elsewhere, options.exec};
  return search.hardest ? search_negatives(request, set)
                        : random_from_elsewhere(std::move(request), set, search.wanted);
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

MineResult mine_cascade(const ImageSet& negatives, const CascadeSearch& request,
                        const MineOptions& options) {
  std::vector<int> order = all_images(negatives.count());
  Random random(options.exec.seed, request.sequence * 0x100000000ULL);
  shuffle(order, random);
  const std::vector<MinedImage> finds = find_windows(negatives, request, std::move(order), options);
  MineResult result;
  for (const MinedImage& image : finds) {
    result.windows += image.windows;
    result.passed += image.passed;
    result.evaluations += image.evaluations;
  }
  for (const MinedWindow& found :
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
          const ScanPlan plan = cascade_plan({image.width(), image.height()}, options);
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
