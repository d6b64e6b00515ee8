// libpng checks each chunk's sum before it looks inside, so that most mutations would end there:
// the bytes are read as they are, and once more with the sums put right.
#include <vector>

#include "io/fuzz_image.h"

namespace {

std::uint32_t crc(std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = 0xffffffffU;
  for (const std::uint8_t byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

void repair_sums(std::vector<std::uint8_t>& file) {
  for (std::size_t chunk = 8; chunk + 12 <= file.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | file[chunk + i];
    if (length > file.size() - chunk - 12) return;
    const std::uint32_t sum = crc(std::span(file).subspan(chunk + 4, length + 4));
    for (std::size_t i = 0; i < 4; ++i)
      file[chunk + 8 + length + i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    chunk += length + 12;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz::fuzz_image(data, size, "\x89PNG");
  std::vector<std::uint8_t> repaired(data, data + size);
  repair_sums(repaired);
  return fovea::fuzz::fuzz_image(repaired.data(), repaired.size(), "\x89PNG");
}
