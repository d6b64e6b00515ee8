// Draws images of words. Axes are found by the power method on the words' covariance: only three
// are needed, and not to the last digit.
#include <fovea/core/error.h>
#include <fovea/scenes/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "report/oklab.h"

namespace fovea::scenes {
namespace {

constexpr std::size_t kAxes = 3;
constexpr int kPowerSteps = 60;

using Rows = std::vector<std::vector<double>>;

Rows centered(ImageView<const float> words) {
  Rows rows(static_cast<std::size_t>(words.height));
  std::vector<double> mean(static_cast<std::size_t>(words.width));
  for (int w = 0; w < words.height; ++w) {
    rows[static_cast<std::size_t>(w)].assign(words.row(w), words.row(w) + words.width);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += rows[static_cast<std::size_t>(w)][i] / words.height;
  }
  for (std::vector<double>& row : rows)
    std::transform(row.begin(), row.end(), mean.begin(), row.begin(), std::minus<>());
  return rows;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Returns the coordinate of each row along the direction in which the rows differ most, and removes
// this component from the rows.
std::vector<double> take_axis(Rows& rows) {
  std::vector<double> axis(rows[0].size());
  for (std::size_t i = 0; i < axis.size(); ++i) axis[i] = 1.0 + 0.1 * static_cast<double>(i % 7);
  for (int step = 0; step < kPowerSteps; ++step) {
    std::vector<double> next(axis.size());
    for (const std::vector<double>& row : rows) {
      const double along = dot(row, axis);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += along * row[i];
    }
    const double length = std::sqrt(dot(next, next));
    if (!(length > 0)) break;  // all rows are alike
    for (std::size_t i = 0; i < next.size(); ++i) axis[i] = next[i] / length;
  }
  std::vector<double> along(rows.size());
  const double square = dot(axis, axis);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    along[r] = dot(rows[r], axis) / square;
    for (std::size_t i = 0; i < axis.size(); ++i) rows[r][i] -= along[r] * axis[i];
  }
  return along;
}

// Returns ranks from 0 to 1: they spread colors evenly, however the words are distributed.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  const double last = std::max<double>(1, static_cast<double>(values.size()) - 1);
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = static_cast<double>(i) / last;
  return result;
}

}  // namespace

std::vector<report::Color> word_colors(const Dictionary& dictionary) {
  if (dictionary.words.empty()) throw InvalidArgument("a dictionary without words has no colors");
  Rows rows = centered(dictionary.words.view());
  std::array<std::vector<double>, kAxes> axes;
  for (std::vector<double>& axis : axes) axis = ranks(take_axis(rows));
  std::vector<report::Color> colors(rows.size());
  for (std::size_t w = 0; w < colors.size(); ++w) {
    constexpr double kDarkest = 0.25, kLightness = 0.7, kHue = 0.26;
    colors[w] = report::to_color(
        {kDarkest + kLightness * axes[0][w], kHue * (axes[1][w] - 0.5), kHue * (axes[2][w] - 0.5)});
  }
  return colors;
}

Image<std::uint8_t> show_words(ImageView<const std::uint16_t> words,
                               const std::vector<report::Color>& colors) {
  Image<std::uint8_t> picture(words.width, words.height, 3);
  for (int y = 0; y < words.height; ++y) {
    for (int x = 0; x < words.width; ++x) {
      const std::size_t word = words.at(x, y);
      if (word >= colors.size())
        throw InvalidArgument(
            fmt::format("word {} at ({}, {}) of a dictionary of {}", word, x, y, colors.size()));
      picture.at(x, y, 0) = colors[word].r;
      picture.at(x, y, 1) = colors[word].g;
      picture.at(x, y, 2) = colors[word].b;
    }
  }
  return picture;
}

}  // namespace fovea::scenes
