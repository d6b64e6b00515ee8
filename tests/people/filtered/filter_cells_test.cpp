#include "people/filtered/filter_cells.h"

#include <algorithm>
#include <cmath>

#include "people/filtered/random_filtered.h"
#include "support/devices.h"

namespace fovea::people {
namespace {

ChannelCells random_cells(int columns, int rows, std::uint64_t seed) {
  ChannelCells cells;
  cells.reset(columns, rows);
  Random random(seed);
  for (int y = 0; y < rows; ++y)
    for (int k = 0; k < channels::kChannels; ++k)
      for (int x = 0; x < columns; ++x)
        cells.line(y, k)[x] = static_cast<std::uint8_t>(random.below(256));
  return cells;
}

// The byte as the header of models defines it, in numbers that cannot overflow.
int expected_at(const ChannelCells& cells, const FilterBank& bank, int index, Extent at) {
  const int channel = index / bank.filters;
  std::int64_t response = 0;
  for (int y = 0; y < FilterBank::kSide; ++y)
    for (int x = 0; x < FilterBank::kSide; ++x)
      response += std::int64_t{bank.weights[static_cast<std::size_t>(
                      (index * FilterBank::kSide + y) * FilterBank::kSide + x)]} *
                  (cells.line(at.height + y, channel)[at.width + x] - 128);
  const double scaled = std::floor(static_cast<double>(response * bank.gain[index]) / 65536);
  return static_cast<int>(std::clamp(scaled + bank.offset[index], 0.0, 255.0));
}

using FilterCells = test::OnEveryPlace;
FOVEA_ON_EVERY_PLACE(FilterCells);

TEST_P(FilterCells, AreWhatTheDefinitionSays) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "the CUDA twin is tested as a scanner";
  for (const int filters : {1, 3, 4, 8}) {
    const FilterBank bank = people_test::random_bank(filters, static_cast<std::uint64_t>(filters));
    for (const Extent size : {Extent{5, 5}, Extent{24, 9}, Extent{37, 12}}) {
      const ChannelCells cells = random_cells(size.width, size.height, 3);
      FilteredCells out;
      for (const int threads : {1, 2}) {
        cpu::filter_cells(cells, bank, out, {.device = Device::cpu(), .threads = threads});
        ASSERT_EQ(out.cells(), (Extent{size.width - 4, size.height - 4}));
        for (int y = 0; y < out.cells().height; ++y)
          for (int k = 0; k < out.lines(); ++k)
            for (int x = 0; x < out.cells().width; ++x)
              ASSERT_EQ(out.line(y, k)[x], expected_at(cells, bank, k, {x, y}))
                  << x << ' ' << y << ' ' << k;
      }
    }
  }
}

// Responses of 16 bits hold the extremes.
TEST(FilterCellsRange, HoldsTheGreatestAndLeastResponse) {
  FilterBank bank;
  bank.filters = 1;
  bank.weights.assign(channels::kChannels * FilterBank::kTaps, 10);
  for (std::size_t f = 0; f < channels::kChannels; ++f) bank.weights[f * FilterBank::kTaps] = 15;
  bank.gain.assign(channels::kChannels, 250);
  bank.offset.assign(channels::kChannels, 128);
  for (const int value : {0, 255}) {
    ChannelCells cells;
    cells.reset(20, 6);
    for (int y = 0; y < 6; ++y)
      for (int k = 0; k < channels::kChannels; ++k)
        std::fill_n(cells.line(y, k), 20, static_cast<std::uint8_t>(value));
    FilteredCells out;
    cpu::filter_cells(cells, bank, out, {.threads = 1});
    // 255 * (0 - 128) * 250 / 65536 = -124.5 and 255 * 127 * 250 / 65536 = 123.5.
    EXPECT_EQ(out.line(1, 9)[15], value == 0 ? 128 - 125 : 128 + 123);
  }
}

}  // namespace
}  // namespace fovea::people
