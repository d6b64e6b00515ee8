// Window histograms, their ranks and their look-up in one kernel: a histogram is written to memory
// only where it is new. A thread keeps the histogram of one column of the window in registers, with
// four counts per word; a step down changes two of them. The words are exchanged in shared memory,
// where the thread of a pixel adds up the columns around it.
#include "emd/map/map_device.cuh"
#include "ops/histogram/window_histogram_math.h"

namespace fovea::emd::cuda {
namespace {

constexpr struct {
  int threads = 256;             // columns per block; windows reach beyond it at both ends
  int rows = 16;                 // rows per block, which first counts the window's rows above it
  int most_window = 15;          // counts fit into a byte
  int most_words = 8;            // words of four bins
  int shared_table = 24 * 1024;  // bytes of ranks that are loaded to shared memory
} kTuning;

template <int kWords>
class WindowStrip {
 public:
  __device__ WindowStrip(const WindowBand& band, const LookUp& job, const std::uint64_t* binomials,
                         unsigned* columns)
      : band_(band),
        job_(job),
        binomials_(binomials),
        columns_(columns),
        x_(static_cast<int>(blockIdx.x) * (kTuning.threads - 2 * band.radius) - band.radius +
           static_cast<int>(threadIdx.x)),
        inside_(static_cast<int>(threadIdx.x) >= band.radius &&
                static_cast<int>(threadIdx.x) < kTuning.threads - band.radius &&
                x_ < band.labels.width) {
    line_ = fovea::detail::window_line(x_, band.labels.width, band.repeat);
  }

  __device__ void run(int first, int last) {
    unsigned column[kWords] = {};
#pragma unroll 4
    for (int y = first - band_.radius; y < first + band_.radius; ++y)
      change(column, label_at(y), 1);
    int enters = label_at(first + band_.radius), leaves = -1;
    for (int y = first; y < last; ++y) {
      change(column, enters, 1);
      change(column, leaves, ~0U);
      // Two buffers in turn: a thread may write the next row while others still read this one.
      unsigned* const row = columns_ + (y & 1) * kWords * kTuning.threads;
#pragma unroll
      for (int q = 0; q < kWords; ++q) row[q * kTuning.threads + threadIdx.x] = column[q];
      if (y + 1 < last) {  // loaded while this row is looked up
        enters = label_at(y + 1 + band_.radius);
        leaves = label_at(y - band_.radius);
      }
      __syncthreads();
      look_up(row, y);
    }
    cached_ = __reduce_add_sync(~0U, cached_);
    if (threadIdx.x % 32 == 0 && cached_ > 0) atomicAdd(&job_.counters->cached, cached_);
  }

 private:
  // The bin of this thread's column in a row, or -1 where nothing is counted.
  __device__ int label_at(int y) const {
    const int row = fovea::detail::window_line(y, band_.labels.height, band_.repeat);
    if (row < 0 || line_ < 0) return -1;
    const int label = band_.labels.row(row)[line_];
    return label < band_.rank.bins ? label : -1;
  }
  __device__ static void change(unsigned (&column)[kWords], int bin, unsigned by) {
    const unsigned one = by << ((bin & 3) * 8);
#pragma unroll
    for (int q = 0; q < kWords; ++q)
      if (bin >> 2 == q) column[q] += one;  // never where bin is -1
  }

  // A sum of columns can only carry over if the window's own count does, and that fits into its
  // byte.
  __device__ void look_up(const unsigned* row, int y) {
    unsigned counts[kWords] = {};
    detail::Place place{detail::kUnknown, detail::kUnknown, false};
    if (inside_) {
      for (int d = -band_.radius; d <= band_.radius; ++d)
#pragma unroll
        for (int q = 0; q < kWords; ++q)
          counts[q] += row[q * kTuning.threads + static_cast<int>(threadIdx.x) + d];
      const std::uint64_t key = rank(counts);
      if (key == detail::kNoKey) place.claimed = true;
      else
        place = find_or_claim(job_.known, detail::scramble(key), key,
                              [key](std::uint64_t there) { return there == key; });
    }
    const int band_y = y - band_.rows.first;
    const auto pixel =
        static_cast<std::uint32_t>(band_y) * static_cast<std::uint32_t>(band_.labels.width) +
        static_cast<std::uint32_t>(x_);
    const int number = list_fresh(job_, place, inside_, pixel);
    if (number >= 0) store_problem(number, counts);
    if (!inside_ || place.slot == detail::kUnknown) return;
    const bool ready = place.value != detail::kUnknown;
    cached_ += ready;
    set_bits(job_.distances, x_, band_y, ready ? place.value : detail::kPending | place.slot);
  }

