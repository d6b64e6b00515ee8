#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/detect.h>

#include <cmath>
#include <limits>

#include "support/files.h"
#include "support/images.h"

namespace fovea::emd {
namespace {

using test::message_of;
using testing::HasSubstr;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

Stack<float> noisy_cube(int width, int height, int bands) {
  Random random(5);
  Stack<float> cube(width, height, bands);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float light = random.uniform(50, 90);
      for (int b = 0; b < bands; ++b)
        cube.plane(b).at(x, y) = light * static_cast<float>(b + 2) + random.uniform(-9, 9);
    }
  return cube;
}

// x'Ks, x'Kx and s'Ks by Gauss's elimination of the whole covariance.
struct TextbookScores {
  std::vector<double> mean, inverse;

  explicit TextbookScores(const Stack<float>& cube) {
    const int n = cube.count();
    const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
    const double pixels = static_cast<double>(cube.width()) * cube.height();
    const auto over = [&](auto value) {
      double sum = 0;
      for (int y = 0; y < cube.height(); ++y)
        for (int x = 0; x < cube.width(); ++x) sum += value(x, y);
      return sum / pixels;
    };
    const auto sample = [&](int b, int x, int y) {
      return static_cast<double>(cube.plane(b).at(x, y));
    };
    for (int b = 0; b < n; ++b) mean.push_back(over([&](int x, int y) { return sample(b, x, y); }));
    std::vector<double> matrix(at(n, 0));
    double trace = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        matrix[at(i, j)] = over([&](int x, int y) {
          return (sample(i, x, y) - mean[static_cast<std::size_t>(i)]) *
                 (sample(j, x, y) - mean[static_cast<std::size_t>(j)]);
        });
    for (int i = 0; i < n; ++i) trace += matrix[at(i, i)];
    for (int i = 0; i < n; ++i) matrix[at(i, i)] += 0.01 * trace / n;
    inverse.resize(matrix.size());
    for (int i = 0; i < n; ++i) inverse[at(i, i)] = 1;
    for (int i = 0; i < n; ++i) {
      const double pivot = matrix[at(i, i)];
      for (int j = 0; j < n; ++j) {
        matrix[at(i, j)] /= pivot;
        inverse[at(i, j)] /= pivot;
      }
      for (int k = 0; k < n; ++k) {
        const double factor = k == i ? 0 : matrix[at(k, i)];
        for (int j = 0; j < n; ++j) {
          matrix[at(k, j)] -= factor * matrix[at(i, j)];
          inverse[at(k, j)] -= factor * inverse[at(i, j)];
        }
      }
    }
  }

  double form(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        sum += (a[i] - mean[i]) * inverse[i * a.size() + j] * (b[j] - mean[j]);
    return sum;
  }
};

TEST(DetectMatched, BackgroundScoresAreThoseOfTheTextbook) {
  const Stack<float> cube = noisy_cube(13, 11, 5);
  const std::vector<float> target{200, 150, 330, 280, 410};
  const std::vector<double> wanted(target.begin(), target.end());
  const TextbookScores textbook(cube);
  const Image<float> matched = matched_filter(cube, target), cosine = adaptive_cosine(cube, target);
  const double own = textbook.form(wanted, wanted);
  for (int y = 0; y < 11; ++y)
    for (int x = 0; x < 13; ++x) {
      std::vector<double> pixel;
      for (int b = 0; b < 5; ++b) pixel.push_back(static_cast<double>(cube.plane(b).at(x, y)));
      const double along = textbook.form(pixel, wanted);
      EXPECT_NEAR(matched.at(x, y), along / own, 1e-5);
      EXPECT_NEAR(cosine.at(x, y), along * std::abs(along) / own / textbook.form(pixel, pixel),
                  1e-5);
    }
}

TEST(DetectMatched, TheTargetItselfScoresOne) {
  Stack<float> cube = noisy_cube(20, 20, 4);
  const std::vector<float> target{10, 400, 20, 300};
  for (int b = 0; b < 4; ++b) cube.plane(b).at(7, 3) = target[static_cast<std::size_t>(b)];
  cube.plane(2).at(1, 1) = kMissing;
  const Image<float> matched = matched_filter(cube, target), cosine = adaptive_cosine(cube, target);
  EXPECT_NEAR(matched.at(7, 3), 1, 1e-6);
  EXPECT_NEAR(cosine.at(7, 3), 1, 1e-6);
  EXPECT_EQ(matched.at(1, 1), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(cosine.at(1, 1), -1);
  EXPECT_LT(cosine.at(12, 12), 0.9);
}

TEST(DetectMatched, ACubeWithoutVariationHasNoScores) {
  Stack<float> cube(4, 3, 2);
  for (int b = 0; b < 2; ++b)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) cube.plane(b).at(x, y) = 5;
  for (const auto score : {matched_filter, adaptive_cosine})
    EXPECT_EQ(score(cube, std::vector<float>{1, 2}, {}).at(2, 1), 0);
  cube.plane(0).at(0, 0) = 6;  // a target like the mean has no direction
  const std::vector<float> mean = mean_spectrum(cube, Rect<int>{0, 0, 4, 3});
  for (const auto score : {matched_filter, adaptive_cosine})
    EXPECT_TRUE(std::isfinite(score(cube, mean, {}).at(0, 0)));
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x) cube.plane(1).at(x, y) = kMissing;
  EXPECT_EQ(adaptive_cosine(cube, std::vector<float>{1, 2}).at(0, 0), -1);
}

