// Covers: hog_smooth
#include "people/hog/hog_grid.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <cmath>

#include "people/model_parts.h"
#include "reference/hog.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::people {
namespace {

using cpu::HogGrid;

// Smooth stripes with some noise: angles of every sort, votes of many sizes.
Image<std::uint8_t> stripes(int width, int height, int channels, std::uint64_t seed = 1) {
  Random random(seed);
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        const double wave = std::sin(0.21 * x + 0.002 * y * y + c) + std::cos(0.13 * y - 0.05 * x);
        image.at(x, y, c) = static_cast<std::uint8_t>(110 + 45 * wave + 20 * random.uniform());
      }
  return image;
}

ScanPlan one_level(const Image<std::uint8_t>& image, const HogOptions& hog, int stride,
                   int origin = 0) {
  ScanPlan plan{hog.window, stride, 0, origin, {}};
  ScanLevel level{{image.width(), image.height()}};
  level.columns = (image.width() - origin - hog.window.width) / stride + 1;
  level.rows = (image.height() - origin - hog.window.height) / stride + 1;
  plan.levels = {level};
  return plan;
}

const Exec kOneThread{.device = Device::cpu(), .threads = 1};

// Largest difference between the grid's descriptors and the textbook's, over some windows.
double worst_difference(Kind kind, const HogOptions& hog, const Image<std::uint8_t>& image,
                        const ScanPlan& plan) {
  HogGrid grid(kind, hog);
  grid.build(image, plan, kOneThread);
  HogOptions plain = hog;
  Image<std::uint8_t> gray;
  if (kind != Kind::kHog) plain.sigma = 0, plain.interpolate = plain.color = false;
  if (!plain.color) gray = io::to_gray(image.view());
  std::vector<float> numbers(descriptor_size(hog));
  double worst = 0;
  for (int row = 0; row < grid.rows(); row += std::max(1, grid.rows() - 1))
    for (int column = 0; column < grid.columns(); column += std::max(1, grid.columns() - 1)) {
      grid.descriptor(column, row, numbers);
      const auto expected = fovea::reference::hog_window(plain.color ? image.view() : gray.view(),
                                                         plan.origin + column * plan.stride,
                                                         plan.origin + row * plan.stride, plain);
      EXPECT_EQ(expected.size(), numbers.size());
      for (std::size_t e = 0; e < numbers.size(); ++e)
        worst = std::max(worst, std::abs(expected[e] - static_cast<double>(numbers[e])));
    }
  return worst;
}

class HogGridTest : public test::OnEveryPlace {
 protected:
  void SetUp() override {
    if (GetParam().device.kind == DeviceKind::kCuda) GTEST_SKIP() << "the grid is the CPU's";
    OnEveryPlace::SetUp();
  }
};
FOVEA_ON_EVERY_PLACE(HogGridTest);

TEST_P(HogGridTest, EqualsTheTextbook) {
  const auto image = stripes(101, 150, 3);
  const HogOptions hog;
  EXPECT_LT(worst_difference(Kind::kHog, hog, image, one_level(image, hog, 8)), 1e-4);
  EXPECT_LT(worst_difference(Kind::kHog, hog, image, one_level(image, hog, 8, 5)), 1e-4);
}

HogOptions small() {
  HogOptions hog;
  hog.window.width = 24;
  hog.window.height = 40;
  return hog;
}

TEST_P(HogGridTest, EqualsTheTextbookAtEveryStride) {
  const auto image = stripes(61, 85, 1);
  for (const int stride : {1, 2, 3, 4, 6, 8, 12, 16, 20}) {
    const HogOptions hog = small();
    const ScanPlan plan = one_level(image, hog, stride, 2);
    EXPECT_LT(worst_difference(Kind::kHog, hog, image, plan), 1e-4) << stride;
    EXPECT_LT(worst_difference(Kind::kHogCells, hog, image, plan), 1e-2) << stride;
    EXPECT_LT(worst_difference(Kind::kHogIntegral, hog, image, plan), 1e-2) << stride;
  }
}

