#include "core/dispatch.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/backend.h"

namespace fovea::detail {
namespace {

void check_rows(const char* operation, const Placement& image) {
  if (image.row_elements() > std::numeric_limits<int>::max())
    throw InvalidArgument(fmt::format(
        "{}: a row of {} elements is too long, expected at most {}; work on parts of the image",
        operation, image.row_elements(), std::numeric_limits<int>::max()));
  if (image.height > 1 && std::abs(image.stride) < image.row_elements())
    throw InvalidArgument(
        fmt::format("{}: an image of {} has rows of {} elements that lie {} apart; set the view's "
                    "stride, or make it with packed_view()",
                    operation, shape_text(image), image.row_elements(), image.stride));
}

bool on_device(const Placement& image) { return image.memory == Memory::kCuda; }

// The GPU that all data lies on, or kEveryDevice.
int common_device(const char* operation, std::initializer_list<Placement> data) {
  int common = cuda::kEveryDevice;
  for (const Placement& image : data) {
    if (!on_device(image) || image.data == nullptr) continue;
    const int index = cuda::device_of(image.data);
    if (index == cuda::kNoDevice)
      throw InvalidArgument(fmt::format(
          "{}: data said to lie in GPU memory does not; set the view's memory", operation));
    if (index == cuda::kEveryDevice || index == common) continue;
    if (common != cuda::kEveryDevice)
      throw InvalidArgument(fmt::format(
          "{}: data lies on cuda:{} and cuda:{}; copy() it to one GPU", operation, common, index));
    common = index;
  }
  return common;
}

}  // namespace

Exec resolve_exec(const char* operation, const Exec& exec, std::initializer_list<Placement> data) {
  for (const Placement& image : data) check_rows(operation, image);
  Exec resolved = exec;
  if (std::any_of(data.begin(), data.end(), on_device)) {
    if (exec.device.kind == DeviceKind::kCpu)
      throw InvalidArgument(fmt::format(
          "{}: the data lies in GPU memory, but the device is cpu; clone() it to the host first",
          operation));
    if (cuda::device_count() == 0) resolve(Device::cuda());  // throws with the reason
    const int home = common_device(operation, data);
    if (home != cuda::kEveryDevice) {
      if (exec.device.kind == DeviceKind::kAuto) resolved.device = Device::cuda(home);
      else if (exec.device.index != home)
        throw InvalidArgument(
            fmt::format("{}: the data lies on cuda:{}, but the device is {}; choose cuda:{}",
                        operation, home, to_string(exec.device), home));
    } else if (exec.device.kind == DeviceKind::kAuto) {
      resolved.device = Device::cuda();
    }
  }
  resolved.device = resolve(resolved.device);
  if (on_cuda(resolved))
    for (const Placement& image : data)
      if (!on_device(image)) require_transfer(operation, image);
  return resolved;
}

void require_chosen(const char* operation, const Exec& chosen, Device asked,
                    std::initializer_list<Placement> data) {
  Exec exec = chosen;
  if (asked.kind == DeviceKind::kAuto && std::any_of(data.begin(), data.end(), on_device)) {
    if (!on_cuda(chosen)) exec.device = asked;  // there was no GPU to choose, and still is none
    else if (const int home = common_device(operation, data);
             home != cuda::kEveryDevice && home != chosen.device.index)
      throw InvalidArgument(fmt::format(
          "{}: data lies on cuda:{}, but device auto chose {} when the object was made; make it "
          "with device cuda:{}",
          operation, home, to_string(chosen.device), home));
  }
  resolve_exec(operation, exec, data);
}

Exec resolve_host_exec(const char* operation, const Exec& exec,
                       std::initializer_list<Placement> data) {
  if (std::any_of(data.begin(), data.end(), on_device)) return resolve_exec(operation, exec, data);
  return exec;
}

// CUDA's copies know no stride below 0.
void require_transfer(const char* operation, const Placement& image) {
  if (image.height <= 1 || image.stride >= 0) return;
  if (on_device(image))
    throw InvalidArgument(
        fmt::format("{}: rows that lie {} elements apart cannot be brought from a GPU; give a view "
                    "with a positive stride",
                    operation, image.stride));
  throw InvalidArgument(fmt::format(
      "{}: rows that lie {} elements apart cannot be sent to a GPU; clone() the image first",
      operation, image.stride));
}

void require_host(const char* operation, const char* name, Memory memory) {
  if (memory == Memory::kCuda)
    throw InvalidArgument(fmt::format(
        "{}: {} lies in GPU memory, expected host memory; clone() it first", operation, name));
}

void throw_wrong_shape(const char* operation, const char* name, const std::string& is,
                       const std::string& expected) {
  throw InvalidArgument(fmt::format("{}: {} is {} (width x height x channels), expected {}",
                                    operation, name, is, expected));
}

}  // namespace fovea::detail
