#include "support/devices.h"

#include <hwy/highway.h>

#include <algorithm>
#include <cctype>
#include <ostream>

namespace fovea::test {

std::vector<Place> every_place() {
  std::vector<Place> places;
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if (HWY_TARGETS & target) places.push_back({Device::cpu(), target});
  }
  places.push_back({Device::cuda()});
  return places;
}

void PrintTo(const Place& place, std::ostream* out) { *out << to_string(place.device); }

std::string place_name(const testing::TestParamInfo<Place>& info) {
  const Place& place = info.param;
  std::string name = place.simd_target == 0
                         ? to_string(place.device)
                         : std::string("cpu_") + hwy::TargetName(place.simd_target);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

void OnEveryPlace::SetUp() {
  if (device().kind == DeviceKind::kCuda) {
    FOVEA_SKIP_WITHOUT_CUDA();
    return;
  }
  const std::int64_t target = GetParam().simd_target;
  if ((hwy::SupportedTargets() & target) == 0)
    GTEST_SKIP() << "this CPU does not run " << hwy::TargetName(target);
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void OnEveryPlace::TearDown() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace fovea::test
