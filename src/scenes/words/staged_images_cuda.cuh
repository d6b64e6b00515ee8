// Images of the host on their way to the device: packed into pinned memory by all threads and
// copied in one piece.
#pragma once
#include <cstring>
#include <span>
#include <vector>

#include "core/event.cuh"
#include "core/kept_buffer.cuh"
#include "core/parallel.h"
#include "scenes/describe/chunk_math.h"
#include "scenes/describe/describe_cuda.cuh"

namespace fovea::scenes::cuda {

using Images = std::span<const ImageView<const std::uint8_t>>;

template <class T>
T* pinned(Array<T>& array, std::size_t size) {
  if (size > array.size()) {
    array = Array<T>();
    array = Array<T>(size, Memory::kPinned);
  }
  return array.data();
}

// Waits for streams at the end of a call, however it ends, because they read and write memory on
// the stack.
struct AwaitStreams {
  cudaStream_t first, second;
  ~AwaitStreams() {
    cudaStreamSynchronize(first);
    cudaStreamSynchronize(second);
  }
};

// The bytes that an image takes in a chunk; images on the device are read where they are.
inline std::int64_t staged_of(const ImageView<const std::uint8_t>& image) {
  return image.memory == Memory::kCuda ? 0
                                       : staged_bytes_of(image.width, image.height, image.channels);
}

// The memory of one chunk of images.
class StagedImages {
 public:
  // Entries of images whose pixels are on the device once `stream` has reached this point; their
  // grids are filled in later. Pixels are copied in the order of `uploads`.
  std::vector<GridEntry> upload(Images images, const Exec& exec, cudaStream_t uploads,
                                cudaStream_t stream) {
    std::vector<GridEntry> entries(images.size());
    std::vector<std::int64_t> places(images.size());
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
      places[i] = bytes;
      bytes += staged_of(images[i]);
    }
    std::uint8_t* staged = pinned(staged_, static_cast<std::size_t>(bytes));
    std::uint8_t* there = pixels_.reserve(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < images.size(); ++i) {
      const ImageView<const std::uint8_t>& image = images[i];
      const bool resident = image.memory == Memory::kCuda;
      entries[i] = {.pixels = resident ? image.data : there + places[i],
                    .stride = resident ? image.stride : image.row_elements(),
                    .width = image.width,
                    .height = image.height,
                    .channels = image.channels,
                    .grid = {},
                    .listed = nullptr,
                    .output = 0,
                    .planes = 0,
                    .margin = 0};
    }
    if (bytes == 0) return entries;
    constexpr std::int64_t kGrain = 8;
    parallel_for(exec, static_cast<std::int64_t>(images.size()), kGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                        ++i)
                     pack(images[i], staged + places[i]);
                 });
    fovea::cuda::check(cudaMemcpyAsync(there, staged, static_cast<std::size_t>(bytes),
                                       cudaMemcpyHostToDevice, uploads),
                       "scenes: copying images");
    uploaded_.record(uploads);
    uploaded_.hold(stream);
    return entries;
  }

 private:
  static void pack(const ImageView<const std::uint8_t>& image, std::uint8_t* to) {
    if (image.memory == Memory::kCuda) return;
    const auto row = static_cast<std::size_t>(image.row_elements());
    for (int y = 0; y < image.height; ++y, to += row) std::memcpy(to, image.row(y), row);
  }

  Array<std::uint8_t> staged_{};
  fovea::cuda::KeptBuffer<std::uint8_t> pixels_{};
  fovea::cuda::Event uploaded_{};
};

}  // namespace fovea::scenes::cuda
