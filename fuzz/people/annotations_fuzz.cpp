// Any bytes as annotations: refused with one line, or boxes of finite numbers.
#include <fovea/core/error.h>
#include <fovea/people/annotations.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea::people;
  try {
    const auto images =
        parse_annotations({reinterpret_cast<const std::byte*>(data), size}, "fuzz", {.label = ""});
    for (const AnnotatedImage& image : images) {
      for (const Annotation& person : image.people) {
        if (!std::isfinite(person.box.area()) || !(person.box.width >= 0)) std::abort();
      }
    }
  } catch (const fovea::FormatError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
