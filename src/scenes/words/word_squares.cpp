#include "scenes/words/word_squares.h"

#include <algorithm>
#include <atomic>

namespace fovea::scenes {
namespace {

constexpr int kSquareCells = 24;  // of the larger side of an image
constexpr int kLeastCell = 4;     // pixels

}  // namespace

WordSquares::WordSquares(Extent image, std::span<const int> chosen, int words)
    : image_(image),
      side_(std::max(kLeastCell,
                     (std::max(image.width, image.height) + kSquareCells - 1) / kSquareCells)),
      columns_((image.width + side_ - 1) / side_),
      rows_((image.height + side_ - 1) / side_),
      chosen_(chosen.begin(), chosen.end()),
      number_of_(static_cast<std::size_t>(words), -1),
      weights_(at(chosen.size(), 0, 0), 0) {
  for (std::size_t i = 0; i < chosen.size(); ++i)
    number_of_[static_cast<std::size_t>(chosen[i])] = static_cast<int>(i);
}

void WordSquares::add(int word, std::int64_t weight, int x, int y) {
  const int number = number_of_[static_cast<std::size_t>(word)];
  if (number < 0 || weight == 0) return;
  std::atomic_ref(weights_[at(static_cast<std::size_t>(number), x / side_, y / side_)])
      .fetch_add(weight, std::memory_order_relaxed);
}

Rect<double> WordSquares::square(std::size_t number) const {
  std::int64_t most = 0;
  int left = 0, top = 0;
  for (int row = 0; row < std::max(1, rows_ - 1); ++row)
    for (int column = 0; column < std::max(1, columns_ - 1); ++column) {
      std::int64_t sum = 0;
      for (int y = row; y < std::min(row + 2, rows_); ++y)
        for (int x = column; x < std::min(column + 2, columns_); ++x)
          sum += weights_[at(number, x, y)];
      if (sum <= most) continue;
      most = sum;
      left = column * side_;
      top = row * side_;
    }
  if (most == 0) return {};
  const int width = std::min(2 * side_, image_.width), height = std::min(2 * side_, image_.height);
  return {static_cast<double>(std::min(left, image_.width - width)),
          static_cast<double>(std::min(top, image_.height - height)), static_cast<double>(width),
          static_cast<double>(height)};
}

}  // namespace fovea::scenes
