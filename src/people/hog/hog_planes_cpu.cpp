// Rows of bytes as gamma-corrected planes of floats. On x86 a vector of square roots is faster than
// as many look-ups; elsewhere it need not be, and look-ups remain. Both are correctly rounded.
#include "people/hog/hog_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/hog/hog_planes_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kPixels = 16;  // pixels that are taken apart together
using PixelBytes = hn::FixedTag<std::uint8_t, kPixels>;
using PlaneFloats = hn::CappedTag<float, kPixels>;

template <bool kRoot>
HWY_INLINE void store_plane(hn::Vec<PixelBytes> bytes, float* out) {
  const PlaneFloats d;
  const hn::Rebind<std::int32_t, PlaneFloats> integers;
  const hn::Rebind<std::uint8_t, PlaneFloats> few;
  HWY_ALIGN std::uint8_t values[kPixels];
  hn::Store(bytes, PixelBytes(), values);
  for (std::size_t i = 0; i < kPixels; i += hn::Lanes(d)) {
    const auto value = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(few, values + i)));
    if constexpr (kRoot) hn::StoreU(hn::Sqrt(value), d, out + i);
    else hn::StoreU(value, d, out + i);
  }
}

// Returns the number of pixels that whole vectors hold.
template <bool kRoot>
int whole_vectors(const PlaneJob& job) {
  const PixelBytes d;
  const std::uint8_t* from = job.pixels;
  int x = 0;
  for (; x + kPixels <= job.count; x += kPixels, from += kPixels * job.step) {
    hn::Vec<PixelBytes> r, g, b, a;
    if (job.step == 3) hn::LoadInterleaved3(d, from, r, g, b);
    else if (job.step == 4) hn::LoadInterleaved4(d, from, r, g, b, a);
    else r = g = b = hn::LoadU(d, from);
    store_plane<kRoot>(r, job.planes[0] + x);
    if (job.channels == 1) continue;
    store_plane<kRoot>(g, job.planes[1] + x);
    store_plane<kRoot>(b, job.planes[2] + x);
  }
  return x;
}

void plane_row_simd(const PlaneJob& job) {
  int x = 0;
  if (!job.square_root) x = whole_vectors<false>(job);
  else if (HWY_ARCH_X86) x = whole_vectors<true>(job);
  for (int c = 0; c < job.channels; ++c) {
    const std::uint8_t* in = job.pixels + c;
    for (int k = x; k < job.count; ++k)
      job.planes[c][k] = job.table[in[static_cast<std::ptrdiff_t>(k) * job.step]];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(plane_row_simd);
}  // namespace

void plane_row(const PlaneJob& job) { HWY_DYNAMIC_DISPATCH(plane_row_simd)(job); }

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
