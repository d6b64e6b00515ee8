#include "cli/people/people.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "cli/people/scene.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(People, ARegionIsFourWholeNumbers) {
  const people::Region region = parse_region("region", "3,4,50,60");
  EXPECT_EQ(region.x, 3);
  EXPECT_EQ(region.y, 4);
  EXPECT_EQ(region.width, 50);
  EXPECT_EQ(region.height, 60);
  EXPECT_EQ(parse_region("region", "").width, 0);
  for (const char* text :
       {"1,2,3", "1,2,3,", "1,2,3,4,5", "a,2,3,4", "1 2 3 4", "1,2,3,4.5", "1,2,3,99999999999"})
    EXPECT_THAT(
        test::message_of<InvalidArgument>([&] { static_cast<void>(parse_region("region", text)); }),
        HasSubstr("expected x,y,width,height"))
        << text;
}

TEST(People, AThresholdIsANumberOrTheModels) {
  EXPECT_FALSE(detect_options({}, {}).threshold);
  EXPECT_EQ(detect_options({.threshold = "-0.25"}, {}).threshold, -0.25);
  for (const char* text : {"high", "1x", "nan", "inf"})
    EXPECT_THAT(test::message_of<InvalidArgument>([&] { detect_options({.threshold = text}, {}); }),
                HasSubstr("--threshold is"))
        << text;
}

TEST(People, OpacityAndDepthAreLeftOut) {
  Image<std::uint16_t> deep(3, 2, 4);
  for (int y = 0; y < 2; ++y) std::fill_n(deep.row(y), 12, std::uint16_t{0x8080});
  const test::TempFolder folder;
  io::write_image(folder / "deep.png", deep.view());
  const Image<std::uint8_t> pixels = people_pixels(io::read_image(folder / "deep.png"));
  ASSERT_EQ(pixels.channels(), 3);
  EXPECT_EQ(pixels.at(1, 1, 2), 0x80);
  EXPECT_THAT(
      test::message_of<InvalidArgument>([] { people_pixels({Image<std::uint8_t>(3, 2, 5)}); }),
      HasSubstr("5 channels"));
}

TEST(People, BoxesAreDrawnInGrayAndColor) {
  for (const int channels : {1, 3}) {
    Image<std::uint8_t> image = street(80, 90, channels);
    draw_people(image.view(), {{.box = {10, 20, 30, 50}, .window = {}, .score = 1.5F}});
    EXPECT_FALSE(test::images_equal(image, street(80, 90, channels)));
  }
}

TEST(People, AModelIsAWordOrAFile) {
  EXPECT_EQ(model_path("some/file.safetensors"), "some/file.safetensors");
  const test::TempFolder folder;
  likeness().write(folder / "m.safetensors");
  EXPECT_EQ(read_people_model(folder / "m.safetensors").facts["data"], "one drawing");
  // A bare list of numbers, as OpenCV keeps its vectors.
  std::string numbers;
  for (int i = 0; i < 3781; ++i) numbers += i % 2 == 0 ? "0.5 " : "-0.25 ";
  test::save(folder / "vector.txt", numbers);
  const people::Model imported = read_people_model(folder / "vector.txt");
  EXPECT_EQ(imported.kind, people::Kind::kHog);
  EXPECT_EQ(std::get<people::LinearModel>(imported.classifier).weights.size(), 3780U);
}

}  // namespace
}  // namespace fovea::cli
