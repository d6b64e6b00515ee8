#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

TEST(FrameCodec, FoldersOfImagesComeBackAsTheyWereWritten) {
  const test::TempFolder folder;
  Random random(1);
  std::vector<Image<std::uint8_t>> frames;
  VideoWriter writer(folder / "shot/");
  for (int i = 0; i < 12; ++i) {
    frames.push_back(test::random_image<std::uint8_t>(random, 9, 7, 3));
    writer.write(frames.back());
  }
  writer.finish();
  VideoWriter numbered(folder / "shot/n%d.png");
  for (const auto& frame : frames) numbered.write(frame);
  numbered.finish();
  for (const std::string& source : {folder / "shot/0*.png", folder / "shot/n*.png"}) {
    VideoReader reader(source);
    EXPECT_EQ(reader.info().frame_count, 12);
    Frame frame;
    for (std::size_t i = 0; reader.next(frame); ++i)
      EXPECT_TRUE(test::images_equal(frame.image, frames[i])) << source << i;
  }
  EXPECT_EQ(VideoReader(folder / "shot").info().frame_count, 24);
  EXPECT_EQ(VideoReader(folder / "shot/n3.png").info().frame_count, 1);
}

TEST(FrameCodec, DeepImagesKeepTheirBits) {
  const test::TempFolder folder;
  Random random(2);
  const auto deep = test::random_image<std::uint16_t>(random, 9, 7, 1);
  VideoWriter writer(folder / "%d.png");
  writer.write(deep);
  writer.finish();
  Frame frame;
  ASSERT_TRUE(VideoReader(folder.path(), {.color = VideoColor::kGray, .deep = true}).next(frame));
  EXPECT_TRUE(test::images_equal(frame.deep_image, deep));
  write_image(folder / "0.png", AnyView(test::random_image<std::uint8_t>(random, 9, 7, 3)));
  ASSERT_TRUE(VideoReader(folder.path(), {.deep = true}).next(frame));
  ASSERT_TRUE(VideoReader(folder.path()).next(frame));
}

TEST(FrameCodec, ABrokenImageIsNamed) {
  const test::TempFolder folder;
  write_image(folder / "1.png", AnyView(Image<std::uint8_t>(4, 4).view()));
  test::save(folder / "2.png", "no picture");
  VideoReader reader(folder.path());
  Frame frame;
  EXPECT_TRUE(reader.next(frame));
  EXPECT_THAT(test::message_of<FormatError>([&] { reader.next(frame); }),
              testing::HasSubstr("2.png"));
  EXPECT_FALSE(reader.next(frame));
}

}  // namespace
}  // namespace fovea::io
