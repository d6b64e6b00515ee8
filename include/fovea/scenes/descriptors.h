#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

// What describes a place of an image: the responses of a bank of filters, or histograms of
// gradient directions around it.
enum class WordSource : unsigned char { kFilters, kGradients };
FOVEA_API std::span<const Choice> choices(WordSource);
enum class Color : unsigned char { kGray, kLab };
FOVEA_API std::span<const Choice> choices(Color);

// How the places of an image are turned into numbers.
struct DescriptorOptions {
  WordSource words = WordSource::kFilters;
  Color color = Color::kGray;  // lab describes lightness and both color axes, three times as many
                               // numbers as gray
  int step = 0;    // pixels between described places in both directions, 1 to 64; 0 stands for 1
                   // with filters and 4 with gradients
  int cell = 4;    // gradients: pixels across one of the 4x4 cells around a place, 2 to 32
  int scales = 3;  // gradients: how many sizes of cells, each 1.5 times the one before, 1 to 6
  // filters: pixels across the square kernels of each size of the bank, 1 to 8 odd numbers from 3
  // to 31, and the deviations of their Gaussians in pixels, one per size, 0.1 to 30. The default is
  // the bank of the paper.
  std::vector<int> filter_sizes{3, 5, 7, 9, 11, 17, 21, 31};
  std::vector<double> filter_sigmas{0.3, 0.5, 1, 1.5, 2, 3, 4, 6};
  Exec exec{};  // as a part of other options: the exec given there counts instead
};
FOVEA_API void describe(OptionVisitor& visit, DescriptorOptions& options);

// The filter bank of Chen ("CUDA-based bag-of-words scene recognition", after the course assignment
// of O'Toole). At each size it has a Gaussian, a Laplacian of a Gaussian, and the Gaussian's
// difference from left to right and from top to bottom. Filter 4 s + i is the i-th of size s.
FOVEA_API int bank_filters(const DescriptorOptions& options);
// The kernel of a filter, to be correlated with an image (not flipped as in a convolution).
FOVEA_API Image<float> bank_kernel(int filter, const DescriptorOptions& options = {});

// How many numbers describe a place: 4 per size with filters (32 by default), 128 with gradients,
// three times that in Lab.
FOVEA_API int dimensions(const DescriptorOptions& options);

// Places on a grid. The first one is at (left, top), neighbors are `step` pixels apart.
struct PlaceGrid {
  int left = 0;
  int top = 0;
  int step = 1;
  int columns = 0;
  int rows = 0;
  int cell = 0;  // gradients: pixels across a cell

  std::int64_t count() const { return static_cast<std::int64_t>(columns) * rows; }
};
// Where an image of this size is described: one grid with filters, one per scale with gradients.
// Gradients are described where all 4x4 cells lie inside the image. A scale that fits nowhere has
// no grid, and an image that is too small for the first scale has one place in its middle.
FOVEA_API std::vector<PlaceGrid> place_grids(const DescriptorOptions& options, int width,
                                             int height);

// The descriptors of all places, one per row, grid after grid and line after line. The image has 1
// or 3 channels (gray, RGB) of bytes and may have any size from 1x1 on; beyond its border the
// pixels of the border repeat. Gray levels count from 0 to 1; Lab is CIE L*a*b* of sRGB (D65)
// divided by 100. In Lab the numbers of L come first, then those of a, then those of b. CPU and
// CUDA agree to the bit.
FOVEA_API Image<float> descriptors(ImageView<const std::uint8_t> image,
                                   const DescriptorOptions& options = {});

}  // namespace fovea::scenes
