// Names, lists and resolves devices.
#include <fovea/core/device.h>
#include <fovea/core/error.h>
#include <fovea/core/record_values.h>
#include <fovea/core/system.h>

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <thread>

#include "core/backend.h"

namespace fovea {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
#ifdef __aarch64__
  return "ARM64 CPU";
#else
  return "CPU";
#endif
}

// The first usable GPU, or the reason why there is none.
struct FoundGpu {
  int index = 0;
  std::string absence;
};
FoundGpu find_gpu() {
  FoundGpu first{.index = 0, .absence = cuda::absence(0)};
  if (first.absence.empty()) return first;
  for (int i = 1; i < cuda::device_count(); ++i)
    if (cuda::absence(i).empty()) return {.index = i, .absence = {}};
  return first;
}

}  // namespace

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all{{Device::cpu(), cpu_name(), usable_memory_bytes(),
                               static_cast<int>(std::thread::hardware_concurrency()), ""}};
  for (auto& info : cuda::device_infos()) all.push_back(std::move(info));
  return all;
}

std::string cuda_absence() { return find_gpu().absence; }

Device parse_device(std::string_view text) {
  if (text == "auto") return {};
  if (text == "cpu") return Device::cpu();
  if (text == "cuda") return Device::cuda();
  constexpr std::string_view kPrefix = "cuda:";
  if (text.substr(0, kPrefix.size()) == kPrefix) {
    const std::string_view digits = text.substr(kPrefix.size());
    int index = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc() && end == digits.data() + digits.size() && index >= 0)
      return Device::cuda(index);
  }
  throw InvalidArgument(
      fmt::format("device '{}' is not known; write auto, cpu, cuda or cuda:N", text));
}

std::string to_string(Device device) {
  switch (device.kind) {
    case DeviceKind::kAuto: return "auto";
    case DeviceKind::kCpu: return "cpu";
    case DeviceKind::kCuda: return fmt::format("cuda:{}", device.index);
  }
  return "unknown";
}

Device resolve(Device wanted) {
  if (wanted.kind == DeviceKind::kCpu) return wanted;
  if (wanted.kind == DeviceKind::kAuto) {
    const FoundGpu gpu = find_gpu();
    return gpu.absence.empty() ? Device::cuda(gpu.index) : Device::cpu();
  }
  const std::string absence = cuda::absence(wanted.index);
  if (!absence.empty())
    throw DeviceError(fmt::format("device {} is not usable: {}; ask for device cpu or auto",
                                  to_string(wanted), absence));
  return wanted;
}

ScopedDevice::ScopedDevice(Device device)
    : previous_(device.kind == DeviceKind::kCuda ? cuda::change_device(device.index)
                                                 : cuda::kNoDevice) {}
ScopedDevice::~ScopedDevice() {
  if (previous_ >= 0) cuda::restore_device(previous_);
}

void describe(FieldVisitor& visit, DeviceInfo& info) {
  std::string device = to_string(info.device);
  FieldValue capability = detail::unless_empty(info.capability);
  visit.record("DeviceInfo", "a device that work can run on");
  visit("device", device, "as options name it");
  visit("name", info.name, "of the processor");
  visit("units", info.units, "cores of a CPU, multiprocessors of a GPU");
  visit("memory_bytes", info.memory_bytes, "its memory", {.unit = "bytes"});
  visit("capability", capability, "CUDA compute capability; null for the CPU", {.null = true});
}

}  // namespace fovea
