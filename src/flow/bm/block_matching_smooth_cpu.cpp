// Smoothing of a field: unreliable nodes take the flow of reliable neighbors, then a median removes
// outliers. The rows of a band share their weighted values, which stay in the cache.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "flow/bm/block_matching_cpu.h"

// This part does not depend on the instruction set, while the rest of the file is compiled once for
// each.
#ifndef FOVEA_BLOCK_MATCHING_SMOOTH
#define FOVEA_BLOCK_MATCHING_SMOOTH
namespace fovea::flow::cpu {
namespace {

constexpr int kReach = 2;   // reach of the triangle
constexpr int kBefore = 4;  // elements before a line, at least kReach
constexpr int kBehind = 8;  // elements behind a line, for vectors that run past its end

// Filters rows [first, last) of `from` to `to`.
struct SmoothJob {
  bm::NodeField from, to;
  int first, last;
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/bm/block_matching_smooth_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::FixedTag<float, 4>;
using Vec = hn::Vec<Floats>;

HWY_INLINE Vec triangle(Vec a, Vec b, Vec c, Vec d, Vec e) {
  const auto times = [](float share, Vec value)
                         HWY_ATTR { return hn::Mul(hn::Set(Floats(), share), value); };
  return hn::Add(hn::Add(times(bm::kMiddleShare, c), times(bm::kNearShare, hn::Add(b, d))),
                 times(bm::kFarShare, hn::Add(a, e)));
}
HWY_INLINE Vec weight_of(Vec confidence) {
  const Floats d;
  const auto weight = hn::Add(hn::Mul(confidence, confidence), hn::Set(d, bm::kLeastWeight));
  return hn::IfThenElseZero(hn::Ge(confidence, hn::Zero(d)), weight);
}

// Computes the weight, weighted u and weighted v of one row, each as a line.
void weigh(const bm::NodeField& field, int y, float* lines, std::ptrdiff_t line) {
  const Floats d;
  for (int x = 0; x < field.u.width; x += 4) {
    const auto weight = weight_of(hn::LoadU(d, field.confidence.row(y) + x));
    hn::StoreU(weight, d, lines + x);
    hn::StoreU(hn::Mul(weight, hn::LoadU(d, field.u.row(y) + x)), d, lines + line + x);
    hn::StoreU(hn::Mul(weight, hn::LoadU(d, field.v.row(y) + x)), d, lines + 2 * line + x);
  }
}

// Lines of nodes end at a multiple of a vector's length, so that the last vector may run past the
// row.
void fill_rows(const SmoothJob& job) {
  const Floats d;
  const int width = job.from.u.width, height = job.from.u.height;
  const std::ptrdiff_t line = width + kBefore + kBehind;
  const int rows = job.last - job.first + 2 * kReach;
  std::vector<float> weighted(static_cast<std::size_t>(3 * line * rows));
  std::vector<float> sums(static_cast<std::size_t>(3 * line));
  const auto at = [&](int y) { return weighted.data() + 3 * line * (y - job.first + kReach); };
  for (int y = job.first - kReach; y < job.last + kReach; ++y)
    weigh(job.from, std::clamp(y, 0, height - 1), at(y), line);
  for (int y = job.first; y < job.last; ++y) {
    for (int k = 0; k < 3; ++k) {
      const float* from = at(y) + k * line;
      float* sum = sums.data() + k * line + kBefore;
      const std::ptrdiff_t row = 3 * line;
      for (int x = 0; x < width; x += 4) {
        const float* p = from + x;
        hn::StoreU(triangle(hn::LoadU(d, p - 2 * row), hn::LoadU(d, p - row), hn::LoadU(d, p),
                            hn::LoadU(d, p + row), hn::LoadU(d, p + 2 * row)),
                   d, sum + x);
      }
      for (int i = 1; i <= kReach; ++i) sum[-i] = sum[0], sum[width - 1 + i] = sum[width - 1];
    }
    for (int x = 0; x < width; x += 4) {
      const auto across = [&](int k) HWY_ATTR {
        const float* p = sums.data() + k * line + kBefore + x;
        return triangle(hn::LoadU(d, p - 2), hn::LoadU(d, p - 1), hn::LoadU(d, p),
                        hn::LoadU(d, p + 1), hn::LoadU(d, p + 2));
      };
      const float* own = at(y) + x;
      const auto known = hn::Ge(hn::LoadU(d, job.from.confidence.row(y) + x), hn::Zero(d));
      const auto weight = hn::Add(hn::LoadU(d, own), across(0));
      const auto u = hn::Div(hn::Add(hn::LoadU(d, own + line), across(1)), weight);
      const auto v = hn::Div(hn::Add(hn::LoadU(d, own + 2 * line), across(2)), weight);
      hn::StoreU(hn::IfThenElseZero(known, u), d, job.to.u.row(y) + x);
      hn::StoreU(hn::IfThenElseZero(known, v), d, job.to.v.row(y) + x);
    }
  }
}

HWY_INLINE void order_blocks(Vec& a, Vec& b) {
  const auto low = hn::Min(a, b);
  b = hn::Max(a, b);
  a = low;
}
// Does what bm::median9() does.
HWY_INLINE Vec median9(Vec* p) {
  order_blocks(p[1], p[2]), order_blocks(p[4], p[5]), order_blocks(p[7], p[8]);
  order_blocks(p[0], p[1]), order_blocks(p[3], p[4]), order_blocks(p[6], p[7]);
  order_blocks(p[1], p[2]), order_blocks(p[4], p[5]), order_blocks(p[7], p[8]);
  order_blocks(p[0], p[3]), order_blocks(p[5], p[8]), order_blocks(p[4], p[7]);
  order_blocks(p[3], p[6]), order_blocks(p[1], p[4]), order_blocks(p[2], p[5]);
  order_blocks(p[4], p[7]), order_blocks(p[4], p[2]), order_blocks(p[6], p[4]),
      order_blocks(p[4], p[2]);
  return p[4];
}

// Copies one row of a plane, with one element of repeated border on both sides.
void pad(const float* row, int width, float* out) {
  std::copy_n(row, width, out);
  out[-1] = row[0];
  out[width] = row[width - 1];
}

// Confidences are taken from `from`; nodes without a known motion do not vote.
void median_rows(const SmoothJob& job) {
  const Floats d;
  const int width = job.from.u.width, height = job.from.u.height;
  const std::ptrdiff_t line = width + kBefore + kBehind;
  std::vector<float> buffer(static_cast<std::size_t>(9 * line));
  for (int y = job.first; y < job.last; ++y) {
    float* rows[3][3];
    for (int k = 0; k < 3; ++k) {
      const ImageView<float>& plane =
          k == 0 ? job.from.u : (k == 1 ? job.from.v : job.from.confidence);
      for (int j = 0; j < 3; ++j) {
        rows[k][j] = buffer.data() + (3 * k + j) * line + kBefore;
        pad(plane.row(std::clamp(y + j - 1, 0, height - 1)), width, rows[k][j]);
      }
    }
    for (int x = 0; x < width; x += 4)
      for (int k = 0; k < 2; ++k) {
        const auto center = hn::LoadU(d, rows[k][1] + x);
        Vec p[9];
        for (int i = 0; i < 9; ++i) {
          const int column = x + i % 3 - 1;
          const auto known = hn::Ge(hn::LoadU(d, rows[2][i / 3] + column), hn::Zero(d));
          p[i] = hn::IfThenElse(known, hn::LoadU(d, rows[k][i / 3] + column), center);
        }
        hn::StoreU(median9(p), d, (k == 0 ? job.to.u : job.to.v).row(y) + x);
      }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(fill_rows);
HWY_EXPORT(median_rows);

}  // namespace

void smooth_blocks(BlockField& field, BlockField& work, const Exec& exec) {
  work.resize(field.u.width(), field.u.height(), field.step);
  const bm::NodeField nodes = field.view();
  const bm::NodeField between = work.view();
  const int height = field.u.height();
  parallel_for(exec, height, kBlockRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    HWY_DYNAMIC_DISPATCH(fill_rows)
    ({nodes, between, static_cast<int>(first), static_cast<int>(last)});
  });
  const bm::NodeField filled{between.u, between.v, nodes.confidence, nodes.step};
  parallel_for(exec, height, kBlockRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    HWY_DYNAMIC_DISPATCH(median_rows)
    ({filled, nodes, static_cast<int>(first), static_cast<int>(last)});
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
