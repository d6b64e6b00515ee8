#include "cli/emd/frames.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <limits>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

TEST(EmdFrames, ReadsFilesAndFoldersAsAsked) {
  const test::TempFolder folder;
  Random random(1);
  std::filesystem::create_directories(folder / "set");
  for (int i = 0; i < 3; ++i)
    io::write_image(folder / fmt::format("set/{}.png", i),
                    test::random_image<std::uint8_t>(random, 8, 6));
  BandFrame frame;
  BandFrames frames({folder / "set"}, false, {});
  EXPECT_FALSE(frames.single());
  EXPECT_EQ(frames.expected_frames(), 3);
  int count = 0;
  while (frames.next(frame)) {
    EXPECT_EQ(frame.bands.count(), 1);
    ++count;
  }
  EXPECT_EQ(count, 3);
  BandFrames cube({folder / "set"}, true, {});
  EXPECT_TRUE(cube.single());
  ASSERT_TRUE(cube.next(frame));
  EXPECT_EQ(frame.bands.count(), 3);
  EXPECT_EQ(frame.white, 255);
  EXPECT_FALSE(cube.next(frame));
}

TEST(EmdFrames, TakesABandOrBrightness) {
  BandFrame frame{Stack<float>(2, 1, 3), "it", 255};
  for (int b = 0; b < 3; ++b) frame.bands.plane(b).at(0, 0) = static_cast<float>(100 * b);
  EXPECT_EQ(gray_band(frame, 2).at(0, 0), 200);
  EXPECT_NEAR(gray_band(frame, {}).at(0, 0), 58.7F + 22.8F, 1e-4);
  EXPECT_THROW(gray_band(frame, 3), InvalidArgument);
  EXPECT_THROW(gray_band({Stack<float>(2, 1, 2), "it", 255}, {}), InvalidArgument);
}

TEST(EmdFrames, LevelsSpanBytesOrTheDataOrWhatIsAsked) {
  Image<float> band(3, 1);
  band.at(0, 0) = -2;
  band.at(1, 0) = 6;
  band.at(2, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(level_range(band, {{}, "it", 255}, {}).high, 256);
  const LevelRange own = level_range(band, {{}, "it", 0}, {});
  EXPECT_EQ(own.low, -2);
  EXPECT_EQ(own.high, 6);
  EXPECT_EQ(level_range(band, {{}, "it", 255}, {1, 5}).high, 5);
  band.at(0, 0) = band.at(1, 0) = 7;
  EXPECT_GT(level_range(band, {{}, "it", 0}, {}).high, 7);
  band.at(0, 0) = band.at(1, 0) = band.at(2, 0);
  EXPECT_THROW(level_range(band, {{}, "it", 0}, {}), FormatError);
}

}  // namespace
}  // namespace fovea::cli
