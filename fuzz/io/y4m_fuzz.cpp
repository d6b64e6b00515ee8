// Any bytes as a y4m stream: frames or an exception, in every color and depth asked for.
#include <fovea/core/error.h>
#include <fovea/io/video.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  for (const bool deep : {false, true}) {
    std::FILE* stream = fmemopen(const_cast<std::uint8_t*>(data), size, "rb");
    if (stream == nullptr) return 0;
    try {
      fovea::io::VideoReader reader(
          stream, "fuzz",
          {.color = deep ? fovea::io::VideoColor::kGray : fovea::io::VideoColor::kRgb,
           .deep = deep,
           .count = 16});
      for (fovea::io::Frame frame; reader.next(frame);) {
      }
    } catch (const fovea::Error&) {
    }
    std::fclose(stream);
  }
  return 0;
}
