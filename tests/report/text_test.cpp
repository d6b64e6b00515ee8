#include <fovea/core/geometry.h>
#include <fovea/report/draw.h>

#include <algorithm>
#include <set>

#include "report/font.h"
#include "support/images.h"

namespace fovea::report {
namespace {

Image<std::uint8_t> drawn(std::string_view text, const TextStyle& style, int width = 200,
                          int height = 60) {
  Image<std::uint8_t> image(width, height);
  for (int y = 0; y < height; ++y) std::fill_n(image.row(y), width, std::uint8_t{0});
  draw_text(image, {20, 10}, text, style);
  return image;
}

struct Extent {
  int left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
};
Extent ink_of(const Image<std::uint8_t>& image) {
  Extent extent;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.at(x, y) > 0) {
        extent.left = std::min(extent.left, x);
        extent.right = std::max(extent.right, x);
        extent.top = std::min(extent.top, y);
        extent.bottom = std::max(extent.bottom, y);
      }
  return extent;
}

TEST(Text, EveryPrintableCharacterHasAGlyphOfItsOwn) {
  std::set<std::vector<std::uint8_t>> seen;
  const auto add = [&](std::string_view text) {
    const auto image = drawn(text, {.size = 40}, 100, 80);
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < 80; ++y) pixels.insert(pixels.end(), image.row(y), image.row(y) + 100);
    EXPECT_TRUE(seen.insert(pixels).second) << text;
  };
  for (char c = '!'; c <= '~'; ++c) add({&c, 1});
  for (const char* text : {"°", "±", "×", "·", "µ", "²", "³", "₂", "←", "↑", "→", "↓", "–", "…",
                           "≤", "≥", "≈", "−", "⁰", "¹", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻", "☃"})
    add(text);
}

TEST(Text, InkStaysWithinTheMeasuredBox) {
  for (const float size : {9.0F, 12.0F, 13.0F, 17.5F, 40.0F})
    for (const char* text :
         {"Hamburg 0.97", "gjpqy", "{[(|)]}", "ÅÄ", "WWW...", "3×10⁻⁵", "a\nbcd"}) {
      const Rect<double> measured = text_size(text, {.size = size});
      const Extent ink = ink_of(drawn(text, {.size = size}, 400, 120));
      EXPECT_GE(ink.left, 20) << text << size;
      EXPECT_LE(ink.right, 20 + measured.width) << text << size;
      EXPECT_GE(ink.top, 10) << text << size;
      EXPECT_LT(ink.bottom, 10 + measured.height) << text << size;
    }
}

TEST(Text, StemsAreSharpAtSmallSizes) {
  const auto image = drawn("H", {.size = 10});
  const Extent ink = ink_of(image);
  EXPECT_EQ(ink.bottom - ink.top + 1, 7);
  EXPECT_EQ(image.at(ink.left, ink.top), 255);
  EXPECT_EQ(image.at(ink.right, ink.bottom), 255);
}

TEST(Text, DigitsHaveOneWidth) {
  for (char c = '0'; c <= '9'; ++c)
    EXPECT_EQ(text_size(std::string(1, c), {.size = 14}).width, text_size("0", {.size = 14}).width);
}

TEST(Text, AnchorsTheBoxAsAsked) {
  Image<std::uint8_t> image(300, 100);
  const Rect<double> size = text_size("anchor");
  Rect<double> box = draw_text(image, {150, 50}, "anchor",
                               {.horizontal = Horizontal::kRight, .vertical = Vertical::kBottom});
  EXPECT_NEAR(box.x + box.width, 150, 0.51);
  EXPECT_NEAR(box.y + box.height, 50, 0.51);
  box = draw_text(image, {150, 50}, "anchor",
                  {.horizontal = Horizontal::kCenter, .vertical = Vertical::kMiddle});
  EXPECT_NEAR(box.x + size.width / 2, 150, 0.51);
  box = draw_text(image, {290, 98}, "anchor", {.background = kBlack, .keep_inside = true});
  EXPECT_LE(box.x + box.width, 300);
  EXPECT_LE(box.y + box.height, 100);
  EXPECT_EQ(box.width, size.width + 6);
}

TEST(Text, ReadsUtf8AndReplacesWhatIsNot) {
  const auto all = [](std::string_view text) {
    std::vector<char32_t> characters;
    while (!text.empty()) characters.push_back(next_character(text));
    return characters;
  };
  EXPECT_EQ(all("a±→😀"), (std::vector<char32_t>{U'a', U'±', U'→', U'😀'}));
  EXPECT_EQ(all("\xff\xc3"), (std::vector<char32_t>{U'\uFFFD', U'\uFFFD'}));
  EXPECT_EQ(all("\xc0\x80"), (std::vector<char32_t>{U'\uFFFD', U'\uFFFD'}));  // overlong
  EXPECT_EQ(all("\xed\xa0\x80").size(), 3);                                   // a surrogate
  EXPECT_EQ(all("\xf5\x80\x80\x80").size(), 4);
}

TEST(Text, EmptyAndBlankTextDrawNothing) {
  EXPECT_EQ(ink_of(drawn("", {})).right, -1);
  EXPECT_EQ(ink_of(drawn("  \n ", {})).right, -1);
  EXPECT_EQ(text_size("").width, 0);
}

}  // namespace
}  // namespace fovea::report
