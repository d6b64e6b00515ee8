// The pixels from which a cascade computes gradients: planes of one channel each, of the image and
// of its levels.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/people/scan.h>

#include <span>
#include <vector>

#include "people/cascade/cascade_rows.h"

namespace fovea::people::cpu {

// One plane (gray) or three of an image. A gray image is not copied.
class SourcePlanes {
 public:
  void set(ImageView<const std::uint8_t> image, bool color, const Exec& exec);
  std::span<const ImageView<const std::uint8_t>> planes() const { return planes_; }

 private:
  std::vector<Image<std::uint8_t>> own_;
  std::vector<ImageView<const std::uint8_t>> planes_;
};

// The padded planes of one level. It keeps its memory from level to level.
class LevelPlanes {
 public:
  void build(const SourcePlanes& source, const ScanPlan& plan, const ScanLevel& level,
             const Exec& exec);

  int planes() const { return planes_; }
  int width() const { return width_; }
  int height() const { return height_; }
  // The two rows of pixels that begin at (x, y), and the rows above and below; rows are repeated at
  // the border.
  void point(PatchRow& row, int x, int y) const;

 private:
  const std::uint8_t* pixel(int plane, int x, int y) const;

  std::vector<std::uint8_t> pixels_;
  int planes_ = 0;
  int width_ = 0;
  int height_ = 0;
  std::ptrdiff_t stride_ = 0;
};

// The integral histogram of one window whose corner is the pixel (x, y), with window.width / 2 + 1
// positions per row and no gaps. Training keeps a sample in this form.
class WindowSums {
 public:
  explicit WindowSums(Extent window);
  std::size_t size() const { return static_cast<std::size_t>(columns_) * rows_ * cascade::kBins; }
  void fill(const LevelPlanes& level, int x, int y, std::span<std::uint32_t> out);

 private:
  int columns_;
  int rows_;
  std::vector<std::uint32_t> line_[2];
};

}  // namespace fovea::people::cpu
