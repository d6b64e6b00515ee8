// What step and propagation share; compiled once per instruction set.
#if defined(FOVEA_LUCAS_KANADE_GATHER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_LUCAS_KANADE_GATHER_INL
#undef FOVEA_LUCAS_KANADE_GATHER_INL
#else
#define FOVEA_LUCAS_KANADE_GATHER_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "flow/lk/lucas_kanade_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {

// Loads four neighbors per position, two at a time, because there is no instruction that gathers
// bytes.
HWY_INLINE void gather_row(const Plane<std::uint8_t>& image,
                           const std::int32_t* HWY_RESTRICT places, int count,
                           std::uint32_t* HWY_RESTRICT quads) {
  const std::uint8_t* above = image.row(0);
  const std::uint8_t* below = above + image.stride();
  for (int k = 0; k < count; ++k) {
    const std::int32_t place = places[k];
    std::uint16_t upper, lower;
    std::memcpy(&upper, above + place, 2);
    std::memcpy(&lower, below + place, 2);
    quads[k] = upper | static_cast<std::uint32_t>(lower) << 16;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
