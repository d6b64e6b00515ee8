// Names, lists and resolves devices.
#include <fovea/device.h>
#include <fovea/error.h>

#include <fmt/format.h>
#include <unistd.h>

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

}  // namespace

std::vector<DeviceInfo> devices() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<DeviceInfo> all{{Device::cpu(), cpu_name(), pages * page_bytes,
                               static_cast<int>(std::thread::hardware_concurrency()), ""}};
  for (auto& info : cuda::device_infos()) all.push_back(std::move(info));
  return all;
}

std::string cuda_absence() { return cuda::absence(); }

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
  const std::string absence = cuda::absence();
  if (wanted.kind == DeviceKind::kAuto) return absence.empty() ? Device::cuda() : Device::cpu();
  if (!absence.empty())
    throw DeviceError(
        fmt::format("device {} is not usable: {}; use --device cpu", to_string(wanted), absence));
  const std::size_t count = cuda::device_infos().size();
  if (static_cast<std::size_t>(wanted.index) >= count)
    throw DeviceError(
        fmt::format("device {} does not exist: this machine has {} GPU{} (cuda:0 to cuda:{})",
                    to_string(wanted), count, count == 1 ? "" : "s", count - 1));
  return wanted;
}

}  // namespace fovea
