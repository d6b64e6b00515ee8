#include "core/staging_cuda.cuh"

#include <fovea/core/error.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/event.cuh"

namespace fovea::cuda {
namespace {

constexpr std::size_t kSmallBytes = std::size_t{64} << 10;  // below, the driver is as fast
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;   // copied while the next is packed
constexpr std::size_t kStageBytes = std::size_t{8} << 20;

// Pinned memory through which one copy goes at a time.
class Stage {
 public:
  std::byte* data() { return memory_.data(); }
  // Whether the GPU has read what the last copy put here.
  bool ready() const { return read_.passed(); }
  void wait() const { read_.wait("waiting for a copy"); }
  void leave(cudaStream_t stream) {
    try {
      read_.record(stream);
    } catch (const DeviceError&) {  // the stream belongs to another GPU than the event
      check(cudaStreamSynchronize(stream), "waiting for a copy");
    }
  }

 private:
  Array<std::byte> memory_{kStageBytes, Memory::kPinned};
  Event read_{};
};

// The stages that no copy uses at the moment.
class Stages {
 public:
  // Null where no more memory can be pinned.
  std::unique_ptr<Stage> take() {
    std::unique_ptr<Stage> stage = take_free();
    if (stage) {
      stage->wait();
      return stage;
    }
    try {
      return std::make_unique<Stage>();
    } catch (const DeviceError&) {
      return nullptr;
    }
  }
  void give_back(std::unique_ptr<Stage> stage) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < kMostKept) free_.push_back(std::move(stage));
  }

 private:
  static constexpr std::size_t kMostKept = 16;  // 128 MiB

  std::unique_ptr<Stage> take_free() {
    const std::lock_guard lock(mutex_);
    auto found = std::find_if(free_.begin(), free_.end(),
                              [](const std::unique_ptr<Stage>& stage) { return stage->ready(); });
    if (found == free_.end() && free_.size() >= kMostKept / 2) found = free_.begin();
    if (found == free_.end()) return nullptr;
    std::unique_ptr<Stage> stage = std::move(*found);
    free_.erase(found);
    return stage;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Stage>> free_;
};

// They are kept to the end: the driver may be gone before static objects are.
Stages& stages() {
  static Stages& all = *new Stages;
  return all;
}

// Puts the rows one behind the other.
void pack(std::byte* to, const std::byte* from, std::size_t stride, std::size_t row_bytes,
          std::size_t rows) {
  if (stride == row_bytes) {
    std::memcpy(to, from, row_bytes * rows);
    return;
  }
  for (std::size_t y = 0; y < rows; ++y)
    std::memcpy(to + y * row_bytes, from + y * stride, row_bytes);
}

void copy_direct(const PlaneCopy& copy, cudaStream_t stream) {
  check(cudaMemcpy2DAsync(copy.to, copy.to_stride, copy.from, copy.from_stride, copy.row_bytes,
                          copy.rows, cudaMemcpyDefault, stream),
        "copying an image");
}

// One piece is packed while the GPU fetches those before.
void upload_plane(const PlaneCopy& copy, Stage& stage, cudaStream_t stream) {
  const std::size_t rows_per_piece = std::max<std::size_t>(1, kPieceBytes / copy.row_bytes);
  const auto* from = static_cast<const std::byte*>(copy.from);
  auto* to = static_cast<std::byte*>(copy.to);
  std::size_t used = 0;
  for (std::size_t y = 0; y < copy.rows; y += rows_per_piece) {
    const std::size_t rows = std::min(rows_per_piece, copy.rows - y);
    if (used + rows * copy.row_bytes > kStageBytes) {
      check(cudaStreamSynchronize(stream), "copying an image");
      used = 0;
    }
    std::byte* packed = stage.data() + used;
    pack(packed, from + y * copy.from_stride, copy.from_stride, copy.row_bytes, rows);
    copy_direct({.to = to + y * copy.to_stride,
                 .to_stride = copy.to_stride,
                 .to_memory = copy.to_memory,
                 .from = packed,
                 .from_stride = copy.row_bytes,
                 .from_memory = Memory::kPinned,
                 .row_bytes = copy.row_bytes,
                 .rows = rows},
                stream);
    used += rows * copy.row_bytes;
  }
}

}  // namespace

void copy_plane(const PlaneCopy& copy, cudaStream_t stream) {
  check_launch("copying an image");  // of an earlier call, which ready() would forget
  const bool upload = copy.from_memory == Memory::kHost && copy.to_memory == Memory::kCuda;
  const bool staged = upload && copy.row_bytes <= kStageBytes &&
                      copy.row_bytes * copy.rows > kSmallBytes && !is_captured(stream);
  std::unique_ptr<Stage> stage = staged ? stages().take() : nullptr;
  if (!stage) {
    copy_direct(copy, stream);
    return;
  }
  upload_plane(copy, *stage, stream);
  stage->leave(stream);
  stages().give_back(std::move(stage));
}

}  // namespace fovea::cuda
