#include <fovea/core/error.h>
#include <fovea/flow/evaluate.h>

#include <cmath>
#include <numbers>

#include "support/files.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

using test::message_of;
using testing::HasSubstr;

struct Field {
  Image<float> u, v;
  Image<std::uint8_t> known;

  Field(int width, int height, float u0, float v0)
      : u(width, height), v(width, height), known(width, height) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        u.at(x, y) = u0;
        v.at(x, y) = v0;
        known.at(x, y) = 255;
      }
    }
  }
  io::FlowFieldView view() const { return {u, v, known}; }
};

TEST(EvaluateFlow, TheSameFieldHasNoError) {
  const Field field(7, 5, 3, -2);
  const FlowReport result = evaluate_flow(field.view(), {}, field.view());
  EXPECT_EQ(result.all.pixels, 35);
  EXPECT_EQ(result.all.endpoint, 0);
  EXPECT_NEAR(result.all.angular, 0, 1e-5);
  EXPECT_EQ(result.all.r05 + result.all.r1 + result.all.r2 + result.all.fl, 0);
  EXPECT_EQ(result.density, 1);
  EXPECT_EQ(result.confident_share, 1);
  EXPECT_TRUE(result.curve.empty());
}

TEST(EvaluateFlow, ErrorsAreThoseOfTheDefinitions) {
  const Field truth(4, 1, 0, 0);
  Field estimate(4, 1, 0, 0);
  estimate.u.at(1, 0) = 0.6F;
  estimate.v.at(2, 0) = 1.5F;
  estimate.u.at(3, 0) = 3;
  estimate.v.at(3, 0) = 4;
  const FlowErrors errors = evaluate_flow(estimate.view(), {}, truth.view()).all;
  EXPECT_NEAR(errors.endpoint, (0.6 + 1.5 + 5) / 4, 1e-6);
  const double degrees = 180 / std::numbers::pi;
  EXPECT_NEAR(errors.angular, (std::atan(0.6) + std::atan(1.5) + std::atan(5.0)) * degrees / 4,
              1e-4);
  EXPECT_EQ(errors.r05, 0.75);
  EXPECT_EQ(errors.r1, 0.5);
  EXPECT_EQ(errors.r2, 0.25);
  EXPECT_EQ(errors.fl, 0.25);
}

// KITTI: 4 pixels are no outlier where the motion is 100, but 6 are.
TEST(EvaluateFlow, OutliersAreRelativeForLongMotion) {
  const Field truth(2, 1, 100, 0);
  Field estimate(2, 1, 104, 0);
  estimate.u.at(1, 0) = 106;
  EXPECT_EQ(evaluate_flow(estimate.view(), {}, truth.view()).all.fl, 0.5);
}

TEST(EvaluateFlow, OnlyKnownPixelsCount) {
  Field truth(10, 1, 1, 0), estimate(10, 1, 1, 0);
  truth.known.at(0, 0) = 0;
  estimate.u.at(0, 0) = 1000;
  estimate.known.at(1, 0) = estimate.known.at(2, 0) = estimate.known.at(3, 0) = 0;
  estimate.u.at(1, 0) = 1000;
  const FlowReport result = evaluate_flow(estimate.view(), {}, truth.view());
  EXPECT_EQ(result.all.pixels, 6);
  EXPECT_EQ(result.all.endpoint, 0);
  EXPECT_NEAR(result.density, 6.0 / 9, 1e-12);
}

TEST(EvaluateFlow, WhatIsNotANumberIsNotKnown) {
  const float nan = std::nanf("");
  const Field truth(6, 4, 1, 1);
  Field estimate(6, 4, 2, 1);
  estimate.u.at(2, 2) = nan;
  Image<float> confidence(6, 4);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) confidence.at(x, y) = y == 1 ? nan : 0.75F;
  const FlowReport result = evaluate_flow(estimate.view(), confidence, truth.view());
  EXPECT_EQ(result.all.pixels, 23);
  EXPECT_EQ(result.all.endpoint, 1);
  EXPECT_EQ(result.confident.pixels, 17);
}

