#include "demo/figures.h"

#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include "support/files.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

std::vector<Image<std::uint8_t>> two_pictures() {
  std::vector<Image<std::uint8_t>> pictures;
  for (const std::uint8_t value : {40, 200}) {
    Image<std::uint8_t>& picture = pictures.emplace_back(20, 10, 3);
    for (int y = 0; y < 10; ++y) std::fill_n(picture.row(y), 60, value);
  }
  return pictures;
}

TEST(DemoFigures, ASheetHasItsPicturesInARowOrBelowEachOther) {
  const auto pictures = two_pictures();
  const Image<std::uint8_t> row = sheet(pictures), column = sheet(pictures, 1);
  EXPECT_GE(row.width(), 40);
  EXPECT_LT(column.width(), row.width());
  EXPECT_GE(column.height(), 20);
  EXPECT_GT(sheet(pictures, 0, {"dark", "light"}).height(), row.height());
}

TEST(DemoFigures, AnAnswerStandsBelowItsPictureWithTheCommand) {
  report::Explanation why;
  why.title = "A title";
  why.summary = "and why.";
  report::Page page("x");
  page.figure(why_figure(two_pictures()[0].view(), why, "fovea people detect a.png"));
  EXPECT_THAT(page.html(), testing::HasSubstr("A title. and why."));
  EXPECT_THAT(page.html(), testing::HasSubstr("fovea people detect a.png"));
}

TEST(DemoFigures, FramesAreNumbered) {
  const test::TempFolder folder;
  const auto frames = two_pictures();
  write_frames(folder / "some/frames", frames);
  EXPECT_TRUE(
      test::images_equal(io::to_bytes(io::read_image(folder / "some/frames/01.png")), frames[1]));
}

}  // namespace
}  // namespace fovea::cli
