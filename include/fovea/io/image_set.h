#pragma once
#include <fovea/core/image.h>
#include <fovea/io/image_io.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fovea::io {

// Images that are read one at a time, so that a large set need not fit in memory.
class FOVEA_API ImageSet {
 public:
  virtual ~ImageSet() = default;
  virtual int count() const = 0;
  // May be called from several threads at once.
  virtual Image<std::uint8_t> read(int index) const = 0;
  // What messages call an image: its path, or "image 3".
  virtual std::string name(int index) const;
};

// An image of any depth as RGB bytes: alpha is dropped, a gray level becomes three equal ones, and
// NaN becomes 0. Throws InvalidArgument that begins with `name` where the image has another number
// of channels.
FOVEA_API Image<std::uint8_t> to_rgb_bytes(const AnyImage& image, const std::string& name);

// The images of a list of files, as RGB.
class FOVEA_API ImageFileSet final : public ImageSet {
 public:
  // Files of more pixels than `max_pixels` are refused when they are read; 0 is no limit.
  explicit ImageFileSet(std::vector<std::string> paths,
                        std::uint64_t max_pixels = ImageReadOptions{}.max_pixels)
      : paths_(std::move(paths)), max_pixels_(max_pixels) {}
  int count() const override { return static_cast<int>(paths_.size()); }
  Image<std::uint8_t> read(int index) const override;
  std::string name(int index) const override { return path(index); }
  const std::string& path(int index) const { return paths_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::string> paths_;
  std::uint64_t max_pixels_;
};

}  // namespace fovea::io
