// Arithmetic of the grey conversion that both twins share.
#pragma once
#include <fovea/api.h>

#include <cmath>
#include <cstdint>

namespace fovea::flow {

FOVEA_HD inline float brightness(const float* pixel) {
  return (0.299F * pixel[0] + 0.587F * pixel[1]) + 0.114F * pixel[2];
}
template <class T>
FOVEA_HD inline float brightness(const T* pixel, int channels) {
  if (channels < 3) return static_cast<float>(pixel[0]);
  const float colours[3] = {static_cast<float>(pixel[0]), static_cast<float>(pixel[1]),
                            static_cast<float>(pixel[2])};
  return brightness(colours);
}

// A NaN is black.
FOVEA_HD inline float grey_level(float value, float low, float scale) {
  const float grey = (value - low) * scale;
  if (!(grey > 0)) return 0;
  return grey < 255 ? grey : 255;
}

// Every how manyth pixel of every how manyth row is looked at for the range.
inline int sampling_step(int width, int height) {
  const double pixels = static_cast<double>(width) * height;
  const auto step = static_cast<int>(std::sqrt(pixels / (1 << 14)));
  return step > 1 ? step : 1;
}

// The histogram of the samples.
constexpr int kGreyBins = 4096;
FOVEA_HD inline int grey_bin(float value, float least, float per_level) {
  const auto bin = static_cast<int>((value - least) * per_level);
  return bin < 0 ? 0 : bin < kGreyBins ? bin : kGreyBins - 1;
}
constexpr int kGreyTail = 1024;  // one sample in so many may lie outside at either end

}  // namespace fovea::flow
