#include "scenes/words/word_squares.h"

#include <gtest/gtest.h>

#include <array>

namespace fovea::scenes {
namespace {

constexpr std::array<int, 3> kChosen{5, 2, 7};

TEST(WordSquares, LieWhereMostOfAWordIs) {
  WordSquares squares({480, 240}, kChosen, 9);  // cells of 20 pixels
  for (int i = 0; i < 30; ++i) squares.add(2, 1, 100 + i, 60 + i);
  for (int i = 0; i < 20; ++i) squares.add(2, 1, 300 + i, 60);
  squares.add(5, 3, 479, 239);
  squares.add(5, 2, 0, 0);
  EXPECT_EQ(squares.square(1), (Rect<double>{100, 60, 40, 40}));
  EXPECT_EQ(squares.square(0), (Rect<double>{440, 200, 40, 40}));
}

TEST(WordSquares, AreEmptyWithoutTheWord) {
  WordSquares squares({480, 240}, kChosen, 9);
  squares.add(2, 0, 10, 10);
  squares.add(3, 8, 10, 10);  // nobody looks for it
  for (std::size_t i = 0; i < kChosen.size(); ++i) EXPECT_TRUE(squares.square(i).empty());
}

TEST(WordSquares, LieInSmallImages) {
  WordSquares squares({5, 3}, kChosen, 9);
  squares.add(7, 1, 4, 2);
  EXPECT_EQ(squares.square(2), (Rect<double>{0, 0, 5, 3}));
}

}  // namespace
}  // namespace fovea::scenes
