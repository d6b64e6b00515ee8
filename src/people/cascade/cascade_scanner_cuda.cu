// CUDA twin of the cascade's scanner. One thread takes a window through the first stages, which
// reject nearly all windows. The remaining windows are gathered and continue, first with one thread
// per window and then with one warp per window, whose lanes evaluate different blocks. Votes are
// added in the order of the CPU.
#include <algorithm>
#include <limits>

#include "people/cascade/cascade_check.h"
#include "people/cascade/cascade_sums_cuda.cuh"
#include "people/gray_cuda.cuh"
#include "people/steps_cuda.cuh"
#include "people/window_hits_cuda.cuh"

namespace fovea::people::cuda {
namespace {

using cascade::BlockPlan;
using cascade::kBins;

constexpr struct {
  int threads = 128;
  int first_blocks = 8;  // blocks of the stages that all windows go through
  // blocks of the stages that one thread evaluates for a remaining window
  int second_blocks = cascade::kEarlyBlocks;
  int warps = 4;          // warps per block of threads in the last part
  int second_grid = 264;  // blocks of threads; how many windows remain is known on the device only
  int last_grid = 528;
} kTuning;

struct DeviceStage {
  int first, count;  // range of its blocks
  float threshold;
};

// A window in progress: its number in the scan, and its position.
struct Runner {
  int sheet;
  int x, y;  // corner of the window, in patches
  int window;
  float sum;
};

struct RunnerList {
  std::uint32_t* count;
  Runner* runners;
};

struct Race {
  const DeviceLevel* levels;
  const SumsSheet* sheets;
  const std::uint32_t* sums;
  const BlockPlan* blocks;
  const DeviceStage* stages;
  int stage_count;
  int ranking_first, ranking_count;
  bool graded, chained;
  bool every;  // rejected windows are reported as hits too
  float threshold;
  float base;  // what is subtracted from the score of a window that passes
  unsigned long long* evaluations;
  HitSink sink;
};

// The margin of one block of one window.
__device__ float margin_of(const Race& race, const SumsSheet& sheet, const BlockPlan& block, int x,
                           int y) {
  const std::int64_t plane = static_cast<std::int64_t>(sheet.height) * sheet.pitch;
  const std::uint32_t* corner[3][3];
#pragma unroll
  for (int j = 0; j < 3; ++j)
#pragma unroll
    for (int i = 0; i < 3; ++i)
      corner[j][i] = race.sums + sheet.first +
                     static_cast<std::int64_t>(y + block.y[j]) * sheet.pitch +
                     sheet.at(x + block.x[i]);
  cascade::BlockSums totals;
#pragma unroll
  for (int b = 0; b < kBins; ++b) {
    std::uint32_t wide[3][2];
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const std::uint32_t middle = corner[j][1][b * plane];
      wide[j][0] = middle - corner[j][0][b * plane];
      wide[j][1] = corner[j][2][b * plane] - middle;
    }
#pragma unroll
    for (int cell = 0; cell < cascade::kCells; ++cell) {
      const std::uint32_t sum = wide[cell / 2 + 1][cell % 2] - wide[cell / 2][cell % 2];
      const int place = cascade::place_of(cell, b);
      cascade::add_number(totals, place, static_cast<float>(static_cast<std::int32_t>(sum)),
                          block.weights[place]);
    }
  }
  return cascade::block_response(totals, block.fade) + block.bias;
}

__device__ void count_evaluations(const Race& race, unsigned mine) {
  const unsigned total = __reduce_add_sync(~0U, mine);
  if (threadIdx.x % 32 == 0 && total > 0) atomicAdd(race.evaluations, total);
}

// Adds the score of a rejected window, where such scores are wanted.
__device__ void reject(const Race& race, const Runner& runner, int stage, float sum) {
  if (!race.every) return;
  const float score =
      cascade::rejected_score(race.stage_count - stage, sum - race.stages[stage].threshold);
  if (score >= race.threshold) race.sink.add(runner.window, score);
}

// Evaluates stages [first, last) of one window; returns false where one of them rejects it.
__device__ bool run_stages(const Race& race, const SumsSheet& sheet, Runner& runner, int first,
                           int last, unsigned& evaluations) {
  for (int s = first; s < last; ++s) {
    const DeviceStage stage = race.stages[s];
    if (!race.chained) runner.sum = 0;
    for (int k = 0; k < stage.count; ++k) {
      const BlockPlan& block = race.blocks[stage.first + k];
      runner.sum += cascade::block_vote(margin_of(race, sheet, block, runner.x, runner.y),
                                        block.vote, race.graded);
    }
    evaluations += static_cast<unsigned>(stage.count);
    if (runner.sum >= stage.threshold) continue;
    reject(race, runner, s, runner.sum);
    return false;
  }
  return true;
}

__device__ void go_on(const RunnerList& list, const Runner& runner) {
  list.runners[atomicAdd(list.count, 1U)] = runner;
}

__global__ void __launch_bounds__(kTuning.threads)
    first_kernel(Race race, const Tile* tiles, int last_stage, RunnerList list) {
  const Tile tile = tiles[blockIdx.x];
  const SumsSheet sheet = race.sheets[tile.level];
  const DeviceLevel level = race.levels[sheet.level];
  const int place = tile.x + static_cast<int>(threadIdx.x);
  unsigned evaluations = 0;
  if (place < sheet.columns * sheet.rows) {
    const int column = place % sheet.columns, row = place / sheet.columns;
    const std::int64_t window =
        level.first_window +
        static_cast<std::int64_t>(sheet.row + row * sheet.every) * level.columns + sheet.column +
        column * sheet.every;
    Runner runner{tile.level, column * sheet.step, row * sheet.step, static_cast<int>(window), 0};
    if (run_stages(race, sheet, runner, 0, last_stage, evaluations)) go_on(list, runner);
  }
  count_evaluations(race, evaluations);
}

__global__ void __launch_bounds__(kTuning.threads)
    second_kernel(Race race, RunnerList from, int first_stage, int last_stage, RunnerList to) {
  unsigned evaluations = 0;
  const std::uint32_t count = *from.count;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x) {
    Runner runner = from.runners[i];
    if (run_stages(race, race.sheets[runner.sheet], runner, first_stage, last_stage, evaluations))
      go_on(to, runner);
  }
  __syncwarp();
  count_evaluations(race, evaluations);
}

