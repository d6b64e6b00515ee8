#include "core/simd.h"

#include <algorithm>

namespace fovea::detail {
namespace {

TEST(Simd, UsableTargetsAreCompiledOnes) {
  const auto compiled = simd_compiled();
  const auto usable = simd_usable();
  ASSERT_FALSE(usable.empty());
  for (const auto& target : usable)
    EXPECT_NE(std::find(compiled.begin(), compiled.end(), target), compiled.end());
}

}  // namespace
}  // namespace fovea::detail
