// Reads bytes in every way an image can be read. A FormatError is an answer; anything else that
// leaves here is a bug.
#pragma once
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fovea::fuzz {

constexpr std::uint64_t kMostBytes = 64 << 20;  // keeps a run short; refusing is an answer too

template <class Read>
void survive(Read read) {
  try {
    read();
  } catch (const FormatError&) {
  }
}

inline void read_image_every_way(std::span<const std::byte> data) {
  survive([&] { io::image_info(data, "fuzz"); });
  survive([&] {
    io::read_image(
        data, "fuzz",
        {.orientation = io::Orientation::kApply, .partial = true, .most_bytes = kMostBytes});
  });
  survive([&] { io::read_pages(data, "fuzz", {.most_bytes = kMostBytes}); });
}

// Only where the bytes begin as the format does: each format has a fuzzer of its own.
inline int fuzz_image(const std::uint8_t* data, std::size_t size, std::string_view magic) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with(magic)) read_image_every_way(std::as_bytes(std::span(data, size)));
  return 0;
}

}  // namespace fovea::fuzz
