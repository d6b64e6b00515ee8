// Semi-global sums (Hirschmueller, PAMI 2008, equation 13): the cost of the best path that ends in
// a pixel with a disparity, along eight directions. A pass down the strip follows the four
// directions from the left and from above, and a pass up the other four.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "flow/stereo/stereo_cpu.h"

#ifndef FOVEA_STEREO_PATHS
#define FOVEA_STEREO_PATHS
namespace fovea::flow::cpu {
namespace {

constexpr int kPaths = 4;           // of one pass: along the row, and three from the row before
constexpr int kCellMargin = 32;     // elements before and behind the candidates of a cell
constexpr std::uint8_t kFar = 255;  // no less than any cost of a path

// The least costs of paths that end in one pixel, between margins that no path comes from.
struct PathCell {
  const std::uint8_t* before;
  std::uint8_t* now;
  int least;    // of the cell before
  int penalty;  // of a large step
};

struct PathPixel {
  const std::uint8_t* costs;
  std::uint16_t* sums;
  int count;
  int small_penalty;
  bool first;  // the sums are set, not added to
  std::array<PathCell, kPaths> cells;
};

// The cells of one path along a row, with one more on either side where paths begin.
class CellRow {
 public:
  CellRow(int cells, int count)
      : stride_(count + 2 * kCellMargin),
        costs_(static_cast<std::size_t>(cells) * static_cast<std::size_t>(stride_), kFar),
        least_(static_cast<std::size_t>(cells), 0) {
    for (int i = 0; i < cells; ++i) std::fill(at(i), at(i) + count, std::uint8_t{0});
  }
  std::uint8_t* at(int cell) {
    return costs_.data() + static_cast<std::ptrdiff_t>(cell) * stride_ + kCellMargin;
  }
  int& least(int cell) { return least_[static_cast<std::size_t>(cell)]; }

 private:
  std::ptrdiff_t stride_;
  std::vector<std::uint8_t> costs_;
  std::vector<int> least_;
};

// The penalty of a large step between neighbors whose gray levels differ by so much.
std::array<int, 256> large_penalties(const StereoPlan& plan) {
  constexpr double kHalving = 24;  // difference of gray levels that halves the penalty
  std::array<int, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double lowered = plan.large_penalty / (1 + static_cast<double>(i) / kHalving);
    table[i] = std::max(plan.small_penalty, static_cast<int>(lowered));
  }
  return table;
}

// One pass over a strip: down with step 1, up with step -1, where rows run from right to left.
class PathPass {
 public:
  PathPass(const StripPaths& strip, int step)
      : strip_(strip), step_(step), penalties_(large_penalties(strip.plan)) {
    const int cells = strip.plan.width + 2, count = strip.plan.padded;
    for (int i = 0; i < 2 * (kPaths - 1); ++i) rows_.emplace_back(cells, count);
    for (int i = 0; i < 2; ++i) along_.emplace_back(1, count);
    start_.emplace_back(1, count);
  }

  // `step` computes one pixel.
  template <class Step>
  void run(const Step& step) {
    const int first = step_ > 0 ? 0 : strip_.rows - 1;
    for (int i = 0, row = first; i < strip_.rows; ++i, row += step_) row_of(row, i % 2, step);
  }

 private:
  // The row before or this one, of a path from above.
  CellRow& cells_of(int path, int parity) { return *(rows_.begin() + 2 * (path - 1) + parity); }

  template <class Step>
  void row_of(int row, int parity, const Step& step) {
    const StereoPlan& plan = strip_.plan;
    const int y = strip_.top + row, width = plan.width;
    const std::uint8_t* gray = strip_.gray.row(y);
    const bool has_above = step_ > 0 ? row > 0 : row < strip_.rows - 1;
    const std::uint8_t* above = has_above ? strip_.gray.row(y - step_) : gray;
    const std::size_t offset = static_cast<std::size_t>(row) * plan.row_elements();
    std::uint8_t* const start = start_[0].at(0);
    int along_least = 0;
    for (int i = 0; i < width; ++i) {
      const int x = step_ > 0 ? i : width - 1 - i;
      PathPixel pixel{.costs = strip_.costs + offset + place(x),
                      .sums = strip_.sums + offset + place(x),
                      .count = plan.padded,
                      .small_penalty = plan.small_penalty,
                      .first = step_ > 0,
                      .cells = {}};
      const auto penalty = [&](int other) {
        return penalties_[static_cast<std::size_t>(std::abs(gray[x] - other))];
      };
      const int before = x - step_;
      const bool inside = before >= 0 && before < width;
      pixel.cells[0] = {i == 0 ? start : along_[(i + 1) % 2].at(0), along_[i % 2].at(0),
                        along_least, inside ? penalty(gray[before]) : plan.large_penalty};
      for (int k = 1; k < kPaths; ++k) {
        // From x - 1, x and x + 1 of the row before; cell 0 stands for x = -1.
        const int from = x + k - 2;
        CellRow& old = cells_of(k, 1 - parity);
        CellRow& now = cells_of(k, parity);
        pixel.cells[static_cast<std::size_t>(k)] = {old.at(from + 1), now.at(x + 1),
                                                    old.least(from + 1),
                                                    penalty(above[std::clamp(from, 0, width - 1)])};
      }
      const std::array<int, kPaths> least = step(pixel);
      along_least = least[0];
      for (int k = 1; k < kPaths; ++k)
        cells_of(k, parity).least(x + 1) = least[static_cast<std::size_t>(k)];
    }
  }

