// Stands in for core's .cu files in a build without CUDA, so that no other file asks whether CUDA
// is there.
#include "core/no_cuda.h"

#include "core/backend.h"
#include "core/timing/timing.h"

namespace fovea::cuda {

std::vector<DeviceInfo> device_infos() { return {}; }
int device_count() { return 0; }
std::uint64_t free_memory(Device) { absent(); }
std::string absence(int) { return kAbsence; }
int device_of(const void*) { return kNoDevice; }
int change_device(int) { absent(); }
void restore_device(int) noexcept {}
std::string toolkit_version() { return {}; }
void* make_stream(int) { absent(); }
void release_stream(void*) noexcept {}
void wait_for_stream(void*, void*) { absent(); }
void synchronize_stream(void*) { absent(); }
void* allocate(std::size_t, Memory) { absent(); }
void release(void*, Memory) noexcept {}
void copy_rows(const detail::ConstRows&, const detail::Rows&, detail::RowCopy, void*) { absent(); }

// core/timing
void copy_bytes(const void*, void*, std::size_t, const Exec&) { absent(); }
double multiply_add(std::int64_t, const Exec&) { absent(); }
double time_on_device(const Exec&, const std::function<void(const Exec&)>&) { absent(); }
std::function<void()> record_on_device(const Exec&, const std::function<void(const Exec&)>&) {
  absent();
}

}  // namespace fovea::cuda
