// Any bytes as a model of scenes: refused, or one that tells an image's class.
#include <fovea/core/error.h>
#include <fovea/scenes/features.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "scenes/classify/model_parts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fovea;
  constexpr int kSide = 24;
  try {
    const scenes::Model model = scenes::parse_model(
        io::ModelFile::parse({reinterpret_cast<const std::byte*>(data), size}, "fuzz"));
    Image<std::uint8_t> image(kSide, kSide);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) image.at(x, y) = static_cast<std::uint8_t>(x * y + 3 * x);
    scenes::FeatureOptions options;
    options.pyramid = model.pyramid;
    options.exec.device = Device::cpu();
    options.exec.threads = 1;
    scenes::FeatureMaker maker(model.dictionary, options);
    const std::vector<float> features = maker.make(image);
    const Image<float> scores = model.classifier.scores(
        packed_view(features.data(), static_cast<int>(features.size()), 1), options.exec);
    for (int c = 0; c < scores.width(); ++c)
      if (std::isnan(scores.at(c, 0))) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
