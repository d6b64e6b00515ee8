// What inputs keep in memory.
#include "view/inputs.h"

#include <fovea/io/image_io.h>
#include <fovea/io/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/files.h"

namespace fovea::view {
namespace {

constexpr int kPhotoSide = 1024;
constexpr std::size_t kMostKept = std::size_t{40} << 20;  // bytes of pictures

// So many names of one photo, as a camera would number them.
std::vector<std::string> photos(const test::TempFolder& folder, int count) {
  std::vector<std::string> paths{folder / "0.ppm"};
  io::write_image(paths.front(), Image<std::uint8_t>(kPhotoSide, kPhotoSide, 3));
  for (int i = 1; i < count; ++i) {
    paths.push_back(folder / (std::to_string(i) + ".ppm"));
    std::filesystem::create_hard_link(paths.front(), paths.back());
  }
  return paths;
}

TEST(Inputs, KeepFewOfManyPhotosInMemory) {
  const test::TempFolder folder;
  Inputs inputs;
  inputs.add_paths(photos(folder, 60));
  std::vector<std::weak_ptr<const Picture>> seen;
  for (const std::shared_ptr<Input>& input : inputs.all()) {
    seen.push_back(input->frame(0));
    std::size_t bytes = 0;
    for (const auto& each : seen)
      if (const auto picture = each.lock()) bytes += picture->bytes();
    ASSERT_LE(bytes, kMostKept) << seen.size();
  }
  EXPECT_TRUE(seen.front().expired());
  EXPECT_FALSE(seen.back().expired());
}

TEST(Inputs, DoNotReadAgainWhatAResultHolds) {
  const test::TempFolder folder;
  Inputs inputs;
  inputs.add_paths(photos(folder, 40));
  const std::shared_ptr<const Picture> held = inputs.all().front()->frame(0);
  for (const std::shared_ptr<Input>& input : inputs.all()) input->frame(0);
  EXPECT_EQ(inputs.all().front()->frame(0), held);
}

TEST(Inputs, KeepTheFramesBeforeOneForThoseWhoStepBack) {
  const test::TempFolder folder;
  {
    io::VideoWriter writer(folder / "a.y4m", {.frame_rate = 10});
    for (int i = 0; i < 30; ++i) writer.write(Image<std::uint8_t>(64, 48));
    writer.finish();
  }
  Inputs inputs;
  inputs.add_paths({folder / "a.y4m"});
  const std::shared_ptr<Input> film = inputs.all().front();
  EXPECT_NEAR(film->frame(20)->seconds(), 2.0, 1e-9);
  std::filesystem::remove(folder / "a.y4m");
  for (int frame = 19; frame >= 12; --frame)
    EXPECT_NEAR(film->frame(frame)->seconds(), 0.1 * frame, 1e-9);
  EXPECT_ANY_THROW(film->frame(11));
}

}  // namespace
}  // namespace fovea::view
