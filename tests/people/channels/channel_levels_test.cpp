#include "people/channels/channel_levels.h"

#include <fovea/core/exec.h>

#include <cmath>

#include "support/images.h"

namespace fovea::people {
namespace {

// A picture of soft blobs, which looks alike at neighboring sizes.
Image<std::uint8_t> blobs(int width, int height) {
  Image<std::uint8_t> image(width, height, 3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double value = 128 + 60 * std::sin(x * 0.09) + 50 * std::cos(y * 0.07 + x * 0.03);
      for (int c = 0; c < 3; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>(value * (1 - 0.1 * c));
    }
  return image;
}

ScanPlan plan_of(const Image<std::uint8_t>& image, double ratio) {
  return plan_scan({image.width(), image.height()}, {64, 128}, 0.8,
                   {.ratio = ratio, .stride = 4, .padding = 24});
}

TEST(ChannelSources, LieHalfAStepAwayAtMost) {
  const Image<std::uint8_t> image(640, 480, 1);
  const ScanPlan plan = plan_of(image, 1.05);
  for (const int exact : {1, 2, 4}) {
    const std::vector<int> sources = channel_sources(plan, exact);
    int own = 0;
    for (std::size_t l = 0; l < sources.size(); ++l) {
      const double apart =
          std::abs(std::log2(plan.levels[l].scale_x / plan.levels[sources[l]].scale_x));
      EXPECT_LE(apart, 0.5 / exact + 0.08);
      EXPECT_EQ(sources[sources[l]], sources[l]);
      if (l > 0) {
        EXPECT_GE(sources[l], sources[l - 1]);
      }
      own += sources[l] == static_cast<int>(l) ? 1 : 0;
    }
    EXPECT_LE(own, 3 * exact + 1);
  }
  for (std::size_t l = 0; l < plan.levels.size(); ++l)
    EXPECT_EQ(channel_sources(plan, 0)[l], static_cast<int>(l));
}

TEST(ChannelLevels, ResampledOnesLieWhereComputedOnesDo) {
  const auto image = blobs(300, 260);
  const ScanPlan plan = plan_of(image, 1.1);
  ChannelsModel computed, resampled;
  computed.exact_per_octave = 0;
  resampled.exact_per_octave = 1;
  cpu::ChannelLevels a, b;
  a.start(image, plan, pyramid_of(computed));
  b.start(image, plan, pyramid_of(resampled));
  for (int l = 0; l < static_cast<int>(plan.levels.size()); ++l) {
    const auto from_pixels = a.make(l, {.threads = 1}), from_cells = b.make(l, {.threads = 2});
    const Extent size = window_cells(plan, plan.levels[l]);
    double difference = 0;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        difference += std::abs(
            from_pixels.cells->line(from_pixels.first_row + y, 0)[from_pixels.first_column + x] -
            from_cells.cells->line(from_cells.first_row + y, 0)[from_cells.first_column + x]);
    EXPECT_LT(difference / (size.width * size.height), 4.0) << "level " << l;
  }
}

}  // namespace
}  // namespace fovea::people
