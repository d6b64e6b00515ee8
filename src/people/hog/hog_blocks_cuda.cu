// Blocks of gradients on CUDA. Blocks of 2x2 cells of 8 pixels on a grid of 8 pixels, which nearly
// all models use, have kernels of their own. One computes the vote of every pixel once; the other
// keeps two rows of blocks in registers and the histogram of a row in shared memory, where one
// thread serves one column of cells and waits for no other. Any other geometry is summed block by
// block.
#include <algorithm>

#include "ops/integral/integral_math.h"
#include "people/hog/hog_blocks_cuda.cuh"
#include "people/model_parts.h"

namespace fovea::people::cuda {
namespace {

constexpr struct {
  int vote_threads = 256;  // threads of a block that computes votes
  int vote_rows = 8;       // rows of pixels that it serves
  int units = 64;          // neighboring HOG blocks per block of threads
  int strip = 4;           // rows of HOG blocks that it computes, one after the other
  int resident = 5;        // blocks of threads that should fit on a multiprocessor
  int other_x = 32;        // HOG blocks per block of threads in the general kernel
  int other_y = 4;
} kTuning;

constexpr int kCell = 8, kGrid = 8, kSize = 16, kParts = 2, kBins = 9;
constexpr int kThreads = kTuning.units * kParts;
constexpr int kVoteColumns = 32;  // periods of 16 pixels that a block of threads serves
constexpr int kVotePixels = kVoteColumns * kSize;  // pixels per row
constexpr int kVoteAlign = 4;  // rows of votes begin at a multiple of so many periods
constexpr int kColumnPitch = kVoteColumns + 1;  // odd, so that neighbors lie in different banks

struct Job {
  HogTables tables;
  const DeviceLevel* images;
  const HogDeviceLevel* levels;
  const Tile* tiles;
  const std::uint8_t* pixels;
  HogVotes votes;
  float* blocks;
};

// One channel of the pixels around (x, y) of a level.
struct PixelsAround {
  const DeviceLevel& image;
  const std::uint8_t* pixels;  // the level's first
  const float* gamma;
  int x, y, step, channel;

