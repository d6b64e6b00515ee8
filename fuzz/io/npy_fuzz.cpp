#include <fovea/io/npy.h>

#include "io/fuzz_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz::survive(
      [&] { fovea::io::read_array(std::as_bytes(std::span(data, size)), "fuzz"); });
  return fovea::fuzz::fuzz_image(data, size, "\x93NUMPY");
}
