// What inputs keep in memory.
#include "view/inputs.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/image_memory.h>
#include <fovea/io/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

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

class FilmOfPictures : public testing::Test {
 protected:
  void save(const std::string& name, int brightness, int width = 64) {
    Image<std::uint8_t> image(width, 48);
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < width; ++x) image.at(x, y) = static_cast<std::uint8_t>(brightness);
    io::write_image(folder_ / name, image.view());
  }
  test::TempFolder folder_{};
  Inputs inputs_{};
};

TEST_F(FilmOfPictures, AFolderOfNumberedPicturesIsAFilmAsWell) {
  for (const int i : {8, 9, 10, 11}) save("walk_" + std::to_string(i) + ".png", 10 * i);
  inputs_.add_paths({folder_.path() + "/"});
  ASSERT_EQ(inputs_.size(), 5U);
  Input& film = *inputs_.all().back();
  EXPECT_EQ(film.kind(), InputKind::kVideo);
  EXPECT_EQ(film.name(), folder_.path());
  ASSERT_EQ(film.pictures().size(), 4U);
  EXPECT_EQ(film.pictures()[2], inputs_.all()[2]);
  EXPECT_EQ(film.frame(2)->pixels().at(0, 0), 100) << "10 follows 9";
  EXPECT_EQ(film.frame(0)->pixels().at(0, 0), 80) << "it can go back";
  EXPECT_THROW(film.frame(4), InvalidArgument);
  EXPECT_EQ(nlohmann::json::parse(film.facts_json())["frames"], 4);
}

TEST_F(FilmOfPictures, OtherFoldersAreNone) {
  for (const char* name : {"a1.png", "b2.png", "c3.png"}) save(name, 1);  // other names
  inputs_.add_paths({folder_.path()});
  EXPECT_EQ(inputs_.size(), 3U);
  EXPECT_FALSE(are_frames({folder_ / "a1.png", folder_ / "b2.png"}));
  save("d1.png", 1);
  save("d2.png", 1);
  EXPECT_FALSE(are_frames({folder_ / "d1.png", folder_ / "d2.png"})) << "a pair is no film";
  save("d3.png", 1, 32);
  EXPECT_FALSE(are_frames({folder_ / "d1.png", folder_ / "d2.png", folder_ / "d3.png"}))
      << "the last one has another size";
}

TEST_F(FilmOfPictures, ImagesThatThePageSentBecomeAFilm) {
  std::vector<std::string> ids;
  for (const int i : {1, 2, 3}) {
    const Image<std::uint8_t> image(16, 16);
    ids.push_back(inputs_.add_upload("f" + std::to_string(i) + ".png", io::png_bytes(image)));
  }
  const std::string id = inputs_.add_film("../frames", ids);
  ASSERT_FALSE(id.empty());
  EXPECT_EQ(inputs_.find(id)->name(), "frames");
  io::VideoReader reader(inputs_.find(id)->path());
  io::Frame frame;
  int count = 0;
  while (reader.next(frame)) ++count;
  EXPECT_EQ(count, 3) << "what reads the folder sees all frames";
  EXPECT_EQ(inputs_.add_film("two", {ids[0], ids[1]}), "");
  EXPECT_THROW(inputs_.add_film("none", {ids[0], ids[1], "gone"}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::view