  FOVEA_HD float operator()(int dx, int dy) const {
    const std::int64_t line =
        static_cast<std::int64_t>(mirrored_pixel(y + dy, image.height)) * image.stride;
    return gamma[pixels[line + mirrored_pixel(x + dx, image.width) * step + channel]];
  }
};

// The vote of the pixel at (x, y) of a level.
__device__ Vote vote_at(const HogTables& t, const float* gamma, const DeviceLevel& image,
                        const std::uint8_t* pixels, int x, int y) {
  const auto step = t.channels;
  Slope best{};
  float most = -1;
  for (int c = 0; c < step; ++c) {
    const Slope slope =
        slope_of(t.mask, PixelsAround{image, pixels + image.offset, gamma, x, y, step, c});
    const float square = squared_length(slope);
    if (square > most) {
      most = square;
      best = slope;
    }
  }
  return vote_of(best.dx, best.dy, t.votes);
}

// The number that a byte counts as. A table of the identity would only cost time.
template <bool kPlain>
__device__ float counted(std::uint8_t value, const float* gamma) {
  return kPlain ? static_cast<float>(value) : gamma[value];
}

// Computes the votes of some rows of pixels. They are transposed in shared memory, so that the 16
// places of a period are separated and threads that serve neighboring HOG blocks read neighboring
// numbers. A thread goes down its columns and keeps the pixels of the row above and of this row.
template <bool kPlain, int kChannels>
__global__ void __launch_bounds__(kTuning.vote_threads) vote_kernel(Job job) {
  __shared__ float2 shares[kSize * kColumnPitch];
  __shared__ std::uint8_t bins[kSize * kColumnPitch];
  __shared__ float gamma[256];
  constexpr int kRounds = kVotePixels / kTuning.vote_threads;
  const Tile tile = job.tiles[blockIdx.x];
  const DeviceLevel image = job.images[tile.level];
  const HogDeviceLevel level = job.levels[tile.level];
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (!kPlain) {
    for (int i = thread; i < 256; i += kTuning.vote_threads) gamma[i] = job.tables.gamma[i];
    __syncthreads();
  }
  const int last = min(tile.y + kTuning.vote_rows, (level.y.blocks - 1) * kGrid + kSize);
  const auto row = [&](int y) {
    return job.pixels + image.offset +
           static_cast<std::int64_t>(mirrored_neighbor(level.y.origin + y, image.height)) *
               image.stride;
  };
  int at[kRounds], left[kRounds], right[kRounds];  // byte offsets in a row
  float above[kRounds][kChannels], here[kRounds][kChannels];
#pragma unroll
  for (int k = 0; k < kRounds; ++k) {
    // Votes beyond the last one are computed from existing pixels and are not used.
    const int x = min(level.x.origin + tile.x + thread + k * kTuning.vote_threads, image.width - 1);
    at[k] = x * kChannels;
    left[k] = mirrored_neighbor(x - 1, image.width) * kChannels;
    right[k] = mirrored_neighbor(x + 1, image.width) * kChannels;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      above[k][c] = counted<kPlain>(row(tile.y - 1)[at[k] + c], gamma);
      here[k][c] = counted<kPlain>(row(tile.y)[at[k] + c], gamma);
    }
  }
  for (int y = tile.y; y < last; ++y) {
    const std::uint8_t *center = row(y), *below = row(y + 1);
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      Slope best{};
      float most = -1;
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const float next = counted<kPlain>(below[at[k] + c], gamma);
        const Slope slope{counted<kPlain>(center[right[k] + c], gamma) -
                              counted<kPlain>(center[left[k] + c], gamma),
                          next - above[k][c]};
        above[k][c] = here[k][c];
        here[k][c] = next;
        const float square = squared_length(slope);
        if (square > most) {
          most = square;
          best = slope;
        }
      }
      const Vote vote = vote_of(best.dx, best.dy, job.tables.votes);
      const int i = thread + k * kTuning.vote_threads;
      const int place = i % kSize * kColumnPitch + i / kSize;
      shares[place] = {vote.low, vote.high};
      bins[place] = static_cast<std::uint8_t>(vote.n);
    }
    __syncthreads();
    const std::int64_t to =
        level.first_vote + static_cast<std::int64_t>(y) * kSize * level.vote_pitch + tile.x / kSize;
#pragma unroll
    for (int k = 0; k < kRounds; ++k) {
      const int i = thread + k * kTuning.vote_threads;
      const int q = i / kVoteColumns, c = i % kVoteColumns;
      if (tile.x / kSize + c >= level.vote_pitch) continue;
      const int place = q * kColumnPitch + c;
      job.votes.shares[to + (q * level.vote_pitch + c)] = shares[place];
      job.votes.bins[to + (q * level.vote_pitch + c)] = bins[place];
    }
    __syncthreads();
  }
}

// Two neighboring threads sum the two halves of a block's numbers one after the other, as the CPU
// does: part 1 continues from the result of part 0.
template <class Add>
__device__ float block_sum(Add add) {
  constexpr unsigned kAll = ~0U;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const float first = add(0.0F);
  const float both = add(__shfl_sync(kAll, first, lane & ~1));
  return __shfl_sync(kAll, both, lane | 1);
}

__device__ void write_block(const Job& job, const HogDeviceLevel& level,
                            float (&numbers)[kParts][kBins], int3 place, bool inside) {
  const NormParams norm = job.tables.norm;
  const int unit = place.x, row = place.y, part = place.z;
  const float scale = norm_scale(block_sum([&](float sum) {
#pragma unroll
                                   for (int j = 0; j < kParts; ++j)
#pragma unroll
                                     for (int b = 0; b < kBins; ++b)
                                       sum = norm_add(sum, numbers[j][b], norm);
                                   return sum;
                                 }),
                                 norm);
#pragma unroll
  for (int j = 0; j < kParts; ++j)
#pragma unroll
    for (int b = 0; b < kBins; ++b) numbers[j][b] = norm_apply(numbers[j][b], scale, norm);
  float again = 1;
  if (norm.norm == BlockNorm::kL2Hys) {
    again = clipped_scale(block_sum([&](float sum) {
#pragma unroll
      for (int j = 0; j < kParts; ++j)
#pragma unroll
        for (int b = 0; b < kBins; ++b) sum = std::fma(numbers[j][b], numbers[j][b], sum);
      return sum;
    }));
  }
  if (!inside) return;
  float* out =
      job.blocks + level.first +
      static_cast<std::int64_t>(row * job.tables.numbers + part * kParts * kBins) * level.pitch +
      unit;
#pragma unroll
  for (int j = 0; j < kParts; ++j)
#pragma unroll
    for (int b = 0; b < kBins; ++b)
      out[(j * kBins + b) * level.pitch] =
          norm.norm == BlockNorm::kL2Hys ? numbers[j][b] * again : numbers[j][b];
}

