// The orientation tag of EXIF data (JPEG's APP1 segment, PNG's eXIf chunk).
#pragma once
#include <array>
#include <cstddef>
#include <span>

namespace fovea::io {

// Returns 1 to 8, and 1 where the data has no such tag or is damaged. The data begins with its TIFF
// header.
int exif_orientation(std::span<const std::byte> exif);
// The smallest EXIF data with this orientation.
std::array<unsigned char, 26> make_exif(int orientation);

}  // namespace fovea::io
