// Host memory by the C library, pinned and device memory by the CUDA half; copies between any two
// of them.
#include <fovea/memory.h>

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/backend.h"

namespace fovea::detail {
namespace {
constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector load
}

void* allocate(std::size_t bytes, Memory memory) {
  if (bytes == 0) return nullptr;
  if (memory != Memory::kHost) return cuda::allocate(bytes, memory);
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* data = rounded < bytes ? nullptr : std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr)
    throw Error(fmt::format(
        "out of memory: {} bytes could not be had; work on smaller images or batches", bytes));
  return data;
}

void release(void* data, Memory memory) noexcept {
  if (data == nullptr) return;
  if (memory == Memory::kHost) {
    std::free(data);
  } else {
    cuda::release(data, memory);
  }
}

void copy_rows(ConstRows from, Rows to, std::size_t row_bytes, int rows) {
  if (from.memory == Memory::kCuda || to.memory == Memory::kCuda)
    return cuda::copy_rows(from, to, row_bytes, rows);
  for (int y = 0; y < rows; ++y) {
    std::memcpy(static_cast<char*>(to.data) + y * to.stride_bytes,
                static_cast<const char*>(from.data) + y * from.stride_bytes, row_bytes);
  }
}

std::ptrdiff_t padded_stride(int width, int channels, std::size_t element_bytes) {
  if (width < 0 || channels < 1)
    throw InvalidArgument(
        fmt::format("an image cannot be {} pixels wide with {} channels", width, channels));
  const std::size_t bytes =
      static_cast<std::size_t>(width) * static_cast<std::size_t>(channels) * element_bytes;
  return static_cast<std::ptrdiff_t>((bytes + kAlignment - 1) / kAlignment * kAlignment /
                                     element_bytes);
}

std::size_t element_count(std::ptrdiff_t stride, int height, int count) {
  if (stride < 0 || height < 0 || count < 0)
    throw InvalidArgument(fmt::format("an image cannot have {} rows of {} elements, {} times",
                                      height, stride, count));
  const auto rows = static_cast<unsigned __int128>(height) * static_cast<unsigned>(count);
  const unsigned __int128 elements = rows * static_cast<std::size_t>(stride);
  if (elements > std::numeric_limits<std::size_t>::max() / 64)
    throw InvalidArgument(fmt::format(
        "{} images of {} rows of {} elements are larger than any memory", count, height, stride));
  return static_cast<std::size_t>(elements);
}

void throw_shape_mismatch(const std::string& from, const std::string& to) {
  throw InvalidArgument(
      fmt::format("cannot copy {} pixels onto {}; give both one shape", from, to));
}

}  // namespace fovea::detail
