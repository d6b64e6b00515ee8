// Soft, vlad and fisher coding against the textbook.
// Covers: place_coder
#include <fovea/core/error.h>
#include <fovea/scenes/features.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "reference/scene_codes.h"
#include "scenes/with_exec.h"
#include "scenes/words/coded.h"
#include "scenes/words/place_coder_cpu.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/messages.h"

namespace fovea::scenes {
namespace {

using test::images_equal;
using testing::HasSubstr;

class Codes : public test::OnEveryPlace {
 protected:
  Exec exec(int threads = 0) const { return {.device = device(), .threads = threads}; }
};
FOVEA_ON_EVERY_PLACE(Codes);

constexpr Coding kCodings[] = {Coding::kSoft, Coding::kVlad, Coding::kFisher};

// Whole numbers of 1/512 and weights of 1/256 stand for the real ones, so that roots of numbers
// near 0 differ most. What matters is the angle between the features.
double cosine(const std::vector<float>& a, const std::vector<double>& b) {
  double product = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    first += double{a[i]} * a[i];
    second += b[i] * b[i];
  }
  return product / std::sqrt(first * second);
}

TEST_P(Codes, AreThoseOfTheTextbook) {
  const auto image = patchwork(9, 75, 61);
  for (const Coding coding : kCodings) {
    for (const DescriptorOptions& descriptor :
         {DescriptorOptions{.words = WordSource::kGradients, .step = 6},
          DescriptorOptions{.color = Color::kLab, .step = 5}}) {
      const Dictionary dictionary = coded_dictionary(coding, descriptor, 7, 10);
      for (const int pyramid : {0, 2}) {
        FeatureMaker maker(dictionary, features_with(pyramid, exec()));
        const std::vector<float> features = maker.make(image);
        const std::vector<double> expected = reference::scene_code(image, dictionary, pyramid);
        ASSERT_EQ(features.size(), expected.size());
        EXPECT_EQ(feature_length(dictionary, pyramid), maker.length());
        EXPECT_GT(cosine(features, expected), 0.9995);
        for (std::size_t i = 0; i < features.size(); ++i)
          ASSERT_NEAR(features[i], expected[i], coding == Coding::kSoft ? 0.002 : 0.03) << i;
      }
    }
  }
}

TEST_P(Codes, HaveTheLengthOneOnEachLevel) {
  const auto image = patchwork(2, 64, 50);
  for (const Coding coding : {Coding::kVlad, Coding::kFisher}) {
    const Dictionary dictionary = coded_dictionary(coding, {.step = 3}, 5, 6);
    const std::vector<float> features =
        FeatureMaker(dictionary, features_with(1, exec())).make(image);
    const auto cell = static_cast<std::ptrdiff_t>(features.size()) / 5;
    const auto square = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      return std::inner_product(features.begin() + first, features.begin() + last,
                                features.begin() + first, 0.0);
    };
    EXPECT_NEAR(square(0, cell), 1, 1e-5);
    EXPECT_NEAR(square(cell, 5 * cell), 1, 1e-5);
  }
  const Dictionary soft = coded_dictionary(Coding::kSoft, {.step = 3}, 5, 6);
  const std::vector<float> histogram = FeatureMaker(soft, features_with(0, exec())).make(image);
  EXPECT_NEAR(std::accumulate(histogram.begin(), histogram.end(), 0.0), 1, 1e-5);
}

TEST_P(Codes, DoNotDependOnThreadsOrCompany) {
  std::vector<Image<std::uint8_t>> images;
  for (const test::Size& size : {test::Size{1, 1}, {70, 66}, {3, 90}, {40, 31}, {64, 64}})
    images.push_back(patchwork(static_cast<std::uint64_t>(size.width), size.width, size.height,
                               size.width % 2 == 0 ? 3 : 1));
  const std::vector<ImageView<const std::uint8_t>> views(images.begin(), images.end());
  const auto count = static_cast<int>(images.size());
  for (const Coding coding : kCodings) {
    const Dictionary dictionary =
        coded_dictionary(coding, {.words = WordSource::kGradients, .step = 5}, 6, 9);
    FeatureMaker one(dictionary, features_with(1, exec(1)));
    Image<float> expected(one.length(), count);
    for (int i = 0; i < count; ++i) {
      const auto row = one.make(views[static_cast<std::size_t>(i)]);
      std::copy(row.begin(), row.end(), expected.row(i));
      for (const float number : row) ASSERT_TRUE(std::isfinite(number));
    }
    for (const int threads : {2, 5}) {
      FeatureMaker maker(dictionary, features_with(1, exec(threads)));
      Image<float> features(maker.length(), count);
      maker.make(views, features);
      EXPECT_TRUE(images_equal(features, expected)) << threads;
    }
  }
}

