// CPU twin of the window histogram. Every column keeps the histogram of its part of the window.
// Going down one row changes two counts of each column; going right one pixel adds one column's
// histogram and subtracts another's, in vectors.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "ops/histogram/backend.h"

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_WINDOW_JOB
#define FOVEA_WINDOW_JOB
namespace fovea::cpu {
namespace {

// Computes rows [first, last).
template <class Count>
struct WindowJob {
  ImageView<const std::uint8_t> bin;
  ImageView<Count> counts;
  detail::WindowParams params;
  int first, last;
};

}  // namespace
}  // namespace fovea::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/histogram/window_histogram_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The histograms of the columns, `pitch` counts apart. The counts beyond the bins are always 0.
template <class Count>
struct Columns {
  std::vector<Count> counts;
  std::ptrdiff_t pitch;
  int width;
  int bins;

  void change(const std::uint8_t* row, int by) {
    Count* column = counts.data();
    for (int x = 0; x < width; ++x, column += pitch)
      if (row[x] < bins) column[row[x]] = static_cast<Count>(column[row[x]] + by);
  }
  // The histogram of column x. For a column outside, that of the nearest one, or the zeros that are
  // stored after the last one.
  const Count* at(int x, bool repeat) const {
    const int column = detail::window_line(x, width, repeat);
    return counts.data() + (column < 0 ? width : column) * pitch;
  }
};

// Computes the histograms of one row's pixels. A histogram takes kVectors vectors. All of them are
// stored; what reaches into the next pixel's histogram is overwritten with it. Only near the row's
// end there is no next pixel.
template <int kVectors, class Count>
void slide_along(const Columns<Count>& columns, detail::WindowParams params, Count* out) {
  const hn::ScalableTag<Count> d;
  const int lanes = static_cast<int>(hn::Lanes(d)), width = columns.width, bins = columns.bins;
  hn::Vec<decltype(d)> sum[kVectors];
  for (auto& v : sum) v = hn::Zero(d);
  for (int x = -params.radius_x - 1; x < params.radius_x; ++x) {
    const Count* column = columns.at(x, params.repeat);
    for (int i = 0; i < kVectors; ++i) sum[i] = hn::Add(sum[i], hn::LoadU(d, column + i * lanes));
  }
  Count last[kVectors * hn::MaxLanes(d)];
  for (int x = 0; x < width; ++x, out += bins) {
    const Count* enters = columns.at(x + params.radius_x, params.repeat);
    const Count* leaves = columns.at(x - params.radius_x - 1, params.repeat);
    for (int i = 0; i < kVectors; ++i)
      sum[i] = hn::Sub(hn::Add(sum[i], hn::LoadU(d, enters + i * lanes)),
                       hn::LoadU(d, leaves + i * lanes));
    const bool room = (width - x) * bins >= kVectors * lanes;
    Count* to = room ? out : last;
    for (int i = 0; i < kVectors; ++i) hn::StoreU(sum[i], d, to + i * lanes);
    if (!room) std::copy_n(last, bins, out);
  }
}

template <class Count>
void window_rows(const WindowJob<Count>& job) {
  const ImageView<const std::uint8_t>& bin = job.bin;
  const ImageView<Count>& counts = job.counts;
  const detail::WindowParams& params = job.params;
  const int first = job.first, last = job.last;
  constexpr int kMostVectors = 8;  // enough for 64 bins of 16 bits in the narrowest vectors
  const int lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<Count>()));
  const int bins = counts.channels, vectors = (bins + lanes - 1) / lanes;
  const int taken = vectors <= 4 ? vectors : vectors <= 6 ? 6 : kMostVectors;
  const std::ptrdiff_t pitch = static_cast<std::ptrdiff_t>(taken) * lanes;
  Columns<Count> columns{std::vector<Count>(static_cast<std::size_t>((bin.width + 1) * pitch)),
                         pitch, bin.width, bins};
  const auto change = [&](int y, int by) {
    const int line = detail::window_line(y, bin.height, params.repeat);
    if (line >= 0) columns.change(bin.row(line), by);
  };
  for (int y = first - params.radius_y; y < first + params.radius_y; ++y) change(y, 1);
  for (int y = first; y < last; ++y) {
    change(y + params.radius_y, 1);
    switch (taken) {
      case 1: slide_along<1>(columns, params, counts.row(y)); break;
      case 2: slide_along<2>(columns, params, counts.row(y)); break;
      case 3: slide_along<3>(columns, params, counts.row(y)); break;
      case 4: slide_along<4>(columns, params, counts.row(y)); break;
      case 6: slide_along<6>(columns, params, counts.row(y)); break;
      default: slide_along<kMostVectors>(columns, params, counts.row(y)); break;
    }
    change(y - params.radius_y, -1);
  }
}

// Entry points for the dispatcher, which cannot name templates.
void window_rows_u8(const WindowJob<std::uint8_t>& job) { window_rows(job); }
void window_rows_u16(const WindowJob<std::uint16_t>& job) { window_rows(job); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(window_rows_u8);
HWY_EXPORT(window_rows_u16);

constexpr int kWindowRowsPerTask =
    64;  // at least the window's height, because a task first counts that many rows

}  // namespace

template <class Count>
void window_histogram(ImageView<const std::uint8_t> bin, ImageView<Count> counts,
                      detail::WindowParams params, const Exec& exec) {
  const int rows = std::max(kWindowRowsPerTask, 2 * params.radius_y + 1);
  parallel_for(exec, bin.height, rows, [&](std::int64_t first, std::int64_t last) {
    const WindowJob<Count> job{bin, counts, params, static_cast<int>(first),
                               static_cast<int>(last)};
    if constexpr (sizeof(Count) == 1) HWY_DYNAMIC_DISPATCH(window_rows_u8)(job);
    else HWY_DYNAMIC_DISPATCH(window_rows_u16)(job);
  });
}
#define FOVEA_WINDOW_HISTOGRAM(Count)                                             \
  template void window_histogram(ImageView<const std::uint8_t>, ImageView<Count>, \
                                 detail::WindowParams, const Exec&);
FOVEA_FOR_EACH_WINDOW_HISTOGRAM(FOVEA_WINDOW_HISTOGRAM)
#undef FOVEA_WINDOW_HISTOGRAM

template <class T>
void quantize(ImageView<const T> image, ImageView<std::uint8_t> bin, detail::QuantizeParams params,
              const Exec& exec) {
  parallel_for(exec, image.height, kWindowRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      const T* from = image.row(y);
      std::uint8_t* to = bin.row(y);
      for (int i = 0; i < image.row_elements(); ++i)
        to[i] = detail::quantize_value(static_cast<float>(from[i]), params);
    }
  });
}
#define FOVEA_QUANTIZE(T)                                                                     \
  template void quantize(ImageView<const T>, ImageView<std::uint8_t>, detail::QuantizeParams, \
                         const Exec&);
FOVEA_FOR_EACH_QUANTIZE(FOVEA_QUANTIZE)
#undef FOVEA_QUANTIZE

}  // namespace fovea::cpu
#endif  // HWY_ONCE
