#include <cstdio>

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <jpeglib.h>

#include <cmath>
#include <cstdlib>

#include "support/files.h"
#include "support/hostile.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::as_bytes;
using test::images_equal;
using test::load;
using test::message_of;
using test::save;
using test::TempFolder;
using testing::AllOf;
using testing::HasSubstr;

// Smooth, so that compression changes little.
Image<std::uint8_t> smooth_image(int width, int height, int channels) {
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        image.at(x, y, c) =
            static_cast<std::uint8_t>(128 + 100 * std::sin(0.05 * x + 0.08 * y * (c + 1)));
  return image;
}

// One color of four inks; `adobe` also inverts, as Adobe's programs do.
std::string make_cmyk(std::array<std::uint8_t, 4> inks, bool adobe) {
  jpeg_compress_struct encoder{};
  jpeg_error_mgr errors{};
  encoder.err = jpeg_std_error(&errors);
  jpeg_create_compress(&encoder);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&encoder, &data, &size);
  encoder.image_width = encoder.image_height = 16;
  encoder.input_components = 4;
  encoder.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&encoder);
  encoder.write_Adobe_marker = adobe ? TRUE : FALSE;
  jpeg_set_quality(&encoder, 100, TRUE);
  jpeg_start_compress(&encoder, TRUE);
  std::vector<std::uint8_t> row;
  for (int x = 0; x < 16; ++x)
    for (const std::uint8_t ink : inks) row.push_back(adobe ? 255 - ink : ink);
  JSAMPROW pointer = row.data();
  while (encoder.next_scanline < 16) jpeg_write_scanlines(&encoder, &pointer, 1);
  jpeg_finish_compress(&encoder);
  jpeg_destroy_compress(&encoder);
  std::string file(reinterpret_cast<char*>(data), size);
  std::free(data);
  return file;
}

TEST(Jpeg, RoundTripsClosely) {
  const TempFolder folder;
  for (const int channels : {1, 3}) {
    for (const bool progressive : {false, true}) {
      const auto image = smooth_image(61, 35, channels);
      write_image(folder / "a.jpg", image,
                  {.quality = 98, .progressive = progressive, .full_chroma = true});
      const AnyImage back = read_image(folder / "a.jpg");
      EXPECT_TRUE(images_equal(std::get<Image<std::uint8_t>>(back.pixels), image, 6));
      EXPECT_EQ(back.facts.format, ImageFormat::kJpeg);
      const ImageInfo info = image_info(folder / "a.jpg");
      EXPECT_EQ(info.width, 61);
      EXPECT_EQ(info.height, 35);
      EXPECT_EQ(info.channels, channels);
    }
  }
}

TEST(Jpeg, QualityTradesSize) {
  const TempFolder folder;
  const auto image = smooth_image(64, 64, 3);
  write_image(folder / "good.jpeg", image, {.quality = 95});
  write_image(folder / "bad.jpeg", image, {.quality = 20});
  EXPECT_GT(load(folder / "good.jpeg").size(), load(folder / "bad.jpeg").size());
}

TEST(Jpeg, GivesCmykAsRgb) {
  for (const bool adobe : {false, true}) {
    // Full cyan and half black: no red, half of green and blue.
    const std::string file = make_cmyk({255, 0, 0, 128}, adobe);
    const AnyImage image = read_image(as_bytes(file), "cmyk");
    ASSERT_EQ(image.channels(), 3);
    const auto& pixels = std::get<Image<std::uint8_t>>(image.pixels);
    EXPECT_NEAR(pixels.at(8, 8, 0), 0, 2) << adobe;
    EXPECT_NEAR(pixels.at(8, 8, 1), 127, 2) << adobe;
    EXPECT_NEAR(pixels.at(8, 8, 2), 127, 2) << adobe;
  }
}

TEST(Jpeg, CarriesOrientation) {
  const TempFolder folder;
  for (int orientation = 1; orientation <= 8; ++orientation) {
    write_image(folder / "a.jpg", smooth_image(20, 10, 3), {.orientation = orientation});
    EXPECT_EQ(image_info(folder / "a.jpg").facts.orientation, orientation);
    const AnyImage upright = read_image(folder / "a.jpg", {.orientation = Orientation::kApply});
    EXPECT_EQ(upright.width(), orientation >= 5 ? 10 : 20);
  }
}

TEST(Jpeg, TruncatedIsAnErrorUnlessPartialIsWanted) {
  const TempFolder folder;
  write_image(folder / "a.jpg", smooth_image(64, 64, 3));
  const std::string whole = load(folder / "a.jpg");
  save(folder / "cut.jpg", whole.substr(0, whole.size() * 3 / 4));
  EXPECT_THAT(message_of<FormatError>([&] { read_image(folder / "cut.jpg"); }),
              AllOf(HasSubstr("cut.jpg: is truncated or damaged"), HasSubstr("libjpeg")));
  const AnyImage part = read_image(folder / "cut.jpg", {.partial = true});
  const AnyImage all = read_image(folder / "a.jpg");
  const auto top = std::get<Image<std::uint8_t>>(part.pixels).view().crop(0, 0, 64, 16);
  EXPECT_TRUE(
      images_equal(top, std::get<Image<std::uint8_t>>(all.pixels).view().crop(0, 0, 64, 16)));
}

TEST(Jpeg, SurvivesHostileFiles) {
  const TempFolder folder;
  for (const bool progressive : {false, true}) {
    write_image(folder / "a.jpg", smooth_image(9, 9, 3),
                {.quality = 30, .progressive = progressive, .orientation = 5});
    test::expect_truncations_refused(load(folder / "a.jpg"));
    test::expect_corruptions_survived(load(folder / "a.jpg"));
  }
}

TEST(Jpeg, RefusesASizeTheFileCannotJustify) {
  const TempFolder folder;
  write_image(folder / "a.jpg", smooth_image(9, 9, 1));
  std::string file = load(folder / "a.jpg");
  const auto frame = file.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  file[frame + 5] = file[frame + 7] = '\x7f';
  EXPECT_THAT(message_of<FormatError>(
                  [&] { read_image(as_bytes(file), "liar", {.max_pixels = 1ULL << 40}); }),
              HasSubstr("liar: claims an image of"));
}

TEST(Jpeg, RefusesWhatItCannotHold) {
  const TempFolder folder;
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { write_image(folder / "a.jpg", Image<float>(2, 2, 3)); }),
      test::says("uint8 with 1 or 3 channels", "float32 with 3"));
  EXPECT_THROW(write_image(folder / "a.jpg", Image<std::uint8_t>(2, 2, 4)), InvalidArgument);
  EXPECT_THROW(write_image(folder / "a.jpg", Image<std::uint8_t>(65501, 1)), InvalidArgument);
  EXPECT_THROW(write_image(folder / "a.jpg", Image<std::uint8_t>(2, 2), {.quality = 0}),
               InvalidArgument);
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace fovea::io
