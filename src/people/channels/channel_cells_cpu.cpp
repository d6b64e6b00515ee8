// Converts the sums of cells to the bytes of channels: colors become LUV, and votes are divided by
// the mean magnitude around them; then the last smoothing follows. One row of cells is processed at
// a time, in lines that stay in the first-level cache.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "people/channels/channel_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/channels/channel_cells_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// Outside the part that is compiled once per target.
#ifndef FOVEA_CHANNEL_CELLS_JOB
#define FOVEA_CHANNEL_CELLS_JOB
namespace fovea::people::detail {

// Rows of cells [first, last).
struct ChannelValuesJob {
  const CellSums* sums;
  ChannelCells* values;
  const float* lightness;
  int first, last;
};
struct ChannelSmoothJob {
  const ChannelCells* values;
  ChannelCells* cells;
  int first, last;
};

// Space before and after a line, for neighbors and for vectors that reach beyond it.
constexpr int kBefore = 8;
constexpr int kBehind = 16;

}  // namespace fovea::people::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As many floats as there are shorts in half a vector of 128 bits, so that every machine takes the
// same steps.
using Floats = hn::FixedTag<float, 4>;
using Integers = hn::FixedTag<std::int32_t, 4>;
using Quad = hn::FixedTag<std::uint16_t, 4>;
using Shorts = hn::FixedTag<std::uint16_t, 8>;
// Integers have no such need; lines have room for sixteen beyond their end.
using WideShorts = hn::CappedTag<std::uint16_t, 16>;
constexpr int kWideLanes = HWY_MAX_BYTES >= 32 ? 16 : 8;

HWY_INLINE hn::Vec<Integers> load_integers(const std::uint16_t* from) {
  return hn::PromoteTo(Integers(), hn::LoadU(Quad(), from));
}
HWY_INLINE void store_bytes(hn::Vec<Integers> values, std::uint8_t* to) {
  const hn::FixedTag<std::uint8_t, 4> bytes;
  hn::StoreU(hn::DemoteTo(bytes, values), bytes, to);
}

// The magnitudes of a row: the sum of all votes of each cell.
void magnitudes(const CellSums& sums, int row, std::uint16_t* out) {
  const Shorts d;
  const auto line = [&](int k) { return sums.line(row, channels::kColors + k); };
  for (int x = 0; x < sums.columns(); x += 8) {
    auto sum = hn::LoadU(d, line(0) + x);
    for (int k = 1; k < channels::kOrientations; ++k) sum = hn::Add(sum, hn::LoadU(d, line(k) + x));
    hn::StoreU(sum, d, out + x);
  }
  out[-1] = out[0];
  out[sums.columns()] = out[sums.columns() - 1];
}

// The factors of votes, from the magnitudes of three rows.
void factors(const std::array<const std::uint16_t*, 3>& rows, int count, float* out) {
  const Floats d;
  const auto at = [&](int x) HWY_ATTR {
    const auto middle = load_integers(rows[1] + x);
    return hn::Add(hn::Add(load_integers(rows[0] + x), load_integers(rows[2] + x)),
                   hn::Add(middle, middle));
  };
  for (int x = 0; x < count; x += 4) {
    const auto here = at(x);
    const auto around = hn::Add(hn::Add(at(x - 1), at(x + 1)), hn::Add(here, here));
    const auto sum = hn::Add(hn::ConvertTo(d, around), hn::Set(d, channels::kFloor));
    hn::StoreU(hn::Div(hn::Set(d, 16.F), sum), d, out + x);
  }
}

void normalize(const std::uint16_t* sums, const float* factor, float scale, int count,
               std::uint8_t* out) {
  const Floats d;
  const auto most = hn::Set(Integers(), channels::kMost);
  const auto s = hn::Set(d, scale), half = hn::Set(d, 0.5F);
  for (int x = 0; x < count; x += 4) {
    const auto value =
        hn::Mul(hn::ConvertTo(d, load_integers(sums + x)), hn::Mul(hn::LoadU(d, factor + x), s));
    store_bytes(hn::Min(most, hn::ConvertTo(Integers(), hn::Add(value, half))), out + x);
  }
}

