#include "emd/map/map_mask.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include "support/devices.h"
#include "support/images.h"
#include "support/labels.h"

namespace fovea::emd {
namespace {

Image<std::uint8_t> mask_of(int width, int height, const std::vector<Rect<int>>& boxes) {
  Image<std::uint8_t> mask(width, height);
  for (int y = 0; y < height; ++y) std::fill_n(mask.row(y), width, std::uint8_t{0});
  for (const Rect<int>& box : boxes)
    for (int y = box.y; y < box.bottom(); ++y)
      std::fill_n(mask.row(y) + box.x, box.width, std::uint8_t{255});
  return mask;
}

TEST(EmdMapMask, PartsFarApartGetBoxesOfTheirOwn) {
  const Rect<int> one{2, 3, 10, 8}, other{60, 40, 5, 5}, near{70, 44, 2, 2};
  const Image<std::uint8_t> mask = mask_of(90, 50, {one, other, near});
  EXPECT_EQ(box_around(mask), (std::vector<Rect<int>>{{2, 3, 70, 43}}));
  EXPECT_EQ(boxes_of(mask, 5), (std::vector<Rect<int>>{one, {60, 40, 12, 6}}));
  EXPECT_EQ(boxes_of(mask, 2), (std::vector<Rect<int>>{one, other, near}));
  EXPECT_TRUE(boxes_of(mask_of(9, 9, {}), 1).empty());
  EXPECT_TRUE(box_around(mask_of(9, 9, {})).empty());
  EXPECT_EQ(reached_from(one, 5, 90, 50), (Rect<int>{0, 0, 17, 16}));
}

class EmdMasked : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(EmdMasked);

TEST_P(EmdMasked, ChosenPixelsHaveTheDistancesOfTheWholeMap) {
  constexpr int kWidth = 97, kHeight = 70;
  Random random(8);
  const Image<std::uint8_t> labels = test::patchy_labels(random, kWidth, kHeight, 7, 40);
  const std::vector<double> target{5, 1, 0, 2, 9, 4, 0};
  Image<std::uint8_t> mask = mask_of(kWidth, kHeight, {{0, 0, 9, 12}, {70, 50, 27, 20}});
  for (int i = 0; i < 40; ++i)
    mask.at(static_cast<int>(random.below(kWidth)), static_cast<int>(random.below(kHeight))) = 1;
  for (const auto border : {WindowBorder::kRepeat, WindowBorder::kClip}) {
    const MapOptions options{.window = 7, .border = border, .exec = {.device = device()}};
    Mapper all(target, options), some(target, options);
    const Image<float> whole = all.map(labels);
    Image<float> part(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y) std::fill_n(part.row(y), kWidth, -1.0F);
    some.map(labels, mask, part);
    std::int64_t chosen = 0;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const bool in = mask.at(x, y) != 0;
        chosen += in ? 1 : 0;
        ASSERT_EQ(part.at(x, y), in ? whole.at(x, y) : -1) << x << ' ' << y;
      }
    const MapReport report = some.report();
    EXPECT_EQ(report.pixels, report.cached + report.duplicate + report.skipped + report.solved);
    if (device().kind == DeviceKind::kCpu) {
      EXPECT_EQ(report.pixels, chosen);
    } else {
      EXPECT_GE(report.pixels, chosen);
    }
  }
}

TEST_P(EmdMasked, HistogramsAndNothingChosen) {
  Random random(2);
  const auto masses = test::random_image<std::uint16_t>(random, 20, 10, 5);
  const std::vector<double> target{1, 2, 3, 4, 5};
  Mapper mapper(target, {.exec = {.device = device()}});
  const Image<float> whole = mapper.map_histograms(masses);
  Image<float> part = clone(whole.view());
  part.at(3, 3) = part.at(19, 9) = -1;
  mapper.map_histograms(masses, mask_of(20, 10, {{3, 3, 1, 1}}), part);
  EXPECT_EQ(part.at(3, 3), whole.at(3, 3));
  EXPECT_EQ(part.at(19, 9), -1);
  mapper.map_histograms(masses, mask_of(20, 10, {}), part);
  EXPECT_EQ(mapper.report().pixels, 0);
  EXPECT_THROW(mapper.map_histograms(masses, mask_of(20, 9, {}), part), InvalidArgument);
}

}  // namespace
}  // namespace fovea::emd
