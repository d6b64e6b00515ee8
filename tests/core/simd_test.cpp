#include "core/simd.h"

#include <fovea/core/error.h>

#include <algorithm>

#include "support/messages.h"

namespace fovea::detail {
namespace {

TEST(Simd, UsableTargetsAreCompiledOnes) {
  const auto compiled = simd_compiled();
  const auto usable = simd_usable();
  ASSERT_FALSE(usable.empty());
  for (const auto& target : usable)
    EXPECT_NE(std::find(compiled.begin(), compiled.end(), target), compiled.end());
}

TEST(Simd, RefusesAMachineThatRunsNoneOfTheCompiledTargets) {
  require_simd({"AVX2", "SSE4"}, {"SSE4"});
  EXPECT_THAT(test::message_of<DeviceError>([] { require_simd({"AVX3"}, {}); }),
              testing::HasSubstr("compiled for processors with AVX3, which this one lacks"));
}

}  // namespace
}  // namespace fovea::detail
