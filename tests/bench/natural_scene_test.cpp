// Covers: natural_layers
#include "bench/natural_scene.h"

#include <fovea/io/image_io.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "support/images.h"

namespace fovea::cli {
namespace {

using Moment = NaturalScene::Moment;

// What photographs have in common. Bounds are those of the color photographs of people that were
// looked at (INRIA and Penn-Fudan, at 1280x960), with some room.
struct Statistics {
  double gradient = 0;  // mean magnitude of central differences, gray levels
  double weak = 0;      // share of magnitudes below 6
  double kurtosis = 0;  // of differences across: 3 for normally distributed ones
};

Statistics gradients_of(const Image<std::uint8_t>& gray) {
  Statistics found;
  double count = 0, squares = 0, fourths = 0;
  for (int y = 1; y + 1 < gray.height(); ++y)
    for (int x = 1; x + 1 < gray.width(); ++x, ++count) {
      const double across = gray.at(x + 1, y) - gray.at(x - 1, y),
                   down = gray.at(x, y + 1) - gray.at(x, y - 1);
      const double magnitude = std::hypot(across, down);
      found.gradient += magnitude;
      found.weak += magnitude < 6 ? 1 : 0;
      squares += across * across;
      fourths += std::pow(across, 4);
    }
  found.gradient /= count;
  found.weak /= count;
  found.kurtosis = fourths * count / (squares * squares);
  return found;
}

// The strength of differences between neighboring squares of 1, 2, 4 pixels and so on. Where the
// amplitude of the spectrum falls with the frequency f as 1/f, it is about the same at all sizes.
std::vector<double> octaves_of(const Image<std::uint8_t>& gray, int count) {
  Image<double> level(gray.width(), gray.height());
  for (int y = 0; y < gray.height(); ++y)
    for (int x = 0; x < gray.width(); ++x) level.at(x, y) = gray.at(x, y);
  std::vector<double> strengths;
  for (int octave = 0; octave < count; ++octave) {
    Image<double> half(level.width() / 2, level.height() / 2);
    double sum = 0;
    for (int y = 0; y < half.height(); ++y)
      for (int x = 0; x < half.width(); ++x) {
        const double a = level.at(2 * x, 2 * y), b = level.at(2 * x + 1, 2 * y),
                     c = level.at(2 * x, 2 * y + 1), d = level.at(2 * x + 1, 2 * y + 1);
        sum += std::pow((a + c - b - d) / 2, 2) + std::pow((a + b - c - d) / 2, 2);
        half.at(x, y) = (a + b + c + d) / 4;
      }
    strengths.push_back(std::sqrt(sum / (2.0 * half.width() * half.height())));
    level = std::move(half);
  }
  return strengths;
}

double correlation(const Image<std::uint8_t>& image, int first, int second) {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  const double count = 1.0 * image.width() * image.height();
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const double p = image.at(x, y, first), q = image.at(x, y, second);
      a += p;
      b += q;
      aa += p * p;
      bb += q * q;
      ab += p * q;
    }
  return (ab - a * b / count) / std::sqrt((aa - a * a / count) * (bb - b * b / count));
}

TEST(NaturalScene, IsTheSameForEveryNumberOfThreads) {
  const NaturalScene scene({161, 95});
  const Moment moment{3, 1};
  EXPECT_TRUE(test::images_equal(scene.frame(moment, {.threads = 1}),
                                 NaturalScene({161, 95}).frame(moment, {.threads = 2})));
  EXPECT_TRUE(test::images_equal(scene.motion(moment, {.threads = 1}).u,
                                 scene.motion(moment, {.threads = 2}).u));
}

TEST(NaturalScene, AnotherSeedIsAnotherStreet) {
  EXPECT_FALSE(
      test::images_equal(NaturalScene({80, 60}, 1).frame(), NaturalScene({80, 60}, 2).frame()));
}

TEST(NaturalScene, HasAnySize) {
  for (const Extent size : {Extent{1, 1}, Extent{16, 16}, Extent{300, 20}, Extent{31, 200}}) {
    const Image<std::uint8_t> image = NaturalScene(size).frame();
    EXPECT_EQ(image.width(), size.width);
    EXPECT_EQ(image.height(), size.height);
    EXPECT_EQ(image.channels(), 3);
  }
}

TEST(NaturalScene, HasTheStatisticsOfPhotographs) {
  struct Case {
    Extent size;
    std::uint64_t seed;
  };
  for (const auto& [size, seed] : {Case{{640, 480}, 1}, Case{{640, 480}, 2}}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", width " << size.width);
    const Image<std::uint8_t> color = NaturalScene(size, seed).frame();
    const Image<std::uint8_t> gray = io::to_gray(color.view());
    const Statistics found = gradients_of(gray);
    EXPECT_GT(found.gradient, 5);
    EXPECT_LT(found.gradient, 16);
    EXPECT_GT(found.weak, 0.37);
    EXPECT_LT(found.weak, 0.8);
    EXPECT_GT(found.kurtosis, 15);
    EXPECT_LT(found.kurtosis, 55);
    const std::vector<double> octaves = octaves_of(gray, 4);
    for (std::size_t i = 0; i + 1 < octaves.size(); ++i) {
      EXPECT_GT(octaves[i + 1], octaves[i]) << "octave " << i;
      EXPECT_LT(octaves[i + 1], 2.1 * octaves[i]) << "octave " << i;
    }
    for (int c = 0; c < 3; ++c) {
      EXPECT_GT(correlation(color, c, (c + 1) % 3), 0.7);
      EXPECT_LT(correlation(color, c, (c + 1) % 3), 0.999);
    }
  }
}

// Where a pixel goes by the motion that is said to be true, the next frame looks like it.
TEST(NaturalScene, MotionLeadsToTheSamePixelOfTheNextFrame) {
  const NaturalScene scene({320, 240});
  const Moment moment{2, 2.5};
  const Image<std::uint8_t> now = io::to_gray(scene.frame(moment).view()),
                            next = io::to_gray(scene.frame({3, 2.5}).view());
  const NaturalScene::Motion motion = scene.motion(moment);
  double alike = 0, alike_without = 0, count = 0;
  for (int y = 8; y < 232; ++y)
    for (int x = 8; x < 312; ++x, ++count) {
      const auto to_x = static_cast<int>(std::lround(x + motion.u.at(x, y))),
                 to_y = static_cast<int>(std::lround(y + motion.v.at(x, y)));
      if (to_x < 0 || to_y < 0 || to_x >= 320 || to_y >= 240) continue;
      alike += std::abs(now.at(x, y) - next.at(to_x, to_y)) < 12 ? 1 : 0;
      alike_without += std::abs(now.at(x, y) - next.at(x, y)) < 12 ? 1 : 0;
    }
  EXPECT_GT(alike, 0.88 * count);
  EXPECT_GT(alike, 1.05 * alike_without);
}

TEST(NaturalScene, PeopleWalkBeforeAStillCamera) {
  const NaturalScene::Motion motion = NaturalScene({320, 240}).motion({5});
  double moving = 0;
  for (int y = 0; y < 240; ++y)
    for (int x = 0; x < 320; ++x) moving += motion.u.at(x, y) != 0 ? 1 : 0;
  EXPECT_GT(moving, 0.01 * 320 * 240);
  EXPECT_LT(moving, 0.3 * 320 * 240);
}

}  // namespace
}  // namespace fovea::cli
