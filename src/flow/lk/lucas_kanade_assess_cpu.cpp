// Confidence of a level's flow: from the differences that remain, from the systems of the last
// step, and from how the flow varies around each pixel.
#include <algorithm>
#include <array>

#include "flow/lk/lucas_kanade_cpu.h"

#ifndef FOVEA_FLOW_ASSESS_JOB
#define FOVEA_FLOW_ASSESS_JOB
namespace fovea::flow::cpu {
namespace {

// Finds the smallest and largest values of three rows.
struct ExtremesJob {
  std::array<const float*, 3> rows;
  int width;
  float* least;
  float* most;
};
struct DoubtJob {
  std::array<const float*, 4>
      extremes;  // least and greatest u, least and greatest v; margins repeat
  const std::uint16_t* residuals;
  const float* eigenvalues;
  float pixel;
  int width;
  float* out;
};

// Converts doubt to confidence.
struct ConfidenceJob {
  const float* u;
  const float* v;
  const float* eigenvalues;
  float min_eigenvalue;
  int y, width, height;
  float* out;
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/lucas_kanade_assess_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

void find_extremes(const ExtremesJob& job) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = job.width;
  const std::array<const float*, 3> rows = job.rows;
  float* HWY_RESTRICT least = job.least;
  float* HWY_RESTRICT most = job.most;
  for (int x = 0; x < width; x += lanes) {
    const auto a = hn::LoadU(d, rows[0] + x), b = hn::LoadU(d, rows[1] + x);
    const auto c = hn::LoadU(d, rows[2] + x);
    hn::StoreU(hn::Min(hn::Min(a, b), c), d, least + x);
    hn::StoreU(hn::Max(hn::Max(a, b), c), d, most + x);
  }
}

// Computes lk::doubt for a row.
void doubt_row(const DoubtJob& job) {
  const D d;
  const hn::RebindToSigned<D> integers;
  const hn::Rebind<std::uint16_t, D> shorts;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = job.width;
  const std::array<const float*, 4> extremes = job.extremes;
  const std::uint16_t* HWY_RESTRICT residuals = job.residuals;
  const float* HWY_RESTRICT eigenvalues = job.eigenvalues;
  float* HWY_RESTRICT out = job.out;
  const auto pixel = hn::Set(d, job.pixel), floor = hn::Set(d, lk::kFloor);
  const auto one = hn::Set(d, 1.0F), scale = hn::Set(d, lk::kResidualScale);
  const auto range = [&](const float* least, const float* most, int x) {
    const auto low =
        hn::Min(hn::Min(hn::LoadU(d, least + x - lk::kSpacing), hn::LoadU(d, least + x)),
                hn::LoadU(d, least + x + lk::kSpacing));
    const auto high =
        hn::Max(hn::Max(hn::LoadU(d, most + x - lk::kSpacing), hn::LoadU(d, most + x)),
                hn::LoadU(d, most + x + lk::kSpacing));
    return hn::Sub(high, low);
  };
  for (int x = 0; x < width; x += lanes) {
    const auto variation = hn::Mul(
        hn::Add(range(extremes[0], extremes[1], x), range(extremes[2], extremes[3], x)), pixel);
    const auto firmness = hn::Sqrt(hn::Add(hn::LoadU(d, eigenvalues + x), one));
    const auto total = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(shorts, residuals + x)));
    const auto residual = hn::Mul(hn::Div(hn::Mul(total, scale), firmness), pixel);
    hn::StoreU(hn::Mul(hn::Add(residual, floor), hn::Add(variation, floor)), d, out + x);
  }
}

// Whether lk::landing is inside.
HWY_INLINE hn::Mask<D> lands_inside(D d, hn::Vec<hn::RebindToSigned<D>> x, hn::Vec<D> flow,
                                    int size) {
  const hn::RebindToSigned<D> integers;
  const auto i = hn::Add(x, hn::ConvertTo(integers, hn::Floor(flow)));
  const auto index = hn::Min(hn::Max(i, hn::Zero(integers)), hn::Set(integers, size - 1));
  return hn::RebindMask(d, hn::Eq(i, index));
}

