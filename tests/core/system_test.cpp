#include <fovea/core/device.h>
#include <fovea/core/system.h>
#include <fovea/core/version.h>

#include <algorithm>

namespace fovea {
namespace {

TEST(System, SaysWhatItIs) {
  const BuildInfo info = build_info();
  EXPECT_EQ(info.version, FOVEA_VERSION);
  EXPECT_FALSE(info.compiler.empty());
}

TEST(System, AbsentFeaturesSayWhy) {
  for (const Feature& feature : build_info().features)
    EXPECT_FALSE(feature.detail.empty()) << feature.name;
}

}  // namespace
}  // namespace fovea
