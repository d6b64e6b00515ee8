// CPU twin of the convolution. It works on strips of columns that are so narrow that the lines
// under a kernel stay in the second-level cache. Source rows are converted to lines of floats with
// the border written out on both sides (or are used in place where they are floats and no border is
// near). The lines are kept in a ring of as many lines as the kernel is high. A block of a few
// output rows by a few vectors is then summed in registers, so that a loaded line serves several
// output rows. Separable kernels are applied along each line before it enters the ring. Symmetric
// kernels are not folded: with fused multiply-add, a saved addition only replaces a multiplication
// that was free.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "ops/convolve/backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/convolve/convolve_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// This is outside the per-target part, which is compiled once per instruction set.
#ifndef FOVEA_CONVOLVE_JOB
#define FOVEA_CONVOLVE_JOB
namespace fovea::detail {

// Computes output rows [first, last). A separable kernel has `along`, which is applied to each line
// before `taps` (one column of them) is applied.
template <class T, class Out>
struct ConvolveJob {
  ImageView<const T> image;
  ImageView<Out> out;
  std::span<const float> along;
  Kernel2d taps;
  ConvolveParams params;
  int first, last;
};

// Lines are longer by this much, so that the last block of vectors may read beyond the end.
constexpr int kConvolvePadding = 256;

}  // namespace fovea::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;

// Output rows that are summed together: as many as fit the registers, of which ARM has 32 and most
// x86 16.
constexpr int kRows = HWY_ARCH_ARM_A64 ? 4 : 2;  // at most 4
constexpr int kVectors = 4;

struct Four {
  V v0, v1, v2, v3;
};
HWY_INLINE Four zero_four() {
  const V zero = hn::Zero(Floats());
  return {zero, zero, zero, zero};
}
HWY_INLINE Four load_four(const float* from) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  return {hn::LoadU(d, from), hn::LoadU(d, from + lanes), hn::LoadU(d, from + 2 * lanes),
          hn::LoadU(d, from + 3 * lanes)};
}
HWY_INLINE void add_product(const Four& x, float weight, Four& sum) {
  const V w = hn::Set(Floats(), weight);
  sum.v0 = hn::MulAdd(x.v0, w, sum.v0);
  sum.v1 = hn::MulAdd(x.v1, w, sum.v1);
  sum.v2 = hn::MulAdd(x.v2, w, sum.v2);
  sum.v3 = hn::MulAdd(x.v3, w, sum.v3);
}
HWY_INLINE Four product(const Four& x, float weight) {
  const V w = hn::Set(Floats(), weight);
  return {hn::Mul(x.v0, w), hn::Mul(x.v1, w), hn::Mul(x.v2, w), hn::Mul(x.v3, w)};
}
HWY_INLINE void store_four(const Four& sum, float* out) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  hn::StoreU(sum.v0, d, out);
  hn::StoreU(sum.v1, d, out + lanes);
  hn::StoreU(sum.v2, d, out + 2 * lanes);
  hn::StoreU(sum.v3, d, out + 3 * lanes);
}
HWY_INLINE void store_four(const Four& sum, std::uint8_t* out) {
  const hn::Rebind<std::uint8_t, Floats> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::StoreU(hn::DemoteTo(d, hn::NearestInt(sum.v0)), d, out);
  hn::StoreU(hn::DemoteTo(d, hn::NearestInt(sum.v1)), d, out + lanes);
  hn::StoreU(hn::DemoteTo(d, hn::NearestInt(sum.v2)), d, out + 2 * lanes);
  hn::StoreU(hn::DemoteTo(d, hn::NearestInt(sum.v3)), d, out + 3 * lanes);
}
// Writes the last `count` elements of a row.
template <class Out>
HWY_INLINE void store_some(const Four& sum, Out* out, int count) {
  Out all[4 * hn::MaxLanes(Floats())];
  store_four(sum, all);
  std::copy_n(all, count, out);
}

struct Block {
  Four row[4];
};
HWY_INLINE Block zero_block() { return {{zero_four(), zero_four(), zero_four(), zero_four()}}; }

