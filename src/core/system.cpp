#include <fovea/core/device.h>
#include <fovea/core/record.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/backend.h"
#include "core/simd.h"

namespace fovea {

BuildInfo build_info() {
  BuildInfo info;
  info.version = FOVEA_VERSION;
#ifdef __clang__
  info.compiler = fmt::format("clang {}", __clang_version__);
#else
  info.compiler = fmt::format("gcc {}", __VERSION__);
#endif
  info.build_type = FOVEA_BUILD_TYPE;
  info.simd_compiled = detail::simd_compiled();
  info.simd_usable = detail::simd_usable();
  const std::string absence = cuda_absence();
  info.features.push_back(
      {"cuda", absence.empty(), absence.empty() ? "toolkit " + cuda::toolkit_version() : absence});
  return info;
}

void require_processor() { detail::require_simd(detail::simd_compiled(), detail::simd_usable()); }

std::uint64_t usable_memory_bytes() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const std::uint64_t machine = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  // Linux control groups, second version; the word "max" instead of a number is no limit.
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::uint64_t container = 0;
  return file >> container && container > 0 ? std::min(machine, container) : machine;
}

void describe(FieldVisitor& visit, Feature& feature) {
  visit.record("Feature", "a part that a build or a machine may lack");
  visit("name", feature.name, "what it is called");
  visit("usable", feature.usable, "whether it can be used here");
  visit("detail", feature.detail, "its version; else why not and what to install");
}

}  // namespace fovea
