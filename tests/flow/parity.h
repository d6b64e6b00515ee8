// What the tests share that hold the CUDA twins of flow against those of the CPU.
#pragma once
#include <fovea/core/random.h>
#include <fovea/flow/flow.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::flow::parity {

// Waves, edges and noise with plain parts between, seen `shift` pixels further on and a little
// turned.
template <class T>
Image<T> picture(int width, int height, int channels, double shift) {
  Image<T> image(width, height, channels);
  Random random(5);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        const double px = x + shift + 0.02 * y, py = y + 0.5 * shift - 0.01 * x;
        const double wave = 50 * std::sin(0.21 * px + c) + 40 * std::sin(0.17 * py);
        const double edge = std::fmod(std::abs(px), 37.0) < 18 ? 20 : -20;
        const bool plain = static_cast<int>(std::abs(py)) / 30 % 4 == 2;
        image.at(x, y, c) =
            static_cast<T>(plain ? 90.0 : 120 + wave + edge + static_cast<double>(random.below(8)));
      }
  return image;
}

// A disc, a corner and single pixels that do not count.
inline Image<std::uint8_t> holes(int width, int height) {
  Image<std::uint8_t> mask(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int dx = x - width / 2, dy = y - height / 3;
      const bool hole = dx * dx + dy * dy < 900 || (x < width / 4 && y > height / 2) ||
                        (x * 7 + y * 13) % 97 == 0;
      mask.at(x, y) = hole ? 0 : 255;
    }
  return mask;
}

inline void expect_equal(const Image<float>& cpu, const Image<float>& gpu, const char* what) {
  int different = 0;
  for (int y = 0; y < cpu.height(); ++y)
    for (int x = 0; x < cpu.width(); ++x) {
      if (cpu.at(x, y) == gpu.at(x, y)) continue;
      if (different++ < 3)
        ADD_FAILURE() << what << " (" << x << ", " << y << "): " << cpu.at(x, y) << " and "
                      << gpu.at(x, y);
    }
  EXPECT_EQ(different, 0) << what << " of " << cpu.width() << "x" << cpu.height();
}
// Wherever the second lies.
inline void expect_equal(const Flow& cpu, const Flow& gpu) {
  expect_equal(cpu.u, clone(gpu.u), "u");
  expect_equal(cpu.v, clone(gpu.v), "v");
  expect_equal(cpu.confidence, clone(gpu.confidence), "confidence");
}

}  // namespace fovea::flow::parity
