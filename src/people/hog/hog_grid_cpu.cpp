// The blocks of a level and the scores of its windows, in bands of rows that threads share. A block
// is computed within one band, and a score within one group of rows, so that neither depends on
// where bands end.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/ops/integral.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "people/hog/hog_band.h"
#include "people/hog/hog_grid.h"
#include "people/model_parts.h"
#include "people/steps.h"

namespace fovea::people::cpu {
namespace {

constexpr int kLeastBandRows =
    8;  // rows of blocks per band; a band computes again the rows that it shares with the next

int round_up(int value, int step) { return (value + step - 1) / step * step; }

// The windows of a level of this size, as its plan has them.
ScanLevel level_of(const ScanPlan& plan, int width, int height) {
  for (const ScanLevel& level : plan.levels)
    if (plan.padded(level) == Extent{width, height}) return level;
  throw InvalidArgument(
      fmt::format("hog: an image of {}x{} is no level of its plan", width, height));
}

// The rows of windows that are scored together. They are `gap` rows apart, so that they read the
// same rows of blocks, each `shift` of its own rows of blocks after the previous one.
struct RowGroups {
  int gap, shift, count;
  RowGroups(const HogAxis& y) {
    gap = y.block_step / std::gcd(y.window_step, y.block_step);
    shift = gap * y.window_step / y.block_step;
    count = (y.windows + kScoreRows * gap - 1) / (kScoreRows * gap) * gap;
  }
  int first_row(int group) const { return group / gap * kScoreRows * gap + group % gap; }
};

}  // namespace

struct HogGrid::Impl {
  Kind kind;
  HogOptions hog;
  VoteParams votes;
  NormParams norm;
  std::vector<float> gamma;
  CircularBlock circle;
  HogAxis x{}, y{};
  std::vector<float> blocks;
  std::ptrdiff_t pitch = 0, row_pitch = 0;
  int phase_pitch = 0;

