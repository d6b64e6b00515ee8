#include <fovea/flow/stereo.h>

#include "flow/stereo/stereo_cpu.h"
#include "reference/stereo.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::flow::cpu {
namespace {

class StereoPaths : public test::OnEveryPlace {};

TEST_P(StereoPaths, SumsAreThoseOfTheTextbook) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "stereo has no twin on the GPU";
  Random random(11);
  for (int trial = 0; trial < 4; ++trial) {
    StereoPlan plan;
    plan.width = 1 + static_cast<int>(random.below(20));
    plan.height = 1 + static_cast<int>(random.below(12));
    plan.count = plan.padded = kStereoLanes * (1 + trial % 2);
    plan.small_penalty = static_cast<int>(random.below(40));
    plan.large_penalty = plan.small_penalty + static_cast<int>(random.below(80));
    const Image<std::uint8_t> gray =
        test::random_image<std::uint8_t>(random, plan.width, plan.height);
    const std::size_t all = plan.row_elements() * static_cast<std::size_t>(plan.height);
    std::vector<std::uint8_t> costs(all);
    for (std::uint8_t& cost : costs) cost = static_cast<std::uint8_t>(random.below(128));
    std::vector<std::uint16_t> sums(all);
    sum_paths({plan, gray.view(), 0, plan.height, costs.data(), sums.data()});
    const std::vector<int> expected =
        fovea::reference::path_sums(gray, std::vector<int>(costs.begin(), costs.end()),
                                    {.count = plan.count,
                                     .small_penalty = plan.small_penalty,
                                     .large_penalty = plan.large_penalty});
    for (std::size_t i = 0; i < all; ++i) ASSERT_EQ(sums[i], expected[i]) << trial << " " << i;
  }
}
FOVEA_ON_EVERY_PLACE(StereoPaths);

}  // namespace
}  // namespace fovea::flow::cpu
