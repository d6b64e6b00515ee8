// Spectral angle, sum of differences and mean spectra: one pass over the bands of each row, with
// sums in double.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "core/placed.h"
#include "emd/detect/bands.h"

namespace fovea::emd {
namespace {

using fovea::detail::Placed;

constexpr std::int64_t kGrain = 8;  // rows

// Calls row(y, out) for every row of the result, in parallel.
template <class Row>
Image<float> make_map(StackView<const float> bands, const Exec& exec, Row row) {
  Image<float> map(bands.width, bands.height);
  parallel_for(exec, bands.height, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<int>(begin); y < end; ++y) row(y, map.row(y));
  });
  return map;
}

// Returns the mean spectrum of the pixels for which selected(x, y) is true.
template <class Selected>
std::vector<float> mean_of(StackView<const float> bands, Selected selected) {
  std::vector<double> sums(static_cast<std::size_t>(bands.count));
  std::vector<double> pixel(sums.size());
  std::int64_t pixels = 0;
  for (int y = 0; y < bands.height; ++y) {
    for (int x = 0; x < bands.width; ++x) {
      if (!selected(x, y)) continue;
      bool finite = true;
      for (int b = 0; b < bands.count; ++b) {
        pixel[static_cast<std::size_t>(b)] = static_cast<double>(bands.plane(b).at(x, y));
        finite = finite && std::isfinite(bands.plane(b).at(x, y));
      }
      if (!finite) continue;
      ++pixels;
      for (std::size_t b = 0; b < sums.size(); ++b) sums[b] += pixel[b];
    }
  }
  if (pixels == 0)
    throw InvalidArgument(
        "mean_spectrum: no selected pixel has finite values in all bands; select at least one that "
        "has");
  std::vector<float> mean(sums.size());
  for (std::size_t b = 0; b < sums.size(); ++b)
    mean[b] = static_cast<float>(sums[b] / static_cast<double>(pixels));
  return mean;
}

}  // namespace

void check_bands(const char* who, StackView<const float> bands) {
  if (bands.empty() || bands.channels != 1)
    throw InvalidArgument(fmt::format(
        "{}: the cube is {}x{} with {} bands of {} channels; expected bands of one channel", who,
        bands.width, bands.height, bands.count, bands.channels));
}

void check_target(const char* who, StackView<const float> bands, std::span<const float> target) {
  check_bands(who, bands);
  if (std::ssize(target) != bands.count)
    throw InvalidArgument(fmt::format("{}: the target has {} values, but the cube has {} bands",
                                      who, target.size(), bands.count));
  for (std::size_t b = 0; b < target.size(); ++b) {
    if (!std::isfinite(target[b]))
      throw InvalidArgument(fmt::format(
          "{}: the target's value of band {} is {}; expected a number", who, b, target[b]));
  }
}

std::vector<float> mean_spectrum(StackView<const float> bands, const Rect<int>& box,
                                 const Exec& exec) {
  check_bands("mean_spectrum", bands);
  const bool inside = box.x >= 0 && box.y >= 0 && box.width > 0 && box.height > 0 &&
                      box.width <= bands.width - box.x && box.height <= bands.height - box.y;
  if (!inside)
    throw InvalidArgument(
        fmt::format("mean_spectrum: the box {},{} {}x{} does not lie in the cube of {}x{}", box.x,
                    box.y, box.width, box.height, bands.width, bands.height));
  StackView<const float> part = bands;
  part.data = &bands.plane(0).at(box.x, box.y);
  part.width = box.width;
  part.height = box.height;
  Placed<float> here;
  const Exec resolved = fovea::detail::resolve_host_exec("mean_spectrum", exec, {part});
  return mean_of(here.bring(part, Memory::kHost, resolved), [](int, int) { return true; });
}

std::vector<float> mean_spectrum(StackView<const float> bands, ImageView<const std::uint8_t> mask,
                                 const Exec& exec) {
  check_bands("mean_spectrum", bands);
  if (mask.width != bands.width || mask.height != bands.height || mask.channels != 1)
    throw InvalidArgument(fmt::format("mean_spectrum: the mask is {}x{}x{}; the cube is {}x{}",
                                      mask.width, mask.height, mask.channels, bands.width,
                                      bands.height));
  const Exec resolved = fovea::detail::resolve_host_exec("mean_spectrum", exec, {bands, mask});
  Placed<float> here;
  Placed<std::uint8_t> mask_here;
  const ImageView<const std::uint8_t> marks = mask_here.bring(mask, Memory::kHost, resolved);
  return mean_of(here.bring(bands, Memory::kHost, resolved),
                 [&](int x, int y) { return marks.at(x, y) != 0; });
}

Image<float> spectral_angle(StackView<const float> bands, std::span<const float> target,
                            const Exec& exec) {
  check_target("spectral_angle", bands, target);
  const Exec resolved = fovea::detail::resolve_host_exec("spectral_angle", exec, {bands});
  Placed<float> here;
  const StackView<const float> host = here.bring(bands, Memory::kHost, resolved);
  double target_norm = 0;
  for (const double value : target) target_norm += value * value;
  return make_map(host, exec, [&](int y, float* out) {
    const auto width = static_cast<std::size_t>(bands.width);
    std::vector<double> product(width), norm(width);
    for (int b = 0; b < bands.count; ++b) {
      const float* row = host.plane(b).row(y);
      const double wanted = static_cast<double>(target[static_cast<std::size_t>(b)]);
      for (std::size_t x = 0; x < width; ++x) {
        const double value = row[x];
        product[x] += value * wanted;
        norm[x] += value * value;
      }
    }
    for (std::size_t x = 0; x < width; ++x) {
      const double scale = std::sqrt(norm[x]) * std::sqrt(target_norm);
      const double cosine = scale > 0 ? std::clamp(product[x] / scale, -1.0, 1.0) : 0;
      out[x] = static_cast<float>(std::isfinite(norm[x]) ? std::acos(cosine) : std::numbers::pi);
    }
  });
}

Image<float> sum_of_differences(StackView<const float> bands, std::span<const float> target,
                                const Exec& exec) {
  check_target("sum_of_differences", bands, target);
  const Exec resolved = fovea::detail::resolve_host_exec("sum_of_differences", exec, {bands});
  Placed<float> here;
  const StackView<const float> host = here.bring(bands, Memory::kHost, resolved);
  return make_map(host, exec, [&](int y, float* out) {
    std::vector<double> sums(static_cast<std::size_t>(bands.width));
    for (int b = 0; b < bands.count; ++b) {
      const float* row = host.plane(b).row(y);
      const double wanted = static_cast<double>(target[static_cast<std::size_t>(b)]);
      for (std::size_t x = 0; x < sums.size(); ++x)
        sums[x] += std::abs(static_cast<double>(row[x]) - wanted);
    }
    for (std::size_t x = 0; x < sums.size(); ++x)
      out[x] = std::isfinite(sums[x]) ? static_cast<float>(sums[x])
                                      : std::numeric_limits<float>::infinity();
  });
}

}  // namespace fovea::emd