  // The same as detail::rank_of(). The partial sums of a word's four counts are the bytes of one
  // product.
  __device__ std::uint64_t rank(const unsigned (&counts)[kWords]) const {
    std::uint64_t rank = 0;
    unsigned before = 0;
    const std::uint64_t* line = binomials_;
#pragma unroll
    for (int q = 0; q < kWords; ++q) {
      const unsigned sums = (counts[q] + before) * 0x01010101U;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (q * 4 + i < band_.rank.terms) {
          rank += line[sums >> (8 * i) & 255U];
          line += band_.rank.mass + 1;
        }
      before = sums >> 24;
    }
    return band_.rank.terms == band_.rank.bins || static_cast<int>(before) == band_.rank.mass
               ? rank
               : detail::kNoKey;
  }

  __device__ void store_problem(int number, const unsigned (&counts)[kWords]) const {
    std::uint16_t* to = job_.fresh.problems + static_cast<std::ptrdiff_t>(number) * band_.rank.bins;
#pragma unroll
    for (int b = 0; b < 4 * kWords; ++b)
      if (b < band_.rank.bins)
        to[b] = static_cast<std::uint16_t>(counts[b / 4] >> (b % 4 * 8) & 255U);
  }

  const WindowBand& band_;
  const LookUp& job_;
  const std::uint64_t* binomials_;
  unsigned* columns_;
  int x_;     // this thread's column
  int line_;  // where its labels are read, or -1
  bool inside_;
  unsigned cached_ = 0;
};

template <int kWords>
__global__ void __launch_bounds__(kTuning.threads)
    look_up_windows_kernel(const __grid_constant__ WindowBand band,
                           const __grid_constant__ LookUp job, int table_in_shared) {
  extern __shared__ std::uint64_t shared[];
  __shared__ unsigned columns[2 * kWords * kTuning.threads];
  const int first = band.rows.first + fovea::cuda::block_row() * kTuning.rows;
  if (first >= band.rows.last) return;
  const std::uint64_t* binomials = band.rank.binomials;
  if (table_in_shared > 0) {
    for (int i = static_cast<int>(threadIdx.x); i < table_in_shared; i += kTuning.threads)
      shared[i] = binomials[i];
    binomials = shared;
    __syncthreads();
  }
  WindowStrip<kWords>(band, job, binomials, columns)
      .run(first, min(first + kTuning.rows, band.rows.last));
}

template <int kWords>
void launch(const WindowBand& band, const LookUp& job, cudaStream_t stream) {
  const int entries = band.rank.terms * (band.rank.mass + 1);
  const auto bytes = static_cast<std::size_t>(entries) * sizeof(std::uint64_t);
  const bool in_shared = bytes <= static_cast<std::size_t>(kTuning.shared_table);
  const dim3 grid = fovea::cuda::tall_grid(
      fovea::cuda::blocks_for(band.labels.width, kTuning.threads - 2 * band.radius),
      fovea::cuda::blocks_for(band.rows.count(), kTuning.rows));
  look_up_windows_kernel<kWords><<<grid, kTuning.threads, in_shared ? bytes : 0, stream>>>(
      band, job, in_shared ? entries : 0);
  fovea::cuda::check_launch("emd map: windows");
}

}  // namespace

bool can_look_up_windows(const KeyPlan& keys, int window) {
  return keys.kind == KeyKind::kRank && window <= kTuning.most_window &&
         keys.bins <= 4 * kTuning.most_words;
}

void look_up_windows(const WindowBand& band, const LookUp& job, cudaStream_t stream) {
  switch ((band.rank.bins + 3) / 4) {
    case 1: return launch<1>(band, job, stream);
    case 2: return launch<2>(band, job, stream);
    case 3: return launch<3>(band, job, stream);
    case 4: return launch<4>(band, job, stream);
    case 5:
    case 6: return launch<6>(band, job, stream);
    default: return launch<kTuning.most_words>(band, job, stream);
  }
}

}  // namespace fovea::emd::cuda
