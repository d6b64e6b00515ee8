// Cleans a map of disparities: a median, patches that are too small, and holes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "flow/bm/block_matching_math.h"
#include "flow/patches.h"
#include "flow/stereo/stereo_cpu.h"

namespace fovea::flow::cpu {
namespace {

constexpr int kCleanRows = 16;  // rows of one task
constexpr float kUnknownDisparity = std::numeric_limits<float>::infinity();

// The median of the known values among the 3x3 pixels around one that is known, the lower one of
// two; fewer than three change nothing.
float median_of_some(const Image<float>& from, int x, int y) {
  if (!std::isfinite(from.at(x, y))) return from.at(x, y);
  std::array<float, 9> values;
  std::size_t count = 0;
  for (int j = std::max(0, y - 1); j <= std::min(from.height() - 1, y + 1); ++j)
    for (int i = std::max(0, x - 1); i <= std::min(from.width() - 1, x + 1); ++i)
      if (std::isfinite(from.at(i, j))) values[count++] = from.at(i, j);
  if (count < 3) return from.at(x, y);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
  std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

// What is not known is infinite, and so is a sum with it.
bool all_known(const Image<float>& from, int x, int y) {
  float sum = 0;
  for (int j = y - 1; j <= y + 1; ++j) {
    const float* row = from.view().row(j) + x;
    sum += row[-1] + row[0] + row[1];
  }
  return std::isfinite(sum);
}

// The medians of nine of a row but for its ends, of which those with a value that is not known are
// replaced later.
void median_row(const Image<float>& from, int y, float* out) {
  const float* above = from.view().row(y - 1);
  const float* here = from.view().row(y);
  const float* below = from.view().row(y + 1);
  for (int x = 1; x + 1 < from.width(); ++x) {
    float values[9] = {above[x - 1], above[x],     above[x + 1], here[x - 1], here[x],
                       here[x + 1],  below[x - 1], below[x],     below[x + 1]};
    out[x] = bm::median9(values);
  }
}

}  // namespace

// A pixel that is not known stays so; neighbors that are not known do not count.
void median_disparity(Image<float>& disparity, const Exec& exec) {
  const int width = disparity.width(), height = disparity.height();
  const Image<float> from = clone(disparity.view());
  const ImageView<float> to = disparity.view();
  parallel_for(exec, height, kCleanRows, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      const bool inside = y > 0 && y + 1 < height;
      if (inside) median_row(from, y, to.row(y));
      for (int x = 0; x < width; ++x)
        if (!inside || x == 0 || x + 1 == width || !all_known(from, x, y))
          to.at(x, y) = median_of_some(from, x, y);
    }
  });
}

void remove_speckles(Image<float>& disparity, int least_pixels) {
  constexpr float kStep = 1;  // difference of neighbors in one patch
  const int width = disparity.width(), height = disparity.height();
  Image<std::uint8_t> taken(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) taken.at(x, y) = std::isfinite(disparity.at(x, y)) ? 0 : 1;
  const auto joined = [&](PatchPixel a, PatchPixel b) {
    return std::abs(disparity.at(a.x, a.y) - disparity.at(b.x, b.y)) <= kStep;
  };
  for_each_patch(taken, joined, [&](const std::vector<PatchPixel>& patch) {
    if (patch.size() >= static_cast<std::size_t>(least_pixels)) return;
    for (const PatchPixel at : patch) disparity.at(at.x, at.y) = kUnknownDisparity;
  });
}

void fill_disparity(Image<float>& disparity, const Exec& exec) {
  const int width = disparity.width(), height = disparity.height();
  std::vector<std::uint8_t> known(static_cast<std::size_t>(height), 0);
  parallel_for(exec, height, kCleanRows, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      float* row = disparity.view().row(y);
      float before = kUnknownDisparity;
      for (int x = 0; x < width;) {
        if (std::isfinite(row[x])) {
          before = row[x++];
          known[static_cast<std::size_t>(y)] = 1;
          continue;
        }
        int end = x;
        while (end < width && !std::isfinite(row[end])) ++end;
        const float behind = end < width ? row[end] : kUnknownDisparity;
        std::fill(row + x, row + end, std::min(before, behind));
        x = end;
      }
    }
  });
  const auto is_known = [&](int y) { return known[static_cast<std::size_t>(y)] != 0; };
  int nearest = -1;
  for (int y = 0; y < height; ++y) {
    if (is_known(y)) nearest = y;
    else if (nearest >= 0)
      std::copy_n(disparity.view().row(nearest), width, disparity.view().row(y));
  }
  const auto top = std::find(known.begin(), known.end(), std::uint8_t{1}) - known.begin();
  if (top == height) return;
  for (int y = 0; y < static_cast<int>(top); ++y)
    std::copy_n(disparity.view().row(static_cast<int>(top)), width, disparity.view().row(y));
}

}  // namespace fovea::flow::cpu