// One strip of rows of HOG blocks. Two neighboring threads serve the two columns of cells of a
// block. The pixels of a row vote in the order of their place in a period of 16, as on the CPU;
// `weight` holds their weights in that order.
__global__ void __launch_bounds__(kThreads, kTuning.resident) common_kernel(Job job) {
  __shared__ float histogram[kBins + 2][kThreads];
  const Tile tile = job.tiles[blockIdx.x];
  const HogDeviceLevel level = job.levels[tile.level];
  const int thread = static_cast<int>(threadIdx.x);
  const int part = thread & 1;
  const bool inside = tile.x + thread / 2 < level.x.blocks;
  const int unit = min(tile.x + thread / 2, level.x.blocks - 1);
  const int odd = unit & 1;
  float weight[kSize];
#pragma unroll
  for (int q = 0; q < kSize; ++q)
    weight[q] = job.tables.weights[part * kSize + (q + kGrid * odd) % kSize];
  // The places of the pixels in the two halves of the period for this unit.
  const int columns[2] = {(unit + odd) / 2, (unit - odd) / 2};
  const int last_row = min(tile.y + kTuning.strip, level.y.blocks);
  float(*own)[kThreads] = histogram;
  // The HOG block that began 8 rows ago, and the one that begins now.
  float open[2][kParts][kBins] = {};
  for (int half = tile.y; half <= last_row; ++half) {
#pragma unroll 1
    for (int r = 0; r < kGrid; ++r) {
      const std::int64_t row =
          level.first_vote + static_cast<std::int64_t>(half * kGrid + r) * kSize * level.vote_pitch;
      const float2* shares = job.votes.shares + row;
      const std::uint8_t* bins = job.votes.bins + row;
#pragma unroll
      for (int b = 0; b < kBins + 2; ++b) own[b][thread] = 0;
#pragma unroll
      for (int first = 0; first < kSize; first += kGrid) {
        float2 share[kGrid];
        int n[kGrid];
#pragma unroll
        for (int k = 0; k < kGrid; ++k) {
          const int at = (first + k) * level.vote_pitch + columns[first / kGrid];
          share[k] = __ldg(shares + at);
          n[k] = __ldg(bins + at);
        }
#pragma unroll
        for (int k = 0; k < kGrid; ++k) {
          float &low = own[n[k]][thread], &high = own[n[k] + 1][thread];
          const float new_low = std::fma(weight[first + k], share[k].x, low);
          const float new_high = std::fma(weight[first + k], share[k].y, high);
          low = new_low;
          high = new_high;
        }
      }
      own[kBins][thread] += own[0][thread];
      own[1][thread] += own[kBins + 1][thread];
#pragma unroll
      for (int j = 0; j < kParts; ++j) {
        const float lower = __ldg(job.tables.weights + j * kSize + kGrid + r);
        const float upper = __ldg(job.tables.weights + j * kSize + r);
#pragma unroll
        for (int b = 0; b < kBins; ++b) {
          const float value = own[b + 1][thread];
          open[0][j][b] = std::fma(lower, value, open[0][j][b]);
          open[1][j][b] = std::fma(upper, value, open[1][j][b]);
        }
      }
    }
    if (half > tile.y) write_block(job, level, open[0], {unit, half - 1, part}, inside);
#pragma unroll
    for (int j = 0; j < kParts; ++j)
#pragma unroll
      for (int b = 0; b < kBins; ++b) {
        open[0][j][b] = open[1][j][b];
        open[1][j][b] = 0;
      }
  }
}

