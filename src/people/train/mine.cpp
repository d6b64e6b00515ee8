// Every image is searched by itself; what is kept of it depends on the image alone, but for windows
// that cannot be among the highest of all. These are dropped as soon as that is known, in a part as
// in the whole, so that merging parts gives what one search gives.
#include <fovea/people/mine.h>

#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/words.h"
#include "people/train/mine_images.h"
#include "people/train/train_linear_windows.h"

namespace fovea::people {
namespace {

constexpr double kOverlap =
    0.65;  // overlap of people, relative to the smaller box, from which one of them is dropped

// Keeps the best hits that do not overlap a better one much.
std::vector<Hit> apart(std::vector<Hit> hits, const ScanPlan& plan, const SearchRequest& request) {
  std::stable_sort(hits.begin(), hits.end(),
                   [](const Hit& a, const Hit& b) { return a.score > b.score; });
  const double height = plan.window.height * double{request.model.person_height},
               width = height * double{request.model.person_aspect};
  const auto box_of = [&](const Hit& hit) {
    const ScanLevel& level = plan.levels[static_cast<std::size_t>(hit.level)];
    const double x = hit.column * plan.stride + (plan.window.width - width) / 2 - plan.padding,
                 y = hit.row * plan.stride + (plan.window.height - height) / 2 - plan.padding;
    return Rect<float>{static_cast<float>(x * level.scale_x), static_cast<float>(y * level.scale_y),
                       static_cast<float>(width * level.scale_x),
                       static_cast<float>(height * level.scale_y)};
  };
  std::vector<Hit> kept;
  std::vector<Rect<float>> boxes;
  for (const Hit& hit : hits) {
    if (static_cast<int>(kept.size()) == request.per_image) break;
    const Rect<float> box = box_of(hit);
    const bool covered = std::any_of(boxes.begin(), boxes.end(), [&](const Rect<float>& other) {
      return intersection_area(box, other) > kOverlap * std::min(box.area(), other.area());
    });
    if (covered) continue;
    kept.push_back(hit);
    boxes.push_back(box);
  }
  return kept;
}

bool higher(const MinedWindow& a, const MinedWindow& b) { return a.score > b.score; }

// Whether a window comes behind another one in the order in which they are cut off.
bool behind(const SearchRequest& request, const MinedWindow& a, const MinedWindow& b) {
  if (a.score != b.score) return a.score < b.score;
  return request.choice == WindowChoice::kHighest && before(b.place, a.place);
}

bool cuts(const SearchRequest& request) {
  return request.most > 0 && (request.choice == WindowChoice::kHighest ||
                              request.choice == WindowChoice::kRandomHighest);
}

// Drops windows that are not among the highest of all, where there are at least so many.
void cut(const SearchRequest& request, std::span<MinedImage> images, std::size_t from) {
  if (!cuts(request)) return;
  std::vector<MinedWindow> all;
  for (const MinedImage& image : images)
    all.insert(all.end(), image.found.begin(), image.found.end());
  const auto most = static_cast<std::size_t>(request.most);
  if (all.size() <= most || all.size() < from) return;
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::nth_element(all.begin(), last, all.end(), [&](const MinedWindow& a, const MinedWindow& b) {
    return behind(request, b, a);
  });
  for (MinedImage& image : images) {
    std::erase_if(image.found,
                  [&](const MinedWindow& found) { return behind(request, found, *last); });
    image.found.shrink_to_fit();
  }
}

ScanPlan plan_of(Extent image, const SearchRequest& request) {
  return plan_scan(image, request.model.window(), request.model.person_height, request.scan);
}

class Miner {
 public:
  explicit Miner(const MineRun& run)
      : run_(run),
        request_(run.request),
        scanner_({run.negatives, [&](Extent image) { return plan_of(image, request_); },
                  [&](bool cuda) { return make_scanner(request_.model, cuda); }},
                 run.exec),
        hard_(request_.choice == WindowChoice::kHighest ? request_.most : 0,
              std::nextafter(request_.least_score, -std::numeric_limits<float>::infinity())) {}

  std::vector<MinedImage> search() {
    std::vector<MinedImage> mined(run_.images.size());
    std::size_t looked = 0;
    for_each_image(
        {request_.what.c_str(), static_cast<int>(mined.size()), run_.batch}, run_.exec,
        [&](int i) {
          const auto at = static_cast<std::size_t>(i);
          mined[at] = search_image(run_.images[at]);
        },
        [&] {
          looked = std::min(looked + static_cast<std::size_t>(run_.batch), mined.size());
          if (request_.choice == WindowChoice::kRandomHighest)
            cut(request_, mined, 2 * static_cast<std::size_t>(request_.most));
          return run_.enough && run_.enough(std::span(mined).first(looked));
        });
    mined.resize(looked);
    if (request_.choice == WindowChoice::kHighest) take_highest(mined);
    else cut(request_, mined, 0);
    return mined;
  }

