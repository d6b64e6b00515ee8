// Lines of an image by their index, of which the last few are kept.
#pragma once
#include <fovea/core/memory.h>

#include <algorithm>

namespace fovea::scenes::cpu {

template <class T>
class LineRing {
 public:
  // Starts again with lines of zeros; `origin` is the index of the first.
  void reset(int capacity, std::ptrdiff_t pitch, int origin) {
    capacity_ = capacity;
    pitch_ = pitch;
    origin_ = origin;
    const auto size = static_cast<std::size_t>(capacity * pitch) + kSlack;
    if (lines_.size() < size) lines_ = Array<T>(size);
    std::fill_n(lines_.data(), size, T{});
  }
  T* line(int y) { return lines_.data() + (y - origin_) % capacity_ * pitch_; }

 private:
  static constexpr std::size_t kSlack = 64;  // loops may read up to four vectors past the last line

  Array<T> lines_;
  int capacity_ = 1;
  std::ptrdiff_t pitch_ = 0;
  int origin_ = 0;
};

}  // namespace fovea::scenes::cpu
