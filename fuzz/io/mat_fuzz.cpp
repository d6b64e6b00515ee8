// Any bytes as a .mat file: refused with one line, or a cube.
#include <fovea/io/cube_io.h>

#include <cstdlib>
#include <cstring>

#include "io/fuzz_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    fovea::io::read_cube(std::as_bytes(std::span(data, size)), "fuzz.mat",
                         {.most_bytes = fovea::fuzz::kMostBytes});
  } catch (const fovea::FormatError& error) {
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}
