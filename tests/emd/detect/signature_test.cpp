#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/signature.h>
#include <fovea/emd/solver.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/files.h"

namespace fovea::emd {
namespace {

using test::message_of;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Stack<float> random_cube(int width, int height, int bands) {
  Random random(7);
  Stack<float> cube(width, height, bands);
  for (int b = 0; b < bands; ++b)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        cube.plane(b).at(x, y) = random.uniform(50, 150) + static_cast<float>(20 * b);
  return cube;
}

std::vector<float> spectrum_at(const Stack<float>& cube, int x, int y) {
  std::vector<float> values;
  for (int b = 0; b < cube.count(); ++b) values.push_back(cube.plane(b).at(x, y));
  return values;
}

TEST(Signature, BandsAreSummedAndScaled) {
  const Stack<float> cube = random_cube(4, 4, 6);
  const SpectralSignature three(cube, {.kind = SignatureKind::kBands, .bins = 3, .mass = 1000});
  EXPECT_EQ(three.bins(), 3);
  EXPECT_EQ(three.bands(), 6);
  EXPECT_THAT(three.of(std::vector<float>{1, 1, 2, 2, 4, -9}), ElementsAre(200, 400, 400));
  const SpectralSignature raw(cube, {.kind = SignatureKind::kBands, .bins = 3, .mass = 0});
  EXPECT_THAT(raw.of(std::vector<float>{1.6F, 1, 2, 2, 70000, 4}), ElementsAre(3, 4, 65535));
  const SpectralSignature all(cube, {.kind = SignatureKind::kBands, .bins = 64});
  EXPECT_EQ(all.bins(), 6);
  EXPECT_EQ(all.ground().form(), GroundForm::kLine);
}

TEST(Signature, EveryPixelHasTheSameMass) {
  const Stack<float> cube = random_cube(9, 7, 21);
  for (const SignatureKind kind : {SignatureKind::kBands, SignatureKind::kContrast}) {
    const SpectralSignature signature(cube, {.kind = kind, .bins = 11, .mass = 777});
    const Image<std::uint16_t> image = signature.of(cube);
    ASSERT_EQ(image.channels(), 11);
    for (int y = 0; y < 7; ++y) {
      for (int x = 0; x < 9; ++x) {
        EXPECT_EQ(std::accumulate(&image.at(x, y), &image.at(x, y) + 11, 0), 777);
        const std::vector<double> one = signature.of(spectrum_at(cube, x, y));
        for (int i = 0; i < 11; ++i) EXPECT_EQ(image.at(x, y, i), one[static_cast<std::size_t>(i)]);
      }
    }
  }
}

// Two bands that vary apart: the covariance is diagonal, so that each is scaled by itself.
TEST(Signature, ContrastInClosedForm) {
  Stack<float> cube(2, 2, 2);
  const float low = 100, high = 300;
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 2; ++x) {
      cube.plane(0).at(x, y) = x == 0 ? low : high;
      cube.plane(1).at(x, y) = y == 0 ? low : high;
    }
  }
  const SpectralSignature signature(cube, {.bins = 5, .mass = 1000, .power = 2, .plain = 0.25});
  const Image<std::uint16_t> image = signature.of(cube);
  const auto masses = [&](int x, int y) {
    return std::vector<int>(&image.at(x, y), &image.at(x, y) + 5);
  };
  EXPECT_THAT(masses(0, 0), ElementsAre(0, 0, 400, 400, 200));
  EXPECT_THAT(masses(1, 0), ElementsAre(400, 0, 0, 400, 200));
  EXPECT_THAT(masses(0, 1), ElementsAre(0, 400, 400, 0, 200));
  EXPECT_THAT(masses(1, 1), ElementsAre(400, 400, 0, 0, 200));
}

TEST(Signature, GroundIsAMetricThatKeepsHalvesApart) {
  const SpectralSignature signature(random_cube(9, 9, 20), {.bins = 13, .threshold = 2.5});
  const GroundDistance ground = signature.ground();
  EXPECT_TRUE(ground.metric());
  EXPECT_TRUE(ground.exact());
  EXPECT_EQ(ground.cost(0, 2), 2);
  EXPECT_EQ(ground.cost(0, 5), 2.5);
  EXPECT_EQ(ground.cost(5, 6), 2.5);
  EXPECT_EQ(ground.cost(6, 7), 1);
  EXPECT_EQ(ground.cost(11, 12), 2.5);
  EXPECT_EQ(ground.cost(12, 12), 0);
  const SpectralSignature plain(random_cube(9, 9, 20), {.bins = 14});
  EXPECT_EQ(plain.bins(), 13);
  EXPECT_EQ(plain.ground().greatest(), 6);
}