constexpr int kMostBins = 32;

// A rectangular part of a HOG block: pixels [0, size) in both directions from (x, y), weighted by
// the columns `wx` and rows `wy`; null stands for weight 1.
struct Part {
  int x, y, size;
  const float* wx;
  const float* wy;
};

__device__ void sum_part(const Job& job, const DeviceLevel& image, const HogDeviceLevel& level,
                         const Part& part, float* out) {
  const HogTables& t = job.tables;
  for (int b = 0; b < t.bins; ++b) out[b] = 0;
  float row[kMostBins + 2];
  for (int j = 0; j < part.size; ++j) {
    const float down = part.wy == nullptr ? 1.0F : part.wy[j];
    if (down == 0) continue;
    for (int b = 0; b < t.bins + 2; ++b) row[b] = 0;
    for (int q = 0; q < level.period; ++q) {
      int i = (q - part.x) % level.period;
      if (i < 0) i += level.period;
      if (i >= part.size) continue;
      const float across = part.wx == nullptr ? 1.0F : part.wx[i];
      if (across == 0) continue;
      const Vote vote = vote_at(t, t.gamma, image, job.pixels, level.x.origin + part.x + i,
                                level.y.origin + part.y + j);
      if (t.votes.interpolate) row[vote.n] = std::fma(across, vote.low, row[vote.n]);
      row[vote.n + 1] = std::fma(across, vote.high, row[vote.n + 1]);
    }
    row[t.bins] += row[0];
    row[1] += row[t.bins + 1];
    for (int b = 0; b < t.bins; ++b) out[b] = std::fma(down, row[b + 1], out[b]);
  }
}

// The same cell from integral histograms is this sum of integers.
__device__ void sum_fixed(const Job& job, const DeviceLevel& image, const HogDeviceLevel& level,
                          const Part& part, float* out) {
  const HogTables& t = job.tables;
  std::uint32_t sums[kMostBins] = {};
  for (int j = 0; j < part.size; ++j)
    for (int i = 0; i < part.size; ++i) {
      const Vote vote = vote_at(t, t.gamma, image, job.pixels, level.x.origin + part.x + i,
                                level.y.origin + part.y + j);
      sums[high_bin(vote.n, t.bins)] += fovea::detail::fixed_point(vote.high, kHogSumScale);
    }
  for (int b = 0; b < t.bins; ++b) out[b] = static_cast<float>(sums[b]) / kHogSumScale;
}

__device__ void sum_circle(const Job& job, const DeviceLevel& image, const HogDeviceLevel& level,
                           const Part& block, float* numbers, std::int64_t pitch) {
  const HogTables& t = job.tables;
  for (int e = 0; e < t.numbers; ++e) numbers[e * pitch] = 0;
  for (int v = 0; v < t.size; ++v)
    for (int u = 0; u < t.size; ++u) {
      const int part = t.circle[v * t.size + u];
      if (part < 0) continue;
      const float weight = t.circle_weights[v * t.size + u];
      const Vote vote = vote_at(t, t.gamma, image, job.pixels, level.x.origin + block.x + u,
                                level.y.origin + block.y + v);
      float& high = numbers[(part * t.bins + high_bin(vote.n, t.bins)) * pitch];
      if (t.votes.interpolate) {
        float& low = numbers[(part * t.bins + low_bin(vote.n, t.bins)) * pitch];
        low = std::fma(weight, vote.low, low);
      }
      high = std::fma(weight, vote.high, high);
    }
}

__device__ void normalize(const Job& job, float* numbers, std::int64_t pitch) {
  const HogTables& t = job.tables;
  float sum = 0;
  for (int e = 0; e < t.numbers; ++e) sum = norm_add(sum, numbers[e * pitch], t.norm);
  const float scale = norm_scale(sum, t.norm);
  float squares = 0;
  for (int e = 0; e < t.numbers; ++e) {
    const float value = norm_apply(numbers[e * pitch], scale, t.norm);
    numbers[e * pitch] = value;
    squares = std::fma(value, value, squares);
  }
  if (t.norm.norm != BlockNorm::kL2Hys) return;
  const float again = clipped_scale(squares);
  for (int e = 0; e < t.numbers; ++e) numbers[e * pitch] *= again;
}

