#pragma once
#include <fovea/core/api.h>

#include <cstdint>

namespace fovea::report {

// An sRGB color.
struct Color {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

inline constexpr Color kBlack{0, 0, 0};
inline constexpr Color kWhite{255, 255, 255};

// Colors for ids and classes that are easy to distinguish, also for people who confuse red and
// green. The index wraps around, and negative ones count from the end.
inline constexpr int kPaletteSize = 14;
FOVEA_API Color palette(int index);

// The brightness of a color as one channel; for a gray color it is r.
FOVEA_API std::uint8_t gray_of(Color color);
// Black or white, whichever is easier to read on this color.
FOVEA_API Color readable_on(Color background);

}  // namespace fovea::report
