#include "io/fuzz_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fovea::fuzz::fuzz_image(data, size, "RIFF");
}