TEST_P(HogGridTest, EqualsTheTextbookForEveryOption) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const auto image = stripes(70, 75, 3, 2);
  std::vector<HogOptions> cases;
  for (const BlockNorm norm :
       {BlockNorm::kL2, BlockNorm::kL2Hys, BlockNorm::kL1, BlockNorm::kL1Sqrt}) {
    cases.push_back(small());
    cases.back().norm = norm;
    cases.back().clip = 0.15F;
  }
  const auto add = [&](auto change) {
    cases.push_back(small());
    change(cases.back());
  };
  add([](HogOptions& o) { o.signed_angle = true, o.bins = 18; });
  add([](HogOptions& o) { o.signed_angle = true, o.bins = 7; });
  add([](HogOptions& o) { o.gamma = Gamma::kNone; });
  add([](HogOptions& o) { o.sigma = 0; });
  add([](HogOptions& o) { o.sigma = 4; });
  add([](HogOptions& o) { o.color = false; });
  add([](HogOptions& o) { o.cell = 6, o.block = 3, o.block_stride = 6, o.window.height = 42; });
  add([](HogOptions& o) {
    o.cell = 5, o.block = 1, o.block_stride = 10, o.window.width = 25, o.window.height = 35;
  });
  add([](HogOptions& o) { o.cell = 4, o.block = 4, o.block_stride = 8; });
  add([](HogOptions& o) { o.cell = 3, o.block = 5, o.block_stride = 3, o.window.height = 33; });
  add([](HogOptions& o) { o.shape = BlockShape::kCircular; });
  add([](HogOptions& o) {
    o.shape = BlockShape::kCircular, o.rings = 3, o.sectors = 6, o.sigma = 0;
  });
  for (const HogOptions& hog : cases)
    for (const int stride : {3, 8})
      EXPECT_LT(worst_difference(Kind::kHog, hog, image, one_level(image, hog, stride)), 1e-3)
          << options_json(hog) << " stride " << stride;
  for (HogOptions hog : cases) {
    hog.interpolate = false;
    EXPECT_LT(worst_difference(Kind::kHog, hog, image, one_level(image, hog, 8)), 0.03)
        << options_json(hog);
  }
}

// The options that detectors seldom change, and studies do.
TEST_P(HogGridTest, EqualsTheTextbookForOptionsOfStudies) {
  const auto image = stripes(36, 50, 3, 2);
  std::vector<HogOptions> cases;
  const auto add = [&](auto change) {
    cases.push_back(small());
    change(cases.back());
  };
  for (const GradientMask mask : {GradientMask::kUncentered, GradientMask::kCubic,
                                  GradientMask::kSobel, GradientMask::kDiagonal})
    add([&](HogOptions& o) { o.mask = mask; });
  add([](HogOptions& o) {
    o.mask = GradientMask::kCubic, o.smooth = 0.5F, o.gamma = Gamma::kNone;
  });
  add([](HogOptions& o) { o.smooth = 0.6F, o.color = false; });
  add([](HogOptions& o) { o.vote = VoteWeight::kRoot; });
  add([](HogOptions& o) { o.vote = VoteWeight::kSquare, o.mask = GradientMask::kSobel; });
  add([](HogOptions& o) { o.vote = VoteWeight::kBinary, o.edge = 0.3F, o.norm = BlockNorm::kL2; });
  add([](HogOptions& o) { o.norm = BlockNorm::kNone, o.epsilon = 2; });
  add([](HogOptions& o) { o.epsilon = 0.001F; });
  add([](HogOptions& o) { o.cell_height = 4; });
  add([](HogOptions& o) {
    o.cell = 6, o.cell_height = 10, o.block_height = 1, o.block_stride = 5;
  });
  add([](HogOptions& o) { o.block = 1, o.block_height = 3, o.block_stride = 4; });
  add([](HogOptions& o) { o.block_stride = 3; });
  add([](HogOptions& o) { o.cell = 6, o.block_stride = 6, o.window = {25, 39}; });
  add([](HogOptions& o) {
    o.shape = BlockShape::kCircular, o.rings = 1, o.sectored_center = true;
  });
  for (const HogOptions& hog : cases)
    EXPECT_LT(worst_difference(Kind::kHog, hog, image, one_level(image, hog, 5)), 1e-3)
        << options_json(hog);
}

LinearModel random_model(const HogOptions& hog) {
  Random random(7);
  LinearModel model{hog, {}, -0.25F};
  for (int i = 0; i < descriptor_size(hog); ++i)
    model.weights.push_back(static_cast<float>(random.uniform() - 0.5));
  return model;
}

