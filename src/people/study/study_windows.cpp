#include "people/study/study_windows.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "people/level_image.h"
#include "people/train/samples.h"

namespace fovea::people {
namespace {

std::int64_t bytes_of(const Image<std::uint8_t>& image) {
  return static_cast<std::int64_t>(image.width()) * image.height() * image.channels();
}

// Places of random windows, in order and each once.
std::vector<WindowPlace> places_in(const ScanPlan& plan, int image, const CutPlan& cut) {
  std::vector<WindowPlace> places;
  if (plan.levels.empty()) return places;
  Random random(cut.exec.seed, static_cast<std::uint64_t>(image));
  places.reserve(static_cast<std::size_t>(cut.search.random_windows));
  for (int k = 0; k < cut.search.random_windows; ++k) {
    const auto level = random.below(static_cast<std::uint32_t>(plan.levels.size()));
    const auto column = random.below(static_cast<std::uint32_t>(plan.levels[level].columns));
    const auto row = random.below(static_cast<std::uint32_t>(plan.levels[level].rows));
    places.push_back(
        {image, static_cast<int>(level), static_cast<int>(column), static_cast<int>(row)});
  }
  std::sort(places.begin(), places.end(), before);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::vector<Image<std::uint8_t>> cut_from(const Image<std::uint8_t>& image, int index,
                                          const CutPlan& cut) {
  ScanPlan plan = plan_scan({image.width(), image.height()}, cut.window, 1,
                            {.ratio = cut.search.ratio,
                             .stride = cut.search.stride,
                             .enlarge = cut.search.enlarge,
                             .padding = 0});
  const std::vector<WindowPlace> places = places_in(plan, index, cut);
  plan.padding = cut.margin;  // pixels beyond the image are mirrored
  std::vector<Image<std::uint8_t>> crops;
  crops.reserve(places.size());
  Image<std::uint8_t> pixels;
  int level = -1;
  for (const WindowPlace& place : places) {
    if (place.level != level) {
      level = place.level;
      const ScanLevel& scaled = plan.levels[static_cast<std::size_t>(level)];
      const Extent size = plan.padded(scaled);
      pixels = Image<std::uint8_t>(size.width, size.height, image.channels());
      cpu::level_image(image, plan, scaled, pixels, {.device = Device::cpu(), .threads = 1});
    }
    crops.push_back(clone(pixels.view().crop(place.column * plan.stride, place.row * plan.stride,
                                             cut.window.width + 2 * cut.margin,
                                             cut.window.height + 2 * cut.margin)));
  }
  return crops;
}

}  // namespace

KeptImages::KeptImages(const ImageSet& images, std::atomic<std::int64_t>& bytes_left)
    : images_(images),
      bytes_left_(bytes_left),
      kept_(static_cast<std::size_t>(std::max(images.count(), 0))) {}

Image<std::uint8_t> KeptImages::read(int index) const {
  std::shared_ptr<const Image<std::uint8_t>> kept;
  {
    const std::lock_guard lock(mutex_);
    kept = kept_[static_cast<std::size_t>(index)];
  }
  if (kept) return clone(*kept);
  Image<std::uint8_t> image = images_.read(index);
  const std::int64_t bytes = bytes_of(image);
  if (bytes_left_.fetch_sub(bytes) < bytes) {
    bytes_left_.fetch_add(bytes);
    return image;
  }
  auto copy = std::make_shared<const Image<std::uint8_t>>(clone(image));
  const std::lock_guard lock(mutex_);
  kept_[static_cast<std::size_t>(index)] = std::move(copy);
  return image;
}

CutWindows cut_random_windows(const ImageSet& images, const CutPlan& plan) {
  std::vector<std::vector<Image<std::uint8_t>>> parts(static_cast<std::size_t>(images.count()));
  for_each_image({"cutting windows", images.count()}, plan.exec, [&](int index) {
    parts[static_cast<std::size_t>(index)] = cut_from(images.read(index), index, plan);
  });
  std::vector<Image<std::uint8_t>> crops;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(crops));
  if (crops.empty())
    throw InvalidArgument(
        fmt::format("study: no negative holds a window of {}x{}; give larger images",
                    plan.window.width, plan.window.height));
  return CutWindows(std::move(crops));
}

CutWindows cut_middles(const ImageSet& crops, const CutPlan& plan) {
  std::vector<Image<std::uint8_t>> cut(static_cast<std::size_t>(crops.count()));
  for_each_image({"reading crops", crops.count()}, plan.exec, [&](int index) {
    Image<std::uint8_t> crop = crops.read(index);
    int margin = 0;
    try {
      margin = plan_crop({crop.width(), crop.height()}, plan.window).origin;
    } catch (const InvalidArgument& error) {
      throw FormatError(fmt::format("{}: {}", crops.name(index), error.what()));
    }
    const int surplus = std::max(0, margin - plan.margin);
    cut[static_cast<std::size_t>(index)] =
        surplus == 0 ? std::move(crop)
                     : clone(crop.view().crop(surplus, surplus, crop.width() - 2 * surplus,
                                              crop.height() - 2 * surplus));
  });
  return CutWindows(std::move(cut));
}

}  // namespace fovea::people
