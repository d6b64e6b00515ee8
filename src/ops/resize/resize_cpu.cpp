// CPU twin of the bilinear resize. A source row is stretched along x once, into one of two lines
// that stay in the first-level cache; an output row blends the two lines it lies between. Rows that
// no output row touches are never read. The resize to one half is in halve_cpu.cpp.
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "ops/resize/area_cpu.h"
#include "ops/resize/backend.h"
#include "ops/resize/halve_cpu.h"
#include "ops/resize/resize_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/resize/resize_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_RESIZE_JOB
#define FOVEA_RESIZE_JOB
namespace fovea::detail {

// Computes output rows [first, last) of one image.
template <class T, class Plan>
struct ResizeJob {
  ImageView<const T> in;
  ImageView<T> out;
  const Plan* plan;
  int first, last;
};
using BytesJob = ResizeJob<std::uint8_t, FixedPlan>;
using ShortsJob = ResizeJob<std::uint16_t, FloatPlan>;
using FloatsJob = ResizeJob<float, FloatPlan>;

// The widest vector in elements of any type. Lines are longer by this much, so that the last vector
// may reach beyond the end.
constexpr int kLinePadding = 256;

// Two lines, each holding one stretched source row.
template <class Element>
class LinePair {
 public:
  explicit LinePair(int elements)
      : stride_(elements + kLinePadding), elements_(2 * static_cast<std::size_t>(stride_)) {}
  // Neighboring rows use different lines.
  template <class Make>
  const Element* line(int row, const Make& make) {
    Element* data = elements_.data() + (row & 1) * stride_;
    if (row_[row & 1] != row) make(row, data);
    row_[row & 1] = row;
    return data;
  }

 private:
  std::ptrdiff_t stride_;
  std::vector<Element> elements_;
  std::array<int, 2> row_{-1, -1};
};

}  // namespace fovea::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Table look-ups stay within 128 bits on every machine. Where vectors have 256 bits, each half of
// one looks up a group of its own.
using Bytes = hn::FixedTag<std::uint8_t, 16>;
using Shorts = hn::FixedTag<std::int16_t, 8>;
using WideShorts = hn::CappedTag<std::int16_t, 16>;
constexpr int kWide = HWY_MAX_BYTES >= 32 ? 2 : 1;  // groups of a wide vector
using Quad = hn::FixedTag<float, 4>;
using Pair = hn::FixedTag<float, 2>;
using Floats = hn::ScalableTag<float>;

