// Any bytes as a model of actions: refused, or one whose prototypes can be made.
#include <fovea/core/error.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "actions/recognize/model_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea;
  try {
    const actions::Model model = actions::parse_model(
        io::ModelFile::parse({reinterpret_cast<const std::byte*>(data), size}, "fuzz"));
    for (const actions::Chain& chain : model.chains())
      for (int y = 0; y < chain.features.height(); ++y)
        for (int x = 0; x < chain.features.width(); ++x)
          if (!std::isfinite(chain.features.at(x, y))) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
