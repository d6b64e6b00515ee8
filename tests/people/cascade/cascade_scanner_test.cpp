// Covers: cascade_sums
#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "people/level_image.h"
#include "people/scanner.h"
#include "reference/cascade.h"
#include "support/cascades.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::people {
namespace {

constexpr float kEvery = -std::numeric_limits<float>::infinity();
const Exec kOneThread{.device = Device::cpu(), .threads = 1};

class CascadeScannerOnCpu : public test::OnEveryPlace {
 protected:
  void SetUp() override {
    OnEveryPlace::SetUp();
    if (!(device() == Device::cpu())) GTEST_SKIP() << "the CPU's scanner";
  }
};

// Every window against the book. A level that is the image itself needs no resize here.
void expect_reference(const CascadeModel& model, ImageView<const std::uint8_t> image,
                      const ScanPlan& plan) {
  const auto scanner = cpu::make_cascade_scanner(model);
  const ScanResult all = scanner->scan({image, plan, kEvery}, kOneThread);
  const ScanLevel& level = plan.levels[0];
  ASSERT_EQ(all.hits.size(), static_cast<std::size_t>(level.columns * level.rows));
  const Extent padded = plan.padded(level);
  Image<std::uint8_t> pixels(padded.width, padded.height, image.channels);
  cpu::level_image(image, plan, level, pixels, {});
  std::size_t passed = 0;
  for (const Hit& hit : all.hits) {
    const auto expected = reference::cascade_score(pixels, plan.origin + hit.column * plan.stride,
                                                   plan.origin + hit.row * plan.stride, model);
    if (expected.close < 1e-4) continue;
    EXPECT_EQ(hit.score > -99, expected.passed);
    if (expected.passed) {
      EXPECT_NEAR(hit.score, expected.score, 2e-4);
    }
    passed += expected.passed ? 1 : 0;
  }
  EXPECT_EQ(all.counts.windows, static_cast<std::int64_t>(all.hits.size()));
  const ScanResult some = scanner->scan({image, plan, -60}, kOneThread);
  EXPECT_NEAR(static_cast<double>(some.hits.size()), static_cast<double>(passed), 2);
}

TEST_P(CascadeScannerOnCpu, AgreesWithTheBook) {
  Random random(11);
  struct Case {
    int width, height, channels, stride, padding;
  };
  for (const Case& c : {Case{100, 150, 1, 8, 0}, Case{90, 141, 3, 8, 24}, Case{81, 139, 1, 3, 0},
                        Case{76, 136, 4, 4, 5}}) {
    CascadeModel model = test::random_cascade(random, {3, 2, c.channels == 3 ? 4 : 0});
    model.graded = c.channels != 4;
    model.chained = c.stride == 8;
    const auto image = test::random_image<std::uint8_t>(random, c.width, c.height, c.channels);
    const ScanOptions scan{.ratio = 4, .stride = c.stride, .padding = c.padding};
    expect_reference(model, image, plan_scan({c.width, c.height}, {64, 128}, 1, scan));
  }
}

TEST_P(CascadeScannerOnCpu, CropsHaveOneWindowInTheMiddle) {
  Random random(12);
  const CascadeModel model = test::random_cascade(random, {1, 3, 0});
  for (const int margin : {0, 3, 16}) {
    const int width = 64 + 2 * margin, height = 128 + 2 * margin;
    const auto image = test::random_image<std::uint8_t>(random, width, height, 3);
    expect_reference(model, image, plan_crop({width, height}, {64, 128}));
  }
}
FOVEA_ON_EVERY_PLACE(CascadeScannerOnCpu);

TEST(CascadeScanner, SameHitsForAnyNumberOfThreads) {
  Random random(13);
  const CascadeModel model = test::random_cascade(random, {4, 2, 2});
  const auto image = test::random_image<std::uint8_t>(random, 200, 420, 3);
  for (const int stride : {4, 8, 5}) {
    const ScanPlan plan = plan_scan({200, 420}, {64, 128}, 1, {.ratio = 1.3, .stride = stride});
    const auto scanner = cpu::make_cascade_scanner(model);
    const ScanResult one = scanner->scan({image, plan, kEvery}, kOneThread);
    for (const int threads : {2, 7}) {
      const ScanResult many =
          scanner->scan({image, plan, kEvery}, {.device = Device::cpu(), .threads = threads});
      EXPECT_EQ(many.hits, one.hits);
      EXPECT_EQ(many.counts.evaluations, one.counts.evaluations);
    }
    for (std::size_t i = 1; i < one.hits.size(); ++i) {
      const Hit &a = one.hits[i - 1], &b = one.hits[i];
      EXPECT_LT(std::tie(a.level, a.row, a.column), std::tie(b.level, b.row, b.column));
    }
  }
}

TEST(CascadeScanner, LaterRejectionScoresHigher) {
  Random random(14);
  CascadeModel model = test::random_cascade(random, {4, 2, 0});
  const auto image = test::random_image<std::uint8_t>(random, 160, 220, 1);
  const ScanPlan plan = plan_scan({160, 220}, {64, 128}, 1, {.ratio = 4});
  const ScanResult whole =
      cpu::make_cascade_scanner(model)->scan({image, plan, kEvery}, kOneThread);
  while (!model.stages.empty()) {
    const std::size_t left = 4 - model.stages.size();
    const auto shorter = cpu::make_cascade_scanner(model)->scan({image, plan, kEvery}, kOneThread);
    float best_rejected = -1000, worst_passed = 1000;
    for (std::size_t i = 0; i < whole.hits.size(); ++i) {
      const float score = whole.hits[i].score;
      if (shorter.hits[i].score > -99) worst_passed = std::min(worst_passed, score);
      else best_rejected = std::max(best_rejected, score);
    }
    EXPECT_LT(best_rejected, worst_passed) << left;
    model.stages.pop_back();
  }
}

TEST(CascadeScanner, FlatImagesAndBadModels) {
  Random random(15);
  CascadeModel model = test::random_cascade(random, {1, 2, 0});
  Image<std::uint8_t> image(64, 128);
  for (int y = 0; y < 128; ++y) std::fill_n(image.row(y), 64, std::uint8_t{77});
  const ScanPlan plan = plan_crop({64, 128}, {64, 128});
  const ScanResult flat = cpu::make_cascade_scanner(model)->scan({image, plan, kEvery}, kOneThread);
  EXPECT_TRUE(std::isfinite(flat.hits.at(0).score));
  model.stages[0].classifiers[0].weights.clear();
  EXPECT_THROW(cpu::make_cascade_scanner(model), InvalidArgument);
}

}  // namespace
}  // namespace fovea::people
