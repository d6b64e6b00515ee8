// The anti-aliased resize: an output row is the weighted sum of the source rows that it covers,
// then each of its pixels is the weighted sum of the columns that it covers. Rows come first,
// because that loop runs along memory and leaves only the output's rows to the irregular loop over
// columns.
#include "ops/resize/area_cpu.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "ops/resize/area_taps.h"
#include "ops/resize/backend.h"
#include "ops/resize/resize_math.h"

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_AREA_ROWS
#define FOVEA_AREA_ROWS
namespace fovea::cpu {
namespace {

// `count` rows of an image from `first` on, with their weights.
template <class T>
struct WeightedRows {
  ImageView<const T> image;
  int first;
  const float* weight;
  int count;
};

}  // namespace
}  // namespace fovea::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/resize/area_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::Rebind<std::int32_t, Floats>;

HWY_INLINE hn::Vec<Floats> load_floats(const std::uint8_t* from) {
  const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, Floats>(), from);
  return hn::ConvertTo(Floats(), hn::PromoteTo(Integers(), bytes));
}
HWY_INLINE hn::Vec<Floats> load_floats(const std::uint16_t* from) {
  const auto shorts = hn::LoadU(hn::Rebind<std::uint16_t, Floats>(), from);
  return hn::ConvertTo(Floats(), hn::PromoteTo(Integers(), shorts));
}
HWY_INLINE hn::Vec<Floats> load_floats(const float* from) { return hn::LoadU(Floats(), from); }

// line = weight[0] * row first + weight[1] * the next one + ...
template <class T>
void weigh_rows(const WeightedRows<T>& rows, float* line) {
  const auto& [in, first, weight, count] = rows;
  const Floats d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int elements = in.row_elements();
  int e = 0;
  for (; e + 2 * lanes <= elements; e += 2 * lanes) {
    auto sum0 = hn::Zero(d), sum1 = sum0;
    for (int k = 0; k < count; ++k) {
      const T* row = in.row(first + k) + e;
      const auto w = hn::Set(d, weight[k]);
      sum0 = hn::Add(sum0, hn::Mul(w, load_floats(row)));
      sum1 = hn::Add(sum1, hn::Mul(w, load_floats(row + lanes)));
    }
    hn::StoreU(sum0, d, line + e);
    hn::StoreU(sum1, d, line + e + lanes);
  }
  for (; e < elements; ++e) {
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += weight[k] * static_cast<float>(in.row(first + k)[e]);
    line[e] = sum;
  }
}

void weigh_rows_u8(const WeightedRows<std::uint8_t>& rows, float* line) { weigh_rows(rows, line); }
void weigh_rows_u16(const WeightedRows<std::uint16_t>& rows, float* line) {
  weigh_rows(rows, line);
}
void weigh_rows_f32(const WeightedRows<float>& rows, float* line) { weigh_rows(rows, line); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(weigh_rows_u8);
HWY_EXPORT(weigh_rows_u16);
HWY_EXPORT(weigh_rows_f32);

constexpr int kRowsPerTask = 16;

template <class T>
void weigh_columns(const float* line, const detail::AreaTaps& taps, ImageView<T> out, int y) {
  const int channels = out.channels;
  T* row = out.row(y);
  for (int x = 0; x < out.width; ++x) {
    const float* weight = taps.weight.data() + taps.begin[x];
    const int count = taps.count(x);
    for (int c = 0; c < channels; ++c) {
      const float* from = line + static_cast<std::ptrdiff_t>(taps.first[x]) * channels + c;
      float sum = 0;
      for (int k = 0; k < count; ++k) sum += weight[k] * from[k * channels];
      row[x * channels + c] = detail::from_float<T>(sum);
    }
  }
}

}  // namespace

template <class T>
void resize_area(StackView<const T> in, StackView<T> out, const Exec& exec) {
  const detail::AreaTaps columns = detail::area_taps(in.width, out.width),
                         rows = detail::area_taps(in.height, out.height);
  const std::int64_t total_rows = static_cast<std::int64_t>(out.height) * out.count;
  parallel_for(exec, total_rows, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> line(static_cast<std::size_t>(in.width) * in.channels);
    for (std::int64_t i = first; i < last; ++i) {
      const int image = static_cast<int>(i / out.height), y = static_cast<int>(i % out.height);
      const WeightedRows<T> covered{in.plane(image), rows.first[y],
                                    rows.weight.data() + rows.begin[y], rows.count(y)};
      if constexpr (sizeof(T) == 1) HWY_DYNAMIC_DISPATCH(weigh_rows_u8)(covered, line.data());
      else if constexpr (sizeof(T) == 2) HWY_DYNAMIC_DISPATCH(weigh_rows_u16)(covered, line.data());
      else HWY_DYNAMIC_DISPATCH(weigh_rows_f32)(covered, line.data());
      weigh_columns(line.data(), columns, out.plane(image), y);
    }
  });
}
#define FOVEA_RESIZE(T) template void resize_area(StackView<const T>, StackView<T>, const Exec&);
FOVEA_FOR_EACH_RESIZE(FOVEA_RESIZE)
#undef FOVEA_RESIZE

}  // namespace fovea::cpu
#endif  // HWY_ONCE
