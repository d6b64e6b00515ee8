// A working image: rows have margins on both sides, so that loops over whole vectors may read and
// write a little past either end. It keeps its memory when its size changes.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>

namespace fovea::flow::lk {

template <class T>
class Plane {
 public:
  static constexpr int kMargin = 64 / static_cast<int>(sizeof(T));

  void resize(int width, int height) {
    width_ = width;
    height_ = height;
    stride_ = (static_cast<std::ptrdiff_t>(width) + 3 * kMargin - 1) / kMargin * kMargin;
    // There is one more row, for the neighbors of the last.
    const auto size = static_cast<std::size_t>(stride_) * (static_cast<std::size_t>(height) + 1);
    if (memory_.size() >= size) return;
    memory_ = Array<T>(size);
    std::fill(memory_.begin(), memory_.end(), T{});
  }
  void release() { *this = Plane(); }

  int width() const { return width_; }
  int height() const { return height_; }
  std::ptrdiff_t stride() const { return stride_; }
  T* row(int y) { return memory_.data() + y * stride_ + kMargin; }
  const T* row(int y) const { return memory_.data() + y * stride_ + kMargin; }
  ImageView<T> view() { return {row(0), width_, height_, 1, stride_, Memory::kHost}; }
  ImageView<const T> view() const { return {row(0), width_, height_, 1, stride_, Memory::kHost}; }

 private:
  Array<T> memory_;
  int width_ = 0;
  int height_ = 0;
  std::ptrdiff_t stride_ = 0;
};

}  // namespace fovea::flow::lk
