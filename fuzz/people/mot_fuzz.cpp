// Any bytes as MOT challenge text: refused with one line, or boxes of finite numbers.
#include <fovea/core/error.h>
#include <fovea/people/mot.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea::people;
  for (const bool identities : {true, false}) {
    try {
      const auto boxes = parse_mot({reinterpret_cast<const std::byte*>(data), size}, "fuzz",
                                   {.identities = identities});
      for (const MotBox& box : boxes)
        if (!std::isfinite(box.box.area()) || !(box.box.width > 0) || box.frame < 0) std::abort();
    } catch (const fovea::FormatError& error) {
      if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    }
  }
  return 0;
}
