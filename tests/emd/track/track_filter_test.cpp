#include "emd/track/track_filter.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace fovea::emd {
namespace {

// A pattern of `size` pixels per wave around (x, y) on another one.
Image<std::uint8_t> waves(double x, double y, double size) {
  Image<std::uint8_t> image(120, 90);
  for (int j = 0; j < 90; ++j) {
    for (int i = 0; i < 120; ++i) {
      const double dx = (i + 0.5 - x) / size, dy = (j + 0.5 - y) / size;
      const bool inside = std::max(std::abs(dx), std::abs(dy)) <= 1;
      const double value = inside ? 128 + 100 * std::sin(5 * dx + 2 * dy * dy) * std::cos(4 * dy)
                                  : 90 + 20 * std::sin(0.15 * i + 0.02 * j * j);
      image.at(i, j) = static_cast<std::uint8_t>(value);
    }
  }
  return image;
}

TEST(EmdTrackFilter, AnswersOneWhereItLearnedAndLittleElsewhere) {
  const auto image = waves(60, 45, 12);
  EdgeFilter filter(image.view(), {60, 45, 1}, 24, 24);
  filter.look(image.view(), {60, 45, 1});
  EXPECT_NEAR(filter.response(60, 45), 1, 0.1);
  EXPECT_NEAR(filter.highest(), filter.response(60, 45), 0.01);
  EXPECT_LT(filter.response(75, 45), 0.2);
  EXPECT_EQ(filter.response(500, 45), 0);
}

TEST(EmdTrackFilter, FindsAMovedTarget) {
  EdgeFilter filter(waves(60, 45, 12).view(), {60, 45, 1}, 24, 24);
  filter.look(waves(66, 41, 12).view(), {60, 45, 1});
  double most = -1, x = 0, y = 0;
  for (int dy = -12; dy <= 12; ++dy) {
    for (int dx = -12; dx <= 12; ++dx) {
      const double response = filter.response(60 + dx, 45 + dy);
      if (response <= most) continue;
      most = response;
      x = 60 + dx;
      y = 45 + dy;
    }
  }
  EXPECT_NEAR(x, 66, 1);
  EXPECT_NEAR(y, 41, 1);
  EXPECT_GT(most, 0.4);
}

TEST(EmdTrackFilter, MatchIsTheResponseOfThePlace) {
  const auto first = waves(60, 45, 12), second = waves(61, 45, 12.4);
  EdgeFilter filter(first.view(), {60, 45, 1}, 24, 24);
  filter.look(second.view(), {60, 45, 1});
  EXPECT_NEAR(filter.match(filter.view(second.view(), {60, 45, 1})), filter.response(60, 45), 1e-3);
}

TEST(EmdTrackFilter, TheRightScaleMatchesBest) {
  EdgeFilter filter(waves(60, 45, 12).view(), {60, 45, 1}, 24, 24);
  const auto grown = waves(60, 45, 14.4);
  const double right = filter.match(filter.view(grown.view(), {60, 45, 1.2}));
  EXPECT_GT(right, filter.match(filter.view(grown.view(), {60, 45, 1})));
  EXPECT_GT(right, filter.match(filter.view(grown.view(), {60, 45, 1.4})));
}

TEST(EmdTrackFilter, LearnsWhatItIsShown) {
  const auto first = waves(60, 45, 12), second = waves(60, 45, 7);
  EdgeFilter filter(first.view(), {60, 45, 1}, 24, 24);
  const double before = filter.match(filter.view(second.view(), {60, 45, 1}));
  filter.learn(filter.view(second.view(), {60, 45, 1}), 0.5);
  EXPECT_GT(filter.match(filter.view(second.view(), {60, 45, 1})), before);
  filter.learn(filter.view(second.view(), {60, 45, 1}), 1);
  EXPECT_NEAR(filter.match(filter.view(second.view(), {60, 45, 1})), 1, 0.1);
}

}  // namespace
}  // namespace fovea::emd