// The votes or margins of `count` blocks, one block per lane, added one after the other in every
// lane.
template <class Value>
__device__ float ordered_sum(float sum, int count, Value value) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int first = 0; first < count; first += 32) {
    const float mine = first + lane < count ? value(first + lane) : 0.0F;
    const int here = min(32, count - first);
    for (int k = 0; k < here; ++k) sum += __shfl_sync(~0U, mine, k);
  }
  return sum;
}

__global__ void __launch_bounds__(32 * kTuning.warps)
    last_kernel(Race race, RunnerList from, int first_stage) {
  const std::uint32_t count = *from.count;
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned warps = gridDim.x * blockDim.x / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned evaluations = 0;
  for (std::uint32_t i = warp; i < count; i += warps) {
    const Runner runner = from.runners[i];
    const SumsSheet sheet = race.sheets[runner.sheet];
    const auto margin = [&](int block) {
      return margin_of(race, sheet, race.blocks[block], runner.x, runner.y);
    };
    float sum = runner.sum;
    int s = first_stage;
    for (; s < race.stage_count; ++s) {
      const DeviceStage stage = race.stages[s];
      sum = ordered_sum(race.chained ? sum : 0.0F, stage.count, [&](int k) {
        return cascade::block_vote(margin(stage.first + k), race.blocks[stage.first + k].vote,
                                   race.graded);
      });
      evaluations += static_cast<unsigned>(stage.count);
      if (sum < stage.threshold) break;
    }
    if (s < race.stage_count) {
      if (lane == 0) reject(race, runner, s, sum);
      continue;
    }
    if (race.ranking_count > 0) {
      sum = ordered_sum(0.0F, race.ranking_count,
                        [&](int k) { return margin(race.ranking_first + k); });
      evaluations += static_cast<unsigned>(race.ranking_count);
    }
    const float score = cascade::passed_score(sum - race.base);
    if (lane == 0 && score >= race.threshold) race.sink.add(runner.window, score);
  }
  if (lane == 0 && evaluations > 0) atomicAdd(race.evaluations, evaluations);
}

