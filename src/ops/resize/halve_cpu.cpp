// The resize to exactly one half: every output pixel is the mean of a two by two block, so that no
// tables and no intermediate lines are needed, and each source row is read once. Channel counts
// differ only in how the even pixels of a row are separated from the odd ones.
#include "ops/resize/halve_cpu.h"

#include <algorithm>
#include <type_traits>

#include "core/parallel.h"
#include "ops/resize/backend.h"
#include "ops/resize/resize_math.h"

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_HALVE_JOB
#define FOVEA_HALVE_JOB
namespace fovea::detail {

// Computes output rows [first, last) of one image.
template <class T>
struct HalveJob {
  ImageView<const T> in;
  ImageView<T> out;
  int first, last;
};

}  // namespace fovea::detail
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/resize/halve_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// detail::mean_of_four for every lane.
template <class V>
HWY_INLINE V mean(V a, V b, V c, V d) {
  const hn::DFromV<V> lanes;
  if constexpr (std::is_same_v<hn::TFromV<V>, float>) {
    return hn::Mul(hn::Add(hn::Add(a, b), hn::Add(c, d)), hn::Set(lanes, 0.25F));
  } else {
    // Means of two round up. A mean of two such means is therefore too large by one where one of
    // them was rounded and their sum is odd, which is corrected here. Unlike the sum of four, this
    // stays within the lanes.
    const V top = hn::AverageRound(a, b), bottom = hn::AverageRound(c, d);
    const V rounded = hn::Or(hn::Xor(a, b), hn::Xor(c, d));
    const V excess = hn::And(hn::And(rounded, hn::Xor(top, bottom)), hn::Set(lanes, 1));
    return hn::Sub(hn::AverageRound(top, bottom), excess);
  }
}

// Rows are too short for the hardware prefetcher to predict where the rows after the next begin, so
// each cache line is prefetched explicitly. Beyond the image that does nothing.
constexpr int kNear = 3, kFar = 2;  // first-level cache, second-level cache
template <int kBytesAhead, int kLevel, class T>
HWY_INLINE void fetch_ahead(const T* from, int elements) {
  constexpr int kAhead = kBytesAhead / sizeof(T), kCacheLine = 64 / sizeof(T);
  for (int e = 0; e < elements; e += kCacheLine) __builtin_prefetch(from + kAhead + e, 0, kLevel);
}

// The even and the odd pixels of a row, as many of each as fill a vector; each lane is a whole
// pixel.
template <int kChannels, class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE void load_neighbors(D d, const T* from, V& even, V& odd) {
  const hn::Repartition<hwy::UnsignedFromSize<sizeof(T) * kChannels>, D> pixels;
  const auto low = hn::BitCast(pixels, hn::LoadU(d, from)),
             high = hn::BitCast(pixels, hn::LoadU(d, from + hn::Lanes(d)));
  even = hn::BitCast(d, hn::ConcatEven(pixels, high, low));
  odd = hn::BitCast(d, hn::ConcatOdd(pixels, high, low));
}

// These compute as much of an output row as whole vectors can and return the number of elements.
template <int kChannels, class T>
int halve_vectors(const T* above, const T* below, int elements, T* out) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto vector = [&](int e) HWY_ATTR {
    hn::Vec<decltype(d)> even0, odd0, even1, odd1;
    load_neighbors<kChannels>(d, above + 2 * e, even0, odd0);
    load_neighbors<kChannels>(d, below + 2 * e, even1, odd1);
    return mean(even0, odd0, even1, odd1);
  };
  int e = 0;
  for (; e + 2 * lanes <= elements; e += 2 * lanes) {
    fetch_ahead<1024, kNear>(above + 2 * e, 4 * lanes);
    fetch_ahead<1024, kNear>(below + 2 * e, 4 * lanes);
    const auto first = vector(e), second = vector(e + lanes);
    hn::StoreU(first, d, out + e);
    hn::StoreU(second, d, out + e + lanes);
  }
  for (; e + lanes <= elements; e += lanes) hn::StoreU(vector(e), d, out + e);
  return e;
}

// Pixels of three channels fit no lane, so the channels are separated.
template <class T>
int halve_triples(const T* above, const T* below, int elements, T* out) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int e = 0;
  for (; e + 3 * lanes <= elements; e += 3 * lanes) {
    V low[2][3], high[2][3], made[3];
    const T* rows[2] = {above + 2 * e, below + 2 * e};
    for (int r = 0; r < 2; ++r) {
      fetch_ahead<1024, kNear>(rows[r], 6 * lanes);
      hn::LoadInterleaved3(d, rows[r], low[r][0], low[r][1], low[r][2]);
      hn::LoadInterleaved3(d, rows[r] + 3 * lanes, high[r][0], high[r][1], high[r][2]);
    }
    for (int c = 0; c < 3; ++c)
      made[c] =
          mean(hn::ConcatEven(d, high[0][c], low[0][c]), hn::ConcatOdd(d, high[0][c], low[0][c]),
               hn::ConcatEven(d, high[1][c], low[1][c]), hn::ConcatOdd(d, high[1][c], low[1][c]));
    hn::StoreInterleaved3(made[0], made[1], made[2], d, out + e);
  }
  return e;
}

