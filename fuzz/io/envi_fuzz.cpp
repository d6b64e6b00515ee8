// Any bytes as an ENVI file: a header up to the first zero, samples after it. Refused with one
// line, or a cube.
#include <fovea/io/cube_io.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "io/fuzz_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view header = text.substr(0, text.find('\0'));
  const std::size_t samples = std::min(header.size() + 1, size);
  try {
    fovea::io::read_envi(header, std::as_bytes(std::span(data, size)).subspan(samples), "fuzz",
                         {.most_bytes = fovea::fuzz::kMostBytes});
  } catch (const fovea::FormatError& error) {
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}
