// The ground's CUDA half, as the rest of the library sees it: core/*_cuda.cu, or core/no_cuda.cpp
// in its place.
#pragma once
#include <fovea/core/device.h>
#include <fovea/core/memory.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::cuda {

std::vector<DeviceInfo> device_infos();
int device_count();
std::uint64_t free_memory(Device device);  // bytes that a GPU has free now
// Why this GPU cannot be used, or no GPU at all; empty where it can. No other GPU is touched.
std::string absence(int index);
std::string toolkit_version();  // "13.0", or empty in a build without CUDA

constexpr int kEveryDevice = -1, kNoDevice = -2;
// The GPU that data lies on, kEveryDevice for what all of them reach (managed and pinned memory),
// kNoDevice for what CUDA knows nothing of.
int device_of(const void* data);

// Makes a GPU the current one and returns which was.
int change_device(int index);

// Another current GPU for a while; the CPU changes nothing.
class ScopedDevice {
 public:
  explicit ScopedDevice(Device device)
      : previous_(device.kind == DeviceKind::kCuda ? change_device(device.index) : kNoDevice) {}
  ~ScopedDevice();
  ScopedDevice(const ScopedDevice&) = delete;
  ScopedDevice& operator=(const ScopedDevice&) = delete;

 private:
  int previous_;
};

// A cudaStream_t of a GPU.
void* make_stream(int index);
void release_stream(void* stream) noexcept;

void* allocate(std::size_t bytes, Memory memory);
void release(void* data, Memory memory) noexcept;
// On the stream; awaited unless that is the caller's own and both lie on a device.
void copy_rows(const detail::ConstRows& from, const detail::Rows& to, detail::RowCopy size,
               void* stream);

}  // namespace fovea::cuda