// Each pixel is one vector. Main memory limits such rows, so prefetched lines go to the larger
// cache.
int halve_quads(const float* above, const float* below, int elements, float* out) {
  const hn::FixedTag<float, 4> d;
  const auto pixel = [&](int e) HWY_ATTR {
    return mean(hn::LoadU(d, above + 2 * e), hn::LoadU(d, above + 2 * e + 4),
                hn::LoadU(d, below + 2 * e), hn::LoadU(d, below + 2 * e + 4));
  };
  int e = 0;
  for (; e + 8 <= elements; e += 8) {
    fetch_ahead<2048, kFar>(above + 2 * e, 16);
    fetch_ahead<2048, kFar>(below + 2 * e, 16);
    const auto first = pixel(e), second = pixel(e + 4);
    hn::StoreU(first, d, out + e);
    hn::StoreU(second, d, out + e + 4);
  }
  if (e < elements) hn::StoreU(pixel(e), d, out + e);
  return elements;
}

template <int kChannels, class T>
HWY_INLINE int halve_most(const T* above, const T* below, int elements, T* out) {
  if constexpr (kChannels == 3) return halve_triples(above, below, elements, out);
  else if constexpr (kChannels * sizeof(T) == 16) return halve_quads(above, below, elements, out);
  else return halve_vectors<kChannels>(above, below, elements, out);
}

template <int kChannels, class T>
void halve_rows(const detail::HalveJob<T>& job) {
  const int elements = job.out.row_elements();
  for (int y = job.first; y < job.last; ++y) {
    const T *above = job.in.row(2 * y), *below = job.in.row(2 * y + 1);
    T* out = job.out.row(y);
    for (int e = halve_most<kChannels>(above, below, elements, out); e < elements; ++e) {
      const int left = 2 * e - e % kChannels, right = left + kChannels;
      out[e] = detail::mean_of_four(above[left], above[right], below[left], below[right]);
    }
  }
}

template <class T>
void halve_job(const detail::HalveJob<T>& job) {
  switch (job.in.channels) {
    case 1: return halve_rows<1>(job);
    case 2: return halve_rows<2>(job);
    case 3: return halve_rows<3>(job);
    default: return halve_rows<4>(job);
  }
}

void halve_bytes(const detail::HalveJob<std::uint8_t>& job) { halve_job(job); }
void halve_shorts(const detail::HalveJob<std::uint16_t>& job) { halve_job(job); }
void halve_floats(const detail::HalveJob<float>& job) { halve_job(job); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(halve_bytes);
HWY_EXPORT(halve_shorts);
HWY_EXPORT(halve_floats);

void run(const detail::HalveJob<std::uint8_t>& job) { HWY_DYNAMIC_DISPATCH(halve_bytes)(job); }
void run(const detail::HalveJob<std::uint16_t>& job) { HWY_DYNAMIC_DISPATCH(halve_shorts)(job); }
void run(const detail::HalveJob<float>& job) { HWY_DYNAMIC_DISPATCH(halve_floats)(job); }

// A task shares no data with others, but is long enough to be worth starting.
constexpr std::int64_t kSourceBytesPerTask = 256 << 10;

}  // namespace

template <class T>
void resize_to_half(StackView<const T> in, StackView<T> out, const Exec& exec) {
  const auto row_bytes = static_cast<std::int64_t>(sizeof(T)) * in.width * in.channels;
  const int rows = static_cast<int>(  // rows per task
      std::clamp<std::int64_t>(kSourceBytesPerTask / (2 * row_bytes), 1, out.height));
  const std::int64_t tasks = (out.height + rows - 1) / rows;  // tasks per image
  parallel_for(exec, tasks * in.count, 1, [&](std::int64_t task, std::int64_t) {
    const int image = static_cast<int>(task / tasks);
    const int first = static_cast<int>(task % tasks) * rows;
    run({in.plane(image), out.plane(image), first, std::min(first + rows, out.height)});
  });
}
#define FOVEA_RESIZE(T) template void resize_to_half(StackView<const T>, StackView<T>, const Exec&);
FOVEA_FOR_EACH_RESIZE(FOVEA_RESIZE)
#undef FOVEA_RESIZE

}  // namespace fovea::cpu
#endif  // HWY_ONCE
