// One wide picture with a result of every system, for the top of a page about all of them.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::cli {

class Overview {
 public:
  // A picture either fills its cell, where its longer sides are cut, or is shown as a whole.
  enum class Fit : unsigned char { kFill, kWhole };
  void add(std::string title, ImageView<const std::uint8_t> picture, Fit fit = Fit::kFill);
  // Three pictures per row, with their titles below.
  Image<std::uint8_t> draw() const;

 private:
  struct Entry {
    std::string title;
    Image<std::uint8_t> picture;
  };
  std::vector<Entry> entries_{};
};

}  // namespace fovea::cli
