#include "io/fuzz_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fovea::fuzz::fuzz_image(data, size, "II");
  return fovea::fuzz::fuzz_image(data, size, "MM");
}
