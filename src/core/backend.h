// The CUDA half of core as the rest of the library sees it. It is implemented in core/*_cuda.cu, or
// in core/no_cuda.cpp in a build without CUDA.
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
// Why this GPU, or any GPU at all, cannot be used; empty where it can. No other GPU is touched.
std::string absence(int index);
std::string toolkit_version();  // "13.0", or empty in a build without CUDA

constexpr int kEveryDevice = -1, kNoDevice = -2;
// The GPU on which data lies, kEveryDevice for memory that all GPUs reach (managed and pinned),
// kNoDevice for memory that CUDA does not know.
int device_of(const void* data);

// Makes a GPU the current one and returns the one that was current before.
int change_device(int index);
void restore_device(int index) noexcept;

using fovea::ScopedDevice;

// Creates a cudaStream_t on a GPU.
void* make_stream(int index);
void release_stream(void* stream) noexcept;
// What `stream` gets from now on begins after what `other` has got so far.
void wait_for_stream(void* stream, void* other);
void synchronize_stream(void* stream);

void* allocate(std::size_t bytes, Memory memory);
void release(void* data, Memory memory) noexcept;
// Copies on the stream, and waits for the copy unless the stream is the caller's own and both sides
// lie on a device.
void copy_rows(const detail::ConstRows& from, const detail::Rows& to, detail::RowCopy size,
               void* stream);

}  // namespace fovea::cuda
