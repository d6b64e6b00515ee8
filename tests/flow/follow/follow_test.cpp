// Covers: follow_cpu
#include "reference/follow.h"

#include <fovea/core/error.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/follow.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

using test::message_of;
using testing::HasSubstr;

// Soft texture of all sizes, as each level of a pyramid needs; gray levels from 10 to 240.
double soft_texture(double x, double y) {
  return 125 + 40 * std::sin(0.045 * x + 0.02 * y) + 35 * std::sin(0.05 * y - 0.017 * x + 1) +
         15 * std::sin(0.31 * x + 0.11 * y) + 15 * std::sin(0.23 * y - 0.13 * x + 1) +
         10 * std::sin(0.47 * x) * std::cos(0.41 * y);
}
// Seen (dx, dy) pixels further on.
template <class T>
Image<T> soft_picture(int width, int height, double dx = 0, double dy = 0, double gain = 1) {
  Image<T> image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(x, y) =
          static_cast<T>(gain * soft_texture(x - dx, y - dy) + (std::is_integral_v<T> ? 0.5 : 0.0));
  return image;
}

FollowOptions follow_on_cpu() { return {.exec = {.device = Device::cpu()}}; }

std::vector<Position> grid_of_points(int width, int height, float margin) {
  std::vector<Position> points;
  for (float y = margin; y < static_cast<float>(height) - margin; y += 17.3F)
    for (float x = margin; x < static_cast<float>(width) - margin; x += 19.7F)
      points.push_back({x, y});
  return points;
}

class FollowPlaces : public test::OnEveryPlace {};

TEST_P(FollowPlaces, PointsMoveAsTheTextureDoes) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "points are followed on the CPU";
  const auto first = soft_picture<float>(160, 120),
             second = soft_picture<float>(160, 120, 6.25, -3.5);
  const auto points = grid_of_points(160, 120, 22);
  const Followed found = follow(first, second, {points}, follow_on_cpu());
  ASSERT_EQ(found.points.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(found.status[i], 1) << i;
    EXPECT_NEAR(found.points[i].x, points[i].x + 6.25, 0.03) << i;
    EXPECT_NEAR(found.points[i].y, points[i].y - 3.5, 0.03) << i;
    EXPECT_LT(found.error[i], 0.5) << i;
  }
}
FOVEA_ON_EVERY_PLACE(FollowPlaces);

// Beyond a border there is nothing to compare with, whether points come from there or go there.
TEST(Follow, PointsNearABorderAreFollowedAsExactlyAsOthers) {
  constexpr int kWidth = 160, kHeight = 120;
  const auto first = soft_picture<float>(kWidth, kHeight);
  for (const auto& [dx, dy] : {std::pair{6.25, -3.5}, {-5.75, 4.5}, {1.5, 1.25}, {-1.25, -1.75}}) {
    std::vector<Position> points;
    const auto add = [&, dx = dx, dy = dy](float x, float y) {
      const double to_x = x + dx, to_y = y + dy;
      if (to_x >= 0 && to_y >= 0 && to_x <= kWidth - 1 && to_y <= kHeight - 1)
        points.push_back({x, y});
    };
    for (const float away : {2.0F, 3.3F, 4.0F, 5.7F, 6.0F}) {
      for (float x = 10; x < kWidth - 10; x += 6.1F) add(x, away), add(x, kHeight - 1 - away);
      for (float y = 10; y < kHeight - 10; y += 6.1F) add(away, y), add(kWidth - 1 - away, y);
    }
    const Followed found =
        follow(first, soft_picture<float>(kWidth, kHeight, dx, dy), {points}, follow_on_cpu());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto where = testing::Message() << points[i].x << ' ' << points[i].y << " by " << dx;
      EXPECT_EQ(found.status[i], 1) << where;
      EXPECT_NEAR(found.points[i].x, points[i].x + dx, 0.05) << where;
      EXPECT_NEAR(found.points[i].y, points[i].y + dy, 0.05) << where;
      EXPECT_LT(found.error[i], 0.5) << where;
    }
  }
}