  int place(int k) const { return k % x.window_step * phase_pitch + k / x.window_step; }
  std::vector<float> pack(const LinearModel& model, const RowGroups& groups) const;
  void score_group(const LinearModel& model, const RowGroups& groups, int group,
                   std::span<const float> weights, ImageView<float> out) const;
};

HogGrid::HogGrid(Kind kind, const HogOptions& hog) : impl_(std::make_unique<Impl>()) {
  if (kind != Kind::kHog && kind != Kind::kHogCells && kind != Kind::kHogIntegral)
    throw InvalidArgument(fmt::format("hog: kind {} has no linear descriptor", to_string(kind)));
  check_geometry(hog);
  if (kind == Kind::kHogIntegral && hog.vote == VoteWeight::kSquare)
    throw InvalidArgument(
        "hog: votes are squares, whose sums are too large for the integral histograms of kind "
        "hog-integral; take another vote, or kind hog-cells");
  Impl& s = *impl_;
  s.kind = kind;
  s.hog = hog_of_kind(kind, hog);
  s.votes = vote_params(s.hog);
  s.norm = norm_params(s.hog);
  s.gamma = gamma_table(s.hog.gamma);
  if (s.hog.shape == BlockShape::kCircular) s.circle = circular_block(s.hog);
}
HogGrid::~HogGrid() = default;

int HogGrid::columns() const { return impl_->x.windows; }
int HogGrid::rows() const { return impl_->y.windows; }
int HogGrid::window_blocks() const { return impl_->x.window_blocks * impl_->y.window_blocks; }

void HogGrid::build(ImageView<const std::uint8_t> level, const ScanPlan& plan, const Exec& exec,
                    StepClock* clock) {
  StepTimer timer(clock, Step::kBlocks);
  Impl& s = *impl_;
  const ScanLevel windows = level_of(plan, level.width, level.height);
  const HogSide across = side_across(s.hog), down = side_down(s.hog);
  s.x = hog_axis(across, windows.columns, plan, plan.origin);
  s.y = hog_axis(down, windows.rows, plan, plan.top(windows));
  Image<std::uint8_t> gray;
  if (!s.hog.color && level.channels > 1) {
    gray = io::to_gray(level);
    level = gray;
  }
  s.phase_pitch = round_up((s.x.blocks + s.x.window_step - 1) / s.x.window_step, 16) + 32;
  s.pitch = static_cast<std::ptrdiff_t>(s.phase_pitch) * s.x.window_step;
  s.row_pitch = s.pitch * block_size(s.hog);
  s.blocks.resize(std::max(s.blocks.size(), static_cast<std::size_t>(s.row_pitch) * s.y.blocks));

  const bool cells = s.kind != Kind::kHog;
  HistogramAxis units_x = cells ? cell_axis(across, s.x) : block_axis(s.hog, across, s.x);
  HistogramAxis units_y = cells ? cell_axis(down, s.y) : block_axis(s.hog, down, s.y);
  const Stack<float> smoothed = smoothed_planes(level, s.hog, s.gamma, exec);
  RoleClasses roles = role_classes(units_x);
  HogLevel job{level,
               s.hog,
               cells,
               s.votes,
               s.norm,
               s.x,
               s.y,
               std::move(units_x),
               std::move(units_y),
               std::move(roles),
               s.gamma,
               s.circle,
               smoothed.view(),
               {},
               s.blocks.data(),
               s.pitch,
               s.row_pitch,
               s.phase_pitch,
               clock ? &timer : nullptr};
  Stack<std::uint32_t> sums;
  if (s.kind == Kind::kHogIntegral) {
    timer.next(Step::kGradients);
    const int width = job.units_x.pixels(), height = job.units_y.pixels();
    Image<std::uint8_t> bin(width, height);
    Image<float> magnitude(width, height);
    parallel_for(exec, height, 64, [&](std::int64_t first, std::int64_t last) {
      polar_rows(job, bin, magnitude, static_cast<int>(first), static_cast<int>(last));
    });
    timer.next(Step::kSums);
    sums = Stack<std::uint32_t>(width + 1, height + 1, s.hog.bins);
    integral_histogram(
        bin, magnitude, sums,
        {.fraction_bits = kHogSumBits, .exec = {.device = Device::cpu(), .threads = exec.threads}});
    job.sums = sums.view();
    timer.next(Step::kBlocks);
  }
  const int threads = thread_count(exec);
  const int grain =
      threads == 1 ? s.y.blocks : std::max(kLeastBandRows, round_up(s.y.blocks, threads) / threads);
  parallel_for(exec, s.y.blocks, grain, [&](std::int64_t first, std::int64_t last) {
    build_band(job, static_cast<int>(first), static_cast<int>(last));
  });
}

void HogGrid::descriptor(int column, int row, std::span<float> out) const {
  const Impl& s = *impl_;
  const int numbers = block_size(s.hog);
  auto to = out.begin();
  for (int bx = 0; bx < s.x.window_blocks; ++bx) {
    const int k = s.place(column * s.x.window_step + bx * s.x.block_step);
    for (int by = 0; by < s.y.window_blocks; ++by) {
      const float* from =
          s.blocks.data() + k + (row * s.y.window_step + by * s.y.block_step) * s.row_pitch;
      for (int e = 0; e < numbers; ++e) *to++ = from[e * s.pitch];
    }
  }
}

// Weights in the order in which score_row reads them: for every row of blocks of a group,
// [block][number][row of windows], with 0 where the row of windows has no such row of blocks.
std::vector<float> HogGrid::Impl::pack(const LinearModel& model, const RowGroups& groups) const {
  const int numbers = block_size(hog);
  const int block_rows = y.window_blocks + (kScoreRows - 1) * groups.shift;
  std::vector<float> packed;
  packed.reserve(static_cast<std::size_t>(block_rows) * x.window_blocks * numbers * kScoreRows);
  for (int t = 0; t < block_rows; ++t)
    for (int bx = 0; bx < x.window_blocks; ++bx)
      for (int e = 0; e < numbers; ++e)
        for (int n = 0; n < kScoreRows; ++n) {
          const int by = t - n * groups.shift;
          const bool has = by >= 0 && by < y.window_blocks;
          packed.push_back(has ? model.weights[(bx * y.window_blocks + by) * numbers + e] : 0);
        }
  return packed;
}

void HogGrid::Impl::score_group(const LinearModel& model, const RowGroups& groups, int group,
                                std::span<const float> weights, ImageView<float> out) const {
  const int numbers = block_size(hog), first = groups.first_row(group);
  if (first >= y.windows) return;
  const int last = std::min(kScoreRows, (y.windows - first + groups.gap - 1) / groups.gap);
  const std::ptrdiff_t score_pitch = round_up(x.windows, 64) + 64;
  std::vector<float> scores(kScoreRows * score_pitch, model.bias);
  std::vector<int> places(x.window_blocks);
  for (int bx = 0; bx < x.window_blocks; ++bx) places[bx] = place(bx * x.block_step);
  const int block_rows = y.window_blocks + (last - 1) * groups.shift;
  const auto row_weights = static_cast<std::ptrdiff_t>(x.window_blocks) * numbers * kScoreRows;
  for (int t = 0; t < block_rows; ++t) {
    int begin = 0, end = 0;
    for (int n = 0; n < last; ++n) {
      const int by = t - n * groups.shift;
      if (by >= y.window_blocks) begin = n + 1;
      if (by >= 0) end = n + 1;
    }
    if (begin >= end) continue;
    const float* row = blocks.data() + (first * y.window_step + t * y.block_step) * row_pitch;
    score_row({row, pitch, places, numbers, weights.data() + t * row_weights, begin, end - begin,
               scores.data(), score_pitch, x.windows});
  }
  for (int n = 0; n < last; ++n)
    std::copy_n(scores.data() + n * score_pitch, x.windows, out.row(first + n * groups.gap));
}

void HogGrid::scores(const LinearModel& model, ImageView<float> out, const Exec& exec) const {
  const Impl& s = *impl_;
  if (model.weights.size() != static_cast<std::size_t>(descriptor_size(s.hog)))
    throw InvalidArgument(fmt::format("hog: a model of {} weights for a descriptor of {} numbers",
                                      model.weights.size(), descriptor_size(s.hog)));
  const RowGroups groups(s.y);
  const std::vector<float> weights = s.pack(model, groups);
  parallel_for(exec, groups.count, 2, [&](std::int64_t first, std::int64_t last) {
    for (auto group = first; group < last; ++group)
      s.score_group(model, groups, static_cast<int>(group), weights, out);
  });
}

}  // namespace fovea::people::cpu