TEST(EvaluateFlow, ConfidentPixelsAreMeasuredApart) {
  const Field truth(4, 1, 0, 0);
  Field estimate(4, 1, 0, 0);
  Image<float> confidence(4, 1);
  for (int x = 0; x < 4; ++x) {
    estimate.u.at(x, 0) = static_cast<float>(x);
    confidence.at(x, 0) = x < 2 ? 0.5F : 0.25F;
  }
  const FlowReport result = evaluate_flow(estimate.view(), confidence, truth.view());
  EXPECT_EQ(result.confident.pixels, 2);
  EXPECT_EQ(result.confident_share, 0.5);
  EXPECT_NEAR(result.confident.endpoint, 0.5, 1e-9);
  EXPECT_NEAR(result.all.endpoint, 1.5, 1e-9);
}

TEST(EvaluateFlow, AnExactConfidenceFollowsTheOracle) {
  constexpr int kPixels = 1000;
  const Field truth(kPixels, 1, 0, 0);
  Field estimate(kPixels, 1, 0, 0);
  Image<float> exact(kPixels, 1), inverse(kPixels, 1), none(kPixels, 1);
  for (int x = 0; x < kPixels; ++x) {
    const int scattered = x * 337 % kPixels;  // every error once, in no order
    estimate.u.at(x, 0) = static_cast<float>(scattered) / kPixels;
    exact.at(x, 0) = 1 - estimate.u.at(x, 0);
    inverse.at(x, 0) = estimate.u.at(x, 0);
    none.at(x, 0) = 0.5F;
  }
  const FlowReport best = evaluate_flow(estimate.view(), exact, truth.view());
  ASSERT_EQ(best.curve.size(), 20U);
  EXPECT_NEAR(best.sparsification_error, 0, 1e-9);
  for (std::size_t i = 0; i < best.curve.size(); ++i) {
    EXPECT_NEAR(best.curve[i].removed, 0.05 * static_cast<double>(i), 1e-12);
    // Errors are even from 0 to 1: those below 1 - removed stay.
    EXPECT_NEAR(best.curve[i].endpoint, (1 - best.curve[i].removed) / 2, 1e-3);
    EXPECT_NEAR(best.curve[i].oracle, best.curve[i].endpoint, 1e-9);
  }
  // Without any difference the error stays what it is, however the pixels are ordered.
  const FlowReport flat = evaluate_flow(estimate.view(), none, truth.view());
  for (const SparsificationPoint& point : flat.curve)
    EXPECT_NEAR(point.endpoint, flat.all.endpoint, 1e-6);
  EXPECT_GT(flat.sparsification_error, 0.4);
  EXPECT_GT(evaluate_flow(estimate.view(), inverse, truth.view()).sparsification_error, 0.9);
}

TEST(EvaluateFlow, ErrorsOfPixels) {
  Field truth(3, 1, 0, 0), estimate(3, 1, 3, 4);
  truth.known.at(0, 0) = 0;
  estimate.known.at(1, 0) = 0;
  const Image<float> errors = endpoint_errors(estimate.view(), truth.view());
  EXPECT_TRUE(std::isnan(errors.at(0, 0)));
  EXPECT_TRUE(std::isnan(errors.at(1, 0)));
  EXPECT_EQ(errors.at(2, 0), 5);
}

TEST(EvaluateFlow, RefusesWhatCannotBeCompared) {
  const Field truth(3, 2, 0, 0), other(2, 3, 0, 0);
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_flow(other.view(), {}, truth.view()); }),
              HasSubstr("2x3x1, but the true flow is 3x2x1"));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { evaluate_flow(truth.view(), Image<float>(1, 1), truth.view()); }),
              HasSubstr("the confidence is 1x1x1"));
  EXPECT_THROW(evaluate_flow(truth.view(), {}, truth.view(), {.curve_points = 1}), InvalidArgument);
  Field unknown(3, 2, 0, 0);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) unknown.known.at(x, y) = 0;
  EXPECT_THAT(message_of<InvalidArgument>([&] { evaluate_flow(truth.view(), {}, unknown.view()); }),
              HasSubstr("not known at any pixel"));
  EXPECT_THROW(endpoint_errors(other.view(), truth.view()), InvalidArgument);
}

}  // namespace
}  // namespace fovea::flow