TEST(Follow, EveryPlaceIsThatOfTheTextbook) {
  Random random(3);
  const auto first = soft_picture<std::uint8_t>(97, 71),
             second = soft_picture<std::uint8_t>(97, 71, 3.3, 2.1);
  const auto levels_of = [](const Image<std::uint8_t>& image, const FollowOptions& options) {
    reference::FollowImage plane{image.width(), image.height(), {}};
    for (int y = 0; y < image.height(); ++y)
      plane.gray.insert(plane.gray.end(), image.row(y), image.row(y) + image.width());
    return reference::follow_levels(plane, options);
  };
  for (const int radius : {3, 7, 10}) {
    FollowOptions options = follow_on_cpu();
    options.radius = radius;
    options.iterations = 8;
    const auto a = levels_of(first, options), b = levels_of(second, options);
    std::vector<Position> points = {{-1, 3}, {97, 3}, {48, 35}};
    for (int i = 0; i < 30; ++i)
      points.push_back({4 + static_cast<float>(random.below(8800)) / 100,
                        4 + static_cast<float>(random.below(6200)) / 100});
    const Followed found = follow(first, second, {points}, options);
    int followed = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto expected = reference::follow(a, b, points[i], options);
      ASSERT_EQ(found.status[i] != 0, expected.found) << points[i].x << ' ' << points[i].y;
      if (!expected.found) continue;
      ++followed;
      EXPECT_NEAR(found.points[i].x, expected.x, 2e-3) << radius << ' ' << i;
      EXPECT_NEAR(found.points[i].y, expected.y, 2e-3) << radius << ' ' << i;
      EXPECT_NEAR(found.error[i], expected.error, 2e-3) << radius << ' ' << i;
    }
    EXPECT_GT(followed, 20);
  }
}

TEST(Follow, PointsAreLostWhereThereIsNoTextureOrNoImage) {
  Image<std::uint8_t> first = soft_picture<std::uint8_t>(120, 80), second(120, 80);
  for (int y = 0; y < 80; ++y)
    for (int x = 0; x < 120; ++x) {
      if (x < 60) first.at(x, y) = 90;
      second.at(x, y) = first.at(x, y);
    }
  const std::vector<Position> points = {{20, 40}, {95, 40}, {-0.5F, 40}, {119.5F, 40}, {30, 200}};
  const Followed found = follow(first, second, {points}, follow_on_cpu());
  EXPECT_THAT(found.status, testing::ElementsAre(0, 1, 0, 0, 0));
  EXPECT_NEAR(found.points[1].x, 95, 1e-3);
  EXPECT_EQ(found.points[2].x, -0.5F);
  EXPECT_EQ(found.error[0], 0);
}

TEST(Follow, GuessesReachWhatThePyramidDoesNot) {
  const auto first = soft_picture<std::uint8_t>(200, 120),
             second = soft_picture<std::uint8_t>(200, 120, 40, 9);
  FollowOptions options = follow_on_cpu();
  options.levels = 1;
  const std::vector<Position> points = {{60, 60}}, guesses = {{99, 70}};
  const Followed found = follow(first, second, {points, guesses}, options);
  EXPECT_NEAR(found.points[0].x, 100, 0.05);
  EXPECT_NEAR(found.points[0].y, 69, 0.05);
  EXPECT_EQ(found.status[0], 1);
}

TEST(Follow, TheWayBackTellsWhatIsHidden) {
  const auto first = soft_picture<std::uint8_t>(160, 120);
  Image<std::uint8_t> second = soft_picture<std::uint8_t>(160, 120, 2, 1);
  for (int y = 30; y < 90; ++y)  // other texture in front of it
    for (int x = 90; x < 150; ++x)
      second.at(x, y) = static_cast<std::uint8_t>(soft_texture(3.0 * y + 70, 2.0 * x));
  FollowOptions options = follow_on_cpu();
  options.check = 0.5;
  const std::vector<Position> points = {{40, 60}, {118, 60}};
  EXPECT_THAT(follow(first, second, {points}, options).status, testing::ElementsAre(1, 0));
}