enum class Sums : unsigned char { kBlocks, kCells, kFixed, kCircle };

// One thread per HOG block.
template <Sums kSums>
__global__ void other_kernel(Job job) {
  const Tile tile = job.tiles[blockIdx.x];
  const DeviceLevel image = job.images[tile.level];
  const HogDeviceLevel level = job.levels[tile.level];
  const int k = tile.x + static_cast<int>(threadIdx.x),
            row = tile.y + static_cast<int>(threadIdx.y);
  if (k >= level.x.blocks || row >= level.y.blocks) return;
  const HogTables& t = job.tables;
  float* out =
      job.blocks + level.first + static_cast<std::int64_t>(row) * t.numbers * level.pitch + k;
  const int x = k * level.x.grid, y = row * level.y.grid;
  if constexpr (kSums == Sums::kCircle) {
    sum_circle(job, image, level, {x, y, t.size, nullptr, nullptr}, out, level.pitch);
  } else {
    float bins[kMostBins];
    for (int i = 0; i < t.block; ++i)
      for (int j = 0; j < t.block; ++j) {
        const Part cell{x + i * t.cell, y + j * t.cell, t.cell, nullptr, nullptr};
        if constexpr (kSums == Sums::kFixed) sum_fixed(job, image, level, cell, bins);
        if constexpr (kSums == Sums::kCells) sum_part(job, image, level, cell, bins);
        if constexpr (kSums == Sums::kBlocks)
          sum_part(job, image, level,
                   {x, y, t.size, t.weights + i * t.size, t.weights + j * t.size}, bins);
        for (int b = 0; b < t.bins; ++b)
          out[static_cast<std::int64_t>((i * t.block + j) * t.bins + b) * level.pitch] = bins[b];
      }
  }
  normalize(job, out, level.pitch);
}

Extent voting_pixels(const HogDeviceLevel& level) {
  return {(level.x.blocks - 1) * kGrid + kSize, (level.y.blocks - 1) * kGrid + kSize};
}

bool is_common(Kind kind, const HogOptions& hog, const HogDeviceLevel& level) {
  return kind == Kind::kHog && hog.shape == BlockShape::kRectangular && hog.cell == kCell &&
         hog.block == kParts && hog.bins == kBins && hog.interpolate && level.x.grid == kGrid &&
         level.y.grid == kGrid && hog.mask == GradientMask::kCentered &&
         hog.vote == VoteWeight::kMagnitude;
}

}  // namespace

HogBlocks::HogBlocks(Kind kind, const HogOptions& hog)
    : kind_(kind), hog_(hog_of_kind(kind, hog)), numbers_(block_size(hog_)) {
  check_geometry(hog);
  check_for_gpu(hog);
}

HogTables HogBlocks::tables(int channels) {
  return {vote_params(hog_),
          norm_params(hog_),
          gamma_.data(),
          weights_.data(),
          circle_.data(),
          circle_weights_.data(),
          hog_.mask,
          hog_.cell,
          hog_.block,
          hog_.bins,
          hog_.cell * hog_.block,
          numbers_,
          hog_.color ? channels : 1};
}

