#include "io/fuzz_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz::fuzz_image(data, size, "PF");
  return fovea::fuzz::fuzz_image(data, size, "Pf");
}
