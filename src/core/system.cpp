#include <fovea/core/device.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>

#include <fmt/format.h>

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

}  // namespace fovea
