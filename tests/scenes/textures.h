// Small pictures of three kinds: stripes, spots and noise.
#pragma once
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/image_set.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fovea::scenes {

inline Image<std::uint8_t> texture(int kind, int number) {
  Random random(77, static_cast<std::uint64_t>(kind * 1000 + number));
  const auto below = [&](int count) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(count)));
  };
  Image<std::uint8_t> image(44 + below(12), 40 + below(12), 3);
  const int period = 5 + below(4), phase = below(8), bright = 150 + below(80);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      int value = below(20);
      const int u = (x + phase) % period, v = (y + phase) % period;
      if (kind == 0 && u < period / 2) value += bright;
      if (kind == 1 && u < 2 && v < 2) value += bright;
      if (kind == 2) value = below(256);
      for (int c = 0; c < 3; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>(std::min(value, 255));
    }
  return image;
}

// `each` pictures of every kind, in turn. Those in `broken` cannot be read.
class Textures final : public io::ImageSet {
 public:
  explicit Textures(int each, std::set<int> broken = {}) : each_(each), broken_(std::move(broken)) {
    for (int i = 0; i < count(); ++i) labels.push_back(i % 3);
  }
  int count() const override { return 3 * each_; }
  Image<std::uint8_t> read(int index) const override {
    if (broken_.contains(index)) throw FormatError("picture " + std::to_string(index) + ": broken");
    return texture(index % 3, index / 3);
  }

  std::vector<std::int32_t> labels;
  std::vector<std::string> classes{"stripes", "spots", "noise"};

 private:
  int each_;
  std::set<int> broken_;
};

}  // namespace fovea::scenes