// Light varies much more than what sets the target apart.
TEST(Signature, FindsWhatStandsOut) {
  Random random(2);
  Stack<float> cube(24, 24, 12);
  Image<std::uint8_t> truth(24, 24);
  for (int y = 0; y < 24; ++y) {
    for (int x = 0; x < 24; ++x) {
      truth.at(x, y) = x >= 10 && x < 13 && y >= 10 && y < 13 ? 1 : 0;
      const float light = random.uniform(50, 500);
      for (int b = 0; b < 12; ++b) {
        const float bump = truth.at(x, y) != 0 && b == 6 ? 0.5F : 0.0F;
        cube.plane(b).at(x, y) =
            light * (1 + 0.3F * static_cast<float>(b) + bump) * random.uniform(0.98F, 1.02F);
      }
    }
  }
  const SpectralSignature signature(cube, {.bins = 25, .floor = 1e-5});
  const Image<std::uint16_t> image = signature.of(cube);
  const std::vector<double> target = signature.of(mean_spectrum(cube, truth));
  Image<float> map(24, 24);
  for (int y = 0; y < 24; ++y) {
    for (int x = 0; x < 24; ++x) {
      const std::vector<double> pixel(&image.at(x, y), &image.at(x, y) + 25);
      map.at(x, y) = static_cast<float>(distance(signature.ground(), pixel, target).distance);
    }
  }
  EXPECT_GT(roc(map, truth).area, 0.97);
  EXPECT_LT(roc(sum_of_differences(cube, mean_spectrum(cube, truth)), truth).area, 0.9);
}

TEST(Signature, WindowsAreMeansAndBordersRepeat) {
  const Stack<float> cube = random_cube(6, 5, 8);
  const SignatureOptions plain{.kind = SignatureKind::kBands, .bins = 8, .mass = 0};
  SignatureOptions wide = plain;
  wide.window = 3;
  const Image<std::uint16_t> image = SpectralSignature(cube, wide).of(cube);
  for (const auto& [x, y] : {std::pair(0, 0), std::pair(3, 2), std::pair(5, 4)}) {
    for (int b = 0; b < 8; ++b) {
      double sum = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          sum += static_cast<double>(
              cube.plane(b).at(std::clamp(x + dx, 0, 5), std::clamp(y + dy, 0, 4)));
      EXPECT_NEAR(image.at(x, y, b), sum / 9, 0.5 + 1e-9);
    }
  }
}

TEST(Signature, WhatIsNotFiniteHasNoMass) {
  Stack<float> cube = random_cube(5, 5, 9);
  cube.plane(4).at(2, 3) = std::numeric_limits<float>::quiet_NaN();
  cube.plane(8).at(1, 1) = std::numeric_limits<float>::infinity();
  const SpectralSignature signature(cube, {.bins = 7});
  const Image<std::uint16_t> image = signature.of(cube);
  for (const auto& [x, y] : {std::pair(2, 3), std::pair(1, 1)})
    EXPECT_THAT(std::vector<int>(&image.at(x, y), &image.at(x, y) + 7), Each(0));
  EXPECT_EQ(std::accumulate(&image.at(0, 0), &image.at(0, 0) + 7, 0), 4096);
  // A scene that is all alike has nothing that stands out.
  Stack<float> flat(3, 3, 4);
  for (int b = 0; b < 4; ++b)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 3; ++x) flat.plane(b).at(x, y) = b == 0 ? 0.0F : 8.0F;
  EXPECT_THAT(SpectralSignature(flat, {.bins = 9}).of(std::vector<float>{1, 2, 3, 4}), Each(0));
}

TEST(Signature, ThreadsDoNotChangeIt) {
  const Stack<float> cube = random_cube(30, 50, 11);
  const SpectralSignature one(cube, {.exec = {.threads = 1}});
  const SpectralSignature many(cube, {.exec = {.threads = 3}});
  const Image<std::uint16_t> a = one.of(cube), b = many.of(cube);
  for (int y = 0; y < 50; ++y)
    EXPECT_TRUE(std::equal(a.row(y), a.row(y) + 30 * one.bins(), b.row(y)));
}

TEST(Signature, SaysWhatIsWrong) {
  const Stack<float> cube = random_cube(3, 3, 5);
  const auto message = [&](const SignatureOptions& options) {
    return message_of<InvalidArgument>([&] { SpectralSignature(cube, options); });
  };
  EXPECT_THAT(message({.bins = 66}), HasSubstr("66"));
  EXPECT_THAT(message({.window = 4}), HasSubstr("window is 4 pixels across"));
  EXPECT_THAT(message({.mass = 0}), HasSubstr("which keeps the brightness"));
  EXPECT_THAT(message({.floor = 0}), HasSubstr("floor"));
  const SpectralSignature signature(cube, {.bins = 5});
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                signature.of(std::vector<float>{1, 2});
              }),
              HasSubstr("a spectrum of 2 bands; the scene had 5"));
  EXPECT_THROW(signature.of(random_cube(3, 3, 4)), InvalidArgument);
  Stack<float> nothing = random_cube(1, 1, 2);
  nothing.plane(0).at(0, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message_of<InvalidArgument>([&] { SpectralSignature{nothing}; }),
              HasSubstr("no pixel whose values are all finite"));
}

}  // namespace
}  // namespace fovea::emd
