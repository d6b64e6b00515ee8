#include "cli/emd/frames.h"

#include <fmt/format.h>
#include <fovea/io/cube_io.h>
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

TEST(EmdFrames, OnlyTheFilesThatAreAskedForAreRead) {
  const test::TempFolder folder;
  Random random(1);
  for (int i = 0; i < 6; ++i)
    io::write_image(folder / fmt::format("{}.png", i),
                    test::random_image<std::uint8_t>(random, 8, 6));
  const auto numbers = [&](const io::VideoReadOptions& which) {
    BandFrames frames({folder.path()}, false, {}, which);
    std::vector<std::int64_t> result;
    for (StoredBands stored; frames.fetch(stored);) result.push_back(frames.number_of(stored));
    return result;
  };
  EXPECT_THAT(numbers({.count = 2}), testing::ElementsAre(0, 1));
  EXPECT_THAT(numbers({.start = 3, .count = 2}), testing::ElementsAre(3, 4));
  EXPECT_THAT(numbers({.start = 5}), testing::ElementsAre(5));
  EXPECT_THAT(numbers({.start = 9}), testing::IsEmpty());
  EXPECT_THAT(numbers({.seconds = 0.1}), testing::ElementsAre(0, 1, 2));
}

TEST(EmdFrames, CubesOfAFolderAreFrames) {
  const test::TempFolder folder;
  Random random(1);
  std::filesystem::create_directories(folder / "set");
  io::write_image(folder / "set/preview.png", test::random_image<std::uint8_t>(random, 8, 6));
  for (const int i : {2, 10, 1}) {
    io::Cube cube{Stack<float>(4, 3, 5)};
    for (int b = 0; b < 5; ++b)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x)
          std::get<Stack<float>>(cube.bands).plane(b).at(x, y) = static_cast<float>(i);
    io::write_cube(folder / fmt::format("set/{}.hdr", i), cube);
  }
  for (const bool folder_is_cube : {true, false}) {
    BandFrames frames({folder / "set"}, folder_is_cube, {});
    EXPECT_EQ(frames.expected_frames(), 3);
    std::vector<float> order;
    StoredBands stored;
    while (frames.fetch(stored)) {
      BandFrame frame;
      frames.decode(stored, frame);
      EXPECT_EQ(frame.bands.count(), 5);
      EXPECT_GE(frames.frame_bytes(stored), 6U * 4 * 3 * 5 * sizeof(float));
      order.push_back(frame.bands.plane(0).at(0, 0));
    }
    EXPECT_THAT(order, testing::ElementsAre(1, 2, 10));
  }
}

}  // namespace
}  // namespace fovea::cli