// Adds line j to those output rows of a block whose bit is set in kMask: row r takes row j - r of
// the kernel.
template <int kMask, bool kColumn>
HWY_INLINE void add_line(const float* line, int j, const detail::Kernel2d& taps, int step,
                         Block& sums) {
  const std::ptrdiff_t width = kColumn ? 1 : taps.width;
  for (std::ptrdiff_t k = 0, at = j * width; k < width; ++k, ++at) {
    const Four x = load_four(line + k * step);
    if constexpr (kMask & 1) add_product(x, taps.weights[at], sums.row[0]);
    if constexpr (kMask & 2) add_product(x, taps.weights[at - width], sums.row[1]);
    if constexpr (kMask & 4) add_product(x, taps.weights[at - 2 * width], sums.row[2]);
    if constexpr (kMask & 8) add_product(x, taps.weights[at - 3 * width], sums.row[3]);
  }
}

// Computes kCount output rows from kernel rows and lines that overlap; the kernel has at least
// kCount - 1 rows. lines[j] is the line under the kernel's row j for the first output row.
template <int kCount, bool kColumn>
HWY_INLINE void sum_block(const float* const* lines, int x, const detail::Kernel2d& taps, int step,
                          Block& sums) {
  constexpr int kAll = (1 << kCount) - 1;
  const auto add = [&]<int kMask>(int j)
                       HWY_ATTR { add_line<kMask, kColumn>(lines[j] + x, j, taps, step, sums); };
  if constexpr (kCount > 1) add.template operator()<1 & kAll>(0);
  if constexpr (kCount > 2) add.template operator()<3 & kAll>(1);
  if constexpr (kCount > 3) add.template operator()<7 & kAll>(2);
  for (int j = kCount - 1; j < taps.height; ++j) add.template operator()<kAll>(j);
  if constexpr (kCount > 3) add.template operator()<14 & kAll>(taps.height);
  if constexpr (kCount > 2) add.template operator()<12 & kAll>(taps.height + 1);
  if constexpr (kCount > 3) add.template operator()<8 & kAll>(taps.height + 2);
  if constexpr (kCount == 2) add.template operator()<2>(taps.height);
}

// Computes kCount rows of the output from lines of floats.
template <int kCount, class Out>
void sum_rows(const float* const* lines, const detail::Kernel2d& taps, int step, ImageView<Out> out,
              int y) {
  const int block = kVectors * static_cast<int>(hn::Lanes(Floats()));
  const int elements = out.row_elements();
  for (int x = 0; x < elements; x += block) {
    Block sums = zero_block();
    // A single column of taps, which separable kernels have, gets a loop of its own without an
    // inner loop.
    if (taps.width == 1) sum_block<kCount, true>(lines, x, taps, step, sums);
    else sum_block<kCount, false>(lines, x, taps, step, sums);
    for (int r = 0; r < kCount; ++r) {
      if (x + block <= elements) store_four(sums.row[r], out.row(y + r) + x);
      else store_some(sums.row[r], out.row(y + r) + x, elements - x);
    }
  }
}

// line[x] = sum of weights[k] * padded[x + k * step]. Two blocks are summed at a time, because each
// step of a chain of fused multiply-adds waits for the one before.
void sum_along(const float* padded, std::span<const float> weights, int step, int elements,
               float* line) {
  const int block = kVectors * static_cast<int>(hn::Lanes(Floats()));
  for (int x = 0; x < elements; x += 2 * block) {
    const float* from = padded + x;
    Four low = product(load_four(from), weights[0]);
    Four high = product(load_four(from + block), weights[0]);
    for (const float weight : weights.subspan(1)) {
      from += step;
      add_product(load_four(from), weight, low);
      add_product(load_four(from + block), weight, high);
    }
    store_four(low, line + x);
    store_four(high, line + x + block);
  }
}

void convert(const float* from, int count, float* to) { std::copy_n(from, count, to); }
void convert(const std::uint8_t* from, int count, float* to) {
  const Floats d;
  const hn::Rebind<std::int32_t, Floats> integers;
  const hn::Rebind<std::uint8_t, Floats> bytes;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, from + i))), d, to + i);
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

