#include "core/dispatch.h"

#include <fovea/error.h>

#include <fmt/format.h>

#include <algorithm>

namespace fovea::detail {

Exec resolve_exec(const char* operation, const Exec& exec, std::initializer_list<Memory> data) {
  const bool device_data = std::find(data.begin(), data.end(), Memory::kCuda) != data.end();
  Exec resolved = exec;
  if (device_data && exec.device.kind == DeviceKind::kCpu)
    throw InvalidArgument(fmt::format(
        "{}: data lies in GPU memory but device cpu was asked for; copy() it to the host first",
        operation));
  resolved.device =
      resolve(device_data && exec.device.kind == DeviceKind::kAuto ? Device::cuda() : exec.device);
  return resolved;
}

void throw_wrong_shape(const char* operation, const char* name, const std::string& is,
                       const std::string& expected) {
  throw InvalidArgument(fmt::format("{}: {} is {} (width x height x channels), expected {}",
                                    operation, name, is, expected));
}

}  // namespace fovea::detail