TEST(Follow, TypesChannelsAndThreadsDoNotChangeIt) {
  const auto points = grid_of_points(160, 120, 5);
  const auto first = soft_picture<std::uint8_t>(160, 120),
             second = soft_picture<std::uint8_t>(160, 120, 1.5, 2);
  const Followed expected = follow(first, second, {points}, follow_on_cpu());
  const auto equal = [&](const Followed& other, float most) {
    ASSERT_EQ(other.status, expected.status);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(other.points[i].x, expected.points[i].x, most) << i;
      EXPECT_NEAR(other.points[i].y, expected.points[i].y, most) << i;
      EXPECT_NEAR(other.error[i], expected.error[i], most) << i;
    }
  };
  FollowOptions one = follow_on_cpu();
  one.exec.threads = 1;
  equal(follow(first, second, {points}, one), 0);
  const auto colored = [](const Image<std::uint8_t>& gray) {
    Image<std::uint8_t> image(gray.width(), gray.height(), 4);
    for (int y = 0; y < gray.height(); ++y)
      for (int x = 0; x < gray.width(); ++x)
        for (int c = 0; c < 4; ++c) image.at(x, y, c) = c == 3 ? 7 : gray.at(x, y);
    return image;
  };
  equal(follow(colored(first), colored(second), {points}, follow_on_cpu()), 2e-3F);
  // Another exposure of 16 bits, whose range is stretched.
  const Followed deep =
      follow(soft_picture<std::uint16_t>(160, 120, 0, 0, 200),
             soft_picture<std::uint16_t>(160, 120, 1.5, 2, 200), {points}, follow_on_cpu());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (deep.status[i] == 0 || expected.status[i] == 0) continue;
    EXPECT_NEAR(deep.points[i].x, expected.points[i].x, 0.1) << i;
    EXPECT_NEAR(deep.points[i].y, expected.points[i].y, 0.1) << i;
  }
}

TEST(Follow, SmallImagesAndNoPointsAreFine) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 5}, {9, 3}, {23, 22}}) {
    const auto image = soft_picture<std::uint8_t>(width, height);
    const Followed found = follow(image, image, {std::vector<Position>{{0, 0}}}, follow_on_cpu());
    EXPECT_EQ(found.points[0].x, 0);
    EXPECT_TRUE(follow(image, image, {}, follow_on_cpu()).points.empty());
  }
}

TEST(Follow, MessagesSayWhatWasGiven) {
  const auto image = soft_picture<std::uint8_t>(40, 30);
  const std::vector<Position> points = {{1, 1}, {std::numeric_limits<float>::quiet_NaN(), 2}};
  const auto says = [&](auto call) { return message_of<InvalidArgument>(call); };
  EXPECT_THAT(says([&] { follow(image, image, {points}, follow_on_cpu()); }),
              HasSubstr("follow: point 1 is (nan, 2); expected finite numbers"));
  EXPECT_THAT(says([&] {
                follow(image, soft_picture<std::uint8_t>(40, 31), {std::span(points).first(1)},
                       follow_on_cpu());
              }),
              HasSubstr("is 40x30, but the second one is 40x31"));
  EXPECT_THAT(says([&] {
                follow(image, image, {std::span(points).first(1), std::span(points).first(0)},
                       {.radius = 0});
              }),
              HasSubstr("radius"));
  const std::vector<Position> two = {{1, 1}, {2, 2}};
  EXPECT_THAT(says([&] {
                follow(image, image, {std::span(two).first(1), two}, follow_on_cpu());
              }),
              HasSubstr("2 guesses for 1 points"));
  EXPECT_THAT(says([&] { follow(image, image, {two}, {.exec = {.device = Device::cuda()}}); }),
              HasSubstr("CPU only"));
  const Image<std::uint8_t> pairs(8, 8, 2);
  EXPECT_THAT(says([&] { follow(pairs, pairs, {two}, follow_on_cpu()); }), HasSubstr("2 channels"));
}

}  // namespace
}  // namespace fovea::flow
