#pragma once
#include <fovea/api.h>

#include <cstdint>

namespace fovea::report {

// An sRGB colour.
struct Colour {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour kBlack{0, 0, 0};
inline constexpr Colour kWhite{255, 255, 255};

// Colours for ids and classes, far apart also for eyes that confuse red and green; the index wraps,
// and negative ones count from the end.
inline constexpr int kPaletteSize = 14;
FOVEA_API Colour palette(int index);

// Brightness on a one-channel image; r for a grey.
FOVEA_API std::uint8_t grey_of(Colour colour);
// Black or white, whichever is easier to read on this colour.
FOVEA_API Colour readable_on(Colour background);

}  // namespace fovea::report
