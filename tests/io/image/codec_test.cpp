#include "io/image/codec.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Codec, ShapesThatCannotBeAreRefused) {
  const Source source(test::as_bytes("0123456789"), "s");
  EXPECT_NO_THROW(check_shape(source, {.width = 4, .height = 4, .channels = 3}));
  for (const PictureShape& shape :
       {PictureShape{.width = 0, .height = 1}, PictureShape{.width = 1, .height = 0},
        PictureShape{.width = 1, .height = 1, .channels = 0},
        PictureShape{.width = 1ULL << 31, .height = 1},
        PictureShape{.width = 1ULL << 30, .height = 1, .channels = 2},
        PictureShape{.width = 1, .height = ~0ULL}})
    EXPECT_THAT(message_of<FormatError>([&] { check_shape(source, shape); }),
                HasSubstr("s: says it is"));
  const PictureShape doubles{.width = 10, .height = 10, .type = SampleType::kFloat64};
  EXPECT_NO_THROW(check_shape(source, doubles, {.most_bytes = 800}));
  EXPECT_THAT(message_of<FormatError>([&] { check_shape(source, doubles, {.most_bytes = 799}); }),
              HasSubstr("more than the 799 bytes allowed"));
  EXPECT_NO_THROW(check_shape(source, doubles, {.max_pixels = 100}));
  EXPECT_THAT(message_of<FormatError>([&] { check_shape(source, doubles, {.max_pixels = 99}); }),
              test::says("10x10", "is 100", "the 99"));
}

// A small file must not become many gigabytes, whatever its samples are.
TEST(Codec, BytesAreLimitedWhereNothingElseIsSaid) {
  constexpr std::uint64_t kGibibyte = 1ULL << 30;
  EXPECT_EQ(allowed_bytes(1000, 0, 1ULL << 28), 4 * kGibibyte);
  EXPECT_EQ(allowed_bytes(kGibibyte, 0, 1ULL << 28), 8 * kGibibyte);  // the file justifies it
  EXPECT_EQ(allowed_bytes(1000, 0, 1ULL << 29), 8 * kGibibyte);
  EXPECT_EQ(allowed_bytes(1000, 77, 1ULL << 28), 77U);
  EXPECT_EQ(allowed_bytes(1000, 0, 0), 0U);
  EXPECT_GT(allowed_bytes(~0ULL, 0, ~0ULL), kGibibyte);
  const Source source(test::as_bytes("0123456789"), "s");
  const PictureShape huge{
      .width = 1 << 14, .height = 1 << 14, .channels = 4, .type = SampleType::kFloat64};
  EXPECT_THAT(message_of<FormatError>([&] { check_shape(source, huge, {}); }),
              test::says("8589934592 bytes", "4294967296 bytes allowed", "--max-pixels"));
  EXPECT_NO_THROW(check_shape(source, huge, {.max_pixels = 1ULL << 29}));
  EXPECT_NO_THROW(check_shape(source, huge, {.max_pixels = 0}));
}

TEST(Codec, AFileMustJustifyItsPicture) {
  const Source source(test::as_bytes("0123456789"), "s");
  EXPECT_NO_THROW(check_justified(source, 1000, 100));
  EXPECT_THROW(check_justified(source, 1001, 100), FormatError);
}

TEST(Codec, BytesAreSwappedBySampleSize) {
  const auto swapped = [](std::size_t size) {
    std::string text = "abcdefgh";
    swap_bytes(std::as_writable_bytes(std::span(text)), size);
    return text;
  };
  EXPECT_EQ(swapped(1), "abcdefgh");
  EXPECT_EQ(swapped(2), "badcfehg");
  EXPECT_EQ(swapped(4), "dcbahgfe");
  EXPECT_EQ(swapped(8), "hgfedcba");
}

TEST(Codec, InkTakesLightAway) {
  const auto rgb_of = [](std::array<std::uint8_t, 4> cmyk) {
    std::array<std::uint8_t, 3> rgb{};
    cmyk_to_rgb(cmyk.data(), rgb.data());
    return rgb;
  };
  EXPECT_THAT(rgb_of({0, 0, 0, 0}), ElementsAre(255, 255, 255));
  EXPECT_THAT(rgb_of({255, 0, 0, 0}), ElementsAre(0, 255, 255));
  EXPECT_THAT(rgb_of({0, 0, 0, 255}), ElementsAre(0, 0, 0));
  EXPECT_THAT(rgb_of({0, 51, 102, 51}), ElementsAre(204, 163, 122));
}

}  // namespace
}  // namespace fovea::io