// rgb: three lines of sums; out: three lines.
void to_luv(const std::array<const std::uint16_t*, 3>& rgb, const float* lightness, int count,
            const std::array<std::uint8_t*, 3>& out) {
  const Floats d;
  const auto set = [&](float value) HWY_ATTR { return hn::Set(d, value); };
  const auto combine = [&](float a, auto r, float b, auto g, float c, auto bl) HWY_ATTR {
    return hn::Add(hn::Add(hn::Mul(set(a), r), hn::Mul(set(b), g)), hn::Mul(set(c), bl));
  };
  const auto store = [&](auto value, std::uint8_t* to) HWY_ATTR {
    const auto clamped = hn::Min(hn::Max(value, hn::Zero(d)), set(channels::kMost));
    store_bytes(hn::ConvertTo(Integers(), clamped), to);
  };
  for (int x = 0; x < count; x += 4) {
    HWY_ALIGN float l[4];
    for (int i = 0; i < 4; ++i)
      l[i] = lightness[channels::luminance_index(rgb[0][x + i], rgb[1][x + i], rgb[2][x + i])];
    const auto light = hn::Load(d, l);
    const auto r = hn::ConvertTo(d, load_integers(rgb[0] + x)),
               g = hn::ConvertTo(d, load_integers(rgb[1] + x)),
               b = hn::ConvertTo(d, load_integers(rgb[2] + x));
    const auto cx = combine(0.430574F, r, 0.341550F, g, 0.178325F, b),
               cy = combine(0.222015F, r, 0.706655F, g, 0.071330F, b),
               cz = combine(0.020183F, r, 0.129553F, g, 0.939180F, b);
    const auto sum = hn::Add(hn::Add(cx, hn::Mul(set(15), cy)), hn::Mul(set(3), cz));
    const auto inverse = hn::Div(set(1), hn::Max(sum, set(1)));
    const auto u =
        hn::Mul(light, hn::Sub(hn::Mul(hn::Mul(set(52), cx), inverse), set(13.F * 0.197833F)));
    const auto v =
        hn::Mul(light, hn::Sub(hn::Mul(hn::Mul(set(117), cy), inverse), set(13.F * 0.468331F)));
    const auto scale = set(channels::kChromaScale), middle = set(channels::kChromaMiddle + 0.5F);
    store(hn::Add(hn::Mul(light, set(channels::kLightnessScale)), set(0.5F)), out[0] + x);
    store(hn::Add(hn::Mul(u, scale), middle), out[1] + x);
    store(hn::Add(hn::Mul(v, scale), middle), out[2] + x);
  }
}

// out = [1 2 1] over three lines of bytes; a vector may reach beyond the line.
void smooth_down(const std::array<const std::uint8_t*, 3>& rows, int count, std::uint16_t* out) {
  const WideShorts d;
  const hn::Rebind<std::uint8_t, WideShorts> bytes;
  const auto load = [&](const std::uint8_t* from)
                        HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(bytes, from)); };
  for (int x = 0; x < count; x += kWideLanes) {
    const auto middle = load(rows[1] + x);
    hn::StoreU(hn::Add(hn::Add(load(rows[0] + x), load(rows[2] + x)), hn::Add(middle, middle)), d,
               out + x);
  }
}

// The stride of lines is a multiple of 16, so that the last vector may reach beyond the line.
void smooth_across(const std::uint16_t* line, int count, std::uint8_t* out) {
  const WideShorts d;
  const hn::Rebind<std::int16_t, WideShorts> narrowing;
  const hn::Rebind<std::uint8_t, WideShorts> bytes;
  for (int x = 0; x < count; x += kWideLanes) {
    const auto middle = hn::LoadU(d, line + x);
    const auto sum = hn::Add(hn::Add(hn::LoadU(d, line + x - 1), hn::LoadU(d, line + x + 1)),
                             hn::Add(middle, middle));
    const auto rounded = hn::ShiftRight<4>(hn::Add(sum, hn::Set(d, 8)));
    hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(narrowing, rounded)), bytes, out + x);
  }
}