// The pixels [from, to) of row y. All of them may lie outside the image.
struct LineOf {
  int y, from, to;
};
template <class T>
void fill_line(ImageView<const T> image, const detail::ConvolveParams& params, const LineOf& wanted,
               float* line) {
  const int y = wanted.y, from = wanted.from, to = wanted.to;
  const int channels = image.channels;
  const int source = detail::border_index(y, image.height, params.border);
  if (source < 0) {
    std::fill_n(line, (to - from) * channels, params.border_value);
    return;
  }
  const T* row = image.row(source);
  const auto fill_border = [&](int begin, int end) {
    for (int x = begin; x < end; ++x) {
      const int column = detail::border_index(x, image.width, params.border);
      for (int c = 0; c < channels; ++c)
        line[(x - from) * channels + c] =
            column < 0 ? params.border_value : static_cast<float>(row[column * channels + c]);
    }
  };
  const int inner = std::clamp(from, 0, image.width), outer = std::clamp(to, 0, image.width);
  fill_border(from, inner);
  convert(row + inner * channels, (outer - inner) * channels, line + (inner - from) * channels);
  fill_border(outer, to);
}

// The lines under a kernel for output columns [first, last), in a ring: line y of the image (which
// may lie outside it) is stored at y modulo the ring's size.
template <class T, class Out>
class LineRing {
 public:
  LineRing(const detail::ConvolveJob<T, Out>& job, int strip)
      : job_(job),
        width_(job.along.empty() ? job.taps.width : static_cast<int>(job.along.size())),
        stride_((strip + width_ - 1) * job.image.channels + detail::kConvolvePadding),
        size_(job.taps.height + kRows - 1),
        buffer_(static_cast<std::size_t>(size_) * stride_),
        line_(static_cast<std::size_t>(size_)),
        padded_(job.along.empty() ? 0 : stride_) {}

  void start(int first, int last) {
    first_ = first - job_.params.anchor_x;
    last_ = last - job_.params.anchor_x + width_ - 1;
    elements_ = (last - first) * job_.image.channels;
    next_ = job_.first - job_.params.anchor_y;
  }

  // Sets pointers to `count` lines from image row y on; y never decreases from call to call.
  void under(int y, int count, const float** pointers) {
    for (; next_ < y + count; ++next_) make(next_);
    const std::size_t first = slot(y), whole = line_.size() - first;
    const auto lines = static_cast<std::size_t>(count);
    std::copy_n(line_.data() + first, std::min(lines, whole), pointers);
    if (lines > whole) std::copy_n(line_.data(), lines - whole, pointers + whole);
  }

 private:
  std::size_t slot(int y) const {
    return static_cast<std::size_t>((y - job_.first + job_.params.anchor_y) % size_);
  }

  // Row y in place, if it consists of floats and the pixels around it are readable; else null.
  const float* source_row(int y) const {
    if constexpr (std::is_same_v<T, float>) {
      const ImageView<const float>& image = job_.image;
      const bool inside = y >= 0 && y < image.height && first_ >= 0 &&
                          last_ * image.channels + detail::kConvolvePadding <= image.row_elements();
      if (inside) return image.row(y) + first_ * image.channels;
    }
    return nullptr;
  }

  void make(int y) {
    float* own = buffer_.data() + slot(y) * stride_;
    const float* row = source_row(y);
    if (row == nullptr) {
      float* filled = job_.along.empty() ? own : padded_.data();
      fill_line(job_.image, job_.params, {y, first_, last_}, filled);
      row = filled;
    }
    if (!job_.along.empty()) {
      sum_along(row, job_.along, job_.image.channels, elements_, own);
      row = own;
    }
    line_[slot(y)] = row;
  }

  const detail::ConvolveJob<T, Out>& job_;
  int width_;
  std::size_t stride_;
  int size_;
  std::vector<float> buffer_;
  std::vector<const float*> line_;
  std::vector<float> padded_;
  int first_ = 0, last_ = 0;  // the source columns of a line
  int elements_ = 0;          // the elements of an output row
  int next_ = 0;
};

// The width of a strip, in columns: its lines under the kernel fill half of a common second-level
// cache. Narrower strips for the first level are slower, because rows in short pieces defeat the
// prefetcher.
inline int strip_width(int lines, int channels) {
  constexpr int kCacheFloats = 512 * 1024 / 4, kLeast = 128;
  return std::max(kCacheFloats / (lines * channels) / 64 * 64, kLeast);
}

