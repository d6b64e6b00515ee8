// Any bytes as a model of another program: refused, or as many finite weights as its descriptor has
// numbers.
#include <fovea/core/error.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "people/import_model.h"
#include "people/model_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea::people;
  try {
    HogOptions hog;
    hog.window.width = hog.window.height = 16;
    hog.bins = 4;
    const Model model =
        parse_foreign_model({reinterpret_cast<const char*>(data), size}, "fuzz", hog);
    const auto& linear = std::get<LinearModel>(model.classifier);
    if (linear.weights.size() != static_cast<std::size_t>(descriptor_size(linear.hog)))
      std::abort();
    for (const float weight : linear.weights)
      if (!std::isfinite(weight)) std::abort();
    if (!std::isfinite(linear.bias)) std::abort();
  } catch (const fovea::Error&) {
  }
  return 0;
}
