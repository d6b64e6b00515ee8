// Finds the square of an image that has most of a word, which shows what the word stands for.
// Weights are whole numbers, so that the order of additions does not matter.
#pragma once
#include <fovea/core/geometry.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

class WordSquares {
 public:
  // Looks for `chosen` words of so many.
  WordSquares(Extent image, std::span<const int> chosen, int words);

  std::span<const int> chosen() const { return chosen_; }
  // Adds a place of a word at a pixel; other words do not count. Several threads may do so.
  void add(int word, std::int64_t weight, int x, int y);
  // Of a chosen word, by its place in the list; empty where the image has none of it.
  Rect<double> square(std::size_t number) const;

 private:
  std::size_t at(std::size_t number, int column, int row) const {
    return (number * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row)) *
               static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  Extent image_;
  int side_;  // of a cell, pixels; a square is two cells wide and high
  int columns_, rows_;
  std::vector<int> chosen_;
  std::vector<int> number_of_;         // by word; -1 where it is not chosen
  std::vector<std::int64_t> weights_;  // cell by cell, word by word
};

}  // namespace fovea::scenes
