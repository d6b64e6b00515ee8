#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "io/image/exif.h"
#include "io/image/webp_decoder.h"
#include "support/files.h"
#include "support/hostile.h"

namespace fovea::io {
namespace {

using namespace std::string_literals;
using test::as_bytes;
using test::message_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Chunks as libwebp encodes them. Samples of the first are 10, 23, 36 and so on, 3x2 pixels.
const std::string kLossless =
    "\x2f\x02\x40\x00\x00\x2f\x20\x10\x48\x30\x42\xd8\x9f\x71\x89\x2b\x9c\x28\x04\x10\x00\x45"
    "\x32\xcd\xfc\x27\xec\x86\x9a\xb6\x0d\xd8\x50\xe7\x5f\x4e\x8d\xe8\x7f\x4c\x2f"s;
// Red rises by 30 from 20, green is 7, blue falls by 1 from 200, alpha is 255, 40, 80, ..., 200.
const std::string kLosslessAlpha =
    "\x2f\x02\x40\x00\x10\x2f\x30\x07\xa7\xf0\x38\xf2\xbf\x40\x20\xd1\x69\x7f\xc0\x23\x3b\x33"
    "\x33\xa8\x69\xdb\x80\x0d\x75\xfe\xe5\xd4\x88\xfe\xc7\xf4\x02"s;
// 20x18 pixels: 200, 30, 40 on the left half, 30, 90, 220 on the right one.
const std::string kLossy =
    "\x90\x04\x00\x9d\x01\x2a\x14\x00\x12\x00\x3e\x6d\x30\x95\x46\xa4\x22\xa2\x21\x28\x0a\xa8"
    "\x80\x0d\x89\x40\x18\x9e\x90\x07\xd8\x05\x70\x07\xf0\x0c\xa0\x0f\xd0\x00\x20\xb7\x91\x0a"
    "\x00\x00\xfe\xef\xc8\xb9\x61\xe0\x90\x87\xff\x42\xbf\xea\xd3\x56\xca\xfe\xb2\xf8\xbd\xf8"
    "\xbb\x2f\xff\xb4\xb2\x64\xf2\xa9\xef\xff\xea\x56\x26\x39\x23\xe8\x55\x31\xb3\xe9\x10\x00"
    "\x00\x00"s;
// Opaque in the upper half, 64 in the lower one.
const std::string kAlphaPlane =
    "\x01\x0f\xf0\xa0\xff\x88\x88\x40\x98\x6d\x34\x83\xf9\xd3\xee\x7b\x67\x10\xd1\xff\x09\xe0"
    "\x59\xee\x00"s;

std::string little(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

std::string chunk(const std::string& name, const std::string& data) {
  return name + little(data.size(), 4) + data + (data.size() % 2 == 1 ? "\0"s : ""s);
}

std::string canvas(int flags, std::size_t width, std::size_t height) {
  return chunk("VP8X", little(static_cast<std::size_t>(flags), 4) + little(width - 1, 3) +
                           little(height - 1, 3));
}

std::string webp(const std::string& chunks) {
  return "RIFF" + little(chunks.size() + 4, 4) + "WEBP" + chunks;
}

std::string lossy_alpha() {
  return webp(canvas(16, 20, 18) + chunk("ALPH", kAlphaPlane) + chunk("VP8 ", kLossy));
}

std::string turned(const std::string& mark) {
  const auto exif = make_exif(6);
  return webp(canvas(8, 3, 2) + chunk("VP8L", kLossless) +
              chunk("EXIF", mark + std::string(exif.begin(), exif.end())));
}

std::string why_not(const std::string& file, const ImageReadOptions& options = {}) {
  return message_of<FormatError>([&] { read_image(as_bytes(file), "x.webp", options); });
}

// Reading of pixels, where this build can.
class WebpPixels : public testing::Test {
 protected:
  void SetUp() override {
    if (!webp_feature().usable) GTEST_SKIP() << webp_feature().detail;
  }
  static Image<std::uint8_t> pixels(const std::string& file) {
    AnyImage image = read_image(as_bytes(file), "x.webp");
    EXPECT_EQ(image.facts.format, ImageFormat::kWebp);
    return std::get<Image<std::uint8_t>>(std::move(image.pixels));
  }
};

TEST(Webp, InfoComesFromTheHeadersAlone) {
  const auto info = [](const std::string& file) { return image_info(as_bytes(file), "x.webp"); };
  const ImageInfo lossless = info(webp(chunk("VP8L", kLossless)));
  EXPECT_EQ(lossless.facts.format, ImageFormat::kWebp);
  EXPECT_EQ(lossless.width, 3);
  EXPECT_EQ(lossless.height, 2);
  EXPECT_EQ(lossless.channels, 3);
  EXPECT_EQ(lossless.facts.alpha, Alpha::kNone);
  EXPECT_EQ(info(webp(chunk("VP8L", kLosslessAlpha))).channels, 4);
  const ImageInfo lossy = info(lossy_alpha());
  EXPECT_EQ(lossy.width, 20);
  EXPECT_EQ(lossy.height, 18);
  EXPECT_EQ(lossy.channels, 4);
  EXPECT_EQ(lossy.facts.alpha, Alpha::kStraight);
  EXPECT_EQ(info(turned("")).facts.orientation, 6);
  EXPECT_EQ(info(turned("Exif\0\0"s)).facts.orientation, 6);
  EXPECT_STREQ(to_string(ImageFormat::kWebp), "WebP");
}

TEST_F(WebpPixels, LosslessOnesComeBackToTheBit) {
  const auto image = pixels(webp(chunk("VP8L", kLossless)));
  for (int i = 0; i < 18; ++i) EXPECT_EQ(image.row(i / 9)[i % 9], 10 + 13 * i);
  const auto alpha = pixels(webp(chunk("VP8L", kLosslessAlpha)));
  ASSERT_EQ(alpha.channels(), 4);
  for (int i = 0; i < 6; ++i) {
    const std::uint8_t* pixel = &alpha.at(i % 3, i / 3);
    EXPECT_THAT(std::vector<int>(pixel, pixel + 4),
                ElementsAre(20 + 30 * i, 7, 200 - i, i == 0 ? 255 : 40 * i));
  }
}

TEST_F(WebpPixels, LossyOnesComeClose) {
  const auto near = [](const Image<std::uint8_t>& image, int x, int y, std::vector<int> color) {
    for (std::size_t c = 0; c < color.size(); ++c)
      EXPECT_NEAR(image.at(x, y, static_cast<int>(c)), color[c], 12) << x << ' ' << y << ' ' << c;
  };
  const auto image = pixels(webp(chunk("VP8 ", kLossy)));
  ASSERT_EQ(image.channels(), 3);
  near(image, 2, 3, {200, 30, 40});
  near(image, 17, 15, {30, 90, 220});
  const auto alpha = pixels(lossy_alpha());
  ASSERT_EQ(alpha.channels(), 4);
  near(alpha, 2, 3, {200, 30, 40, 255});
  EXPECT_EQ(alpha.at(2, 3, 3), 255);
  EXPECT_EQ(alpha.at(17, 15, 3), 64);
}

TEST_F(WebpPixels, AreTurnedAsExifSays) {
  const AnyImage image =
      read_image(as_bytes(turned("")), "x.webp", {.orientation = Orientation::kApply});
  EXPECT_EQ(image.width(), 2);
  EXPECT_EQ(image.height(), 3);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(image.pixels).at(1, 0), 10);
}

TEST_F(WebpPixels, BytesBehindTheFileDoNoHarm) {
  EXPECT_EQ(pixels(webp(chunk("VP8L", kLossless)) + "more").at(0, 0), 10);
}

TEST(Webp, SaysWhatIsWrong) {
  EXPECT_THAT(why_not(webp(canvas(2, 3, 2) + chunk("ANIM", "123456"))),
              AllOf(HasSubstr("x.webp: is an animated WebP"), HasSubstr("webpmux")));
  EXPECT_THAT(why_not(webp("")), HasSubstr("a WebP without an image"));
  EXPECT_THAT(why_not(webp(canvas(0, 3, 2))), HasSubstr("a WebP without an image"));
  EXPECT_THAT(why_not(webp(chunk("VP8 ", "short"))), HasSubstr("the chunk VP8  of the WebP"));
  EXPECT_THAT(why_not(webp(chunk("VP8 ", std::string(12, 'x')))), HasSubstr("no start code"));
  EXPECT_THAT(why_not(webp(chunk("VP8L", "123456"))), HasSubstr("no signature"));
  EXPECT_THAT(why_not(webp(canvas(0, 1 << 24, 1 << 24) + chunk("VP8L", kLossless))),
              test::says("16777216x16777216", "3x2"));
}

TEST(Webp, LargePicturesAreRefusedBeforeMemoryIsTaken) {
  std::string huge = kLossy;
  huge.replace(6, 4, "\xff\x3f\xff\x3f");
  EXPECT_THAT(why_not(webp(chunk("VP8 ", huge))), HasSubstr("claims an image of 805208067 bytes"));
  EXPECT_THAT(why_not(webp(chunk("VP8L", kLossless)), {.max_pixels = 5}),
              HasSubstr("more than the 5 allowed"));
  EXPECT_THAT(why_not(webp(chunk("VP8L", kLossless)), {.most_bytes = 17}),
              HasSubstr("more than the 17 bytes allowed"));
}

TEST(Webp, ABuildWithoutLibwebpSaysSo) {
  const Feature feature = webp_feature();
  EXPECT_EQ(feature.name, "webp");
  EXPECT_THAT(feature.detail, HasSubstr("libwebp"));
  if (!feature.usable) {
    EXPECT_THAT(why_not(webp(chunk("VP8L", kLossless))), HasSubstr("install libwebp-dev"));
  }
}

TEST_F(WebpPixels, HostileFilesAreSurvived) {
  test::expect_truncations_refused(webp(chunk("VP8L", kLossless)), 1);
  test::expect_truncations_refused(webp(chunk("VP8 ", kLossy)), 1);
  for (const std::string& file : {webp(chunk("VP8L", kLossless)), lossy_alpha(), turned("")})
    test::expect_corruptions_survived(file);
}

TEST(Webp, IsNotWritten) {
  const test::TempFolder folder;
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { write_image(folder / "a.webp", Image<std::uint8_t>(2, 2).view()); }),
              HasSubstr("a.webp: WebP is read but not written; use one of .png .jpg"));
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace fovea::io
