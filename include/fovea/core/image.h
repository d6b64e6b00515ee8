#pragma once
#include <fovea/core/memory.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace fovea {

template <class T>
struct StackView;

// A rectangle of pixels that someone else owns. Rows begin `stride` elements apart; the channels of
// a pixel are neighbors.
template <class T>
struct ImageView {
  T* data = nullptr;
  int width = 0;
  int height = 0;
  int channels = 1;
  std::ptrdiff_t stride = 0;
  Memory memory = Memory::kHost;

  FOVEA_HD T* row(int y) const { return data + y * stride; }
  FOVEA_HD T& at(int x, int y, int channel = 0) const {
    return data[y * stride + static_cast<std::ptrdiff_t>(x) * channels + channel];
  }
  FOVEA_HD int row_elements() const { return width * channels; }
  bool empty() const { return width <= 0 || height <= 0; }

  // The part that begins at (x, y). The caller makes sure that it lies inside.
  ImageView crop(int x, int y, int crop_width, int crop_height) const {
    return {&at(x, y), crop_width, crop_height, channels, stride, memory};
  }

  operator ImageView<const T>() const requires(!std::is_const_v<T>) {
    return {data, width, height, channels, stride, memory};
  }
  // An image is a stack of one image.
  operator StackView<T>() const { return {data, width, height, 1, channels, stride, 0, memory}; }
};

// `count` equally sized images (frames, channels of a histogram), `plane_stride` elements apart.
template <class T>
struct StackView {
  T* data = nullptr;
  int width = 0;
  int height = 0;
  int count = 0;
  int channels = 1;
  std::ptrdiff_t stride = 0;
  std::ptrdiff_t plane_stride = 0;
  Memory memory = Memory::kHost;

  FOVEA_HD ImageView<T> plane(int index) const {
    return {data + index * plane_stride, width, height, channels, stride, memory};
  }
  bool empty() const { return width <= 0 || height <= 0 || count <= 0; }

  operator StackView<const T>() const requires(!std::is_const_v<T>) {
    return {data, width, height, count, channels, stride, plane_stride, memory};
  }
};

namespace detail {

template <class From, class T, class... Order>
void copy_views(StackView<From> from, StackView<T> to, const Order&... order) {
  require_same_shape(from, to);
  constexpr auto kBytes = static_cast<std::ptrdiff_t>(sizeof(T));
  const auto row_elements = static_cast<std::size_t>(from.width) * from.channels;
  copy_rows(ConstRows{from.data, from.stride * kBytes, from.plane_stride * kBytes, from.memory},
            Rows{to.data, to.stride * kBytes, to.plane_stride * kBytes, to.memory},
            RowCopy{row_elements * sizeof(T), from.height, from.count}, order...);
}

}  // namespace detail

// A stack of images that owns its pixels, in host, pinned or device memory. It can be moved but not
// copied; copy() and clone() copy pixels. The pixels of a new stack are NOT initialized: write them
// before you read them.
template <class T>
class Stack {
 public:
  Stack() = default;
  Stack(int width, int height, int count, int channels = 1, Memory memory = Memory::kHost)
      : Stack(width, height, count, channels, detail::padded_stride(width, channels, sizeof(T)),
              memory) {}

  // The stack that was moved from is empty.
  Stack(Stack&& other) noexcept { swap(other); }
  Stack& operator=(Stack&& other) noexcept {
    Stack moved(std::move(other));
    swap(moved);
    return *this;
  }

  StackView<T> view() {
    return {pixels_.data(), width_,  height_,          count_,
            channels_,      stride_, plane_elements(), pixels_.memory()};
  }
  StackView<const T> view() const {
    return {pixels_.data(), width_,  height_,          count_,
            channels_,      stride_, plane_elements(), pixels_.memory()};
  }
  operator StackView<T>() { return view(); }
  operator StackView<const T>() const { return view(); }

  int width() const { return width_; }
  int height() const { return height_; }
  int count() const { return count_; }
  int channels() const { return channels_; }
  std::ptrdiff_t stride() const { return stride_; }
  ImageView<T> plane(int index) { return view().plane(index); }
  ImageView<const T> plane(int index) const { return view().plane(index); }