TEST(DetectMatched, ThreadsDoNotChangeBackgroundScores) {
  const Stack<float> cube = noisy_cube(9, 41, 6);
  const std::vector<float> target{1, 5, 2, 8, 3, 9};
  for (const auto score : {matched_filter, adaptive_cosine}) {
    const Image<float> one = score(cube, target, {.threads = 1});
    const Image<float> many = score(cube, target, {.threads = 3});
    for (int y = 0; y < 41; ++y)
      for (int x = 0; x < 9; ++x) EXPECT_EQ(one.at(x, y), many.at(x, y));
  }
}

TEST(DetectMatched, BothScoresOfOneBackgroundAreThoseOfEach) {
  Stack<float> cube = noisy_cube(7, 35, 70);  // three blocks of bands
  cube.plane(40).at(3, 20) = kMissing;
  std::vector<float> target;
  for (int b = 0; b < 70; ++b) target.push_back(static_cast<float>(100 + b * (b % 7)));
  const Image<float> matched = matched_filter(cube, target), cosine = adaptive_cosine(cube, target);
  for (const int threads : {1, 3}) {
    const BackgroundScores both = background_scores(cube, target, {.threads = threads});
    EXPECT_TRUE(test::images_equal(both.matched, matched));
    EXPECT_TRUE(test::images_equal(both.adaptive, cosine));
  }
}

TEST(DetectMatched, BlocksOfBandsGiveTheScoresOfTheTextbook) {
  constexpr int kBands = 40;  // two blocks
  const Stack<float> cube = noisy_cube(7, 19, kBands);
  std::vector<float> target;
  for (int b = 0; b < kBands; ++b) target.push_back(static_cast<float>(100 + b * (b % 7)));
  const std::vector<double> wanted(target.begin(), target.end());
  const TextbookScores textbook(cube);
  const BackgroundScores found = background_scores(cube, target);
  const double own = textbook.form(wanted, wanted);
  for (int y = 0; y < 19; ++y) {
    std::vector<double> pixel;
    for (int b = 0; b < kBands; ++b) pixel.push_back(static_cast<double>(cube.plane(b).at(4, y)));
    const double along = textbook.form(pixel, wanted);
    EXPECT_NEAR(found.matched.at(4, y), along / own, 1e-5);
    EXPECT_NEAR(found.adaptive.at(4, y),
                along * std::abs(along) / own / textbook.form(pixel, pixel), 1e-5);
  }
}

TEST(DetectMatched, StopsOnRequest) {
  const Stack<float> cube = noisy_cube(5, 6, 3);
  const std::vector<float> target{1, 5, 2};
  std::stop_source stop;
  stop.request_stop();
  Exec exec;
  exec.stop = stop.get_token();
  EXPECT_THROW(matched_filter(cube, target, exec), Cancelled);
  EXPECT_THROW(adaptive_cosine(cube, target, exec), Cancelled);
  EXPECT_THROW(background_scores(cube, target, exec), Cancelled);
}

TEST(DetectMatched, RefusesTargetsThatDoNotFit) {
  const Stack<float> cube = noisy_cube(3, 3, 2);
  EXPECT_THAT(message_of<InvalidArgument>([&] { matched_filter(cube, std::vector<float>{1}); }),
              HasSubstr("matched_filter: the target has 1 values, but the cube has 2 bands"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                adaptive_cosine(cube, std::vector<float>{1, kMissing});
              }),
              HasSubstr("value of band 1 is nan"));
}

}  // namespace
}  // namespace fovea::emd
