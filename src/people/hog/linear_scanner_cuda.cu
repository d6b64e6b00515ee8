// CUDA twin of the scanner of linear models: all levels of a frame in a handful of launches. One
// thread scores four windows, one above the other, which share the rows of HOG blocks that it
// reads. Every sum has the order of the CPU.
#include <cuda_pipeline.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "people/gray_cuda.cuh"
#include "people/hog/hog_blocks_cuda.cuh"
#include "people/model_parts.h"
#include "people/scanner.h"
#include "people/steps_cuda.cuh"
#include "people/window_hits_cuda.cuh"

namespace fovea::people::cuda {
namespace {

constexpr struct {
  int threads = 64;      // neighboring windows per block of threads
  int rows = 4;          // rows of windows per thread
  int most_across = 16;  // HOG blocks from the first to the last of a window, across
  std::size_t most_staged =
      48 << 10;  // bytes of shared memory that a kernel has without a special limit
} kTuning;
constexpr int kStagePitch = kTuning.threads + kTuning.most_across;

struct ScoreJob {
  const DeviceLevel* images;
  const HogDeviceLevel* levels;
  const Tile* tiles;
  const float* blocks;
  const float* weights;  // [row of blocks][block][number][row of windows]
  int numbers, window_blocks_x, window_blocks_y;
  float bias, threshold;
  HitSink sink;
};

// Rows of HOG blocks, beginning with the first of the first window. Where a row of windows has no
// such row of HOG blocks, its weights are 0.
template <int kRows>
__global__ void score_kernel(ScoreJob job) {
  const Tile tile = job.tiles[blockIdx.x];
  const HogDeviceLevel level = job.levels[tile.level];
  const DeviceLevel image = job.images[tile.level];
  const int column = tile.x + static_cast<int>(threadIdx.x);
  if (column >= image.columns) return;
  float score[kRows];
#pragma unroll
  for (int n = 0; n < kRows; ++n) score[n] = job.bias;
  const int last = min(kRows, image.rows - tile.y);
  const int block_rows = job.window_blocks_y + last - 1;
  const float* weights = job.weights;
  for (int t = 0; t < block_rows; ++t) {
    const int row = tile.y * level.y.window_step + t * level.y.block_step;
    for (int bx = 0; bx < job.window_blocks_x; ++bx) {
      const float* numbers = job.blocks + level.first +
                             static_cast<std::int64_t>(row) * job.numbers * level.pitch +
                             column * level.x.window_step + bx * level.x.block_step;
#pragma unroll 12
      for (int e = 0; e < job.numbers; ++e, weights += kRows) {
        const float number = numbers[static_cast<std::int64_t>(e) * level.pitch];
        if constexpr (kRows == 4) {
          const float4 w = *reinterpret_cast<const float4*>(weights);
          score[0] = std::fma(number, w.x, score[0]);
          score[1] = std::fma(number, w.y, score[1]);
          score[2] = std::fma(number, w.z, score[2]);
          score[3] = std::fma(number, w.w, score[3]);
        } else {
          score[0] = std::fma(number, weights[0], score[0]);
        }
      }
    }
  }
#pragma unroll
  for (int n = 0; n < kRows; ++n) {
    if (n < last && score[n] >= job.threshold)
      job.sink.add(
          image.first_window + static_cast<std::int64_t>(tile.y + n) * image.columns + column,
          score[n]);
  }
}

// What staged_kernel() keeps of one row of HOG blocks: its numbers and their weights.
std::size_t stage_floats(int numbers, int window_blocks_x) {
  return static_cast<std::size_t>(numbers) * (kStagePitch + kTuning.rows * window_blocks_x);
}

// The same where neighboring windows are one HOG block apart, which is nearly always so. Rows of
// blocks and their weights go through shared memory; the next row is loaded while this one is
// summed.
__global__ void __launch_bounds__(kTuning.threads) staged_kernel(ScoreJob job) {
  extern __shared__ float4 staged[];
  const Tile tile = job.tiles[blockIdx.x];
  const HogDeviceLevel level = job.levels[tile.level];
  const DeviceLevel image = job.images[tile.level];
  const int thread = static_cast<int>(threadIdx.x);
  const int last = min(kTuning.rows, image.rows - tile.y);
  const int block_rows = job.window_blocks_y + last - 1;
  const int row_weights = job.window_blocks_x * job.numbers;
  constexpr int kQuads = kStagePitch / 4;
  const auto stage = [&](int t) {
    float4* weights = staged + (t & 1) * (row_weights + job.numbers * kQuads);
    float4* numbers = weights + row_weights;
    const float4* from = reinterpret_cast<const float4*>(job.weights) + t * row_weights;
    for (int i = thread; i < row_weights; i += kTuning.threads)
      __pipeline_memcpy_async(weights + i, from + i, sizeof(float4));
    const float* row = job.blocks + level.first +
                       static_cast<std::int64_t>(tile.y + t) * job.numbers * level.pitch + tile.x;
    for (int i = thread; i < job.numbers * kQuads; i += kTuning.threads) {
      const int e = i / kQuads, k = i % kQuads * 4;
      if (tile.x + k < level.pitch)
        __pipeline_memcpy_async(numbers + i, row + e * level.pitch + k, sizeof(float4));
    }
    __pipeline_commit();
  };
  float score[kTuning.rows];
#pragma unroll
  for (int n = 0; n < kTuning.rows; ++n) score[n] = job.bias;
  stage(0);
  for (int t = 0; t < block_rows; ++t) {
    if (t + 1 < block_rows) stage(t + 1);
    else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4* weight = staged + (t & 1) * (row_weights + job.numbers * kQuads);
    const float* numbers = reinterpret_cast<const float*>(weight + row_weights) + thread;
    for (int bx = 0; bx < job.window_blocks_x; ++bx, weight += job.numbers) {
#pragma unroll 12
      for (int e = 0; e < job.numbers; ++e) {
        const float value = numbers[e * kStagePitch + bx];
        const float4 w = weight[e];
        score[0] = std::fma(value, w.x, score[0]);
        score[1] = std::fma(value, w.y, score[1]);
        score[2] = std::fma(value, w.z, score[2]);
        score[3] = std::fma(value, w.w, score[3]);
      }
    }
    __syncthreads();
  }
  const int column = tile.x + thread;
#pragma unroll
  for (int n = 0; n < kTuning.rows; ++n) {
    if (n < last && column < image.columns && score[n] >= job.threshold)
      job.sink.add(
          image.first_window + static_cast<std::int64_t>(tile.y + n) * image.columns + column,
          score[n]);
  }
}

class LinearScanner final : public Scanner {
 public:
  LinearScanner(Kind kind, const LinearModel& model) : model_(model), blocks_(kind, model.hog) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    Session session(exec);
    DeviceSteps steps(request.clock, session.stream());
    steps.begin(Step::kCopies);
    fovea::cuda::OnDevice<const std::uint8_t> source(session, request.image);
    ImageView<const std::uint8_t> image = source.image();
    steps.begin(Step::kPlanes);
    if (!blocks_.hog().color && image.channels > 1) image = gray_.convert(session, image);
    const Extent size{image.width, image.height};
    if (images_.lay_out(session, size, std::min(image.channels, 3), request.plan) || !ready_) {
      ready_ = false;  // until everything is laid out: memory may run out
      lay_out(session, request.plan);
      ready_ = true;
    }
    steps.begin(Step::kLevels);
    images_.build(session, image);
    blocks_.build(session, images_, &steps);
    steps.begin(Step::kWindows);

