// CUDA twin of the window histogram. A block walks down a strip of the image and keeps the
// histograms of its columns in shared memory. A step down changes two counts of each column; prefix
// sums along the row then give every window as the difference of two, whatever its width. Counts
// are packed into 32-bit words and added as words. The counts of every window fit, so that a carry
// from one count into the next cancels in the difference.
#include "core/on_device.cuh"
#include "ops/histogram/backend.h"

namespace fovea::cuda {
namespace {

constexpr struct {
  int threads = 256;
  int strip = 128;  // pixels across a block; windows reach beyond it by their width
  int rows = 32;    // pixels down a block, which first counts the window's rows above it
} kTuning;
constexpr int kMostWindow = 255;
constexpr int kColumnsPerThread =
    (kTuning.strip + kMostWindow - 1 + kTuning.threads - 1) / kTuning.threads;

struct WindowLayout {
  int words;         // words per histogram
  int columns;       // columns of a strip and of the windows that reach beyond it
  int pitch;         // distance in words from the columns of one bin to those of the next
  bool whole_words;  // a histogram consists of whole, aligned words of the output
};

// The bins of one thread's columns in two rows: the row that enters the window and the row that
// leaves it.
struct RowChange {
  int enters[kColumnsPerThread], leaves[kColumnsPerThread];
};

template <class Count>
class WindowStrip {
  static constexpr int kPerWord = 4 / sizeof(Count), kBits = 8 * sizeof(Count);

 public:
  __device__ WindowStrip(ImageView<const std::uint8_t> bin, ImageView<Count> counts,
                         detail::WindowParams params, WindowLayout layout, unsigned* shared)
      : bin_(bin),
        counts_(counts),
        params_(params),
        layout_(layout),
        columns_(shared),
        prefixes_(shared + layout.words * layout.pitch),
        left_(blockIdx.x * kTuning.strip) {}

  __device__ void run() {
    const int first = block_row() * kTuning.rows;
    const int last = min(first + kTuning.rows, bin_.height);
    count_first_rows(first);
    RowChange change = fetch(first, first);
    for (int y = first; y < last; ++y) {
      apply(change);
      if (y + 1 < last) change = fetch(y + 1, first);  // loaded while this row is summed
      __syncthreads();
      sum_along_row();
      __syncthreads();
      if (layout_.whole_words) store_words(y);
      else store_counts(y);
    }
  }

 private:
  // The bin at a column of this block and a row, or -1 where nothing is counted.
  __device__ int bin_at(int column, int y) const {
    const int row = detail::window_line(y, bin_.height, params_.repeat);
    const int x =
        detail::window_line(left_ - params_.radius_x + column, bin_.width, params_.repeat);
    if (row < 0 || x < 0) return -1;
    const int value = bin_.row(row)[x];
    return value < counts_.channels ? value : -1;
  }
  __device__ void change_count(int column, int bin, int by) {
    if (bin >= 0)
      columns_[bin / kPerWord * layout_.pitch + column] += static_cast<unsigned>(by)
                                                           << (bin % kPerWord * kBits);
  }

  // Each column belongs to one thread, so that counting needs neither atomics nor barriers.
  __device__ void count_first_rows(int first) {
    for (int c = threadIdx.x; c < layout_.columns; c += kTuning.threads) {
      for (int q = 0; q < layout_.words; ++q) columns_[q * layout_.pitch + c] = 0;
#pragma unroll 4
      for (int y = first - params_.radius_y; y < first + params_.radius_y; ++y)
        change_count(c, bin_at(c, y), 1);
    }
    for (int q = threadIdx.x; q < layout_.words; q += kTuning.threads)
      prefixes_[q * layout_.pitch] = 0;
  }
  // The change when the window moves down to row y; at the first row of a block nothing leaves.
  __device__ RowChange fetch(int y, int first) const {
    RowChange change;
#pragma unroll
    for (int i = 0; i < kColumnsPerThread; ++i) {
      const int column = threadIdx.x + i * kTuning.threads;
      const bool here = column < layout_.columns;
      change.enters[i] = here ? bin_at(column, y + params_.radius_y) : -1;
      change.leaves[i] = here && y > first ? bin_at(column, y - 1 - params_.radius_y) : -1;
    }
    return change;
  }
  __device__ void apply(const RowChange& change) {
#pragma unroll
    for (int i = 0; i < kColumnsPerThread; ++i) {
      const int column = threadIdx.x + i * kTuning.threads;
      change_count(column, change.enters[i], 1);
      change_count(column, change.leaves[i], -1);
    }
  }

  // prefixes[q][c] becomes the sum of columns [0, c) of word q; one warp computes one word.
  __device__ void sum_along_row() {
    const int lane = threadIdx.x % 32;
    for (int q = threadIdx.x / 32; q < layout_.words; q += kTuning.threads / 32) {
      const unsigned* from = columns_ + q * layout_.pitch;
      unsigned* to = prefixes_ + q * layout_.pitch + 1;
      unsigned before = 0;
      for (int c = lane; c - lane < layout_.columns; c += 32) {
        unsigned sum = c < layout_.columns ? from[c] : 0;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
          const unsigned left = __shfl_up_sync(~0U, sum, step);
          if (lane >= step) sum += left;
        }
        sum += before;
        if (c < layout_.columns) to[c] = sum;
        before = __shfl_sync(~0U, sum, 31);
      }
    }
  }
  __device__ unsigned window(int pixel, int word) const {
    const unsigned* prefix = prefixes_ + word * layout_.pitch + pixel;
    return prefix[2 * params_.radius_x + 1] - prefix[0];
  }

