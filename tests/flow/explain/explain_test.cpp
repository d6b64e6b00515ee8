// Covers: present, witness
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/flow/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/messages.h"

namespace fovea::flow {
namespace {

using testing::HasSubstr;
using testing::Not;

// Blots of several sizes, moved by (dx, dy).
template <class T = std::uint8_t>
Image<T> blots(int width, int height, double dx, double dy) {
  Image<T> image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double u = x - dx, v = y - dy;
      const double value = 128 + 40 * std::sin(0.31 * u + 0.11 * v) +
                           35 * std::cos(0.23 * v - 0.17 * u) +
                           30 * std::sin(0.71 * u) * std::cos(0.59 * v);
      image.at(x, y) = static_cast<T>(std::clamp(value, 0.0, 255.0));
    }
  return image;
}

FlowOptions with(Method method, Quality quality) {
  FlowOptions options;
  options.method = method;
  options.quality = quality;
  options.exec = {.device = Device::cpu(), .threads = 1};
  return options;
}

double product(const std::vector<ConfidenceFactor>& factors) {
  double all = 1;
  for (const ConfidenceFactor& factor : factors) all *= factor.value;
  return all;
}

double sum_of_reasons(const report::Explanation& shown) {
  double sum = shown.rest;
  for (const report::Reason& reason : shown.reasons) sum += reason.value;
  return sum;
}

// What the reasons add up to where an estimator's confidence is this.
double total_of(double confidence, Method method) {
  return method == Method::kBlockMatching ? std::log(confidence)
                                          : std::log(confidence / (1 - confidence));
}

void expect_reasons_add_up(const FlowExplanation& e) {
  const report::Explanation shown = present(e);
  EXPECT_FALSE(shown.summary.empty());
  EXPECT_GE(shown.layers.size(), 2U);
  EXPECT_EQ(shown.reasons.empty(), !(e.nearest > 0));
  if (shown.reasons.empty()) return;
  EXPECT_NEAR(shown.total, total_of(e.nearest, e.method), 1e-9);
  EXPECT_NEAR(sum_of_reasons(shown), shown.total, 1e-3);
}

TEST(ExplainFlow, TheFieldIsTheEstimators) {
  const auto first = blots(64, 56, 0, 0), second = blots(64, 56, 1.5, -0.7);
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching})
    for (const Quality quality : {Quality::kFast, Quality::kDefault, Quality::kBest}) {
      Estimator estimator(with(method, quality));
      const Flow flow = estimator.estimate(first, second);
      for (const FlowPixel at : {FlowPixel{30, 28}, FlowPixel{0, 0}, FlowPixel{63, 55}}) {
        const FlowExplanation e = explain(estimator, first, second, at);
        EXPECT_EQ(e.u, flow.u.at(at.x, at.y));
        EXPECT_EQ(e.v, flow.v.at(at.x, at.y));
        EXPECT_EQ(e.confidence, flow.confidence.at(at.x, at.y));
        expect_reasons_add_up(e);
      }
    }
}

// Pixels whose confidence is no mean of others: those of levels of the whole size, and the middles
// of blocks.
TEST(ExplainFlow, ReasonsAddUpToTheEstimatorsConfidence) {
  const auto first = blots(64, 56, 0, 0), second = blots(64, 56, 1.5, -0.7);
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching})
    for (const Quality quality : {Quality::kDefault, Quality::kBest}) {
      FlowOptions options = with(method, quality);
      options.bm.step = 3;
      Estimator estimator(options);
      const Flow flow = estimator.estimate(first, second);
      int positive = 0;
      for (const FlowPixel at : {FlowPixel{31, 25}, FlowPixel{22, 34}, FlowPixel{40, 16}}) {
        const double confidence = flow.confidence.at(at.x, at.y);
        const FlowExplanation e = explain(estimator, first, second, at);
        EXPECT_NEAR(e.nearest, confidence, 1e-6);
        EXPECT_THAT(present(e).summary, Not(HasSubstr("interpolated")));
        if (!(confidence > 0)) continue;
        ++positive;
        EXPECT_NEAR(sum_of_reasons(present(e)), total_of(confidence, method), 1e-3);
      }
      EXPECT_GT(positive, 0);
    }
}

// Without interpolation every pixel has the confidence of its block.
TEST(ExplainFlow, TheNearestBlockIsNamedWhereConfidencesAreInterpolated) {
  const auto first = blots(64, 56, 0, 0), second = blots(64, 56, 1.5, -0.7);
  FlowOptions options = with(Method::kBlockMatching, Quality::kFast);
  options.bm.step = 8;
  const Estimator estimator(options);
  options.bm.interpolate = false;
  const Flow blocks = Estimator(options).estimate(first, second);
  int differ = 0;
  for (const FlowPixel at : {FlowPixel{24, 24}, FlowPixel{31, 17}, FlowPixel{46, 39}}) {
    const double nearest = blocks.confidence.at(at.x, at.y);
    const FlowExplanation e = explain(estimator, first, second, at);
    EXPECT_EQ(e.nearest, nearest);
    const report::Explanation shown = present(e);
    if (nearest > 0) {
      EXPECT_EQ(shown.total_name, "log of the confidence of the nearest block");
      EXPECT_NEAR(sum_of_reasons(shown), std::log(nearest), 1e-3);
    }
    if (std::abs(static_cast<double>(e.confidence) - nearest) < 1e-4) continue;
    ++differ;
    EXPECT_THAT(shown.summary, HasSubstr("interpolated between blocks: that of the nearest block"));
  }
  EXPECT_GT(differ, 0);
}

