#include "operations/emd/band_choice.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <limits>

namespace fovea::operations {
namespace {

using testing::ElementsAre;

TEST(EmdBandChoice, ReadsNumbersAndRanges) {
  EXPECT_THAT(parse_band_choice("0,5,12").bands, ElementsAre(0, 5, 12));
  EXPECT_THAT(parse_band_choice("3-5,1").bands, ElementsAre(3, 4, 5, 1));
  EXPECT_TRUE(parse_band_choice("mean").mean);
  EXPECT_TRUE(parse_band_choice("all").all());
  EXPECT_TRUE(parse_band_choice("").all());
  for (const char* words : {"a", "1,,2", "-1", "5-3", "1-", "1.5", "9999999", "1;2", "mean,1"})
    EXPECT_THROW(parse_band_choice(words), InvalidArgument) << words;
}

TEST(EmdBandChoice, TakesBandsOrTheirMean) {
  emd::BandFrame frame{Stack<float>(2, 1, 3), "a.hdr", 0};
  for (int b = 0; b < 3; ++b)
    for (int x = 0; x < 2; ++x) frame.bands.plane(b).at(x, 0) = static_cast<float>(10 * b + x);
  frame.bands.plane(2).at(1, 0) = std::numeric_limits<float>::quiet_NaN();
  emd::BandFrame mean{Stack<float>(2, 1, 3), "a.hdr", 0};
  copy(std::as_const(frame.bands).view(), mean.bands.view());
  choose_bands(parse_band_choice("mean"), mean);
  ASSERT_EQ(mean.bands.count(), 1);
  EXPECT_EQ(mean.bands.plane(0).at(0, 0), 10);
  EXPECT_EQ(mean.bands.plane(0).at(1, 0), 6);  // of those that were measured
  choose_bands(parse_band_choice("2,0"), frame);
  ASSERT_EQ(frame.bands.count(), 2);
  EXPECT_EQ(frame.bands.plane(0).at(0, 0), 20);
  EXPECT_EQ(frame.bands.plane(1).at(1, 0), 1);
  EXPECT_THROW(choose_bands(parse_band_choice("2"), frame), InvalidArgument);
}

}  // namespace
}  // namespace fovea::operations
