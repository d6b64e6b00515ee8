// Any bytes as a model of people: refused, or one that scans an image.
#include <fovea/core/error.h>
#include <fovea/people/detector.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "people/model_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea;
  constexpr int kSide = 72;
  try {
    people::Model model = people::parse_model(
        io::ModelFile::parse({reinterpret_cast<const std::byte*>(data), size}, "fuzz"));
    const Extent window = model.window();
    if (window.width > kSide || window.height > kSide) return 0;
    Image<std::uint8_t> image(kSide, kSide);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) image.at(x, y) = static_cast<std::uint8_t>(x * y + 3 * x);
    people::DetectOptions options;
    options.scan.ratio = 2;
    options.exec.device = Device::cpu();
    options.exec.threads = 1;
    for (const float score :
         people::Detector(std::make_shared<const people::Model>(std::move(model)), options)
             .scores(image))
      if (std::isnan(score)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