 private:
  MinedImage search_image(int image) {
    const bool highest = request_.choice == WindowChoice::kHighest;
    auto [plan, result] = scanner_.scan(image, highest ? hard_.least() : request_.least_score);
    MinedImage mined{
        .image = image, .windows = result.counts.windows, .evaluations = result.counts.evaluations};
    if (highest) {
      for (const Hit& hit : result.hits)
        if (hit.score >= hard_.least() && !is_known(image, hit))
          hard_.offer(hit.score, place_of(image, hit));
      return mined;
    }
    mined.passed = static_cast<std::int64_t>(result.hits.size());
    if (!request_.known.empty())
      std::erase_if(result.hits, [&](const Hit& hit) { return is_known(image, hit); });
    if (request_.choice == WindowChoice::kApart)
      result.hits = apart(std::move(result.hits), plan, request_);
    mined.found.reserve(result.hits.size());
    for (const Hit& hit : result.hits) mined.found.push_back({place_of(image, hit), hit.score});
    arrange(image, mined.found);
    return mined;
  }

  void arrange(int image, std::vector<MinedWindow>& found) const {
    if (request_.choice == WindowChoice::kApart) {
      std::sort(found.begin(), found.end(), [](const MinedWindow& a, const MinedWindow& b) {
        return before(a.place, b.place);
      });
      return;
    }
    Random random(request_.seed,
                  request_.sequence * 0x100000000ULL + static_cast<std::uint64_t>(image) + 1);
    shuffle(found, random);
    if (request_.choice == WindowChoice::kRandomHighest)
      std::stable_sort(found.begin(), found.end(), higher);
    if (found.size() > static_cast<std::size_t>(request_.per_image))
      found.resize(static_cast<std::size_t>(request_.per_image));
  }

  // Divides the highest windows among their images.
  void take_highest(std::vector<MinedImage>& mined) const {
    std::vector<std::size_t> at(static_cast<std::size_t>(run_.negatives.count()));
    for (std::size_t i = 0; i < mined.size(); ++i) at[static_cast<std::size_t>(mined[i].image)] = i;
    for (const MinedWindow& window : hard_.windows())
      mined[at[static_cast<std::size_t>(window.place.image)]].found.push_back(window);
  }

  static WindowPlace place_of(int image, const Hit& hit) {
    return {image, hit.level, hit.column, hit.row};
  }
  bool is_known(int image, const Hit& hit) const {
    return std::binary_search(request_.known.begin(), request_.known.end(), place_of(image, hit),
                              before);
  }

  const MineRun& run_;
  const SearchRequest& request_;
  NegativeScanner scanner_;
  HardWindows hard_;
};

// Images that must be those of the training.
class CheckedImages final : public ImageSet {
 public:
  CheckedImages(const ImageSet& images, const std::vector<std::uint32_t>& checksums)
      : images_(images), checksums_(checksums) {}
  int count() const override { return images_.count(); }
  std::string name(int index) const override { return images_.name(index); }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image = images_.read(index);
    if (checksum_of(image) != checksums_[static_cast<std::size_t>(index)])
      throw FormatError(fmt::format(
          "{}: is not the image that the training has as its negative {}; search the same images "
          "in the same order",
          detail::shown(name(index)), index + 1));
    return image;
  }

 private:
  const ImageSet& images_;
  const std::vector<std::uint32_t>& checksums_;
};

// Throws FormatError where a place is outside of its image.
void check_places(const SearchRequest& request, const std::vector<Extent>& sizes,
                  std::span<const MinedImage> mined) {
  for (const MinedImage& image : mined) {
    if (image.found.empty()) continue;
    const ScanPlan plan = plan_of(sizes[static_cast<std::size_t>(image.image)], request);
    for (const auto& [place, score] : image.found) {
      const bool level = place.image == image.image && place.level >= 0 &&
                         place.level < static_cast<int>(plan.levels.size());
      if (!level || place.column < 0 || place.row < 0 ||
          place.column >= plan.levels[static_cast<std::size_t>(place.level)].columns ||
          place.row >= plan.levels[static_cast<std::size_t>(place.level)].rows)
        throw FormatError(fmt::format(
            "train: the search of negative {} has given a window outside of it; search it again",
            image.image + 1));
    }
  }
}

}  // namespace

