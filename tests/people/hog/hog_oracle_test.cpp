#include <opencv2/objdetect.hpp>

#include <cmath>

#include "people/hog/hog_grid.h"
#include "people/model_parts.h"
#include "support/images.h"

namespace fovea::people {
namespace {

// The first threshold of L2-Hys that an OpenCV process uses is the one it keeps, so that only 0.2
// is compared. Its arctangent is good to about 1e-4 bins, its gradients are the same to rounding.
void compare(const HogOptions& hog, int channels) {
  Random random(3);
  const int width = 150, height = 190;
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        const double wave = std::sin(0.3 * x + 0.001 * y * y) + std::cos(0.1 * y + c);
        image.at(x, y, c) = static_cast<std::uint8_t>(100 + 40 * wave + 50 * random.uniform());
      }
  const cv::HOGDescriptor oracle(
      {hog.window.width, hog.window.height}, {hog.block * hog.cell, hog.block * hog.cell},
      {hog.block_stride, hog.block_stride}, {hog.cell, hog.cell}, hog.bins, 1, hog.sigma,
      cv::HOGDescriptor::L2Hys, 0.2, hog.gamma == Gamma::kSquareRoot, 64, hog.signed_angle);
  const cv::Mat wrapped(height, width, channels == 1 ? CV_8UC1 : CV_8UC3, image.row(0),
                        image.stride());
  std::vector<float> expected;
  oracle.compute(wrapped, expected, {8, 8}, {0, 0});

  ScanPlan plan{hog.window, 8, 0, 0, {{{width, height}}}};
  plan.levels[0].columns = (width - hog.window.width) / 8 + 1;
  plan.levels[0].rows = (height - hog.window.height) / 8 + 1;
  cpu::HogGrid grid(Kind::kHog, hog);
  grid.build(image, plan, {.threads = 1});
  const auto size = static_cast<std::size_t>(descriptor_size(hog));
  ASSERT_EQ(expected.size(), size * grid.columns() * grid.rows());
  std::vector<float> numbers(size);
  auto at = expected.begin();
  for (int row = 0; row < grid.rows(); ++row)
    for (int column = 0; column < grid.columns(); ++column) {
      grid.descriptor(column, row, numbers);
      for (std::size_t e = 0; e < size; ++e, ++at) ASSERT_NEAR(numbers[e], *at, 2e-3) << e;
    }
}

TEST(HogOracle, DescriptorEqualsOpenCvs) {
  HogOptions hog;
  hog.sigma = 4;
  compare(hog, 1);
  compare(hog, 3);
}

TEST(HogOracle, DescriptorEqualsOpenCvsWithOtherGeometry) {
  HogOptions hog;
  hog.window.width = hog.window.height = 96;
  hog.cell = 16;
  hog.block = 2;
  hog.block_stride = 16;
  hog.bins = 12;
  hog.sigma = 8;
  hog.gamma = Gamma::kNone;
  compare(hog, 1);
  hog.signed_angle = true;
  compare(hog, 3);
}

}  // namespace
}  // namespace fovea::people