template <class V>
HWY_INLINE V blend_fixed(V a, V b, V weight) {
  return hn::Sub(a, hn::MulFixedPoint15(hn::Sub(b, a), weight));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V blend_floats(V a, V b, V weight) {
  return hn::Add(a, hn::Mul(hn::Sub(b, a), weight));
}

// Sixteen bytes of one group, or of each of two.
template <int kGroups>
HWY_INLINE auto load_runs(const std::uint8_t* first, const std::uint8_t* second) {
  const Bytes d;
  if constexpr (kGroups == 1) return hn::LoadU(d, first);
  else
    return hn::Combine(hn::CappedTag<std::uint8_t, 16 * kGroups>(), hn::LoadU(d, second),
                       hn::LoadU(d, first));
}

// Eight source bytes per group, as fixed point numbers, picked from the runs that start at `bases`.
template <int kRuns, int kGroups>
HWY_INLINE auto pick(const std::uint8_t* row, const std::int32_t* bases,
                     const std::uint8_t* lookup) {
  constexpr int kRun = detail::FixedPlan::kRun;
  constexpr int kNext = kGroups == 1 ? 0 : kRuns;  // from a run to that of the second group
  const auto pick_run = [&](int r) HWY_ATTR {
    const auto table = load_runs<kGroups>(row + bases[r], row + bases[r + kNext]);
    return hn::TableLookupBytesOr0(
        table, load_runs<kGroups>(lookup + r * kRun, lookup + (r + kNext) * kRun));
  };
  auto picked = pick_run(0);
  for (int r = 1; r < kRuns; ++r) picked = hn::Or(picked, pick_run(r));
  const hn::CappedTag<std::int16_t, kGroups * detail::FixedPlan::kGroup> d;
  return hn::ShiftLeft<detail::kFractionBits>(hn::BitCast(d, picked));
}

// What the next groups of a row read and write.
struct StretchPlace {
  const std::int32_t* bases;
  const std::uint8_t* lookup;
  const std::int16_t* weights;
  std::int16_t* line;
};

template <int kRuns, int kGroups>
HWY_INLINE void stretch_next(const std::uint8_t* row, int step, StretchPlace& at) {
  constexpr int kOutputs = kGroups * detail::FixedPlan::kGroup;
  const hn::CappedTag<std::int16_t, kOutputs> d;
  const auto left = pick<kRuns, kGroups>(row, at.bases, at.lookup),
             right = pick<kRuns, kGroups>(row + step, at.bases, at.lookup);
  hn::StoreU(blend_fixed(left, right, hn::LoadU(d, at.weights)), d, at.line);
  at.bases += kGroups * kRuns;
  at.lookup += kGroups * kRuns * detail::FixedPlan::kRun;
  at.weights += kOutputs;
  at.line += kOutputs;
}

template <int kRuns>
void stretch_groups(const std::uint8_t* row, const detail::FixedPlan& plan, std::int16_t* line) {
  StretchPlace at{plan.base.data(), plan.lookup.data(), plan.weight.data(), line};
  const int step = plan.step;
  int left = plan.groups();
  for (; left >= kWide; left -= kWide) stretch_next<kRuns, kWide>(row, step, at);
  if (left > 0) stretch_next<kRuns, 1>(row, step, at);
}

// Stretches a row of at least plan.readable() elements.
void stretch(const std::uint8_t* row, const detail::FixedPlan& plan, std::int16_t* line) {
  switch (plan.runs) {
    case 1: return stretch_groups<1>(row, plan, line);
    case 2: return stretch_groups<2>(row, plan, line);
    case 4: return stretch_groups<4>(row, plan, line);
    default: return stretch_groups<8>(row, plan, line);
  }
}

// Stores one byte per lane of WideShorts.
HWY_INLINE void blend_bytes(const std::int16_t* above, const std::int16_t* below,
                            hn::Vec<WideShorts> weight, std::uint8_t* out) {
  const WideShorts d;
  const hn::Rebind<std::uint8_t, WideShorts> bytes;
  const auto value = blend_fixed(hn::LoadU(d, above), hn::LoadU(d, below), weight);
  const auto half = hn::Set(d, 1 << (detail::kFractionBits - 1));
  const auto rounded = hn::ShiftRight<detail::kFractionBits>(hn::Add(value, half));
  hn::StoreU(hn::DemoteTo(bytes, rounded), bytes, out);
}

void blend_lines(const std::int16_t* above, const std::int16_t* below, int weight, int elements,
                 std::uint8_t* out) {
  const auto w = hn::Set(WideShorts(), static_cast<std::int16_t>(weight));
  constexpr int kLanes = kWide * detail::FixedPlan::kGroup;
  int e = 0;
  for (; e + 2 * kLanes <= elements; e += 2 * kLanes) {
    blend_bytes(above + e, below + e, w, out + e);
    blend_bytes(above + e + kLanes, below + e + kLanes, w, out + e + kLanes);
  }
  for (; e + kLanes <= elements; e += kLanes) blend_bytes(above + e, below + e, w, out + e);
  if (e == elements) return;
  std::uint8_t last[kLanes];
  blend_bytes(above + e, below + e, w, last);
  std::copy_n(last, elements - e, out + e);
}

void resize_bytes(const detail::BytesJob& job) {
  const detail::FixedPlan& plan = *job.plan;
  const double scale = static_cast<double>(job.in.height) / job.out.height;
  const int source_elements = job.in.row_elements();
  std::vector<std::uint8_t> wide(static_cast<std::size_t>(plan.readable()));
  detail::LinePair<std::int16_t> lines(plan.elements);
  const auto make = [&](int y, std::int16_t* line) {
    const std::uint8_t* row = job.in.row(y);
    if (source_elements < plan.readable())
      row = (std::copy_n(row, source_elements, wide.data()), wide.data());
    stretch(row, plan, line);
  };
  for (int y = job.first; y < job.last; ++y) {
    const detail::FixedTap tap = detail::fixed_tap(y, scale, job.in.height);
    const std::int16_t* above = lines.line(tap.index, make);
    const std::int16_t* below = lines.line(std::min(tap.index + 1, job.in.height - 1), make);
    blend_lines(above, below, tap.weight, plan.elements, job.out.row(y));
  }
}

// Computes four outputs of a one-channel row; each pair of neighbors is one load of two floats.
HWY_INLINE void stretch_four(const float* row, const detail::FloatPlan& plan, int x, float* line) {
  const Quad d;
  const Pair pair;
  const std::int32_t* index = plan.index.data() + x;
  const auto low = hn::Combine(d, hn::LoadU(pair, row + index[1]), hn::LoadU(pair, row + index[0])),
             high =
                 hn::Combine(d, hn::LoadU(pair, row + index[3]), hn::LoadU(pair, row + index[2]));
  const auto left = hn::ConcatEven(d, high, low), right = hn::ConcatOdd(d, high, low);
  hn::StoreU(blend_floats<Quad>(left, right, hn::LoadU(d, plan.weight.data() + x)), d, line + x);
}

// One pixel of several channels. With three a fourth float is read, and written where the next
// pixel follows.
template <class D>
HWY_INLINE void stretch_pixel(D d, const float* row, const detail::FloatPlan& plan, int x,
                              float* line) {
  hn::StoreU(blend_floats<D>(hn::LoadU(d, row + plan.index[x]), hn::LoadU(d, row + plan.next[x]),
                             hn::Set(d, plan.weight[x])),
             d, line + x * plan.channels);
}

void stretch(const float* row, const detail::FloatPlan& plan, float* line) {
  int x = 0;
  if (plan.channels == 1) {
    for (; x + 4 <= plan.inner; x += 4) stretch_four(row, plan, x, line);
  } else if (plan.channels == 2) {
    for (; x < plan.inner; ++x) stretch_pixel(Pair(), row, plan, x, line);
  } else {
    for (; x < plan.inner; ++x) stretch_pixel(Quad(), row, plan, x, line);
  }
  for (; x < plan.width; ++x)
    for (int c = 0; c < plan.channels; ++c)
      line[x * plan.channels + c] =
          detail::blend(row[plan.index[x] + c], row[plan.next[x] + c], plan.weight[x]);
}

HWY_INLINE void store_pixels(Floats d, hn::Vec<Floats> values, float* out) {
  hn::StoreU(values, d, out);
}
HWY_INLINE void store_pixels(Floats d, hn::Vec<Floats> values, std::uint16_t* out) {
  const hn::Rebind<std::int32_t, Floats> integers;
  const hn::Rebind<std::uint16_t, Floats> shorts;
  const auto rounded = hn::ConvertTo(integers, hn::Add(values, hn::Set(d, 0.5F)));
  hn::StoreU(hn::DemoteTo(shorts, rounded), shorts, out);
}

template <class T>
void blend_lines(const float* above, const float* below, float weight, int elements, T* out) {
  const Floats d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto w = hn::Set(d, weight);
  const auto values = [&](int e) HWY_ATTR {
    return blend_floats<Floats>(hn::LoadU(d, above + e), hn::LoadU(d, below + e), w);
  };
  int e = 0;
  for (; e + 4 * lanes <= elements; e += 4 * lanes) {
    const auto v0 = values(e), v1 = values(e + lanes), v2 = values(e + 2 * lanes),
               v3 = values(e + 3 * lanes);
    store_pixels(d, v0, out + e);
    store_pixels(d, v1, out + e + lanes);
    store_pixels(d, v2, out + e + 2 * lanes);
    store_pixels(d, v3, out + e + 3 * lanes);
  }
  for (; e + lanes <= elements; e += lanes) store_pixels(d, values(e), out + e);
  if (e == elements) return;
  T last[hn::MaxLanes(Floats())];
  store_pixels(d, values(e), last);
  std::copy_n(last, elements - e, out + e);
}

template <class T>
void resize_with_floats(const detail::ResizeJob<T, detail::FloatPlan>& job) {
  const detail::FloatPlan& plan = *job.plan;
  const double scale = static_cast<double>(job.in.height) / job.out.height;
  const int elements = plan.width * plan.channels;
  std::vector<float> converted;
  if (!std::is_same_v<T, float>) converted.resize(static_cast<std::size_t>(job.in.row_elements()));
  detail::LinePair<float> lines(elements);
  const auto make = [&](int y, float* line) {
    if constexpr (std::is_same_v<T, float>) {
      stretch(job.in.row(y), plan, line);
    } else {
      std::copy_n(job.in.row(y), converted.size(), converted.data());
      stretch(converted.data(), plan, line);
    }
  };
  for (int y = job.first; y < job.last; ++y) {
    const detail::FloatTap tap = detail::float_tap(y, scale, job.in.height);
    const float* above = lines.line(tap.index, make);
    const float* below = lines.line(tap.next, make);
    blend_lines(above, below, tap.weight, elements, job.out.row(y));
  }
}

void resize_shorts(const detail::ShortsJob& job) { resize_with_floats(job); }
void resize_floats(const detail::FloatsJob& job) { resize_with_floats(job); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(resize_bytes);
HWY_EXPORT(resize_shorts);
HWY_EXPORT(resize_floats);

void run(const detail::BytesJob& job) { HWY_DYNAMIC_DISPATCH(resize_bytes)(job); }
void run(const detail::ShortsJob& job) { HWY_DYNAMIC_DISPATCH(resize_shorts)(job); }
void run(const detail::FloatsJob& job) { HWY_DYNAMIC_DISPATCH(resize_floats)(job); }

// A task stretches up to two source rows that its neighbor stretches too.
constexpr int kRowsPerTask = 64;

template <class T>
void resize_bilinear(StackView<const T> in, StackView<T> out, const Exec& exec) {
  using Plan = std::conditional_t<sizeof(T) == 1, detail::FixedPlan, detail::FloatPlan>;
  const Plan plan(in.width, out.width, in.channels);
  const std::int64_t tasks = (out.height + kRowsPerTask - 1) / kRowsPerTask;  // tasks per image
  parallel_for(exec, tasks * in.count, 1, [&](std::int64_t task, std::int64_t) {
    const int image = static_cast<int>(task / tasks);
    const int first = static_cast<int>(task % tasks) * kRowsPerTask;
    run(detail::ResizeJob<T, Plan>{in.plane(image), out.plane(image), &plan, first,
                                   std::min(first + kRowsPerTask, out.height)});
  });
}

}  // namespace

template <class T>
void resize(StackView<const T> in, std::span<const StackView<T>> outs, bool antialias,
            const Exec& exec) {
  for (const StackView<T>& out : outs) {
    if (antialias) resize_area(in, out, exec);
    else if (detail::is_half(in, out)) resize_to_half(in, out, exec);
    else resize_bilinear(in, out, exec);
  }
}
#define FOVEA_RESIZE(T) \
  template void resize(StackView<const T>, std::span<const StackView<T>>, bool, const Exec&);
FOVEA_FOR_EACH_RESIZE(FOVEA_RESIZE)
#undef FOVEA_RESIZE

}  // namespace fovea::cpu
#endif  // HWY_ONCE
