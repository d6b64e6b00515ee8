// One pass of dual coordinate descent. Rows with few features are padded to whole vectors, and the
// weights stay in registers for the whole pass. Long rows are read in place.
#include "ops/linear_svm/backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linear_svm/linear_svm_cpu.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
constexpr int kMostVectors = 12;  // vectors of weights in registers; the sample needs the rest

HWY_INLINE float sum_of(Floats d, hn::Vec<Floats> sum) {
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// Keeps the weights in registers; a row is kVectors vectors of padded numbers.
template <int kVectors>
struct ShortRows {
  explicit ShortRows(float* from) : memory(from) {
    const Floats d;
    for (int k = 0; k < kVectors; ++k)
      weights[k] = hn::Load(d, memory + k * static_cast<int>(hn::Lanes(d)));
  }
  HWY_INLINE float dot(const float* HWY_RESTRICT row) const {
    const Floats d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    auto even = hn::Mul(weights[0], hn::Load(d, row));
    if constexpr (kVectors == 1) return sum_of(d, even);
    auto odd = hn::Mul(weights[1 % kVectors], hn::Load(d, row + lanes));
#pragma GCC unroll 12
    for (int k = 2; k < kVectors; ++k)
      (k % 2 == 0 ? even : odd) =
          hn::MulAdd(weights[k], hn::Load(d, row + k * lanes), k % 2 == 0 ? even : odd);
    return sum_of(d, hn::Add(even, odd));
  }
  HWY_INLINE void add(float factor, const float* HWY_RESTRICT row) {
    const Floats d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    const auto factors = hn::Set(d, factor);
#pragma GCC unroll 12
    for (int k = 0; k < kVectors; ++k)
      weights[k] = hn::MulAdd(factors, hn::Load(d, row + k * lanes), weights[k]);
  }
  HWY_INLINE void prefetch(const float* row) const {
    const Floats d;
    constexpr int kLine = 16;
    for (int k = 0; k < kVectors * static_cast<int>(hn::Lanes(d)); k += kLine)
      hwy::Prefetch(row + k);
  }
  void store() {
    const Floats d;
    for (int k = 0; k < kVectors; ++k)
      hn::Store(weights[k], d, memory + k * static_cast<int>(hn::Lanes(d)));
  }

  float* memory;
  hn::Vec<Floats> weights[kVectors];
};

// For rows of any length, with weights in memory.
struct LongRows {
  HWY_INLINE float dot(const float* HWY_RESTRICT row) const {
    const Floats d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    hn::Vec<Floats> sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    int i = 0;
    for (; i + 4 * lanes <= features; i += 4 * lanes)
      for (int k = 0; k < 4; ++k)
        sum[k] = hn::MulAdd(hn::LoadU(d, memory + i + k * lanes), hn::LoadU(d, row + i + k * lanes),
                            sum[k]);
    for (; i + lanes <= features; i += lanes)
      sum[0] = hn::MulAdd(hn::LoadU(d, memory + i), hn::LoadU(d, row + i), sum[0]);
    float rest = 0;
    for (; i < features; ++i) rest += memory[i] * row[i];
    return sum_of(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))) + rest;
  }
  HWY_INLINE void add(float factor, const float* HWY_RESTRICT row) {
    const Floats d;
    const auto lanes = static_cast<int>(hn::Lanes(d));
    const auto factors = hn::Set(d, factor);
    int i = 0;
    for (; i + lanes <= features; i += lanes)
      hn::StoreU(hn::MulAdd(factors, hn::LoadU(d, row + i), hn::LoadU(d, memory + i)), d,
                 memory + i);
    for (; i < features; ++i) memory[i] += factor * row[i];
  }
  // The hardware prefetches the rest of a long row by itself.
  HWY_INLINE void prefetch(const float* row) const { hwy::Prefetch(row); }
  void store() {}

  float* memory;
  int features;
};

