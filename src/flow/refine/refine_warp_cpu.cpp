// Warps the second image of a level by cubic interpolation, and the derivatives of the mean of both
// images.
#include <algorithm>
#include <cmath>

#include "flow/refine/refine_cpu.h"
#include "flow/refine/refine_math.h"
#include "flow/refine/refine_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/refine/refine_warp_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Interpolates the second image at the pixels of a row; `valid` is 0 where they leave it.
void warp_row(const Plane<float>& second, const Landings& at, float* HWY_RESTRICT out,
              float* HWY_RESTRICT valid) {
  const hn::FixedTag<float, 4> d;
  const int width = second.width(), height = second.height();
  const std::ptrdiff_t stride = second.stride();
  const float* first_row = second.row(0);
  for (int x = 0; x < width; ++x) {
    const lk::Landing across = lk::landing(x, at.u[x], width);
    const lk::Landing down = lk::landing(at.y, at.v[x], height);
    const refine::Cubic cx = refine::cubic(across.fraction), cy = refine::cubic(down.fraction);
    const int j = down.index;
    const float* row = first_row + j * stride + across.index - 1;
    const std::ptrdiff_t above = j > 0 ? -stride : 0;
    const std::ptrdiff_t below = j < height - 1 ? stride : 0;
    const std::ptrdiff_t below2 = j < height - 2 ? 2 * stride : below;
    const auto a = hn::Mul(hn::LoadU(d, row + above), hn::Set(d, cy.w[0]));
    const auto b = hn::Mul(hn::LoadU(d, row), hn::Set(d, cy.w[1]));
    const auto e = hn::Mul(hn::LoadU(d, row + below), hn::Set(d, cy.w[2]));
    const auto f = hn::Mul(hn::LoadU(d, row + below2), hn::Set(d, cy.w[3]));
    const auto sum = hn::Mul(hn::Add(hn::Add(hn::Add(a, b), e), f), hn::LoadU(d, cx.w));
    HWY_ALIGN float parts[4];
    hn::Store(sum, d, parts);
    out[x] = ((parts[0] + parts[1]) + parts[2]) + parts[3];
    valid[x] = across.inside && down.inside ? 1.0F : 0.0F;
  }
}

// The mean of both images, and the second minus the first.
void compare_row(const float* HWY_RESTRICT first, int width, float* HWY_RESTRICT mean,
                 float* HWY_RESTRICT difference) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto half = hn::Set(d, 0.5F);
  for (int x = 0; x < width; x += lanes) {
    const auto a = hn::LoadU(d, first + x), b = hn::LoadU(d, difference + x);
    hn::StoreU(hn::Mul(hn::Add(a, b), half), d, mean + x);
    hn::StoreU(hn::Sub(b, a), d, difference + x);
  }
}

