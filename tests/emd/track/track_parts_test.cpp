// Covers: track_pixels
#include "emd/track/track_parts.h"

#include <fovea/core/random.h>
#include <gmock/gmock.h>

namespace fovea::emd {
namespace {

Image<std::uint8_t> random_labels(int width, int height, int bins, std::uint64_t seed) {
  Image<std::uint8_t> labels(width, height);
  Random random(seed);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      labels.at(x, y) = static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(bins)));
  return labels;
}

std::vector<double> masses_of(const Image<std::uint8_t>& labels, const Rect<int>& box, int bins) {
  return label_histogram(labels.view().crop(box.x, box.y, box.width, box.height), bins);
}

GroundDistance thousandths(int bins) {
  std::vector<double> costs;
  for (int i = 0; i < bins; ++i)
    for (int j = 0; j < bins; ++j) costs.push_back(std::min(1000, 300 * std::abs(i - j)));
  return {bins, bins, costs};
}

TEST(EmdTrackParts, AreTwoByThreeOfOneSize) {
  EXPECT_EQ(part_of({10, 20, 21, 32}, 0), (Rect<int>{10, 20, 10, 10}));
  EXPECT_EQ(part_of({10, 20, 21, 32}, 5), (Rect<int>{20, 40, 10, 10}));
}

TEST(EmdTrackParts, DistanceIsTheMeanOverParts) {
  constexpr int kBins = 6;
  const auto labels = random_labels(60, 50, kBins, 3);
  const GroundDistance ground = thousandths(kBins);
  const Rect<int> box{10, 8, 20, 24}, other{23, 15, 20, 24};
  PartModel model(ground, TrackDistance::kEmd, {.device = Device::cpu()}, labels, box);
  model.look_at(labels, {0, 0, 60, 50});
  const auto found = model.distances(std::vector<Rect<int>>{box, other, {-15, 8, 20, 24}});
  EXPECT_EQ(found[0], 0);
  double mean = 0;
  for (int part = 0; part < kParts; ++part)
    mean += distance(ground, masses_of(labels, part_of(other, part), kBins),
                     masses_of(labels, part_of(box, part), kBins))
                .distance /
            1000 / kParts;
  EXPECT_NEAR(found[1], mean, 1e-12);
  EXPECT_GT(found[2], 0.5);  // its left column is outside
}

TEST(EmdTrackParts, BhattacharyyaIsNoneForEqualAndOneForDisjoint) {
  const auto labels = random_labels(60, 50, 4, 5);
  const Rect<int> box{10, 8, 20, 24};
  PartModel model(thousandths(4), TrackDistance::kBhattacharyya, {.device = Device::cpu()}, labels,
                  box);
  model.look_at(labels, {0, 0, 60, 50});
  EXPECT_NEAR(model.distances(std::vector<Rect<int>>{box})[0], 0, 1e-7);
}

}  // namespace
}  // namespace fovea::emd
