#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/scenes/show.h>

#include <algorithm>
#include <cmath>

#include "report/oklab.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

// Words along a line, with a little of everything else.
Dictionary line_of_words(int count) {
  Dictionary dictionary;
  dictionary.words = Image<float>(8, count);
  Random random(4);
  for (int w = 0; w < count; ++w)
    for (int i = 0; i < 8; ++i)
      dictionary.words.at(i, w) = (i == 3 ? static_cast<float>(w) : 0) + 0.1F * random.normal();
  return dictionary;
}

TEST(ScenesShow, WordsThatLieNearEachOtherLookAlike) {
  const auto colors = word_colors(line_of_words(64));
  ASSERT_EQ(colors.size(), 64U);
  const auto light = [&](std::size_t w) { return report::to_oklab(colors[w]).l; };
  EXPECT_GT(std::abs(light(0) - light(63)), 0.5);  // the ends of the line
  double steps = 0;
  for (std::size_t w = 1; w < 64; ++w) steps += std::abs(light(w) - light(w - 1));
  EXPECT_LT(steps / 63, 0.05);
}

TEST(ScenesShow, EveryPlaceHasTheColorOfItsWord) {
  const std::vector<report::Color> colors{{1, 2, 3}, {4, 5, 6}};
  Image<std::uint16_t> words(3, 2);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x) words.at(x, y) = static_cast<std::uint16_t>((x + y) % 2);
  const auto picture = show_words(words.view(), colors);
  EXPECT_EQ(picture.at(1, 0, 2), 6);
  EXPECT_EQ(picture.at(1, 1, 0), 1);
  words.at(2, 1) = 2;
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { show_words(words.view(), colors); }),
              testing::HasSubstr("word 2 at (2, 1)"));
}

TEST(ScenesShow, WordsThatAreAllAlikeStillHaveColors) {
  Dictionary dictionary;
  dictionary.words = Image<float>(4, 3);
  for (int w = 0; w < 3; ++w) std::fill_n(dictionary.words.row(w), 4, 1.0F);
  EXPECT_EQ(word_colors(dictionary).size(), 3U);
  EXPECT_THROW(word_colors({}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::scenes
