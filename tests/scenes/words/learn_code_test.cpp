// Covers: code_plan
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/words/code_plan.h"
#include "scenes/words/coded.h"
#include "scenes/words/learn.h"
#include "support/images.h"
#include "support/messages.h"

namespace fovea::scenes {
namespace {

using test::images_equal;
using test::message_of;
using testing::HasSubstr;

// Two clouds in descriptors of 32 numbers: a share of 0.7 around -2 with deviation 1, and 0.3
// around 4 with deviation 0.5, along the first number; the others are noise.
Image<float> two_clouds() {
  Image<float> samples(32, 6000);
  Random random(8);
  for (int y = 0; y < samples.height(); ++y) {
    for (int x = 1; x < 32; ++x) samples.at(x, y) = 0.05F * random.normal();
    samples.at(0, y) = y % 10 < 7 ? -2 + random.normal() : 4 + 0.5F * random.normal();
  }
  return samples;
}

Dictionary learn(Coding coding, int threads = 0) {
  DictionaryOptions options{.words = 2, .standardize = false, .coding = coding, .components = 1};
  options.exec.threads = threads;
  return learn_dictionary(two_clouds().view(), {}, options);
}

TEST(LearnCode, FisherFindsTheMixture) {
  const Dictionary dictionary = learn(Coding::kFisher);
  const WordCode& code = dictionary.code;
  ASSERT_EQ(code.components(), 1);
  const int large = code.shares[0] > code.shares[1] ? 0 : 1;
  // The deviation of all is sqrt(0.7 + 0.3 / 4 + 0.21 * 36), and their mean -0.2.
  const double deviation = std::sqrt(0.7 + 0.3 * 0.25 + 0.21 * 36);
  EXPECT_NEAR(code.shares[static_cast<std::size_t>(large)], 0.7, 0.01);
  EXPECT_NEAR(code.means.at(0, large) * deviation - 0.2, -2, 0.06);
  EXPECT_NEAR(code.means.at(0, 1 - large) * deviation - 0.2, 4, 0.06);
  EXPECT_NEAR(code.variances.at(0, large) * deviation * deviation, 1, 0.06);
  EXPECT_NEAR(code.variances.at(0, 1 - large) * deviation * deviation, 0.25, 0.06);
}

TEST(LearnCode, SoftHasOneVarianceAndVladNone) {
  const Dictionary soft = learn(Coding::kSoft);
  EXPECT_EQ(soft.code.variances.at(0, 0), soft.code.variances.at(0, 1));
  const double square = 0.7 + 0.3 * 0.25 + 0.21 * 36;
  EXPECT_NEAR(soft.code.variances.at(0, 0) * square, 0.7 + 0.3 * 0.25, 0.05);
  EXPECT_EQ(soft.code.shares, (std::vector<float>{0.5F, 0.5F}));
  const Dictionary vlad = learn(Coding::kVlad);
  EXPECT_TRUE(vlad.code.variances.empty());
  EXPECT_TRUE(vlad.code.shares.empty());
  EXPECT_TRUE(images_equal(vlad.code.means, soft.code.means));
  EXPECT_EQ(learn(Coding::kHard).code.components(), 0);
}

TEST(LearnCode, IsTheSameForAnyNumberOfThreads) {
  const Dictionary one = learn(Coding::kFisher, 1), many = learn(Coding::kFisher, 3);
  EXPECT_TRUE(images_equal(one.code.projection, many.code.projection));
  EXPECT_TRUE(images_equal(one.code.means, many.code.means));
  EXPECT_TRUE(images_equal(one.code.variances, many.code.variances));
  EXPECT_EQ(one.code.shares, many.code.shares);
}

TEST(LearnCode, WordsThatAreAllAlikeStillMakeFiniteNumbers) {
  Image<float> samples(32, 20);
  for (int y = 0; y < 20; ++y) std::fill_n(samples.row(y), 32, 0.5F);
  for (const Coding coding : {Coding::kSoft, Coding::kVlad, Coding::kFisher}) {
    const Dictionary dictionary =
        learn_dictionary(samples.view(), {}, {.words = 3, .coding = coding, .components = 4});
    EXPECT_NO_THROW(check_code("test", dictionary));
    for (const float value : code_plan(dictionary.code, 3).scores.bias)
      EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(LearnCode, ComponentsAreAtMostTheNumbersOfADescriptor) {
  const Dictionary dictionary = learn_dictionary(
      two_clouds().view(), {}, {.words = 2, .coding = Coding::kVlad, .components = 100});
  EXPECT_EQ(dictionary.code.components(), 32);
  EXPECT_EQ(dictionary.code.length(2), 64);
}

TEST(LearnCode, BadOptionsAreNamed) {
  const auto why = [](const DictionaryOptions& options) {
    return message_of<InvalidArgument>(
        [&] { (void)learn_dictionary(two_clouds().view(), {}, options); });
  };
  EXPECT_THAT(why({.words = 1025, .coding = Coding::kFisher}), HasSubstr("at most 1024"));
  EXPECT_THAT(why({.words = 2, .color_words = 5}), HasSubstr("give images"));
  EXPECT_THAT(why({.words = 2, .coding = Coding::kVlad, .components = 500}), HasSubstr("500"));
  DictionaryOptions one{.words = 2};
  one.color_words = 1;
  EXPECT_THROW(check_coding(one), InvalidArgument);
}

}  // namespace
}  // namespace fovea::scenes
