// OpenCV's k-means from the same labels, and its exhaustive matcher.
#include <fovea/core/random.h>
#include <fovea/ops/kmeans.h>
#include <gtest/gtest.h>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include <vector>

namespace fovea {
namespace {

Image<float> blobs(int dimensions, int count, int centers, std::uint64_t seed) {
  Random random(seed);
  Image<float> middle(dimensions, centers), points(dimensions, count);
  for (int c = 0; c < centers; ++c)
    for (int i = 0; i < dimensions; ++i) middle.row(c)[i] = random.uniform(-3, 3);
  for (int p = 0; p < count; ++p)
    for (int i = 0; i < dimensions; ++i)
      points.row(p)[i] = middle.row(p % centers)[i] + random.normal();
  return points;
}

cv::Mat as_mat(const Image<float>& image) {
  return {image.height(), image.width(), CV_32F, const_cast<float*>(image.row(0)),
          static_cast<std::size_t>(image.stride()) * sizeof(float)};
}

TEST(KmeansOracle, EndsWhereOpenCvEnds) {
  constexpr int kClusters = 12;
  const auto points = blobs(8, 3000, kClusters, 1);
  KmeansOptions options{
      .clusters = kClusters, .start = KmeansStart::kSpread, .exec = {.device = Device::cpu()}};
  options.max_iterations = 1;
  const auto first = kmeans(points, options);
  options.max_iterations = 300;
  const auto k = kmeans(points, options);

  // Theirs begins with the labels of our first iteration, which gives the same centers.
  cv::Mat labels(first.labels, true), centers;
  const double inertia =
      cv::kmeans(as_mat(points), kClusters, labels, {cv::TermCriteria::MAX_ITER, 100, 0}, 1,
                 cv::KMEANS_USE_INITIAL_LABELS, centers);
  EXPECT_NEAR(k.inertia, inertia, 1e-4 * inertia);
  int apart = 0;
  for (int p = 0; p < 3000; ++p)
    apart += labels.at<int>(p) != k.labels[static_cast<std::size_t>(p)] ? 1 : 0;
  EXPECT_LE(apart, 3);  // points between two centers may go either way
}

TEST(KmeansOracle, NearestIsTheMatchers) {
  const auto points = blobs(32, 2000, 100, 2), centers = blobs(32, 300, 100, 3);
  std::vector<cv::DMatch> matches;
  cv::BFMatcher(cv::NORM_L2).match(as_mat(points), as_mat(centers), matches);
  NearestCenter nearest(centers, {.device = Device::cpu()});
  const auto labels = nearest.find(points);
  int apart = 0;
  for (std::size_t p = 0; p < labels.size(); ++p) apart += matches[p].trainIdx != labels[p] ? 1 : 0;
  EXPECT_LE(apart, 2);
}

}  // namespace
}  // namespace fovea