 private:
  Stack(int width, int height, int count, int channels, std::ptrdiff_t stride, Memory memory)
      : pixels_(detail::element_count(stride, height, count), memory),
        width_(width),
        height_(height),
        count_(count),
        channels_(channels),
        stride_(stride) {}
  void swap(Stack& other) noexcept {
    std::swap(pixels_, other.pixels_);
    std::swap(width_, other.width_);
    std::swap(height_, other.height_);
    std::swap(count_, other.count_);
    std::swap(channels_, other.channels_);
    std::swap(stride_, other.stride_);
  }
  std::ptrdiff_t plane_elements() const { return stride_ * height_; }

  Array<T> pixels_;
  int width_ = 0;
  int height_ = 0;
  int count_ = 0;
  int channels_ = 1;
  std::ptrdiff_t stride_ = 0;
};

// An image that owns its pixels, in host, pinned or device memory. It can be moved but not copied;
// copy() and clone() copy pixels.
template <class T>
class Image {
 public:
  Image() = default;
  // Allocates memory and does NOT initialize it: write every pixel before you read it.
  Image(int width, int height, int channels = 1, Memory memory = Memory::kHost)
      : stack_(width, height, 1, channels, memory) {}

  ImageView<T> view() { return stack_.view().plane(0); }
  ImageView<const T> view() const { return stack_.view().plane(0); }
  operator ImageView<T>() { return view(); }
  operator ImageView<const T>() const { return view(); }

  int width() const { return stack_.width(); }
  int height() const { return stack_.height(); }
  int channels() const { return stack_.channels(); }
  std::ptrdiff_t stride() const { return stack_.stride(); }
  bool empty() const { return view().empty(); }
  T* row(int y) { return view().row(y); }
  const T* row(int y) const { return view().row(y); }
  T& at(int x, int y, int channel = 0) { return view().at(x, y, channel); }
  const T& at(int x, int y, int channel = 0) const { return view().at(x, y, channel); }

 private:
  Stack<T> stack_;
};

// A view of an image in a dense buffer, whose rows follow each other without a gap.
template <class T>
ImageView<T> packed_view(T* data, int width, int height, int channels = 1,
                         Memory memory = Memory::kHost) {
  return {data, width, height, channels, static_cast<std::ptrdiff_t>(width) * channels, memory};
}

// Copies pixels between views of the same shape in any two memories, and returns when the copy is
// complete.
template <class From, class T>
requires(std::is_same_v<std::remove_const_t<From>, T>) void copy(StackView<From> from,
                                                                 StackView<T> to) {
  detail::copy_views(from, to);
}
template <class From, class T>
requires(std::is_same_v<std::remove_const_t<From>, T>) void copy(ImageView<From> from,
                                                                 ImageView<T> to) {
  detail::copy_views(StackView<From>(from), StackView<T>(to));
}

// The same in the order of exec.stream: where both views are on the device it returns before the
// copy is complete, otherwise when it is.
template <class From, class T>
requires(std::is_same_v<std::remove_const_t<From>, T>) void copy(StackView<From> from,
                                                                 StackView<T> to,
                                                                 const Exec& exec) {
  detail::copy_views(from, to, exec);
}
template <class From, class T>
requires(std::is_same_v<std::remove_const_t<From>, T>) void copy(ImageView<From> from,
                                                                 ImageView<T> to,
                                                                 const Exec& exec) {
  detail::copy_views(StackView<From>(from), StackView<T>(to), exec);
}

// A copy of the pixels in the memory that the caller chooses.
template <class T>
Image<std::remove_const_t<T>> clone(ImageView<T> image, Memory memory = Memory::kHost) {
  Image<std::remove_const_t<T>> result(image.width, image.height, image.channels, memory);
  copy(image, result.view());
  return result;
}
template <class T>
Image<T> clone(const Image<T>& image, Memory memory = Memory::kHost) {
  return clone(image.view(), memory);
}

}  // namespace fovea
