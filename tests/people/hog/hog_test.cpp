// Covers: hog_band, hog_blocks, hog_options, hog_planes, hog_rows, hog_scores, hog_votes
#include <fovea/core/error.h>
#include <fovea/people/hog.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "people/hog/hog_layout.h"
#include "people/model_parts.h"
#include "reference/hog.h"
#include "support/images.h"
#include "support/messages.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(HogOptions, DefaultsAreThePapers) {
  const HogOptions hog;
  check_geometry(hog);
  EXPECT_EQ(descriptor_size(hog), 3780);
  EXPECT_EQ(block_size(hog), 36);
  HogOptions circular;
  circular.shape = BlockShape::kCircular;
  EXPECT_EQ(block_size(circular), 9 * 9);
}

TEST(HogOptions, ImpossibleGeometryIsNamed) {
  const auto complaint = [](auto change) {
    HogOptions hog;
    change(hog);
    return message_of([&] { check_geometry(hog); });
  };
  EXPECT_THAT(complaint([](HogOptions& o) { o.window.width = 15; }),
              HasSubstr("window-width is 15"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.window.height = 12; }),
              HasSubstr("smaller than a block"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.cell_height = 1; }), HasSubstr("cell-height is 1"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.cell_height = 16, o.shape = BlockShape::kCircular; }),
              HasSubstr("circular blocks of 16x32"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.epsilon = 0; }), HasSubstr("epsilon is '0'"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.smooth = -1; }), HasSubstr("smooth is '-1'"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.cell = 0; }), HasSubstr("cell is '0'"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.bins = 64; }), HasSubstr("bins is '64'"));
  EXPECT_THAT(complaint([](HogOptions& o) { o.sigma = std::nanf(""); }), HasSubstr("sigma"));
  EXPECT_THAT(complaint([](HogOptions& o) {
                o.window.width = o.window.height = 4096, o.cell = o.block_stride = 2;
              }),
              HasSubstr("numbers, more than"));
}

TEST(HogOptions, WhatAGpuDoesNotHaveIsNamed) {
  check_for_gpu({});
  EXPECT_THAT(message_of([] { check_for_gpu({.smooth = 1.5F}); }), HasSubstr("smooth is 1.5"));
  EXPECT_THAT(message_of([] { check_for_gpu({.cell_height = 4}); }), HasSubstr("8x4 pixels"));
  EXPECT_THAT(message_of([] { check_for_gpu({.block_height = 1}); }), HasSubstr("2x1 cells"));
}

// A plane that rises by 3 across and falls by 1 down has twice that gradient under every mask.
TEST(HogMath, EveryMaskMeasuresARampAlike) {
  const auto ramp = [](int x, int y) { return static_cast<float>(100 + 3 * x - y); };
  for (const Choice& choice : choices(GradientMask{})) {
    const Slope slope = slope_of(static_cast<GradientMask>(choice.value), ramp);
    EXPECT_NEAR(slope.dx, 6, 1e-5) << choice.word;
    EXPECT_NEAR(slope.dy, -2, 1e-5) << choice.word;
  }
  // The cubic mask is exact for x^3, whose derivative at 0 is 0; the centered one is not.
  const auto cube = [](int x, int) { return static_cast<float>(x * x * x); };
  EXPECT_NEAR(slope_of(GradientMask::kCubic, cube).dx, 0, 1e-6);
  EXPECT_EQ(slope_of(GradientMask::kCentered, cube).dx, 2);
}

TEST(HogMath, VotesAreFunctionsOfTheLength) {
  const auto sum = [](VoteWeight weight, float edge) {
    HogOptions hog;
    hog.vote = weight;
    hog.edge = edge;
    const Vote vote = vote_of(3, 4, vote_params(hog));
    return vote.low + vote.high;
  };
  EXPECT_FLOAT_EQ(sum(VoteWeight::kMagnitude, 1), 5);
  EXPECT_FLOAT_EQ(sum(VoteWeight::kRoot, 1), std::sqrt(5.F));
  EXPECT_FLOAT_EQ(sum(VoteWeight::kSquare, 1), 25);
  EXPECT_FLOAT_EQ(sum(VoteWeight::kBinary, 5), 1);
  EXPECT_FLOAT_EQ(sum(VoteWeight::kBinary, 5.1F), 0);
}

TEST(HogLayout, SmoothingWeightsAreAGaussian) {
  const auto weights = smoothing_weights({.smooth = 2});
  ASSERT_EQ(weights.size(), 7U);
  double sum = weights[0];
  for (std::size_t k = 1; k < weights.size(); ++k) sum += 2 * weights[k];
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_NEAR(weights[2] / weights[0], std::exp(-0.5), 1e-6);
  EXPECT_EQ(surrounding_pixels({.smooth = 2, .mask = GradientMask::kCubic}), 8);
  EXPECT_EQ(surrounding_pixels({}), 1);
}

// Cubic masks and wide blurs reach beyond an image of two pixels, which is mirrored.
TEST(HogCells, SmallImagesHaveWideMasks) {
  Random random(9);
  const auto image = test::random_image<std::uint8_t>(random, 3, 2);
  HogOptions hog{.cell = 2, .smooth = 1.2F, .mask = GradientMask::kCubic};
  const HogCells cells = hog_cells(image, hog);
  double expected = 0;
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x) expected += fovea::reference::hog_vote(image, x, y, hog).magnitude;
  EXPECT_NEAR(std::accumulate(cells.votes.begin(), cells.votes.end(), 0.0), expected, 1e-3);
}

