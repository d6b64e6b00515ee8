// Small dictionaries with a code, learned from a picture.
#pragma once
#include <fovea/core/random.h>
#include <fovea/scenes/dictionary.h>

#include "support/images.h"

namespace fovea::scenes {

// Half noise, half patches whose pixels resemble each other, as photos are.
inline Image<std::uint8_t> patchwork(std::uint64_t seed, int width, int height, int channels = 3) {
  Random random(seed);
  auto image = test::random_image<std::uint8_t>(random, width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        if (x / 24 % 2 == y / 17 % 2)
          image.at(x, y, c) = static_cast<std::uint8_t>((x / 24 * 37 + y / 17 * 91 + c * 60) % 256);
  return image;
}

inline Dictionary coded_dictionary(Coding coding, const DescriptorOptions& descriptor, int words,
                                   int components) {
  DescriptorOptions host = descriptor;
  host.exec = {.device = Device::cpu()};
  const Image<float> samples = sample_descriptors(patchwork(3, 90, 80), 0, 40 * words, host);
  DictionaryOptions options{.words = words, .coding = coding, .components = components};
  options.kmeans.max_iterations = 8;
  options.exec = {.device = Device::cpu()};
  return learn_dictionary(samples.view(), descriptor, options);
}

}  // namespace fovea::scenes
