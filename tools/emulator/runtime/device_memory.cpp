// Memory of the device, which is memory of the host between fences, and copies.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "api_state.h"
#include "settings.h"

namespace emulator {
namespace {

constexpr std::size_t kFenceBytes = 256;
constexpr std::size_t kMostFilled = std::size_t{64}
                                    << 20;  // large pieces are filled at their start only
constexpr unsigned char kFresh = 0xCD, kFreed = 0xDD, kFence = 0xFB;

std::map<const char*, Piece> pieces;
std::size_t used = 0;  // on the device

std::size_t rounded(std::size_t bytes) {
  return (bytes + kFenceBytes - 1) / kFenceBytes * kFenceBytes;
}
void fill(const Piece& piece, unsigned char value) {
  std::memset(piece.data, value, std::min(piece.bytes, kMostFilled));
}

cudaError_t allocate(void** to, std::size_t bytes, bool on_device) {
  const std::lock_guard lock(api_mutex);
  *to = nullptr;
  if (bytes > kDeviceBytes || (on_device && used + bytes > kDeviceBytes))
    return keep(cudaErrorMemoryAllocation);
  const std::size_t whole = rounded(bytes) + 2 * kFenceBytes;
  char* base = static_cast<char*>(std::aligned_alloc(kFenceBytes, whole));
  if (base == nullptr) return keep(cudaErrorMemoryAllocation);
  const Piece piece{base + kFenceBytes, bytes, on_device};
  std::memset(base, kFence, kFenceBytes);
  std::memset(piece.data + bytes, kFence, rounded(bytes) - bytes + kFenceBytes);
  fill(piece, kFresh);
  pieces[piece.data] = piece;
  if (on_device) used += bytes;
  *to = piece.data;
  return cudaSuccess;
}

void check_fence(const Piece& piece, const char* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (static_cast<unsigned char>(from[i]) != kFence) {
      std::fprintf(stderr, "emulator: byte %td of a piece of memory of %zu bytes was written\n",
                   from + i - piece.data, piece.bytes);
      std::abort();
    }
}

cudaError_t release(void* data, bool on_device) {
  const std::lock_guard lock(api_mutex);
  if (data == nullptr) return cudaSuccess;
  const auto found = pieces.find(static_cast<char*>(data));
  if (found == pieces.end() || found->second.on_device != on_device)
    return keep(cudaErrorInvalidValue);
  const Piece piece = found->second;
  check_fence(piece, piece.data - kFenceBytes, kFenceBytes);
  check_fence(piece, piece.data + piece.bytes, rounded(piece.bytes) - piece.bytes + kFenceBytes);
  fill(piece, kFreed);
  if (on_device) used -= piece.bytes;
  pieces.erase(found);
  std::free(piece.data - kFenceBytes);
  return cudaSuccess;
}

struct Rows {
  std::size_t bytes, count;
};
template <class T>
struct Place {
  T* data;
  std::size_t pitch;
};
using To = Place<void>;
using From = Place<const void>;

void copy_rows(To to, From from, Rows rows) {
  for (std::size_t y = 0; y < rows.count; ++y)
    std::memmove(static_cast<char*>(to.data) + y * to.pitch,
                 static_cast<const char*>(from.data) + y * from.pitch, rows.bytes);
}

// What the call names memory of the device must be that, and what it names memory of the host must
// not.
bool kinds_agree(const void* to, const void* from, cudaMemcpyKind kind) {
  const Piece *target = piece_of(to), *source = piece_of(from);
  const bool to_device = target != nullptr && target->on_device;
  const bool from_device = source != nullptr && source->on_device;
  switch (kind) {
    case cudaMemcpyHostToHost: return !to_device && !from_device;
    case cudaMemcpyHostToDevice: return to_device && !from_device;
    case cudaMemcpyDeviceToHost: return !to_device && from_device;
    case cudaMemcpyDeviceToDevice: return to_device && from_device;
    default: return true;
  }
}
// Rows must lie in one piece; memory that was not allocated here is not known.
bool fits(From place, Rows rows) {
  const Piece* piece = piece_of(place.data);
  if (piece == nullptr) return true;
  const std::size_t end = place.pitch * (rows.count - 1) + rows.bytes;
  return static_cast<const char*>(place.data) + end <= piece->data + piece->bytes;
}

cudaError_t copy(To to, From from, Rows rows, cudaMemcpyKind kind, cudaStream_t handle) {
  const std::lock_guard lock(api_mutex);
  if (rows.bytes == 0 || rows.count == 0) return cudaSuccess;
  if (to.pitch < rows.bytes || from.pitch < rows.bytes || !kinds_agree(to.data, from.data, kind) ||
      !fits({to.data, to.pitch}, rows) || !fits(from, rows)) {
    std::fprintf(stderr, "emulator: a copy of %zu rows of %zu bytes does not fit its memory\n",
                 rows.count, rows.bytes);
    return keep(cudaErrorInvalidValue);
  }
  Stream& stream = stream_of(handle);
  const bool lazy = streams_are_lazy() && stream.capture == nullptr;
  if (lazy && piece_of(from.data) == nullptr) {  // pageable memory is read before the call returns
    auto kept = std::make_shared<std::vector<char>>(rows.bytes * rows.count);
    copy_rows({kept->data(), rows.bytes}, from, rows);
    enqueue(handle, [=] { copy_rows(to, {kept->data(), rows.bytes}, rows); });
  } else if (lazy && piece_of(to.data) == nullptr) {  // and written before
    drain(stream);
    copy_rows(to, from, rows);
  } else {
    enqueue(handle, [=] { copy_rows(to, from, rows); });
  }
  return cudaSuccess;
}

}  // namespace

const Piece* piece_of(const void* data) {
  const auto* at = static_cast<const char*>(data);
  auto found = pieces.upper_bound(at);
  if (found == pieces.begin()) return nullptr;
  const Piece& piece = (--found)->second;
  return at < piece.data + std::max<std::size_t>(1, piece.bytes) ? &piece : nullptr;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const std::lock_guard lock(api_mutex);
  *free = kDeviceBytes - used;
  *total = kDeviceBytes;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** to, std::size_t bytes) { return allocate(to, bytes, true); }
cudaError_t cudaMallocHost(void** to, std::size_t bytes) { return allocate(to, bytes, false); }
cudaError_t cudaMallocAsync(void** to, std::size_t bytes, cudaStream_t handle) {
  const std::lock_guard lock(api_mutex);
  const cudaError_t error = allocate(to, bytes, true);
  Graph* graph = stream_of(handle).capture;
  if (error == cudaSuccess && graph != nullptr) {  // the graph keeps it, fresh in every launch
    graph->kept.push_back(std::shared_ptr<void>(*to, [](void* data) { release(data, true); }));
    graph->nodes.push_back([piece = *piece_of(*to)] { fill(piece, kFresh); });
  }
  return error;
}
cudaError_t cudaFree(void* data) {
  const std::lock_guard lock(api_mutex);
  drain_all();
  return release(data, true);
}
cudaError_t cudaFreeHost(void* data) {
  const std::lock_guard lock(api_mutex);
  drain_all();
  return release(data, false);
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t handle) {
  const std::lock_guard lock(api_mutex);
  if (data == nullptr) return cudaSuccess;
  const Piece* piece = piece_of(data);
  if (piece == nullptr) return keep(cudaErrorInvalidValue);
  Graph* graph = stream_of(handle).capture;
  if (graph == nullptr) {
    enqueue(handle, [data] { release(data, true); });
    return cudaSuccess;
  }
  const bool recorded = std::any_of(graph->kept.begin(), graph->kept.end(),
                                    [data](const auto& kept) { return kept.get() == data; });
  if (!recorded) return keep(cudaErrorInvalidValue);
  graph->nodes.push_back([piece = *piece] { fill(piece, kFreed); });
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* to, const void* data) {
  const std::lock_guard lock(api_mutex);
  *to = {};
  to->type = cudaMemoryTypeUnregistered;
  to->device = -2;
  if (const Piece* piece = piece_of(data)) {
    to->type = piece->on_device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
    to->device = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy({to, bytes}, {from, bytes}, {bytes, 1}, kind, stream);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t bytes, std::size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy({to, to_pitch}, {from, from_pitch}, {bytes, rows}, kind, stream);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t bytes, std::size_t rows, cudaMemcpyKind kind) {
  const cudaError_t error =
      cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, rows, kind, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  const std::lock_guard lock(api_mutex);
  if (bytes == 0) return cudaSuccess;
  if (piece_of(to) == nullptr || !fits({to, bytes}, {bytes, 1})) {
    std::fprintf(stderr, "emulator: cudaMemset() of %zu bytes does not fit its memory\n", bytes);
    return keep(cudaErrorInvalidValue);
  }
  enqueue(stream, [=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}