// Every direction votes where its arctangent says, and shares by its distance from bins' middles.
TEST(HogMath, VotesFollowTheArctangent) {
  for (const bool is_signed : {false, true}) {
    HogOptions hog;
    hog.signed_angle = is_signed;
    hog.bins = is_signed ? 14 : 9;
    const VoteParams params = vote_params(hog);
    const double range = (is_signed ? 2 : 1) * std::numbers::pi;
    for (int k = 0; k < 3600; ++k) {
      const double angle = (k + 0.3) * 2 * std::numbers::pi / 3600;
      const auto dx = static_cast<float>(5 * std::cos(angle));
      const auto dy = static_cast<float>(5 * std::sin(angle));
      const Vote vote = vote_of(dx, dy, params);
      EXPECT_NEAR(vote.low + vote.high, 5, 1e-5);
      ASSERT_GE(vote.n, 0);
      ASSERT_LE(vote.n, hog.bins);
      const double expected = std::fmod(angle, range) / range * hog.bins;
      EXPECT_NEAR(vote.n - 0.5 + vote.high / 5, expected, 2e-4) << angle;
    }
    EXPECT_EQ(vote_of(0, 0, params).high, 0);
    EXPECT_EQ(vote_of(0, 0, params).low, 0);
  }
}

TEST(HogDescriptor, IsTheMiddleWindowsWithItsSurroundings) {
  Random random(5);
  const auto image = test::random_image<std::uint8_t>(random, 96, 160, 3);
  const auto numbers = hog_descriptor(image);
  const auto expected = fovea::reference::hog_window(image, 16, 16, {});
  ASSERT_EQ(numbers.size(), expected.size());
  for (std::size_t e = 0; e < numbers.size(); ++e) ASSERT_NEAR(numbers[e], expected[e], 1e-4) << e;
  EXPECT_EQ(hog_descriptor(image.view().crop(16, 16, 64, 128)).size(), 3780U);
}

TEST(HogDescriptor, OpacityAndGrayCopiesDoNotMatter) {
  Random random(6);
  const auto gray = test::random_image<std::uint8_t>(random, 64, 128);
  Image<std::uint8_t> rgba(64, 128, 4);
  for (int y = 0; y < 128; ++y)
    for (int x = 0; x < 64; ++x)
      for (int c = 0; c < 4; ++c)
        rgba.at(x, y, c) = c < 3 ? gray.at(x, y) : static_cast<std::uint8_t>(random.bits());
  EXPECT_EQ(hog_descriptor(gray), hog_descriptor(rgba));
  HogOptions gray_only;
  gray_only.color = false;
  EXPECT_EQ(hog_descriptor(gray), hog_descriptor(rgba, gray_only));
}

TEST(HogDescriptor, FlatImageIsAllZero) {
  Image<std::uint8_t> image(64, 128);
  for (int y = 0; y < 128; ++y) std::fill_n(image.row(y), 64, std::uint8_t{77});
  for (const float number : hog_descriptor(image)) ASSERT_EQ(number, 0);
}

TEST(HogDescriptor, WrongCropsAreRefused) {
  const Image<std::uint8_t> small(60, 128), uneven(96, 128), two(64, 128, 2);
  EXPECT_THAT(message_of([&] { hog_descriptor(small); }), HasSubstr("60x128"));
  EXPECT_THAT(message_of([&] { hog_descriptor(uneven); }), HasSubstr("96x128"));
  EXPECT_THAT(message_of([&] { hog_descriptor(two); }), HasSubstr("2 channels"));
  EXPECT_THAT(message_of([&] { hog_descriptor({}); }), HasSubstr("empty"));
}

TEST(HogCells, HoldEveryPixelsVoteOnce) {
  Random random(8);
  const auto image = test::random_image<std::uint8_t>(random, 45, 30);
  const HogCells cells = hog_cells(image);
  EXPECT_EQ(cells.columns, 5);
  EXPECT_EQ(cells.rows, 3);
  double expected = 0;
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 40; ++x) expected += fovea::reference::hog_vote(image, x, y, {}).magnitude;
  const double sum = std::accumulate(cells.votes.begin(), cells.votes.end(), 0.0);
  EXPECT_NEAR(sum, expected, 1e-4 * expected);
  // A vertical edge is a horizontal gradient: the first and the last bin.
  Image<std::uint8_t> edge(16, 8);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 16; ++x) edge.at(x, y) = x < 4 ? 0 : 100;
  const HogCells one = hog_cells(edge);
  EXPECT_FLOAT_EQ(one.at(0, 0, 0), 80);
  EXPECT_FLOAT_EQ(one.at(0, 0, 8), 80);
  EXPECT_EQ(one.at(0, 0, 4), 0);
  EXPECT_EQ(one.at(1, 0, 0), 0);
  const Image<std::uint8_t> tiny(7, 30);
  EXPECT_THAT(message_of([&] { hog_cells(tiny); }), HasSubstr("7x30"));
}

}  // namespace
}  // namespace fovea::people
