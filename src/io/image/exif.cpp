#include "io/image/exif.h"

#include <cstdint>

namespace fovea::io {
namespace {

constexpr unsigned kOrientationTag = 0x0112;
constexpr unsigned kShort = 3, kLong = 4;

// Reads numbers in either byte order; bytes outside the data read as 0.
struct ExifBytes {
  std::span<const std::byte> data;
  bool big_endian;

  std::uint32_t number(std::size_t offset, std::size_t bytes) const {
    if (offset > data.size() || bytes > data.size() - offset) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t at = big_endian ? i : bytes - 1 - i;
      value = value << 8 | static_cast<std::uint32_t>(data[offset + at]);
    }
    return value;
  }
};

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  if (exif.size() < 8) return 1;
  const bool big_endian = exif[0] == std::byte{'M'};
  const ExifBytes bytes{exif, big_endian};
  if (exif[0] != exif[1] || (!big_endian && exif[0] != std::byte{'I'}) || bytes.number(2, 2) != 42)
    return 1;
  const std::size_t directory = bytes.number(4, 4);
  const std::uint32_t entries = bytes.number(directory, 2);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + 12 * static_cast<std::size_t>(i);
    if (entry + 12 > exif.size()) break;
    if (bytes.number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t type = bytes.number(entry + 2, 2);
    const std::uint32_t value = type == kShort  ? bytes.number(entry + 8, 2)
                                : type == kLong ? bytes.number(entry + 8, 4)
                                                : 0;
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

std::array<unsigned char, 26> make_exif(int orientation) {
  return {'M', 'M', 0, 42, 0, 0, 0, 8,  // header, directory at 8
          0,   1,                       // one entry
          1,   18,  0, 3,  0, 0, 0, 1, 0, static_cast<unsigned char>(orientation),
          0,   0,   0, 0,  0, 0};  // no further directory
}

}  // namespace fovea::io