    const std::int64_t windows = images_.windows();
    const bool all = request.threshold == -std::numeric_limits<float>::infinity();
    const auto room =
        static_cast<std::uint32_t>(all ? windows : std::min<std::int64_t>(windows, 1 << 16));
    ScanResult result;
    score(session, request.threshold, room);
    steps.begin(Step::kCopies);
    if (!hits_.fetch(session, images_.levels(), result.hits)) {
      score(session, request.threshold, hits_.count());
      hits_.fetch(session, images_.levels(), result.hits);
    }
    result.counts = {windows, windows * window_blocks_x_ * window_blocks_y_};
    steps.finish();
    session.finish("people");
    return result;
  }

 private:
  void lay_out(Session& session, const ScanPlan& plan) {
    blocks_.lay_out(session, images_, plan);
    const HogAxis &x = blocks_.levels()[0].x, &y = blocks_.levels()[0].y;
    window_blocks_x_ = x.window_blocks;
    window_blocks_y_ = y.window_blocks;
    // Rows of windows share rows of HOG blocks where both have the same distance.
    rows_ = kTuning.rows;
    neighbors_ = true;
    for (const HogDeviceLevel& level : blocks_.levels()) {
      if (level.y.windows > 1 && level.y.window_step != level.y.block_step) rows_ = 1;
      neighbors_ = neighbors_ && level.x.window_step == 1 && level.x.block_step == 1 &&
                   level.y.window_step == 1 && level.y.block_step == 1;
    }
    const auto tiles =
        tiles_over(images_.levels(), {kTuning.threads, rows_}, [](const DeviceLevel& level) {
          return Extent{level.columns, level.rows};
        });
    tile_count_ = tiles.size();
    tiles_.fill(tiles, session.stream());
    weights_.fill(packed_weights(), session.stream());
  }