template <class Rows>
SvmPass descend(SvmState& state, Rows& rows) {
  constexpr std::size_t kAhead = 4;  // samples between the prefetch of a row and its use
  const auto row_of = [&](std::uint32_t index) {
    return state.rows + state.samples[index].row * state.stride;
  };
  SvmPass pass{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
               state.order.size()};
  double bias = state.bias;
  std::span<std::uint32_t> order = state.order;
  for (std::size_t k = 0; k < pass.active; ++k) {
    if (k + kAhead < pass.active) rows.prefetch(row_of(order[k + kAhead]));
    if (k + 2 * kAhead < pass.active) hwy::Prefetch(&state.samples[order[k + 2 * kAhead]]);
    SvmSample& sample = state.samples[order[k]];
    const float* row = row_of(order[k]);
    const double gradient = sample.label * (rows.dot(row) + bias) - 1;
    double projected = gradient;
    if (sample.alpha <= 0) {
      if (gradient > state.shrink_above) {
        std::swap(order[k--], order[--pass.active]);
        continue;
      }
      projected = std::min(gradient, 0.0);
    } else if (sample.alpha >= sample.upper) {
      if (gradient < state.shrink_below) {
        std::swap(order[k--], order[--pass.active]);
        continue;
      }
      projected = std::max(gradient, 0.0);
    }
    pass.greatest = std::max(pass.greatest, projected);
    pass.least = std::min(pass.least, projected);
    if (projected == 0) continue;
    const double alpha =
        std::clamp(sample.alpha - gradient * sample.inverse_curvature, 0.0, sample.upper);
    const double change = (alpha - sample.alpha) * sample.label;
    sample.alpha = alpha;
    bias += change * state.bias_step;
    rows.add(static_cast<float>(change), row);
  }
  rows.store();
  state.bias = bias;
  return pass;
}

// Calls task(rows) with the type of rows that suits the number of weights.
template <int kVectors, class Task>
void with_rows(const SvmState& state, Task task) {
  if constexpr (kVectors > kMostVectors) {
    LongRows rows{state.weights, state.features};
    task(rows);
  } else {
    const Floats d;
    if (!state.padded) return with_rows<kMostVectors + 1>(state, task);
    if (state.features > kVectors * static_cast<int>(hn::Lanes(d)))
      return with_rows<kVectors + 1>(state, task);
    ShortRows<kVectors> rows(state.weights);
    task(rows);
  }
}

int padded_size(int features) {
  const Floats d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const int vectors = (features + lanes - 1) / lanes;
  return vectors > kMostVectors ? 0 : vectors * lanes;
}

SvmPass pass(SvmState& state) {
  SvmPass result;
  with_rows<1>(state, [&](auto& rows) { result = descend(state, rows); });
  return result;
}

void margins(const SvmState& state, std::span<float> out) {
  with_rows<1>(state, [&](auto& rows) {
    for (std::size_t i = 0; i < state.samples.size(); ++i) {
      const SvmSample& sample = state.samples[i];
      out[i] = sample.label *
               (rows.dot(state.rows + sample.row * state.stride) + static_cast<float>(state.bias));
    }
  });
}

void norms(ImageView<const float> samples, std::span<float> out) {
  const Floats d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  for (int y = 0; y < samples.height; ++y) {
    const float* row = samples.row(y);
    auto sum = hn::Zero(d), second = hn::Zero(d);
    int i = 0;
    for (; i + 2 * lanes <= samples.width; i += 2 * lanes) {
      const auto a = hn::LoadU(d, row + i), b = hn::LoadU(d, row + i + lanes);
      sum = hn::MulAdd(a, a, sum);
      second = hn::MulAdd(b, b, second);
    }
    float rest = 0;
    for (; i < samples.width; ++i) rest += row[i] * row[i];
    out[y] = sum_of(d, hn::Add(sum, second)) + rest;
  }
}

void add_rows(const SvmState& state, std::span<double> sums) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  for (const SvmSample& sample : state.samples) {
    if (sample.alpha == 0) continue;
    const float* row = state.rows + sample.row * state.stride;
    const double factor = sample.alpha * sample.label;
    const auto factors = hn::Set(d, factor);
    int i = 0;
    for (; i + lanes <= state.features; i += lanes)
      hn::StoreU(hn::MulAdd(factors, hn::PromoteTo(d, hn::LoadU(narrow, row + i)),
                            hn::LoadU(d, sums.data() + i)),
                 d, sums.data() + i);
    for (; i < state.features; ++i) sums[i] += factor * row[i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(padded_size);
HWY_EXPORT(pass);
HWY_EXPORT(margins);
HWY_EXPORT(norms);
HWY_EXPORT(add_rows);

}  // namespace

int svm_padded_size(int features) { return HWY_DYNAMIC_DISPATCH(padded_size)(features); }
SvmPass svm_pass(SvmState& state) { return HWY_DYNAMIC_DISPATCH(pass)(state); }
void svm_margins(const SvmState& state, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(margins)(state, out);
}
void svm_norms(ImageView<const float> samples, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(norms)(samples, out);
}
void svm_weights(const SvmState& state, std::span<double> sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  HWY_DYNAMIC_DISPATCH(add_rows)(state, sums);
  for (int i = 0; i < state.features; ++i) state.weights[i] = static_cast<float>(sums[i]);
}

}  // namespace fovea::cpu
#endif  // HWY_ONCE
