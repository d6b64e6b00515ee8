#include <fovea/core/error.h>

#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "core/simd.h"

namespace fovea::detail {
namespace {

// Highway numbers targets so that a lower bit is a better instruction set.
std::vector<std::string> names(std::int64_t targets) {
  std::vector<std::string> result;
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if (targets & target) result.emplace_back(hwy::TargetName(target));
  }
  return result;
}

}  // namespace

std::vector<std::string> simd_compiled() { return names(HWY_TARGETS); }
std::vector<std::string> simd_usable() { return names(HWY_TARGETS & hwy::SupportedTargets()); }

void require_simd(const std::vector<std::string>& compiled,
                  const std::vector<std::string>& usable) {
  if (usable.empty())
    throw DeviceError(
        fmt::format("this program was compiled for processors with {}, which this one lacks; "
                    "compile it with make build SIMD=ALL",
                    fmt::join(compiled, ", ")));
}

}  // namespace fovea::detail