// The sum in the order that the scores promise: rows of blocks, blocks, numbers.
float score_in_order(const LinearModel& model, const std::vector<float>& numbers) {
  const HogOptions& hog = model.hog;
  const int size = block_size(hog);
  const Extent span = hog.block_size();
  const int across = (hog.window.width - span.width) / hog.block_stride + 1;
  const int down = (hog.window.height - span.height) / hog.block_stride + 1;
  float score = model.bias;
  for (int by = 0; by < down; ++by)
    for (int bx = 0; bx < across; ++bx)
      for (int e = 0; e < size; ++e) {
        const int place = (bx * down + by) * size + e;
        score = std::fma(numbers[place], model.weights[place], score);
      }
  return score;
}

TEST(HogScores, AreTheWeightedSumOfTheDescriptorInOneOrder) {
  const auto image = stripes(131, 140, 1);
  for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral})
    for (const int stride : {2, 4, 8, 12, 16, 24}) {
      const HogOptions hog = small();
      const LinearModel model = random_model(hog);
      HogGrid grid(kind, hog);
      grid.build(image, one_level(image, hog, stride), kOneThread);
      Image<float> scores(grid.columns(), grid.rows());
      grid.scores(model, scores, kOneThread);
      std::vector<float> numbers(model.weights.size());
      for (int row = 0; row < grid.rows(); ++row)
        for (int column = 0; column < grid.columns(); ++column) {
          grid.descriptor(column, row, numbers);
          ASSERT_EQ(scores.at(column, row), score_in_order(model, numbers))
              << to_string(kind) << ' ' << stride << ' ' << column << ' ' << row;
        }
    }
}

TEST_P(HogGridTest, CellsOfOtherShapesEqualTheTextbook) {
  const auto image = stripes(61, 85, 1);
  HogOptions hog = small();
  hog.cell_height = 5;
  hog.block_height = 3;
  hog.block_stride = 6;
  hog.mask = GradientMask::kSobel;
  for (const int stride : {4, 6})
    for (const Kind kind : {Kind::kHogCells, Kind::kHogIntegral})
      EXPECT_LT(worst_difference(kind, hog, image, one_level(image, hog, stride, 1)), 1e-2)
          << to_string(kind) << stride;
}

TEST(HogScores, DoNotDependOnTheNumberOfThreads) {
  const auto image = stripes(161, 241, 3);
  for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral}) {
    HogOptions hog = small();
    hog.smooth = 1;
    hog.mask = GradientMask::kCubic;
    const LinearModel model = random_model(hog);
    Image<float> first;
    for (const int threads : {1, 2, 7}) {
      const Exec exec{.device = Device::cpu(), .threads = threads};
      HogGrid grid(kind, hog);
      grid.build(image, one_level(image, hog, 4), exec);
      Image<float> scores(grid.columns(), grid.rows());
      grid.scores(model, scores, exec);
      if (threads == 1) first = clone(scores);
      EXPECT_TRUE(test::images_equal(first, scores)) << to_string(kind) << ' ' << threads;
    }
  }
}

TEST(HogGridInput, OtherKindsAndOtherSizesAreRefused) {
  EXPECT_THROW(HogGrid(Kind::kCascade, {}), InvalidArgument);
  HogOptions hog;
  hog.window.width = 15;
  EXPECT_THROW(HogGrid(Kind::kHog, hog), InvalidArgument);
  hog = {};
  hog.vote = VoteWeight::kSquare;
  EXPECT_THROW(HogGrid(Kind::kHogIntegral, hog), InvalidArgument);
  const auto image = stripes(64, 128, 1);
  HogGrid grid(Kind::kHog, {});
  grid.build(image, one_level(image, {}, 8), kOneThread);
  Image<float> scores(1, 1);
  EXPECT_THROW(grid.scores({{}, {1, 2, 3}, 0}, scores, kOneThread), InvalidArgument);
}

TEST(HogGridInput, OneBufferServesLevelsOfManySizes) {
  HogGrid grid(Kind::kHog, small());
  const LinearModel model = random_model(small());
  for (const int side : {90, 41, 120}) {
    const auto image = stripes(side, side, 1);
    const ScanPlan plan = one_level(image, small(), 8);
    grid.build(image, plan, kOneThread);
    HogGrid fresh(Kind::kHog, small());
    fresh.build(image, plan, kOneThread);
    Image<float> scores(grid.columns(), grid.rows()), expected(grid.columns(), grid.rows());
    grid.scores(model, scores, kOneThread);
    fresh.scores(model, expected, kOneThread);
    EXPECT_TRUE(test::images_equal(scores, expected)) << side;
  }
}

}  // namespace
}  // namespace fovea::people
