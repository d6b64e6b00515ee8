#pragma once
#include <fovea/core/api.h>
#include <fovea/core/error.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace fovea {

struct Exec;

// Where data lies. kPinned is host memory that a GPU copies from and to at full speed while other
// work goes on.
enum class Memory : unsigned char { kHost, kPinned, kCuda };

namespace detail {

// Memory that is aligned to a cache line and never null for bytes > 0. A CUDA allocation lies on
// the current device.
FOVEA_API void* allocate(std::size_t bytes, Memory memory);
FOVEA_API void release(void* data, Memory memory) noexcept;

struct ConstRows {
  const void* data;
  std::ptrdiff_t stride_bytes;
  std::ptrdiff_t plane_bytes;  // from one image of a stack to the next
  Memory memory;
};
struct Rows {
  void* data;
  std::ptrdiff_t stride_bytes;
  std::ptrdiff_t plane_bytes;
  Memory memory;
};
struct RowCopy {
  std::size_t row_bytes;
  int rows;
  int planes;
};
FOVEA_API void copy_rows(const ConstRows& from, const Rows& to, RowCopy size);
FOVEA_API void copy_rows(const ConstRows& from, const Rows& to, RowCopy size, const Exec& exec);

// size * element_bytes. Throws where no machine could hold so much.
FOVEA_API std::size_t byte_count(std::size_t size, std::size_t element_bytes);

// The number of elements from one row to the next. Rows begin on cache lines, so that two threads
// never write to the same line and vector loads never straddle two. Throws where a row has more
// elements than an int can count.
FOVEA_API std::ptrdiff_t padded_stride(int width, int channels, std::size_t element_bytes);

// stride * height * count. Throws where no machine could hold so much.
FOVEA_API std::size_t element_count(std::ptrdiff_t stride, int height, int count);

[[noreturn]] FOVEA_API void throw_shape_mismatch(const std::string& from, const std::string& to);

template <class View>
std::string shape_text(const View& view) {
  return std::to_string(view.width) + "x" + std::to_string(view.height) + "x" +
         std::to_string(view.channels);
}

template <class From, class To>
void require_same_shape(const From& from, const To& to) {
  if (from.width != to.width || from.height != to.height || from.channels != to.channels ||
      from.count != to.count)
    throw_shape_mismatch(shape_text(from), shape_text(to));
}

}  // namespace detail

// An array of plain elements that owns its memory. New elements are NOT initialized. It can be
// moved but not copied.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::size_t size, Memory memory = Memory::kHost)
      : data_(static_cast<T*>(detail::allocate(detail::byte_count(size, sizeof(T)), memory))),
        size_(size),
        memory_(memory) {}
  ~Array() { detail::release(data_, memory_); }
  // The array that was moved from is empty.
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        memory_(other.memory_) {}
  Array& operator=(Array&& other) noexcept {
    Array moved(std::move(other));
    std::swap(data_, moved.data_);
    std::swap(size_, moved.size_);
    std::swap(memory_, moved.memory_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  Memory memory() const { return memory_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  Memory memory_ = Memory::kHost;
};

}  // namespace fovea
