#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// Halves an image in both directions by the kernel 1 4 6 4 1 / 16 along columns and rows (Burt and
// Adelson, "The Laplacian pyramid as a compact image code", 1983), reflected about the border
// pixel. `out` is (width + 1) / 2 x (height + 1) / 2; there are 1 to 4 channels. Bytes are rounded
// to nearest, halves up. A NaN or infinite pixel makes the outputs whose kernel covers it NaN or
// infinite. CPU and CUDA agree to the bit.
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
  PyramidSource source = PyramidSource::kOriginal;  // gaussian always takes the previous level
  double ratio = 2;         // size of a level divided by the size of the next; 1.01 to 16
  int levels = 0;           // greatest number of levels, including the image; 0 sets no limit
  Extent min_size{16, 16};  // least size of a level; the image itself is always a level
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, PyramidOptions& options);

// The sizes of the levels of an image, beginning with its own. Made from the original, level k has
// the image's size divided by ratio^k; made from the previous level, it has that level's size
// divided by ratio. Sizes are rounded to nearest, halves up; gaussian rounds up. The list ends
// before a level below the least size, and before one that rounding would make as large as the
// level before it.
FOVEA_API std::vector<Extent> pyramid_sizes(int width, int height,
                                            const PyramidOptions& options = {});

// Computes the levels of one image after another. It owns their memory and keeps it between images.
// T is uint8 or float.
template <class T>
class FOVEA_API Pyramid {
 public:
  // Levels lie in `memory` (for kCuda, in that of the GPU that build() works on).
  explicit Pyramid(const PyramidOptions& options = {}, Memory memory = Memory::kHost);

  // Where the image lies in the pyramid's kind of memory, level 0 is the image itself, not a copy:
  // it must then live as long as level 0 is used. The levels of an earlier image are overwritten.
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