  std::size_t place(int x) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(strip_.plan.padded);
  }

  const StripPaths& strip_;
  int step_;
  std::array<int, 256> penalties_;
  std::vector<CellRow> rows_{};   // the row before and this one, for each path from above
  std::vector<CellRow> along_{};  // the pixel before and this one
  std::vector<CellRow> start_{};  // where paths along rows begin
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/stereo/stereo_paths_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using PathBytes = hn::CappedTag<std::uint8_t, kStereoLanes>;
using PathVec = hn::Vec<PathBytes>;

HWY_INLINE int least_of(PathVec values) {
  const PathBytes d;
  HWY_ALIGN std::uint8_t lanes[kStereoLanes];
  hn::Store(values, d, lanes);
  std::uint8_t least = lanes[0];
  for (std::size_t i = 1; i < hn::Lanes(d); ++i) least = std::min(least, lanes[i]);
  return least;
}

struct PathTerms {
  PathVec least, far;
};
HWY_INLINE PathTerms terms_of(const PathCell& cell) {
  const PathBytes d;
  return {hn::Set(d, static_cast<std::uint8_t>(cell.least)),
          hn::Set(d, static_cast<std::uint8_t>(std::min(cell.least + cell.penalty, 255)))};
}
// Where an addition is saturated its result is no less than the cost of the same disparity, so that
// nothing is lost.
HWY_INLINE PathVec path_step(const PathCell& cell, const PathTerms& terms, int at, PathVec cost,
                             PathVec small) {
  const PathBytes d;
  const auto same = hn::LoadU(d, cell.before + at);
  const auto beside = hn::SaturatedAdd(
      hn::Min(hn::LoadU(d, cell.before + at - 1), hn::LoadU(d, cell.before + at + 1)), small);
  const auto best = hn::Min(hn::Min(same, beside), terms.far);
  const auto path = hn::Add(cost, hn::Sub(best, terms.least));
  hn::StoreU(path, d, cell.now + at);
  return path;
}

// One pixel of all four paths. Returns their least costs.
HWY_INLINE std::array<int, kPaths> path_pixel(const PathPixel& pixel) {
  const PathBytes d;
  const hn::Half<PathBytes> half;
  const hn::RepartitionToWide<PathBytes> shorts;
  const auto small = hn::Set(d, static_cast<std::uint8_t>(pixel.small_penalty));
  const auto& cells = pixel.cells;
  const PathTerms t0 = terms_of(cells[0]), t1 = terms_of(cells[1]), t2 = terms_of(cells[2]),
                  t3 = terms_of(cells[3]);
  PathVec m0 = hn::Set(d, kFar), m1 = m0, m2 = m0, m3 = m0;
  for (int at = 0; at < pixel.count; at += static_cast<int>(hn::Lanes(d))) {
    const auto cost = hn::LoadU(d, pixel.costs + at);
    const auto p0 = path_step(cells[0], t0, at, cost, small);
    const auto p1 = path_step(cells[1], t1, at, cost, small);
    const auto p2 = path_step(cells[2], t2, at, cost, small);
    const auto p3 = path_step(cells[3], t3, at, cost, small);
    m0 = hn::Min(m0, p0), m1 = hn::Min(m1, p1), m2 = hn::Min(m2, p2), m3 = hn::Min(m3, p3);
    const auto low = [&](PathVec v)
                         HWY_ATTR { return hn::PromoteTo(shorts, hn::LowerHalf(half, v)); };
    const auto high = [&](PathVec v)
                          HWY_ATTR { return hn::PromoteTo(shorts, hn::UpperHalf(half, v)); };
    auto lower = hn::Add(hn::Add(low(p0), low(p1)), hn::Add(low(p2), low(p3)));
    auto upper = hn::Add(hn::Add(high(p0), high(p1)), hn::Add(high(p2), high(p3)));
    std::uint16_t* const sums = pixel.sums + at;
    const std::size_t lanes = hn::Lanes(shorts);
    if (!pixel.first) {
      lower = hn::Add(lower, hn::LoadU(shorts, sums));
      upper = hn::Add(upper, hn::LoadU(shorts, sums + lanes));
    }
    hn::StoreU(lower, shorts, sums);
    hn::StoreU(upper, shorts, sums + lanes);
  }
  return {least_of(m0), least_of(m1), least_of(m2), least_of(m3)};
}

void run_pass(PathPass& pass) {
  pass.run([](const PathPixel& pixel) HWY_ATTR { return path_pixel(pixel); });
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(run_pass);

}  // namespace

void sum_paths(const StripPaths& strip) {
  for (const int step : {1, -1}) {
    PathPass pass(strip, step);
    HWY_DYNAMIC_DISPATCH(run_pass)(pass);
  }
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
