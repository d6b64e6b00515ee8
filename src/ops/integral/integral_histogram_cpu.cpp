// CPU twin of the integral histogram. A row's weights are converted to fixed point once, in the
// first-level cache. Every plane then takes the weights of its own bin and sums them as the
// integral image does.
#include <algorithm>
#include <vector>

#include "ops/integral/backend.h"
#include "ops/integral/wavefront.h"

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_HISTOGRAM_SCRATCH
#define FOVEA_HISTOGRAM_SCRATCH
namespace fovea::cpu {
namespace {

struct TileScratch {
  std::uint32_t* fixed;  // a row of the tile in fixed point; ones where pixels are counted
  std::uint32_t* carry;  // per row and plane, the sum left of the tile; updated by the tile
};

}  // namespace
}  // namespace fovea::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/integral/integral_histogram_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/integral/prefix-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// detail::fixed_point for four weights at once.
void weights_to_fixed_point(const float* weight, float scale, int pixels, std::uint32_t* fixed) {
  const hn::FixedTag<float, 4> d;
  const hn::FixedTag<std::int32_t, 4> di;
  const hn::FixedTag<std::uint32_t, 4> du;
  const auto least = hn::Set(d, -0x1p31F), most = hn::Set(d, 0x1.fffffep30F);
  const auto half = hn::Set(d, 0.5F), factor = hn::Set(d, scale);
  int x = 0;
  for (; x + 4 <= pixels; x += 4) {
    auto v = hn::Mul(hn::LoadU(d, weight + x), factor);
    v = hn::IfThenElseZero(hn::Eq(v, v), v);
    v = hn::Min(hn::Max(v, least), most);
    const auto whole = hn::Floor(v);
    const auto up = hn::VecFromMask(di, hn::RebindMask(di, hn::Ge(hn::Sub(v, whole), half)));
    hn::StoreU(hn::BitCast(du, hn::Sub(hn::ConvertTo(di, whole), up)), du, fixed + x);
  }
  for (; x < pixels; ++x) fixed[x] = detail::fixed_point(weight[x], scale);
}

struct RowOfWeights {
  const std::uint8_t* bin;
  const std::uint32_t* fixed;
  int pixels;
  std::uint32_t plane;  // the bin whose pixels count
};

// Scans one row of one plane. A plane without pixels in this row is the plane above plus the sum
// from the left, which the same loop computes.
void scan_bin(const RowOfWeights& row, const std::uint32_t* HWY_RESTRICT above,
              std::uint32_t* HWY_RESTRICT out, std::uint32_t& row_sum) {
  const std::uint8_t* HWY_RESTRICT bin = row.bin;
  const std::uint32_t* HWY_RESTRICT fixed = row.fixed;
  const int pixels = row.pixels;
  const hn::FixedTag<std::uint32_t, 4> d;
  const hn::FixedTag<std::uint8_t, 4> d8;
  const auto wanted = hn::Set(d, row.plane);
  auto carry = hn::Set(d, row_sum);
  int x = 0;
  for (; x + 4 <= pixels; x += 4) {
    const auto here = hn::Eq(hn::PromoteTo(d, hn::LoadU(d8, bin + x)), wanted);
    const auto p = prefix(d, hn::IfThenElseZero(here, hn::LoadU(d, fixed + x)));
    hn::StoreU(hn::Add(hn::LoadU(d, above + x), hn::Add(carry, p)), d, out + x);
    carry = hn::Add(carry, hn::Broadcast<3>(p));
  }
  std::uint32_t sum = hn::GetLane(carry);
  for (; x < pixels; ++x) {
    sum += bin[x] == row.plane ? fixed[x] : 0;
    out[x] = above[x] + sum;
  }
  row_sum = sum;
}

void histogram_tile(const detail::WeightedBins& input, StackView<std::uint32_t> sums,
                    const TileRectangle& tile, const TileScratch& scratch) {
  const auto [x, y, pixels, rows] = tile;
  for (int r = 0; r < rows; ++r) {
    if (input.weight.data != nullptr)
      weights_to_fixed_point(&input.weight.at(x, y + r), input.scale, pixels, scratch.fixed);
    for (int b = 0; b < sums.count; ++b) {
      const ImageView<std::uint32_t> plane = sums.plane(b);
      scan_bin({&input.bin.at(x, y + r), scratch.fixed, pixels, static_cast<std::uint32_t>(b)},
               &plane.at(x + 1, y + r), &plane.at(x + 1, y + r + 1),
               scratch.carry[static_cast<std::ptrdiff_t>(r) * sums.count + b]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(histogram_tile);

}  // namespace

void integral_histogram(const detail::WeightedBins& input, StackView<std::uint32_t> sums,
                        const Exec& exec) {
  const int width = input.bin.width, height = input.bin.height;
  const TileGrid grid = divide_into_tiles(1, width, height, exec);
  std::vector<std::uint32_t> carries(static_cast<std::size_t>(height) * sums.count);
  std::vector<std::uint32_t> fixed(static_cast<std::size_t>(grid.bands) * grid.strip_pixels, 1);
  for_each_tile(exec, grid, [&](int, int band, int strip) {
    const TileRectangle tile = tile_rectangle(grid, band, strip, width, height);
    for (int b = 0; b < sums.count; ++b) {
      const ImageView<std::uint32_t> plane = sums.plane(b);
      if (band == 0)
        std::fill_n(&plane.at(strip == 0 ? 0 : tile.x + 1, 0), tile.pixels + (strip == 0), 0U);
      if (strip == 0)
        for (int r = 0; r < tile.rows; ++r) plane.at(0, tile.y + 1 + r) = 0;
    }
    HWY_DYNAMIC_DISPATCH(histogram_tile)
    (input, sums, tile,
     {&fixed[static_cast<std::size_t>(band) * grid.strip_pixels],
      &carries[static_cast<std::size_t>(tile.y) * sums.count]});
  });
}

}  // namespace fovea::cpu
#endif  // HWY_ONCE