  // Neighboring threads write neighboring words; `pixel` and `word` are advanced without a
  // division.
  __device__ void store_words(int y) const {
    const int words = layout_.words, pixels = min(kTuning.strip, bin_.width - left_);
    unsigned* out = reinterpret_cast<unsigned*>(&counts_.at(left_, y));
    int pixel = threadIdx.x / words, word = threadIdx.x % words;
    const int next_pixel = kTuning.threads / words, next_word = kTuning.threads % words;
    while (pixel < pixels) {
      out[pixel * words + word] = window(pixel, word);
      pixel += next_pixel;
      word += next_word;
      if (word >= words) word -= words, ++pixel;
    }
  }
  __device__ void store_counts(int y) const {
    const int bins = counts_.channels, pixels = min(kTuning.strip, bin_.width - left_);
    Count* out = &counts_.at(left_, y);
    int pixel = threadIdx.x / bins, bin = threadIdx.x % bins;
    const int next_pixel = kTuning.threads / bins, next_bin = kTuning.threads % bins;
    while (pixel < pixels) {
      out[pixel * bins + bin] =
          static_cast<Count>(window(pixel, bin / kPerWord) >> (bin % kPerWord * kBits));
      pixel += next_pixel;
      bin += next_bin;
      if (bin >= bins) bin -= bins, ++pixel;
    }
  }

  ImageView<const std::uint8_t> bin_;
  ImageView<Count> counts_;
  detail::WindowParams params_;
  WindowLayout layout_;
  unsigned* columns_;   // words x pitch
  unsigned* prefixes_;  // words x pitch
  int left_;            // the first pixel of the strip
};

template <class Count>
__global__ void __launch_bounds__(kTuning.threads)
    window_histogram_kernel(ImageView<const std::uint8_t> bin, ImageView<Count> counts,
                            detail::WindowParams params, WindowLayout layout) {
  extern __shared__ unsigned shared[];
  if (block_row() * kTuning.rows >= bin.height) return;
  WindowStrip<Count>(bin, counts, params, layout, shared).run();
}

template <class Count>
WindowLayout layout_for(const ImageView<Count>& counts, detail::WindowParams params) {
  constexpr int kPerWord = 4 / sizeof(Count);
  WindowLayout layout{};
  layout.words = (counts.channels + kPerWord - 1) / kPerWord;
  layout.columns = kTuning.strip + 2 * params.radius_x;
  // Threads that read the words of neighboring pixels then access different banks.
  int spread = 1;
  while (spread < layout.words) spread *= 2;
  layout.pitch = (layout.columns + 1 + 31) / 32 * 32 + 32 / spread;
  const auto address = reinterpret_cast<std::size_t>(counts.data);
  layout.whole_words = counts.channels % kPerWord == 0 && counts.stride % kPerWord == 0 &&
                       address % sizeof(unsigned) == 0;
  return layout;
}

template <class T>
__global__ void quantize_kernel(ImageView<const T> image, ImageView<std::uint8_t> bin,
                                detail::QuantizeParams params) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = block_row();
  if (x >= image.row_elements() || y >= image.height) return;
  bin.row(y)[x] = detail::quantize_value(static_cast<float>(image.row(y)[x]), params);
}

}  // namespace

template <class Count>
void window_histogram(ImageView<const std::uint8_t> bin, ImageView<Count> counts,
                      detail::WindowParams params, const Exec& exec) {
  Session session(exec);
  OnDevice<const std::uint8_t> in(session, bin);
  OnDevice<Count> out(session, counts);
  const WindowLayout layout = layout_for(out.image(), params);
  const std::size_t bytes = std::size_t{2} * layout.words * layout.pitch * sizeof(unsigned);
  allow_shared(window_histogram_kernel<Count>, bytes, "window_histogram");
  const dim3 grid =
      tall_grid(blocks_for(bin.width, kTuning.strip), blocks_for(bin.height, kTuning.rows));
  window_histogram_kernel<<<grid, kTuning.threads, bytes, session.stream()>>>(
      in.image(), out.image(), params, layout);
  check_launch("window_histogram");
  out.fetch();
  session.finish("window_histogram");
}
template void window_histogram(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                               detail::WindowParams, const Exec&);
template void window_histogram(ImageView<const std::uint8_t>, ImageView<std::uint16_t>,
                               detail::WindowParams, const Exec&);

template <class T>
void quantize(ImageView<const T> image, ImageView<std::uint8_t> bin, detail::QuantizeParams params,
              const Exec& exec) {
  Session session(exec);
  OnDevice<const T> in(session, image);
  OnDevice<std::uint8_t> out(session, bin);
  const dim3 grid = tall_grid(blocks_for(image.row_elements(), kTuning.threads),
                              static_cast<unsigned>(image.height));
  quantize_kernel<<<grid, kTuning.threads, 0, session.stream()>>>(in.image(), out.image(), params);
  check_launch("quantize");
  out.fetch();
  session.finish("quantize");
}
template void quantize(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                       detail::QuantizeParams, const Exec&);
template void quantize(ImageView<const std::uint16_t>, ImageView<std::uint8_t>,
                       detail::QuantizeParams, const Exec&);
template void quantize(ImageView<const float>, ImageView<std::uint8_t>, detail::QuantizeParams,
                       const Exec&);

}  // namespace fovea::cuda
