// Transposes planes of numbers to rows: four numbers of four places at a time.
#include "scenes/describe/describe_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenes/describe/descriptors_turn_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::scenes::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void planes_to_rows_simd(const float* planes, std::ptrdiff_t stride, int count,
                         ImageView<float> rows) {
  const hn::FixedTag<float, 4> d;
  int p = 0;
  for (; p + 4 <= count; p += 4) {
    for (int i = 0; i < rows.width; i += 4) {
      const float* from = planes + i * stride + p;
      const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + stride);
      const auto c = hn::LoadU(d, from + 2 * stride), e = hn::LoadU(d, from + 3 * stride);
      HWY_ALIGN float turned[16];
      hn::StoreInterleaved4(a, b, c, e, d, turned);
      for (int k = 0; k < 4; ++k)
        hn::StoreU(hn::Load(d, turned + static_cast<std::ptrdiff_t>(4) * k), d,
                   rows.row(p + k) + i);
    }
  }
  for (; p < count; ++p)
    for (int i = 0; i < rows.width; ++i) rows.row(p)[i] = planes[i * stride + p];
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::scenes::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::scenes::cpu {
namespace {
HWY_EXPORT(planes_to_rows_simd);
}  // namespace

void planes_to_rows(const float* planes, std::ptrdiff_t stride, int count, ImageView<float> rows) {
  HWY_DYNAMIC_DISPATCH(planes_to_rows_simd)(planes, stride, count, rows);
}

}  // namespace fovea::scenes::cpu
#endif  // HWY_ONCE