std::span<const Choice> choices(WindowChoice) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"highest", static_cast<int>(WindowChoice::kHighest)},
       {"apart", static_cast<int>(WindowChoice::kApart)},
       {"random", static_cast<int>(WindowChoice::kRandom)},
       {"random-highest", static_cast<int>(WindowChoice::kRandomHighest)}}};
  return kChoices;
}

std::vector<MinedImage> mine_images(const MineRun& run) { return Miner(run).search(); }

std::vector<MinedImage> mine(const SearchRequest& request, const io::ImageSet& negatives,
                             std::span<const int> images, const Exec& exec) {
  const auto count = static_cast<std::size_t>(negatives.count());
  if (!request.checksums.empty() && request.checksums.size() != count)
    throw FormatError(fmt::format("mine: the training has {}, but {} given; search the same images",
                                  detail::counted(request.checksums.size(), "negative"),
                                  count == 1 ? "1 image is" : fmt::format("{} images are", count)));
  std::vector<char> asked(count);
  for (const int image : request.images)
    if (image >= 0 && static_cast<std::size_t>(image) < count)
      asked[static_cast<std::size_t>(image)] = 1;
  for (const int image : images)
    if (image < 0 || static_cast<std::size_t>(image) >= count ||
        asked[static_cast<std::size_t>(image)] == 0)
      throw InvalidArgument(fmt::format("mine: image {} is not asked for", image));
  const CheckedImages checked(negatives, request.checksums);
  return mine_images({request, request.checksums.empty() ? negatives : checked, images, exec});
}

std::vector<MinedImage> merge_mined(const SearchRequest& request, std::vector<MinedImage> parts) {
  std::vector<MinedImage> merged(request.images.size());
  std::vector<std::pair<int, std::size_t>> order;  // image, place in the request
  order.reserve(merged.size());
  for (std::size_t i = 0; i < request.images.size(); ++i) order.emplace_back(request.images[i], i);
  std::sort(order.begin(), order.end());
  std::vector<char> there(merged.size());
  for (MinedImage& part : parts) {
    const auto at =
        std::lower_bound(order.begin(), order.end(), std::pair(part.image, std::size_t{0}));
    if (at == order.end() || at->first != part.image)
      throw InvalidArgument(fmt::format("merge: image {} is not asked for", part.image));
    if (there[at->second] != 0)
      throw InvalidArgument(fmt::format("merge: image {} was searched twice", part.image));
    there[at->second] = 1;
    merged[at->second] = std::move(part);
  }
  const auto missing = std::find(there.begin(), there.end(), 0);
  if (missing != there.end())
    throw InvalidArgument(
        fmt::format("merge: image {} was not searched",
                    request.images[static_cast<std::size_t>(missing - there.begin())]));
  cut(request, merged, 0);
  return merged;
}

std::vector<MinedImage> search_negatives(const SearchRequest& request, const SearchedSet& set) {
  if (!set.elsewhere) return mine_images({request, set.negatives, request.images, set.exec});
  std::vector<MinedImage> mined = merge_mined(request, set.elsewhere(request));
  check_places(request, set.survey.sizes, mined);
  return mined;
}

SearchRequest request_of(const HardSearch& search, const ImageSet& negatives, std::string what) {
  SearchRequest request{
      .what = std::move(what),
      .scan = search.scan,
      .least_score = std::nextafter(search.above, std::numeric_limits<float>::infinity()),
      .choice = WindowChoice::kHighest,
      .per_image = search.most,
      .most = search.most,
      .images = all_images(negatives.count()),
      .known = search.known};
  request.model.kind = search.kind;
  request.model.classifier = search.model;
  return request;
}

std::vector<WindowPlace> hard_places(const HardSearch& search, const ImageSet& negatives,
                                     const Exec& exec) {
  std::vector<WindowPlace> places;
  if (search.most == 0) return places;
  const SearchRequest request = request_of(search, negatives, "searching negatives");
  for (const MinedImage& image : mine_images({request, negatives, request.images, exec}))
    for (const MinedWindow& window : image.found) places.push_back(window.place);
  return places;
}

std::vector<int> all_images(int count) {
  std::vector<int> images(static_cast<std::size_t>(count));
  std::iota(images.begin(), images.end(), 0);
  return images;
}

}  // namespace fovea::people