  std::vector<float> packed_weights() const {
    const int numbers = blocks_.numbers();
    std::vector<float> packed;
    for (int t = 0; t < window_blocks_y_ + rows_ - 1; ++t)
      for (int bx = 0; bx < window_blocks_x_; ++bx)
        for (int e = 0; e < numbers; ++e)
          for (int n = 0; n < rows_; ++n) {
            const int by = t - n;
            const bool has = by >= 0 && by < window_blocks_y_;
            const auto at = static_cast<std::size_t>(bx * window_blocks_y_ + by) * numbers + e;
            packed.push_back(has ? model_.weights[at] : 0);
          }
    return packed;
  }

  void score(Session& session, float threshold, std::uint32_t room) {
    const ScoreJob job{images_.device_levels(),
                       blocks_.device_levels(),
                       tiles_.data(),
                       blocks_.blocks(),
                       weights_.data(),
                       blocks_.numbers(),
                       window_blocks_x_,
                       window_blocks_y_,
                       model_.bias,
                       threshold,
                       hits_.open(session, room)};
    const auto grid = static_cast<unsigned>(tile_count_);
    const std::size_t staged =
        2 * sizeof(float) * stage_floats(blocks_.numbers(), window_blocks_x_);
    if (neighbors_ && window_blocks_x_ <= kTuning.most_across && staged <= kTuning.most_staged)
      staged_kernel<<<grid, kTuning.threads, staged, session.stream()>>>(job);
    else if (rows_ == kTuning.rows)
      score_kernel<kTuning.rows><<<grid, kTuning.threads, 0, session.stream()>>>(job);
    else score_kernel<1><<<grid, kTuning.threads, 0, session.stream()>>>(job);
    check_launch("scores of windows");
  }

  const LinearModel& model_;
  GrayImage gray_;
  LevelImages images_;
  HogBlocks blocks_;
  HitBuffer hits_;
  int window_blocks_x_ = 0, window_blocks_y_ = 0, rows_ = 1;
  bool ready_ = false;
  bool neighbors_ = false;  // neighboring windows are one HOG block apart
  std::size_t tile_count_ = 0;
  KeptBuffer<Tile> tiles_;
  KeptBuffer<float> weights_;
};

}  // namespace

std::unique_ptr<Scanner> make_linear_scanner(Kind kind, const LinearModel& model) {
  check_linear(kind, model);
  return std::make_unique<LinearScanner>(kind, model);
}

}  // namespace fovea::people::cuda
