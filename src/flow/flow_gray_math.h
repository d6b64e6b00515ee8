// Arithmetic of the gray conversion that both twins share.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>

namespace fovea::flow {

// gray = (brightness - low) * scale, limited to 0 to 255.
struct GrayRange {
  float low = 0;
  float scale = 0;
  bool operator==(const GrayRange&) const = default;
};

FOVEA_HD inline float brightness(const float* pixel) {
  return (0.299F * pixel[0] + 0.587F * pixel[1]) + 0.114F * pixel[2];
}
template <class T>
FOVEA_HD inline float brightness(const T* pixel, int channels) {
  if (channels < 3) return static_cast<float>(pixel[0]);
  const float colors[3] = {static_cast<float>(pixel[0]), static_cast<float>(pixel[1]),
                           static_cast<float>(pixel[2])};
  return brightness(colors);
}

// NaN becomes black.
FOVEA_HD inline float gray_level(float value, float low, float scale) {
  const float gray = (value - low) * scale;
  if (!(gray > 0)) return 0;
  return gray < 255 ? gray : 255;
}

// The range is computed from every n-th pixel of every n-th row.
inline int sampling_step(int width, int height) {
  const double pixels = static_cast<double>(width) * height;
  const auto step = static_cast<int>(std::sqrt(pixels / (1 << 14)));
  return step > 1 ? step : 1;
}

// The histogram of the samples.
constexpr int kGrayBins = 4096;
FOVEA_HD inline int gray_bin(float value, float least, float per_level) {
  const float place = (value - least) * per_level;
  // If the range is so narrow that per_level is infinite, its least value becomes NaN.
  if (!(place > 0)) return 0;
  return place < kGrayBins ? static_cast<int>(place) : kGrayBins - 1;
}
// Returns the range between two bins.
FOVEA_HD inline GrayRange range_between(float least, float width, int low, int high) {
  const float unit = width / (kGrayBins - 1);
  const int bins = high > low ? high - low : 1;
  return {least + static_cast<float>(low) * unit, 255.0F / (static_cast<float>(bins) * unit)};
}
constexpr int kGrayTail = 1024;  // one sample in this many may lie outside at either end

}  // namespace fovea::flow
