// What frames that lie on a GPU need there before they are mapped, and after. All views lie on the
// GPU of `exec`. The CPU's side stands where it is used: in bands.cpp, colors.cpp and scene.cpp.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>

namespace fovea::emd::cuda {

// Each channel becomes a band.
template <class T>
void split_channels(ImageView<const T> image, StackView<float> bands, const Exec& exec);
// Instantiates it for one type, and for every type of sample.
#define FOVEA_SPLIT(T) \
  template void split_channels(ImageView<const T>, StackView<float>, const Exec&);
#define FOVEA_SPLIT_ALL      \
  FOVEA_SPLIT(std::uint8_t)  \
  FOVEA_SPLIT(std::uint16_t) \
  FOVEA_SPLIT(std::uint32_t) \
  FOVEA_SPLIT(std::int8_t)   \
  FOVEA_SPLIT(std::int16_t)  \
  FOVEA_SPLIT(std::int32_t)  \
  FOVEA_SPLIT(float)         \
  FOVEA_SPLIT(double)

// Makes floats of the samples of all bands.
void widen(StackView<const std::uint16_t> samples, StackView<float> bands, const Exec& exec);
void widen(StackView<const std::int16_t> samples, StackView<float> bands, const Exec& exec);

// The brightness of red, green and blue.
void brightness_of(StackView<const float> bands, ImageView<float> gray, const Exec& exec);

// The index of every pixel's color. The table of a palette lies in host memory.
struct ColorTable {
  float low = 0, high = 0;  // black and white
  std::span<const std::uint8_t> table{};
  bool missing = false;  // whether values that are not finite get no color
};
void label_bands(StackView<const float> bands, const ColorTable& colors,
                 ImageView<std::uint8_t> labels, const Exec& exec);

// Fills a map: values of the box where the mask is not 0, and NaN elsewhere.
void choose(ImageView<const float> values, ImageView<const std::uint8_t> mask, const Rect<int>& box,
            ImageView<float> map, const Exec& exec);

}  // namespace fovea::emd::cuda