// refine::derivative() of a row; `step` is the distance between its operands.
void derive_row(const std::array<const float*, 4>& from, int width, float* HWY_RESTRICT out) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto near = hn::Set(d, refine::kNear), far = hn::Set(d, refine::kFar);
  for (int x = 0; x < width; x += lanes) {
    const auto inner = hn::Sub(hn::LoadU(d, from[2] + x), hn::LoadU(d, from[1] + x));
    const auto outer = hn::Sub(hn::LoadU(d, from[3] + x), hn::LoadU(d, from[0] + x));
    hn::StoreU(hn::Sub(hn::Mul(inner, near), hn::Mul(outer, far)), d, out + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(warp_row);
HWY_EXPORT(compare_row);
HWY_EXPORT(derive_row);

using refine::kStencil;
constexpr int kMarginWritten = 4;  // pixels of a margin that repeat the border

void repeat_border(float* row, int width) {
  std::fill_n(row - kMarginWritten, kMarginWritten, row[0]);
  std::fill_n(row + width, kMarginWritten, row[width - 1]);
}

// Whether a pixel of the first image counts, and all that are interpolated for it.
float counted(const RefineRequest& request, const Field& base, int x, int y) {
  if (request.first.masked() && request.first.mask.row(y)[x] == 0) return 0;
  if (!request.second.masked()) return 1;
  const Plane<std::uint8_t>& mask = request.second.mask;
  const int i = lk::landing(x, base.u.row(y)[x], mask.width()).index;
  const int j = lk::landing(y, base.v.row(y)[x], mask.height()).index;
  for (int dy = -1; dy <= 2; ++dy)
    for (int dx = -1; dx <= 2; ++dx)
      if (mask.row(lk::clamped(j + dy, mask.height()))[lk::clamped(i + dx, mask.width())] == 0)
        return 0;
  return 1;
}

// Sets valid to 0 wherever a derivative would touch a pixel that the masks leave out.
void leave_out_masked(const RefineRequest& request, RefineSpace& space, const Exec& exec) {
  const int width = space.valid.width(), height = space.valid.height();
  Plane<float>& counts = space.dx;  // not needed yet
  Plane<float>& across = space.dy;
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      for (int x = 0; x < width; ++x) counts.row(y)[x] = counted(request, space.base, x, y);
      for (int x = 0; x < width; ++x)
        across.row(y)[x] = *std::min_element(counts.row(y) + std::max(x - kStencil, 0),
                                             counts.row(y) + std::min(x + kStencil + 1, width));
    }
  });
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y)
      for (int k = std::max(y - kStencil, 0); k <= std::min(y + kStencil, height - 1); ++k)
        for (int x = 0; x < width; ++x)
          space.valid.row(y)[x] = std::min(space.valid.row(y)[x], across.row(k)[x]);
  });
}

}  // namespace

void to_refine_level(const Gray& units, bool masked, RefineLevel& out, const Exec& exec) {
  const int width = units.width(), height = units.height();
  out.gray.resize(width, height);
  if (masked) out.mask.resize(width, height);
  else out.mask.release();
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      const std::uint16_t* from = units.row(y);
      float* to = out.gray.row(y);
      for (int x = 0; x < width; ++x) to[x] = static_cast<float>(from[x]) * (1.0F / lk::kGrayUnits);
      if (masked)
        for (int x = 0; x < width; ++x) {
          out.mask.row(y)[x] = from[x] == lk::kNoGray ? 0 : 1;
          if (from[x] == lk::kNoGray) to[x] = 0;
        }
      repeat_border(to, width);
    }
  });
}

void refine_warp(const RefineRequest& request, RefineSpace& space, const Exec& exec) {
  const int width = request.first.gray.width(), height = request.first.gray.height();
  for (Plane<float>* plane : {&space.mean, &space.difference, &space.dx, &space.dy, &space.valid})
    plane->resize(width, height);
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      float *mean = space.mean.row(y), *difference = space.difference.row(y);
      HWY_DYNAMIC_DISPATCH(warp_row)
      (request.second.gray, {space.base.u.row(y), space.base.v.row(y), y}, difference,
       space.valid.row(y));
      HWY_DYNAMIC_DISPATCH(compare_row)(request.first.gray.row(y), width, mean, difference);
      repeat_border(mean, width);
      repeat_border(difference, width);
    }
  });
  if (request.first.masked() || request.second.masked()) leave_out_masked(request, space, exec);
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      const auto row = [&](int k) {
        return static_cast<const float*>(space.mean.row(lk::clamped(y + k, height)));
      };
      const float* here = row(0);
      HWY_DYNAMIC_DISPATCH(derive_row)
      ({here - 2, here - 1, here + 1, here + 2}, width, space.dx.row(y));
      HWY_DYNAMIC_DISPATCH(derive_row)({row(-2), row(-1), row(1), row(2)}, width, space.dy.row(y));
      repeat_border(space.dx.row(y), width);
      repeat_border(space.dy.row(y), width);
    }
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