TEST(ExplainFlow, DoubtsMultiplyToTheConfidenceOfLucasKanade) {
  const auto first = blots(64, 56, 0, 0), second = blots(64, 56, 1.5, -0.7);
  for (const bool both_ways : {false, true}) {
    FlowOptions options = with(Method::kLucasKanade, Quality::kDefault);
    options.lk.forward_backward = both_ways;
    const FlowExplanation e = explain(Estimator(options), first, second, {31, 25});
    EXPECT_EQ(e.doubts.size(), both_ways ? 3U : 2U);
    EXPECT_NEAR(product(e.doubts), e.doubt, 1e-5 * e.doubt);
    EXPECT_NEAR(2 / (2 + e.doubt), e.confidence, 1e-6);
    EXPECT_EQ(e.nearest, static_cast<double>(e.confidence));
    EXPECT_EQ(e.level, 0);
    EXPECT_LT(e.difference_after, 0.3 * e.difference_before);
  }
}

TEST(ExplainFlow, FactorsMultiplyToTheConfidenceOfBlocks) {
  const auto first = blots(64, 56, 0, 0), second = blots(64, 56, 2, 1);
  for (const bool both_ways : {false, true}) {
    FlowOptions options = with(Method::kBlockMatching, Quality::kDefault);
    options.bm.forward_backward = both_ways;
    options.bm.step = 1;
    const FlowExplanation e = explain(Estimator(options), first, second, {30, 28});
    ASSERT_TRUE(e.surface);
    EXPECT_NEAR(product(e.factors), e.nearest, 1e-5);
    EXPECT_NEAR(e.nearest, e.confidence, 1e-6);
    const MatchSurface& surface = *e.surface;
    EXPECT_EQ(surface.best_u, 2);
    EXPECT_EQ(surface.best_v, 1);
    EXPECT_EQ(surface.scores.at(2 - surface.left, 1 - surface.top),
              static_cast<float>(surface.best));
    EXPECT_GT(surface.best, 0.95);
    EXPECT_LT(surface.second, surface.best);
  }
}

TEST(ExplainFlow, RefinementIsAFactor) {
  const auto first = blots(64, 56, 0, 0), second = blots(64, 56, 1.5, -0.7);
  const FlowExplanation e =
      explain(Estimator(with(Method::kLucasKanade, Quality::kBest)), first, second, {31, 25});
  ASSERT_TRUE(e.refined);
  EXPECT_NEAR(2 / (2 + e.doubt) * product(e.factors), e.confidence, 1e-5);
  EXPECT_NEAR(e.nearest, e.confidence, 1e-6);
  const report::Explanation shown = present(e);
  EXPECT_EQ(shown.reasons.back().name, "refinement");
  EXPECT_LE(shown.reasons.back().value, 0);
  EXPECT_THAT(shown.summary, HasSubstr("fusion and refinement moved the vector"));
  EXPECT_TRUE(e.surface);  // of the blocks that were fused
}

// Stripes show motion across them alone.
TEST(ExplainFlow, AnEdgeIsUncertainAlongItself) {
  Image<std::uint8_t> stripes(48, 48);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 48; ++x) stripes.at(x, y) = x < 24 ? 40 : 200;
  const FlowExplanation e =
      explain(Estimator(with(Method::kLucasKanade, Quality::kDefault)), stripes, stripes, {24, 24});
  EXPECT_NEAR(std::abs(e.tensor.uncertain_y), 1, 1e-6);
  EXPECT_NEAR(e.tensor.smaller, 0, 1e-9);
  EXPECT_GT(e.tensor.greater, 100);
  EXPECT_THAT(present(e).summary, HasSubstr("up and down"));
}

TEST(ExplainFlow, FlatImagesHaveNoConfidence) {
  Image<std::uint16_t> flat(40, 40);
  for (int y = 0; y < 40; ++y) std::fill_n(flat.row(y), 40, std::uint16_t{1000});
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching}) {
    const FlowExplanation e =
        explain(Estimator(with(method, Quality::kDefault)), flat, flat, {20, 20});
    EXPECT_EQ(e.confidence, 0);
    EXPECT_EQ(product(e.factors), 0);
    EXPECT_THAT(present(e).summary, HasSubstr("The confidence is 0"));
  }
}

TEST(ExplainFlow, RefusesPixelsOutside) {
  const auto image = blots(32, 30, 0, 0);
  const Estimator estimator(with(Method::kLucasKanade, Quality::kFast));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                (void)explain(estimator, image, image, {32, 0});
              }),
              HasSubstr("32,0 lies outside of the images of 32x30"));
  EXPECT_THROW((void)explain(estimator, image, blots(31, 30, 0, 0), {0, 0}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::flow
