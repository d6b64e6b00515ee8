// Host memory comes from the C library, pinned and device memory from CUDA; copies between any two
// of them.
#include <fovea/core/exec.h>
#include <fovea/core/memory.h>

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/backend.h"

namespace fovea::detail {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vector load

void copy_rows_on(const ConstRows& from, const Rows& to, RowCopy size, void* stream) {
  if (size.row_bytes == 0 || size.rows <= 0 || size.planes <= 0) return;
  for (const std::ptrdiff_t stride : {from.stride_bytes, to.stride_bytes})
    if (size.rows > 1 && static_cast<std::size_t>(std::abs(stride)) < size.row_bytes)
      throw InvalidArgument(
          fmt::format("cannot copy rows of {} bytes that lie {} bytes apart; set the view's stride",
                      size.row_bytes, stride));
  if (from.memory == Memory::kCuda || to.memory == Memory::kCuda) {
    for (const std::ptrdiff_t stride : {from.stride_bytes, to.stride_bytes})
      if (size.rows > 1 && stride < 0)
        throw InvalidArgument(
            fmt::format("cannot copy rows that lie {} bytes apart from or to a GPU; give views "
                        "with positive strides",
                        stride));
    return cuda::copy_rows(from, to, size, stream);
  }
  for (int i = 0; i < size.planes; ++i) {
    char* target = static_cast<char*>(to.data) + i * to.plane_bytes;
    const char* source = static_cast<const char*>(from.data) + i * from.plane_bytes;
    for (int y = 0; y < size.rows; ++y)
      std::memcpy(target + y * to.stride_bytes, source + y * from.stride_bytes, size.row_bytes);
  }
}

}  // namespace

void* allocate(std::size_t bytes, Memory memory) {
  if (bytes == 0) return nullptr;
  if (memory != Memory::kHost) return cuda::allocate(bytes, memory);
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* data = rounded < bytes ? nullptr : std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr)
    throw Error(fmt::format(
        "out of memory: {} bytes could not be allocated; work on smaller images or batches",
        bytes));
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

void copy_rows(const ConstRows& from, const Rows& to, RowCopy size) {
  copy_rows_on(from, to, size, nullptr);
}
void copy_rows(const ConstRows& from, const Rows& to, RowCopy size, const Exec& exec) {
  throw_if_stopped(exec);
  copy_rows_on(from, to, size, exec.stream);
}

std::size_t byte_count(std::size_t size, std::size_t element_bytes) {
  if (size > std::numeric_limits<std::size_t>::max() / element_bytes)
    throw InvalidArgument(
        fmt::format("{} elements of {} bytes are larger than any memory", size, element_bytes));
  return size * element_bytes;
}

std::ptrdiff_t padded_stride(int width, int channels, std::size_t element_bytes) {
  if (width < 0 || channels < 1)
    throw InvalidArgument(
        fmt::format("an image cannot be {} pixels wide with {} channels; expected a width of 0 or "
                    "more and at least one channel",
                    width, channels));
  const auto elements = static_cast<std::int64_t>(width) * channels;
  if (elements > std::numeric_limits<int>::max())
    throw InvalidArgument(
        fmt::format("a row of {} pixels with {} channels is too long, expected at most {} "
                    "elements; work on parts of the image",
                    width, channels, std::numeric_limits<int>::max()));
  const std::size_t bytes = static_cast<std::size_t>(elements) * element_bytes;
  return static_cast<std::ptrdiff_t>((bytes + kAlignment - 1) / kAlignment * kAlignment /
                                     element_bytes);
}

std::size_t element_count(std::ptrdiff_t stride, int height, int count) {
  if (stride < 0 || height < 0 || count < 0)
    throw InvalidArgument(fmt::format(
        "{} images of {} rows of {} elements are impossible; expected no negative number", count,
        height, stride));
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