void smooth_rows(const detail::ChannelSmoothJob& job) {
  const int columns = job.values->columns(), rows = job.values->rows();
  std::vector<std::uint16_t> line(static_cast<std::size_t>(columns) + detail::kBefore +
                                  detail::kBehind);
  std::uint16_t* sums = line.data() + detail::kBefore;
  for (int row = job.first; row < job.last; ++row) {
    for (int k = 0; k < channels::kChannels; ++k) {
      smooth_down({job.values->line(std::max(row - 1, 0), k), job.values->line(row, k),
                   job.values->line(std::min(row + 1, rows - 1), k)},
                  columns, sums);
      sums[-1] = sums[0];
      sums[columns] = sums[columns - 1];
      smooth_across(sums, columns, job.cells->line(row, k));
    }
  }
}

void make_rows(const detail::ChannelValuesJob& job) {
  const CellSums& sums = *job.sums;
  ChannelCells& values = *job.values;
  const int columns = sums.columns(), rows = sums.rows();
  // Magnitudes of the last three rows.
  const auto line = static_cast<std::size_t>(columns) + detail::kBefore + detail::kBehind;
  std::vector<std::uint16_t> magnitude(3 * line);
  std::vector<float> factor(line);
  const auto magnitude_of = [&](int row) {
    const auto place = static_cast<std::size_t>(std::clamp(row, 0, rows - 1) % 3);
    return magnitude.data() + place * line + detail::kBefore;
  };
  int next = std::max(0, job.first - 1);
  for (int row = job.first; row < job.last; ++row) {
    for (; next <= std::min(row + 1, rows - 1); ++next) magnitudes(sums, next, magnitude_of(next));
    factors({magnitude_of(row - 1), magnitude_of(row), magnitude_of(row + 1)}, columns,
            factor.data());
    to_luv({sums.line(row, 0), sums.line(row, 1), sums.line(row, 2)}, job.lightness, columns,
           {values.line(row, 0), values.line(row, 1), values.line(row, 2)});
    normalize(magnitude_of(row), factor.data(), channels::kMagnitudeScale, columns,
              values.line(row, channels::kMagnitude));
    for (int k = 0; k < channels::kOrientations; ++k)
      normalize(sums.line(row, channels::kColors + k), factor.data(), channels::kOrientationScale,
                columns, values.line(row, channels::kMagnitude + 1 + k));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people {

const std::vector<float>& lightness_table() {
  static const std::vector<float> table = [] {
    std::vector<float> values(channels::kLightnessEntries);
    for (int i = 0; i < channels::kLightnessEntries; ++i) {
      const double y = static_cast<double>(i) / (channels::kLightnessEntries - 1);
      const double l = y > 216. / 24389 ? 116 * std::cbrt(y) - 16 : y * 24389 / 27;
      values[i] = static_cast<float>(l);
    }
    return values;
  }();
  return table;
}

}  // namespace fovea::people

namespace fovea::people::cpu {
namespace {
HWY_EXPORT(make_rows);
HWY_EXPORT(smooth_rows);
constexpr int kRowsPerTask = 32;
}  // namespace

void channel_values(const CellSums& sums, ChannelCells& values, const Exec& exec) {
  const float* lightness = lightness_table().data();
  parallel_for(exec, sums.rows(), kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    HWY_DYNAMIC_DISPATCH(make_rows)
    ({&sums, &values, lightness, static_cast<int>(first), static_cast<int>(last)});
  });
}

void smooth_cells(const ChannelCells& values, ChannelCells& cells, const Exec& exec) {
  parallel_for(exec, values.rows(), kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    HWY_DYNAMIC_DISPATCH(smooth_rows)
    ({&values, &cells, static_cast<int>(first), static_cast<int>(last)});
  });
}

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
