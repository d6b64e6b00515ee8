// CRC-32 of IEEE 802.3 (polynomial 0xEDB88320 reflected), eight bytes per step: the checksum of
// gzip, PNG and Python's zlib.crc32. It detects every change of a single byte.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace fovea::io {

inline constexpr auto kCrcTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    tables[0][i] = crc;
  }
  for (std::size_t t = 1; t < 8; ++t)
    for (std::size_t i = 0; i < 256; ++i)
      tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xFFU];
  return tables;
}();

// Continues `crc` (0 at the start) over more bytes.
inline std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0) {
  static_assert(std::endian::native == std::endian::little);
  const auto& table = kCrcTables;
  crc = ~crc;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= table[7 - k][word >> (8 * k) & 0xFFU];
  }
  for (; i < bytes.size(); ++i)
    crc = crc >> 8 ^ table[0][(crc ^ static_cast<std::uint32_t>(bytes[i])) & 0xFFU];
  return ~crc;
}

}  // namespace fovea::io
