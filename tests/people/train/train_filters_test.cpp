#include "people/train/train_filters.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "people/filtered/filter_cells.h"

namespace fovea::people {
namespace {

constexpr Extent kCells{12, 16};

// Windows of 10 channels, drawn cell by cell.
template <class Draw>
std::vector<std::uint8_t> windows_of(int count, Draw&& draw) {
  std::vector<std::uint8_t> windows;
  for (int w = 0; w < count; ++w)
    for (int k = 0; k < channels::kChannels; ++k)
      for (int y = 0; y < kCells.height; ++y)
        for (int x = 0; x < kCells.width; ++x)
          windows.push_back(static_cast<std::uint8_t>(draw(w, k, x, y)));
  return windows;
}

// A pattern that changes only across: the windows are waves of random phase, which two filters
// describe wholly, both constant down their columns.
TEST(LearnFilters, FollowTheDirectionOfChange) {
  Random random(2);
  std::vector<double> phases;
  for (int w = 0; w < 40; ++w) phases.push_back(6.28 * random.uniform());
  const auto windows = windows_of(40, [&](int w, int, int x, int) {
    return std::lround(128 + 80 * std::sin(0.9 * x + phases[static_cast<std::size_t>(w)]));
  });
  const FilterBank bank = learn_filters(windows, kCells, 2);
  ASSERT_EQ(bank.weights.size(), 20U * FilterBank::kTaps);
  for (std::size_t f = 0; f < 20; ++f) {
    int sum = 0;
    for (std::size_t x = 0; x < 5; ++x)
      for (std::size_t y = 0; y < 5; ++y) {
        const int weight = bank.weights[f * FilterBank::kTaps + y * 5 + x];
        EXPECT_NEAR(weight, bank.weights[f * FilterBank::kTaps + x], 1);
        sum += std::abs(weight);
      }
    EXPECT_LE(sum, filtered::kMostWeight);
    EXPECT_GT(sum, filtered::kMostWeight - 40);
  }
}

// Responses of the filters of a channel are not correlated, though the cells are.
TEST(LearnFilters, DecorrelateTheChannel) {
  Random random(3);
  std::vector<int> noise(static_cast<std::size_t>(kCells.width + 2) * (kCells.height + 2));
  int last = -1;
  const auto windows = windows_of(30, [&](int w, int k, int x, int y) {
    if (const int id = w * channels::kChannels + k; id != last) {
      last = id;
      for (int& value : noise) value = static_cast<int>(random.below(256));
    }
    int sum = 0;
    for (int i = 0; i < 9; ++i)
      sum += noise[static_cast<std::size_t>((y + i / 3) * (kCells.width + 2) + x + i % 3)];
    return sum / 9;
  });
  const FilterBank bank = learn_filters(windows, kCells, 4);
  const std::size_t plane = static_cast<std::size_t>(kCells.width) * kCells.height;
  for (std::size_t k = 0; k < channels::kChannels; ++k) {
    std::array<std::array<double, 4>, 4> products{};
    std::array<double, 4> means{};
    int count = 0;
    for (std::size_t w = 0; w < 30; ++w)
      for (int y = 0; y + 5 <= kCells.height; ++y)
        for (int x = 0; x + 5 <= kCells.width; ++x, ++count) {
          std::array<double, 4> response{};
          for (std::size_t f = 0; f < 4; ++f)
            for (int t = 0; t < 25; ++t)
              response[f] +=
                  bank.weights[(k * 4 + f) * 25 + static_cast<std::size_t>(t)] *
                  double(windows[(w * 10 + k) * plane +
                                 static_cast<std::size_t>((y + t / 5) * kCells.width + x + t % 5)]);
          for (std::size_t a = 0; a < 4; ++a) {
            means[a] += response[a];
            for (std::size_t b = 0; b < 4; ++b) products[a][b] += response[a] * response[b];
          }
        }
    const auto covariance = [&](std::size_t a, std::size_t b) {
      return products[a][b] / count - means[a] / count * (means[b] / count);
    };
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_LT(std::abs(covariance(a, b)) / std::sqrt(covariance(a, a) * covariance(b, b)), 0.25)
            << k << ' ' << a << ' ' << b;
    EXPECT_GT(covariance(0, 0), covariance(3, 3));
  }
}

TEST(LearnFilters, FlatChannelsGiveUsableFilters) {
  const auto windows = windows_of(3, [](int, int, int, int) { return 77; });
  const FilterBank bank = learn_filters(windows, kCells, 4);
  for (const std::int16_t gain : bank.gain) EXPECT_GT(gain, 0);
}

}  // namespace
}  // namespace fovea::people