void HogBlocks::lay_out(Session& session, LevelImages& images, const ScanPlan& plan) {
  levels_.clear();
  std::int64_t floats = 0, votes = 0;
  for (const ScanLevel& scan : plan.levels) {
    HogDeviceLevel level{};
    const HogSide across = side_across(hog_);
    level.x = hog_axis(across, scan.columns, plan, plan.origin);
    level.y = hog_axis(side_down(hog_), scan.rows, plan, plan.top(scan));
    const HistogramAxis units =
        kind_ == Kind::kHog ? block_axis(hog_, across, level.x) : cell_axis(across, level.x);
    level.unit_grid = units.grid;
    level.period = (units.size + units.grid - 1) / units.grid * units.grid;
    level.pitch = (level.x.blocks + 31) / 32 * 32;
    level.first = floats;
    level.common = is_common(kind_, hog_, level);
    floats += static_cast<std::int64_t>(level.pitch) * level.y.blocks * numbers_;
    if (level.common) {
      const Extent voting = voting_pixels(level);
      level.vote_pitch =
          (voting.width + kSize * kVoteAlign - 1) / (kSize * kVoteAlign) * kVoteAlign;
      level.first_vote = votes;
      votes += static_cast<std::int64_t>(level.vote_pitch) * kSize * voting.height;
    }
    levels_.push_back(level);
  }
  const auto tiles = [&](Extent tile, auto extent_of) {
    return tiles_over(images.levels(), tile, [&](const DeviceLevel& image) {
      return extent_of(levels_[static_cast<std::size_t>(&image - images.levels().data())]);
    });
  };
  const auto voting = tiles({kVotePixels, kTuning.vote_rows}, [](const HogDeviceLevel& level) {
    return level.common ? voting_pixels(level) : Extent{};
  });
  const auto common = tiles({kTuning.units, kTuning.strip}, [](const HogDeviceLevel& level) {
    return level.common ? Extent{level.x.blocks, level.y.blocks} : Extent{};
  });
  const auto other = tiles({kTuning.other_x, kTuning.other_y}, [](const HogDeviceLevel& level) {
    return level.common ? Extent{} : Extent{level.x.blocks, level.y.blocks};
  });
  vote_tiles_ = voting.size();
  common_tiles_ = common.size();
  other_tiles_ = other.size();
  voting_.fill(voting, session.stream());
  common_.fill(common, session.stream());
  other_.fill(other, session.stream());
  vote_shares_.reserve(static_cast<std::size_t>(votes));
  vote_bins_.reserve(static_cast<std::size_t>(votes));
  device_levels_.fill(levels_, session.stream());
  blocks_.reserve(static_cast<std::size_t>(floats));
  gamma_.fill(gamma_table(hog_.gamma), session.stream());
  const HogSide across = side_across(hog_);
  weights_.fill(block_axis(hog_, across, hog_axis(across, 1, plan, plan.origin)).weights,
                session.stream());
  if (hog_.shape == BlockShape::kCircular) {
    const CircularBlock circle = circular_block(hog_);
    circle_.fill(circle.part, session.stream());
    circle_weights_.fill(circle.weight, session.stream());
  }
}

void HogBlocks::build(Session& session, LevelImages& images, DeviceSteps* steps) {
  Job job{tables(images.channels()),
          images.device_levels(),
          device_levels_.data(),
          voting_.data(),
          images.pixels(),
          {vote_shares_.data(), vote_bins_.data()},
          blocks_.data()};
  if (common_tiles_ > 0) {
    if (steps) steps->begin(Step::kGradients);
    const auto launch = [&](auto* kernel) {
      kernel<<<static_cast<unsigned>(vote_tiles_), kTuning.vote_threads, 0, session.stream()>>>(
          job);
    };
    const bool plain = hog_.gamma == Gamma::kNone;
    if (job.tables.channels == 1) launch(plain ? vote_kernel<true, 1> : vote_kernel<false, 1>);
    else launch(plain ? vote_kernel<true, 3> : vote_kernel<false, 3>);
    check_launch("votes of pixels");
    if (steps) steps->begin(Step::kBlocks);
    job.tiles = common_.data();
    common_kernel<<<static_cast<unsigned>(common_tiles_), kThreads, 0, session.stream()>>>(job);
    check_launch("blocks of gradients");
  }
  if (other_tiles_ == 0) return;
  if (steps) steps->begin(Step::kBlocks);
  job.tiles = other_.data();
  const dim3 grid(static_cast<unsigned>(other_tiles_)), threads(kTuning.other_x, kTuning.other_y);
  if (hog_.shape == BlockShape::kCircular)
    other_kernel<Sums::kCircle><<<grid, threads, 0, session.stream()>>>(job);
  else if (kind_ == Kind::kHogIntegral)
    other_kernel<Sums::kFixed><<<grid, threads, 0, session.stream()>>>(job);
  else if (kind_ == Kind::kHogCells)
    other_kernel<Sums::kCells><<<grid, threads, 0, session.stream()>>>(job);
  else other_kernel<Sums::kBlocks><<<grid, threads, 0, session.stream()>>>(job);
  check_launch("blocks of gradients");
}

}  // namespace fovea::people::cuda
