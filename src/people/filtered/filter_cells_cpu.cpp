// Filters the channels of a level. Sums have 16 bits: those of a whole filter fit, and what leaves
// them in between comes back. Four filters share the values that they read.
#include "people/filtered/filter_cells.h"

#include <algorithm>

#include "core/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/filtered/filter_cells_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// Outside the part that is compiled once per target.
#ifndef FOVEA_FILTER_CELLS_JOB
#define FOVEA_FILTER_CELLS_JOB
namespace fovea::people::detail {

// Rows [first, last) of the result.
struct FilterCellsJob {
  const ChannelCells* values;
  const FilterBank* bank;
  FilteredCells* out;
  int first, last;
};

}  // namespace fovea::people::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Responses = hn::CappedTag<std::int16_t, 16>;

// One line of values for each row of a filter, and where the results of the filters go.
struct FilterLines {
  const std::uint8_t* from[FilterBank::kSide];
  const std::int8_t* weights;
  const std::int16_t* gain;
  const std::int16_t* offset;
  std::uint8_t* to;
  std::ptrdiff_t stride;  // between the lines of two filters
};

// `kCount` filters of one channel over `columns` cells. The last vector may reach beyond them.
template <int kCount>
void filter_line(const FilterLines& lines, int columns) {
  const Responses d;
  const hn::Rebind<std::uint8_t, Responses> bytes;
  constexpr int kTaps = FilterBank::kTaps;
  std::int16_t weights[kCount][kTaps], start[kCount];
  for (int f = 0; f < kCount; ++f) {
    int sum = 0;
    for (int t = 0; t < kTaps; ++t) {
      const int weight{lines.weights[f * kTaps + t]};
      weights[f][t] = static_cast<std::int16_t>(weight);
      sum += weight;
    }
    start[f] = static_cast<std::int16_t>(-filtered::kMiddle * sum);
  }
  for (int x = 0; x < columns; x += static_cast<int>(hn::Lanes(d))) {
    hn::Vec<Responses> sum[kCount];
    for (int f = 0; f < kCount; ++f) sum[f] = hn::Set(d, start[f]);
    for (int y = 0; y < FilterBank::kSide; ++y)
      for (int i = 0; i < FilterBank::kSide; ++i) {
        const auto value = hn::PromoteTo(d, hn::LoadU(bytes, lines.from[y] + x + i));
        const int tap = y * FilterBank::kSide + i;
        for (int f = 0; f < kCount; ++f)
          sum[f] = hn::Add(sum[f], hn::Mul(value, hn::Set(d, weights[f][tap])));
      }
    for (int f = 0; f < kCount; ++f) {
      const auto scaled = hn::MulHigh(sum[f], hn::Set(d, lines.gain[f]));
      hn::StoreU(hn::DemoteTo(bytes, hn::SaturatedAdd(scaled, hn::Set(d, lines.offset[f]))), bytes,
                 lines.to + f * lines.stride + x);
    }
  }
}

void filter_rows(const detail::FilterCellsJob& job) {
  const int filters = job.bank->filters, columns = job.out->cells().width;
  for (int row = job.first; row < job.last; ++row)
    for (int k = 0; k < channels::kChannels; ++k)
      for (int f = 0; f < filters;) {
        const int index = k * filters + f;
        FilterLines lines{{},
                          job.bank->weights.data() + std::ptrdiff_t{index} * FilterBank::kTaps,
                          job.bank->gain.data() + index,
                          job.bank->offset.data() + index,
                          job.out->line(row, index),
                          job.values->stride()};
        for (int y = 0; y < FilterBank::kSide; ++y) lines.from[y] = job.values->line(row + y, k);
        const bool four = filters - f >= 4;
        if (four) filter_line<4>(lines, columns);
        else filter_line<1>(lines, columns);
        f += four ? 4 : 1;
      }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(filter_rows);
constexpr int kFilteredRowsPerTask = 8;
}  // namespace

void filter_cells(const ChannelCells& values, const FilterBank& bank, FilteredCells& out,
                  const Exec& exec) {
  const Extent size{std::max(0, values.columns() - 2 * filtered::kReach),
                    std::max(0, values.rows() - 2 * filtered::kReach)};
  out.reset(size, channels::kChannels * bank.filters, values.stride());
  parallel_for(exec, size.height, kFilteredRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    HWY_DYNAMIC_DISPATCH(filter_rows)
    ({&values, &bank, &out, static_cast<int>(first), static_cast<int>(last)});
  });
}

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
