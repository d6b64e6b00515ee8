#pragma once
#include <fovea/core/api.h>
#include <fovea/core/record_fwd.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

enum class DeviceKind : unsigned char { kAuto, kCpu, kCuda };

// Where work runs. kAuto means the first usable GPU, or the CPU where there is none.
struct Device {
  DeviceKind kind = DeviceKind::kAuto;
  int index = 0;  // which GPU, counted as the CUDA driver counts them

  bool operator==(const Device&) const = default;

  static constexpr Device cpu() { return {DeviceKind::kCpu, 0}; }
  static constexpr Device cuda(int index = 0) { return {DeviceKind::kCuda, index}; }
};

struct DeviceInfo {
  Device device;
  std::string name;
  std::size_t memory_bytes = 0;
  int units = 0;           // cores of a CPU, multiprocessors of a GPU
  std::string capability;  // CUDA compute capability such as "9.0"; empty for the CPU
};
FOVEA_API void describe(FieldVisitor& visit, DeviceInfo& info);

// Every device that work can run on here: the CPU first, then the usable GPUs.
FOVEA_API std::vector<DeviceInfo> devices();

// Why no GPU can be used ("built without CUDA", "no NVIDIA driver"), or an empty string where one
// can.
FOVEA_API std::string cuda_absence();

// Reads "auto", "cpu", "cuda" or "cuda:1". Throws InvalidArgument for anything else.
FOVEA_API Device parse_device(std::string_view text);
FOVEA_API std::string to_string(Device device);

// The device that is used where a caller wants `wanted`: never kAuto. A GPU that is wanted but not
// usable is a DeviceError; there is no silent fall-back to the CPU.
FOVEA_API Device resolve(Device wanted);

// Makes another GPU the current one while this object lives, so that new images and arrays in
// Memory::kCuda lie there. For the CPU it changes nothing.
class FOVEA_API ScopedDevice {
 public:
  explicit ScopedDevice(Device device);
  ~ScopedDevice();
  ScopedDevice(const ScopedDevice&) = delete;
  ScopedDevice& operator=(const ScopedDevice&) = delete;

 private:
  int previous_;  // below 0 where nothing was changed
};

}  // namespace fovea
