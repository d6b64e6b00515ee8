// The ground's CUDA half, as the rest of the library sees it: core/*_cuda.cu, or core/no_cuda.cpp
// in its place.
#pragma once
#include <fovea/device.h>
#include <fovea/memory.h>

#include <string>
#include <vector>

namespace fovea::cuda {

std::vector<DeviceInfo> device_infos();
std::string absence();          // why no GPU can be used; empty where one can
std::string toolkit_version();  // "13.0", or empty in a build without CUDA

void* allocate(std::size_t bytes, Memory memory);
void release(void* data, Memory memory) noexcept;
void copy_rows(detail::ConstRows from, detail::Rows to, std::size_t row_bytes, int rows);

}  // namespace fovea::cuda
