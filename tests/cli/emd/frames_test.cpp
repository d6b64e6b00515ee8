#include "cli/emd/frames.h"

#include <fmt/format.h>
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <filesystem>

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

}  // namespace
}  // namespace fovea::cli
