#include "emd/scene/changes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/images.h"

namespace fovea::emd {
namespace {

TEST(EmdChanges, MarksEveryWindowWithAChange) {
  constexpr int kWidth = 150, kHeight = 140;
  Random random(5);
  const auto before = test::random_image<std::uint8_t>(random, kWidth, kHeight, 1);
  Image<std::uint8_t> now = clone(before.view());
  std::vector<std::array<int, 2>> places{{0, 0}, {149, 139}, {70, 64}, {71, 64}, {30, 100}};
  for (const auto& [x, y] : places) now.at(x, y) = static_cast<std::uint8_t>(now.at(x, y) + 1);
  for (const int threads : {1, 3})
    for (const int reach : {0, 1, 5, 127}) {
      Image<std::uint8_t> mask(kWidth, kHeight);
      const std::int64_t marked =
          mark_changes(now, before, reach, mask, {.device = Device::cpu(), .threads = threads});
      std::int64_t count = 0;
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
          const bool changed = std::any_of(places.begin(), places.end(), [&](const auto& place) {
            return std::abs(place[0] - x) <= reach && std::abs(place[1] - y) <= reach;
          });
          ASSERT_EQ(mask.at(x, y), changed ? 1 : 0) << x << ' ' << y << ' ' << reach;
          count += changed ? 1 : 0;
        }
      EXPECT_EQ(marked, count);
    }
}

}  // namespace
}  // namespace fovea::emd
