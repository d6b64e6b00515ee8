#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

// What is described: the responses of a bank of 32 filters, or histograms of gradient directions
// around a place.
enum class WordSource : unsigned char { kFilters, kGradients };
FOVEA_API std::span<const Choice> choices(WordSource);
enum class Color : unsigned char { kGray, kLab };
FOVEA_API std::span<const Choice> choices(Color);

// How the places of an image are described by numbers.
struct DescriptorOptions {
  WordSource words = WordSource::kFilters;
  Color color = Color::kGray;  // lab: of lightness and both color axes, three times as many
  int step = 0;    // pixels between described places, each way; 0: every pixel for filters, every
                   // fourth for gradients. 1 to 64
  int cell = 4;    // of gradients: pixels across one of the 4x4 cells around a place; 2 to 32
  int scales = 3;  // of gradients: cells of this size, 1.5 times, 2.25 times ... as well; 1 to 6
};
FOVEA_API void describe(OptionVisitor& visit, DescriptorOptions& options);

// The bank of Chen ("CUDA-based bag-of-words scene recognition", after the course assignment of
// O'Toole): at each of 8 sizes a Gaussian, a Laplacian of a Gaussian, and the Gaussian's difference
// from left to right and from top to bottom. Filter 4 s + i is the i-th of size s.
constexpr int kBankSizes[8] = {3, 5, 7, 9, 11, 17, 21, 31};
constexpr double kBankSigmas[8] = {0.3, 0.5, 1, 1.5, 2, 3, 4, 6};
constexpr int kBankFilters = 32;
// Its kernel as correlation has it: what lies under it is multiplied and added.
FOVEA_API Image<float> bank_kernel(int filter);

// Numbers a place: 32 for filters, 128 for gradients, three times that in Lab.
FOVEA_API int dimensions(const DescriptorOptions& options);

// Places on a grid: the first `left`, `top`; `step` pixels apart.
struct PlaceGrid {
  int left = 0;
  int top = 0;
  int step = 1;
  int columns = 0;
  int rows = 0;
  int cell = 0;  // of gradients, pixels

  std::int64_t count() const { return static_cast<std::int64_t>(columns) * rows; }
};
// Where an image of this size is described: one grid for filters, one a scale for gradients.
// Gradients are described where all 4x4 cells lie inside; scales that fit nowhere have no grid, and
// an image too small for the first has one place in its middle.
FOVEA_API std::vector<PlaceGrid> place_grids(const DescriptorOptions& options, int width,
                                             int height);

// The descriptors of all places, one a row, grid after grid, line after line. The image has 1 or 3
// channels (gray, RGB) of bytes and any size from 1x1 on; beyond its border the border's pixels
// repeat. Brightness counts from 0 to 1; Lab is CIE L*a*b* of sRGB (D65) divided by 100. In Lab the
// numbers of L stand first, then those of a, then of b. CPU and CUDA agree to the bit.
FOVEA_API Image<float> descriptors(ImageView<const std::uint8_t> image,
                                   const DescriptorOptions& options = {}, const Exec& exec = {});

}  // namespace fovea::scenes
