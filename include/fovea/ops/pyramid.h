#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// Half an image each way by the kernel 1 4 6 4 1 / 16 along columns and rows (Burt and Adelson,
// "The Laplacian pyramid as a compact image code", 1983), borders reflected about the border pixel.
// `out` is (width + 1) / 2 x (height + 1) / 2; 1 to 4 channels. Bytes are rounded to nearest,
// halves up. CPU and CUDA agree to the bit.
FOVEA_API void gaussian_halve(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                              const Exec& exec = {});
FOVEA_API void gaussian_halve(ImageView<const float> image, ImageView<float> out,
                              const Exec& exec = {});

// How a level is made: sampled bilinearly, averaged under a triangle (the anti-aliased resize), or
// smoothed and halved by gaussian_halve().
enum class PyramidFilter : unsigned char { kBilinear, kTriangle, kGaussian };
FOVEA_API std::span<const Choice> choices(PyramidFilter);

// What a level is made from: the image itself (one interpolation, all levels at once on a GPU), or
// the level before it (fewer pixels to read, smoother).
enum class PyramidSource : unsigned char { kOriginal, kPrevious };
FOVEA_API std::span<const Choice> choices(PyramidSource);

struct PyramidOptions {
  PyramidFilter filter = PyramidFilter::kBilinear;  // how a level is made; gaussian needs ratio 2
  PyramidSource source = PyramidSource::kOriginal;  // from what; gaussian always from the previous
  double ratio = 2;     // size of a level over that of the next; 1.01 to 16
  int levels = 0;       // at most so many, the image included; 0: as many as the least sizes allow
  int min_width = 16;   // no level is narrower; the image itself is always there
  int min_height = 16;  // nor lower
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, PyramidOptions& options);

struct LevelSize {
  int width = 0;
  int height = 0;
  bool operator==(const LevelSize&) const = default;
};

// Sizes of the levels of an image, its own first. Level k from the original is the image's size
// over ratio^k, from the previous that level's size over ratio, each rounded to nearest, halves up;
// gaussian rounds up. Ends before a level below the least size, and before one that rounding would
// make as large as the level before it.
FOVEA_API std::vector<LevelSize> pyramid_sizes(int width, int height,
                                               const PyramidOptions& options = {});

// The levels of one image after another. Owns their memory and keeps it between images. For uint8
// and float.
template <class T>
class FOVEA_API Pyramid {
 public:
  // Levels lie in `memory` (of the GPU that build() works on, if it is kCuda).
  explicit Pyramid(const PyramidOptions& options = {}, Memory memory = Memory::kHost);

  // Level 0 is the image itself, not a copy, where that lies in the pyramid's kind of memory: it
  // must then live as long as level 0 is used. Levels before are overwritten.
  void build(ImageView<const T> image);

  int levels() const { return static_cast<int>(views_.size()); }
  ImageView<const T> level(int index) const { return views_[static_cast<std::size_t>(index)]; }
  const PyramidOptions& options() const { return options_; }

 private:
  void lay_out(ImageView<const T> image);

  PyramidOptions options_;
  Memory memory_;
  Array<T> pixels_;                        // of all levels, one after another
  std::vector<ImageView<T>> own_;          // the levels in it
  std::vector<ImageView<const T>> views_;  // all levels
};

}  // namespace fovea