template <class T, class Out>
void convolve_rows(const detail::ConvolveJob<T, Out>& job) {
  const int height = job.taps.height, step = job.image.channels;
  const int strip = std::min(strip_width(height + kRows - 1, step), job.image.width);
  LineRing<T, Out> ring(job, strip);
  std::vector<const float*> lines(static_cast<std::size_t>(height) + kRows - 1);
  for (int x = 0; x < job.image.width; x += strip) {
    const int columns = std::min(strip, job.image.width - x);
    const ImageView<Out> out = job.out.crop(x, 0, columns, job.out.height);
    ring.start(x, x + columns);
    int y = job.first;
    if (height >= kRows - 1) {
      for (; y + kRows <= job.last; y += kRows) {
        ring.under(y - job.params.anchor_y, height + kRows - 1, lines.data());
        sum_rows<kRows>(lines.data(), job.taps, step, out, y);
      }
    }
    for (; y < job.last; ++y) {
      ring.under(y - job.params.anchor_y, height, lines.data());
      sum_rows<1>(lines.data(), job.taps, step, out, y);
    }
  }
}

// Entry points for the dispatcher, which cannot name templates.
void convolve_u8_f32(const detail::ConvolveJob<std::uint8_t, float>& job) { convolve_rows(job); }
void convolve_u8_u8(const detail::ConvolveJob<std::uint8_t, std::uint8_t>& job) {
  convolve_rows(job);
}
void convolve_f32_f32(const detail::ConvolveJob<float, float>& job) { convolve_rows(job); }

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(convolve_u8_f32);
HWY_EXPORT(convolve_u8_u8);
HWY_EXPORT(convolve_f32_f32);

void run(const detail::ConvolveJob<std::uint8_t, float>& job) {
  HWY_DYNAMIC_DISPATCH(convolve_u8_f32)(job);
}
void run(const detail::ConvolveJob<std::uint8_t, std::uint8_t>& job) {
  HWY_DYNAMIC_DISPATCH(convolve_u8_u8)(job);
}
void run(const detail::ConvolveJob<float, float>& job) {
  HWY_DYNAMIC_DISPATCH(convolve_f32_f32)(job);
}

template <class T, class Out>
void run_parallel(const detail::ConvolveJob<T, Out>& whole, const Exec& exec) {
  // Each task computes extra lines, as many as the kernel is high, so there are few tasks. A row's
  // result does not depend on the task that computes it.
  const int height = whole.image.height, threads = thread_count(exec);
  constexpr int kLeastRows = 16;
  const int tasks = threads == 1 ? 1 : 2 * threads;
  const int rows = std::max((height + tasks - 1) / tasks, kLeastRows);
  parallel_for(exec, height, rows, [&](std::int64_t first, std::int64_t last) {
    detail::ConvolveJob<T, Out> job = whole;
    job.first = static_cast<int>(first);
    job.last = static_cast<int>(last);
    run(job);
  });
}

}  // namespace

template <class T, class Out>
void convolve_separable(ImageView<const T> image, ImageView<Out> out,
                        const detail::SeparableKernel& kernel, const detail::ConvolveParams& params,
                        const Exec& exec) {
  const detail::Kernel2d column{kernel.column.data(), 1, static_cast<int>(kernel.column.size())};
  run_parallel<T, Out>({image, out, kernel.row, column, params, 0, 0}, exec);
}

template <class T, class Out>
void convolve(ImageView<const T> image, ImageView<Out> out, const detail::Kernel2d& kernel,
              const detail::ConvolveParams& params, const Exec& exec) {
  run_parallel<T, Out>({image, out, {}, kernel, params, 0, 0}, exec);
}
#define FOVEA_CONVOLVE(T, Out)                                                                    \
  template void convolve_separable(ImageView<const T>, ImageView<Out>,                            \
                                   const detail::SeparableKernel&, const detail::ConvolveParams&, \
                                   const Exec&);                                                  \
  template void convolve(ImageView<const T>, ImageView<Out>, const detail::Kernel2d&,             \
                         const detail::ConvolveParams&, const Exec&);
FOVEA_FOR_EACH_CONVOLVE(FOVEA_CONVOLVE)
#undef FOVEA_CONVOLVE

}  // namespace fovea::cpu
#endif  // HWY_ONCE