// The features of words beside others follow, and words are shown as those of hard coding are.
TEST_P(Codes, OfWordsBesideOthers) {
  const auto image = patchwork(4, 60, 52);
  Dictionary both = coded_dictionary(Coding::kFisher, {.words = WordSource::kGradients}, 4, 8);
  const Dictionary colors =
      coded_dictionary(Coding::kFisher, {.color = Color::kLab, .step = 4}, 5, 6);
  FeatureMaker first(both, features_with(1, exec())), second(colors, features_with(1, exec()));
  std::vector<float> expected = first.make(image);
  const auto more = second.make(image);
  expected.insert(expected.end(), more.begin(), more.end());
  both.beside.push_back(clone(colors));
  FeatureMaker maker(both, features_with(1, exec()));
  EXPECT_EQ(maker.make(image), expected);
  Dictionary hard = clone(both);
  hard.code = {};
  EXPECT_TRUE(
      images_equal(maker.words(image), FeatureMaker(hard, features_with(0, exec())).words(image)));
}

// Planes of places are rounded as single numbers are, whatever they hold.
TEST(PlaceCoder, RoundsPlanesAsCodeUnits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> some{0,
                                1,
                                -1,
                                1.5F / 512,
                                -0.5F / 512,
                                15.999F,
                                1e9F,
                                -1e9F,
                                kInfinity,
                                -kInfinity,
                                std::numeric_limits<float>::quiet_NaN()};
  constexpr int kComponents = 2;
  std::vector<float> planes, squares(kComponents * cpu::kCodeBlock);
  for (std::size_t i = 0; i < squares.size(); ++i) planes.push_back(some[i % some.size()]);
  const std::vector<float> given = planes;
  std::vector<std::int32_t> units(squares.size());
  cpu::round_planes(planes.data(), squares.data(), units.data(), kComponents);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::int32_t expected = code_units(given[i]);
    EXPECT_EQ(units[i % cpu::kCodeBlock * kComponents + i / cpu::kCodeBlock], expected) << i;
    EXPECT_EQ(planes[i], from_units(expected)) << i;
    EXPECT_EQ(squares[i], planes[i] * planes[i]) << i;
  }
}

TEST(PlaceCoder, SumsUpFewImagesAtATimeWhereTheyAreLarge) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  EXPECT_EQ(cpu::group_images(8), 64U);
  EXPECT_EQ(cpu::group_images(8 * kMiB), 64U);
  EXPECT_EQ(cpu::group_images(34 * kMiB), 15U);
  EXPECT_EQ(cpu::group_images(1024 * kMiB), 1U);
}

// Numbers with which projected numbers or scores would not be finite.
TEST(CodesBeyondAllMeasure, AreRefused) {
  const auto why = [](const Dictionary& dictionary) {
    return test::message_of<InvalidArgument>([&] { FeatureMaker maker(dictionary); });
  };
  for (const Coding coding : kCodings) {
    const Dictionary good = coded_dictionary(coding, {.step = 4}, 4, 6);
    Dictionary bad = clone(good);
    bad.code.projection.at(3, 2) = 3e38F;
    EXPECT_THAT(why(bad), HasSubstr("a projection of 3e+38"));
    bad = clone(good);
    bad.code.shift[5] = -3e38F;
    EXPECT_THAT(why(bad), HasSubstr("a shift of -3e+38"));
    bad = clone(good);
    bad.code.means.at(5, 3) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(why(bad), HasSubstr("a mean of nan"));
    if (coding == Coding::kVlad) continue;
    bad = clone(good);
    bad.code.variances.at(5, 3) = 1e-45F;
    EXPECT_THAT(why(bad), HasSubstr("a variance of 1e-45"));
  }
}

TEST(CodesWithinAllMeasure, HaveFiniteScores) {
  Dictionary extreme = coded_dictionary(Coding::kFisher, {.step = 4}, 4, 6);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 6; ++j) {
      extreme.code.means.at(j, k) = 1e14F;
      extreme.code.variances.at(j, k) = 1e-8F;
    }
  const std::vector<float> features = FeatureMaker(extreme).make(patchwork(5, 40, 30));
  double square = 0;
  for (const float number : features) square += double{number} * number;
  EXPECT_NEAR(square, 1, 1e-5);
}

TEST(CodesOfTheWrongShape, AreRefused) {
  const auto why = [](Dictionary dictionary) {
    return test::message_of<InvalidArgument>([&] { FeatureMaker maker(dictionary); });
  };
  const Dictionary good = coded_dictionary(Coding::kFisher, {.step = 4}, 4, 6);
  Dictionary bad = clone(good);
  bad.code.shift.pop_back();
  EXPECT_THAT(why(clone(bad)), HasSubstr("5 shifts"));
  bad = clone(good);
  bad.code.variances.at(2, 1) = 0;
  EXPECT_THAT(why(clone(bad)), HasSubstr("a variance of 0"));
  bad = clone(good);
  bad.code.shares[0] = -1;
  EXPECT_THAT(why(clone(bad)), HasSubstr("a share of -1"));
  bad = clone(good);
  bad.code.means = Image<float>(6, 3);
  EXPECT_THAT(why(clone(bad)), HasSubstr("3 means"));
  bad = clone(good);
  bad.beside.push_back(clone(good));
  bad.beside.push_back(clone(good));
  EXPECT_THAT(why(clone(bad)), HasSubstr("at most one"));
}

}  // namespace
}  // namespace fovea::scenes
