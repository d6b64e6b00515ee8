// Prefix sums inside a 128-bit vector; compiled once per instruction set.
#if defined(FOVEA_INTEGRAL_PREFIX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_INTEGRAL_PREFIX_INL
#undef FOVEA_INTEGRAL_PREFIX_INL
#else
#define FOVEA_INTEGRAL_PREFIX_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {

// Lane i becomes the sum of lanes 0 to i (Hillis and Steele, 1986).
template <class D, class V>
HWY_INLINE V prefix(D d, V v) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  static_assert(kLanes == 2 || kLanes == 4 || kLanes == 8);
  v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
  if constexpr (kLanes >= 4) v = hn::Add(v, hn::ShiftLeftLanes<2>(d, v));
  if constexpr (kLanes >= 8) v = hn::Add(v, hn::ShiftLeftLanes<4>(d, v));
  return v;
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();
#endif