class CascadeScanner final : public Scanner {
 public:
  explicit CascadeScanner(const CascadeModel& model) : model_(model) {
    for (const CascadeStage& stage : model.stages) {
      stages_.push_back({static_cast<int>(blocks_.size()),
                         static_cast<int>(stage.classifiers.size()), stage.threshold});
      for (const BlockClassifier& each : stage.classifiers)
        blocks_.push_back(cascade::block_plan(each));
      if (static_cast<int>(blocks_.size()) <= kTuning.first_blocks) ++first_stages_;
      if (static_cast<int>(blocks_.size()) <= kTuning.second_blocks) ++second_stages_;
    }
    ranking_first_ = static_cast<int>(blocks_.size());
    for (const BlockClassifier& each : model.ranking) blocks_.push_back(cascade::block_plan(each));
  }

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    Session session(exec);
    DeviceSteps steps(request.clock, session.stream());
    steps.begin(Step::kCopies);
    fovea::cuda::OnDevice<const std::uint8_t> source(session, request.image);
    ImageView<const std::uint8_t> image = source.image();
    steps.begin(Step::kPlanes);
    if (!model_.color && image.channels > 1) image = gray_.convert_fast(session, image);
    if (images_.lay_out(session, {image.width, image.height}, std::min(image.channels, 3),
                        request.plan) ||
        !ready_) {
      ready_ = false;  // until everything is laid out: memory may run out
      lay_out(session, request.plan);
      ready_ = true;
    }
    steps.begin(Step::kLevels);
    images_.build(session, image);
    steps.begin(Step::kSums);
    sums_.build(session, images_);
    const std::int64_t windows = images_.windows();
    const bool every = request.threshold <= cascade::kBestRejected;
    ScanResult result;
    run(session, request.threshold,
        static_cast<std::uint32_t>(every ? windows : std::min<std::int64_t>(windows, 1 << 16)),
        steps);
    steps.begin(Step::kCopies);
    if (!hits_.fetch(session, images_.levels(), result.hits)) {
      run(session, request.threshold, hits_.count(), steps);
      steps.begin(Step::kCopies);
      hits_.fetch(session, images_.levels(), result.hits);
    }
    unsigned long long evaluations = 0;
    check(cudaMemcpyAsync(&evaluations, counters_.data(), sizeof(evaluations),
                          cudaMemcpyDeviceToHost, session.stream()),
          "fetching counts");
    check(cudaStreamSynchronize(session.stream()), "scanning windows");
    result.counts = {windows, static_cast<std::int64_t>(evaluations)};
    steps.finish();
    session.finish("people");
    return result;
  }

 private:
  void lay_out(Session& session, const ScanPlan& plan) {
    sums_.lay_out(session, images_, plan);
    std::vector<Tile> tiles;
    for (int i = 0; i < static_cast<int>(sums_.sheets().size()); ++i) {
      const SumsSheet& sheet = sums_.sheets()[static_cast<std::size_t>(i)];
      for (int x = 0; x < sheet.columns * sheet.rows; x += kTuning.threads)
        tiles.push_back({i, x, 0});
    }
    tile_count_ = tiles.size();
    tiles_.fill(tiles, session.stream());
    device_blocks_.fill(blocks_, session.stream());
    device_stages_.fill(stages_, session.stream());
    runners_.reserve(2 * static_cast<std::size_t>(images_.windows()));
    counters_.reserve(3);
  }

  void run(Session& session, float threshold, std::uint32_t room, DeviceSteps& steps) {
    steps.begin(Step::kEarlyStages);
    unsigned long long* counters = counters_.data();
    check(cudaMemsetAsync(counters, 0, 3 * sizeof(*counters), session.stream()), "clearing counts");
    const bool no_ranking = model_.ranking.empty() && !model_.stages.empty();
    const Race race{images_.device_levels(),
                    sums_.device_sheets(),
                    sums_.sums(),
                    device_blocks_.data(),
                    device_stages_.data(),
                    static_cast<int>(stages_.size()),
                    ranking_first_,
                    static_cast<int>(model_.ranking.size()),
                    model_.graded,
                    model_.chained,
                    threshold <= cascade::kBestRejected,
                    threshold,
                    no_ranking ? model_.stages.back().threshold : 0.0F,
                    counters,
                    hits_.open(session, room)};
    const RunnerList first{reinterpret_cast<std::uint32_t*>(counters + 1), runners_.data()};
    const RunnerList second{reinterpret_cast<std::uint32_t*>(counters + 2),
                            runners_.data() + images_.windows()};
    first_kernel<<<static_cast<unsigned>(tile_count_), kTuning.threads, 0, session.stream()>>>(
        race, tiles_.data(), first_stages_, first);
    check_launch("first stages");
    second_kernel<<<kTuning.second_grid, kTuning.threads, 0, session.stream()>>>(
        race, first, first_stages_, second_stages_, second);
    check_launch("next stages");
    steps.begin(Step::kLateStages);
    last_kernel<<<kTuning.last_grid, 32 * kTuning.warps, 0, session.stream()>>>(race, second,
                                                                                second_stages_);
    check_launch("last stages");
  }

  const CascadeModel& model_;
  std::vector<DeviceStage> stages_;
  std::vector<BlockPlan> blocks_;
  int first_stages_ = 0, second_stages_ = 0, ranking_first_ = 0;
  GrayImage gray_;
  LevelImages images_;
  CascadeSums sums_;
  HitBuffer hits_;
  bool ready_ = false;
  std::size_t tile_count_ = 0;
  KeptBuffer<Tile> tiles_;
  KeptBuffer<BlockPlan> device_blocks_;
  KeptBuffer<DeviceStage> device_stages_;
  KeptBuffer<Runner> runners_;
  KeptBuffer<unsigned long long> counters_;
};

}  // namespace

std::unique_ptr<Scanner> make_cascade_scanner(const CascadeModel& model) {
  check_cascade(model);
  return std::make_unique<CascadeScanner>(model);
}

}  // namespace fovea::people::cuda