// Computes lk::confidence_of, or 0 where the window does not determine the flow or the flow leaves
// the image.
void confidence_row(const ConfidenceJob& job) {
  const D d;
  const hn::RebindToSigned<D> integers;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = job.width, height = job.height;
  const float* HWY_RESTRICT u = job.u;
  const float* HWY_RESTRICT v = job.v;
  const float* HWY_RESTRICT eigenvalues = job.eigenvalues;
  float* HWY_RESTRICT out = job.out;
  const auto half = hn::Set(d, lk::kHalf), least = hn::Set(d, job.min_eigenvalue);
  const auto row = hn::Set(integers, job.y), step = hn::Set(integers, lanes);
  auto column = hn::Iota(integers, 0);
  for (int x = 0; x < width; x += lanes) {
    const auto inside = hn::And(lands_inside(d, column, hn::LoadU(d, u + x), width),
                                lands_inside(d, row, hn::LoadU(d, v + x), height));
    const auto held = hn::And(inside, hn::Gt(hn::LoadU(d, eigenvalues + x), least));
    const auto confidence = hn::Div(half, hn::Add(half, hn::LoadU(d, out + x)));
    hn::StoreU(hn::IfThenElseZero(held, confidence), d, out + x);
    column = hn::Add(column, step);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(find_extremes);
HWY_EXPORT(doubt_row);
HWY_EXPORT(confidence_row);

}  // namespace

float there_and_back(const Field& flow, const Field& backward, int x, int y) {
  const float u = flow.u.row(y)[x], v = flow.v.row(y)[x];
  const int width = backward.u.width(), height = backward.u.height();
  const lk::Landing across = lk::landing(x, u, width), down = lk::landing(y, v, height);
  const int right = std::min(across.index + 1, width - 1);
  const int below = std::min(down.index + 1, height - 1);
  const auto sample = [&](const Plane<float>& plane) {
    const float* upper = plane.row(down.index);
    const float* lower = plane.row(below);
    return lk::blended(lk::blended(upper[across.index], upper[right], across.fraction),
                       lk::blended(lower[across.index], lower[right], across.fraction),
                       down.fraction);
  };
  const float du = u + sample(backward.u), dv = v + sample(backward.v);
  return std::sqrt(std::fma(du, du, dv * dv));
}

void assess(const AssessRequest& request, Plane<float>& confidence, const Exec& exec) {
  const int width = request.flow.u.width(), height = request.flow.u.height();
  confidence.resize(width, height);
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    Plane<float> extremes;
    extremes.resize(width, 4);
    for (int y = static_cast<int>(first); y < last; ++y) {
      if (request.first.masked()) {
        const std::uint8_t* mask = request.first.mask.row(y);
        if (std::all_of(mask, mask + width, [](std::uint8_t m) { return m == 0; })) {
          std::fill_n(confidence.row(y), width, 0.0F);
          continue;
        }
      }
      const int above = lk::clamped(y - lk::kSpacing, height);
      const int below = lk::clamped(y + lk::kSpacing, height);
      const Plane<float>* planes[] = {&request.flow.u, &request.flow.v};
      for (int k = 0; k < 2; ++k) HWY_DYNAMIC_DISPATCH(find_extremes)
      ({{planes[k]->row(above), planes[k]->row(y), planes[k]->row(below)},
        width,
        extremes.row(2 * k),
        extremes.row(2 * k + 1)});
      for (int k = 0; k < 4; ++k) {
        float* row = extremes.row(k);
        std::fill_n(row - lk::kSpacing, lk::kSpacing, row[0]);
        std::fill_n(row + width, lk::kSpacing, row[width - 1]);
      }
      HWY_DYNAMIC_DISPATCH(doubt_row)
      ({{extremes.row(0), extremes.row(1), extremes.row(2), extremes.row(3)},
        request.residuals.row(y),
        request.eigenvalues.row(y),
        request.pixel,
        width,
        confidence.row(y)});
      float* row = confidence.row(y);
      for (int x = 0; request.backward != nullptr && x < width; ++x)
        row[x] = lk::doubt_both_ways(row[x], there_and_back(request.flow, *request.backward, x, y),
                                     request.pixel);
      HWY_DYNAMIC_DISPATCH(confidence_row)
      ({request.flow.u.row(y), request.flow.v.row(y), request.eigenvalues.row(y),
        request.min_eigenvalue, y, width, height, row});
    }
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
