// CPU twin of the channels' scanner. Neighboring windows read neighboring cells, so that the first
// trees, which reject most windows, are evaluated for sixteen windows at once; the remaining
// windows continue one by one. Scores are integers, so that the order of work does not influence
// them.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "people/channels/channel_levels.h"
#include "people/channels/channel_trees.h"
#include "people/level_tasks.h"
#include "people/model_parts.h"
#include "people/scanner.h"
#include "people/steps.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/channels/channels_scanner_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// Outside the part that is compiled once per target.
#ifndef FOVEA_CHANNELS_SCANNER_JOB
#define FOVEA_CHANNELS_SCANNER_JOB
namespace fovea::people::detail {

// The windows of a row; cells[0] is the first cell of the first window.
struct ChannelRowJob {
  const std::uint8_t* cells;
  int count;                   // number of places, one per cell
  const std::uint8_t* wanted;  // for each place: 255 where a window begins
  const FlatTree* trees;
  int tree_count;      // greatest number of trees that are evaluated
  std::int16_t limit;  // a score that cannot leave 16 bits within kTreesBetween trees
  bool every_other;    // windows begin at every second place
};
struct ChannelSurvivor {
  int place;
  int score;
  int trees;  // that were evaluated
};

constexpr int kPlaces = 16;
// After so many trees sixteen windows are evaluated together only while more than a few are left,
// which is looked at now and then.
constexpr int kTreesTogether = 16;
constexpr int kTreesBetween = 4;
constexpr int kFewWindows = 3;

}  // namespace fovea::people::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::FixedTag<std::uint8_t, 16>;
using Shorts = hn::FixedTag<std::int16_t, 8>;
using ByteVector = hn::Vec<Bytes>;
using ShortVector = hn::Vec<Shorts>;

// The bytes of sixteen places, which are neighbors or every second byte.
template <int kStep>
HWY_INLINE ByteVector load_places(const std::uint8_t* from) {
  const Bytes d;
  if constexpr (kStep == 1) return hn::LoadU(d, from);
  ByteVector even, odd;
  hn::LoadInterleaved2(d, from, even, odd);
  return even;
}

// All bits of a byte are set where the feature is at least the threshold.
template <int kStep>
HWY_INLINE ByteVector at_least(const std::uint8_t* feature, std::uint8_t threshold) {
  const Bytes d;
  const auto value = load_places<kStep>(feature);
  return hn::VecFromMask(d, hn::Eq(hn::Max(value, hn::Set(d, threshold)), value));
}

// Twice the number of the leaf that each place reaches.
template <int kStep>
HWY_INLINE ByteVector leaves(const std::uint8_t* cells, const FlatTree& tree) {
  const Bytes d;
  const auto right = at_least<kStep>(cells + tree.offset[0], tree.threshold[0]);
  const auto left_child = at_least<kStep>(cells + tree.offset[1], tree.threshold[1]),
             right_child = at_least<kStep>(cells + tree.offset[2], tree.threshold[2]);
  const auto further = hn::Or(hn::And(right, right_child), hn::AndNot(right, left_child));
  return hn::Or(hn::And(right, hn::Set(d, 4)), hn::And(further, hn::Set(d, 2)));
}

struct Sixteen {
  ShortVector low_score, high_score;
  ShortVector low_alive, high_alive;  // all bits, or none
};

template <int kStep>
HWY_INLINE void walk(const std::uint8_t* cells, const FlatTree& tree, Sixteen& state) {
  const Bytes d;
  const Shorts shorts;
  const auto leaf = leaves<kStep>(cells, tree), next = hn::Or(leaf, hn::Set(d, 1));
  HWY_ALIGN std::int16_t table[8] = {tree.leaf[0], tree.leaf[1], tree.leaf[2], tree.leaf[3]};
  const auto bytes = hn::BitCast(d, hn::Load(shorts, table));
  const auto value = [&](auto index) HWY_ATTR {
    return hn::BitCast(shorts, hn::TableLookupBytes(bytes, index));
  };
  state.low_score = hn::Add(state.low_score, value(hn::InterleaveLower(d, leaf, next)));
  state.high_score = hn::Add(state.high_score, value(hn::InterleaveUpper(d, leaf, next)));
  const auto rejection = hn::Set(shorts, static_cast<std::int16_t>(tree.rejection));
  const auto low_out = hn::VecFromMask(shorts, hn::Lt(state.low_score, rejection)),
             high_out = hn::VecFromMask(shorts, hn::Lt(state.high_score, rejection));
  state.low_alive = hn::AndNot(low_out, state.low_alive);
  state.high_alive = hn::AndNot(high_out, state.high_alive);
}

// Evaluates the first trees for every wanted place and returns how many trees were evaluated.
// Sixteen windows go on together while enough of them are left.
template <int kStep>
std::int64_t walk_places(const detail::ChannelRowJob& job,
                         std::vector<detail::ChannelSurvivor>& survivors) {
  const Shorts shorts;
  const hn::FixedTag<std::int8_t, 16> signed_bytes;
  const hn::Half<decltype(signed_bytes)> half;
  const auto zero = hn::Zero(shorts);
  std::int64_t looked_at = 0;
  for (int place = 0; place < job.count; place += kStep * detail::kPlaces) {
    const auto wanted = hn::BitCast(signed_bytes, load_places<kStep>(job.wanted + place));
    Sixteen state{zero, zero, hn::PromoteTo(shorts, hn::LowerHalf(half, wanted)),
                  hn::PromoteTo(shorts, hn::UpperHalf(half, wanted))};
    auto walked = zero;
    int t = 0;
    for (; t < job.tree_count; ++t) {
      const auto alive = hn::Add(state.low_alive, state.high_alive);
      if (t % detail::kTreesBetween == 0) {
        // Counts are negative: every window that is left adds -1.
        const int left = -hn::GetLane(hn::SumOfLanes(shorts, alive));
        if (left == 0 || (t >= detail::kTreesTogether && left <= detail::kFewWindows)) break;
        const auto high = hn::Max(hn::And(state.low_score, state.low_alive),
                                  hn::And(state.high_score, state.high_alive));
        if (!hn::AllFalse(shorts, hn::Gt(high, hn::Set(shorts, job.limit)))) break;
      }
      walked = hn::Sub(walked, alive);
      walk<kStep>(job.cells + place, job.trees[t], state);
    }
    looked_at += hn::GetLane(hn::SumOfLanes(shorts, walked));
    HWY_ALIGN std::int16_t score[detail::kPlaces], alive[detail::kPlaces];
    if (hn::AllTrue(shorts, hn::Eq(hn::Or(state.low_alive, state.high_alive), zero))) continue;
    hn::Store(state.low_score, shorts, score);
    hn::Store(state.high_score, shorts, score + 8);
    hn::Store(state.low_alive, shorts, alive);
    hn::Store(state.high_alive, shorts, alive + 8);
    for (int i = 0; i < detail::kPlaces; ++i)
      if (alive[i] != 0) survivors.push_back({place + kStep * i, score[i], t});
  }
  return looked_at;
}

std::int64_t walk_row(const detail::ChannelRowJob& job,
                      std::vector<detail::ChannelSurvivor>& survivors) {
  return job.every_other ? walk_places<2>(job, survivors) : walk_places<1>(job, survivors);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {

HWY_EXPORT(walk_row);

// The greatest number of trees that are evaluated for sixteen windows at once.
constexpr int kTreesAtOnce = 256;
constexpr int kRowsPerTask = 4;

// The first trees, as far as they can be evaluated with scores of 16 bits: from a score that no
// tree rejected, none may lead below them. Scores that could leave them upward are found by
// `limit`.
struct FirstTrees {
  int count = 0;
  std::int16_t limit = 0;
  explicit FirstTrees(const std::vector<FlatTree>& trees) {
    constexpr int kMost = 32767;
    int largest = 0, lowest = 0;
    for (const FlatTree& tree : trees) {
      int change = largest;
      for (const std::int16_t leaf : tree.leaf) change = std::max(change, std::abs(int{leaf}));
      lowest = std::min(lowest, tree.rejection);
      if (count == kTreesAtOnce || change * detail::kTreesBetween > kMost ||
          tree.rejection > kMost || lowest < change - kMost)
        break;
      largest = change;
      ++count;
    }
    limit = static_cast<std::int16_t>(kMost - largest * detail::kTreesBetween);
  }
};

class ChannelsScanner final : public Scanner {
 public:
  explicit ChannelsScanner(const ChannelsModel& model) : model_(model) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    const ScanPlan& plan = request.plan;
    levels_.start(request.image, plan, pyramid_of(model_), request.clock);
    if (levels_.stride() != stride_) {
      stride_ = levels_.stride();
      trees_ = flat_trees(model_, stride_);
      first_trees_ = FirstTrees(trees_);
    }
    return thread_count(exec) == 1 ? scan_in_turn(request, exec) : scan_together(request, exec);
  }

 private:
  struct Part {
    std::vector<Hit> hits;
    std::int64_t evaluations = 0;
  };
  // The memory of one level while it is searched.
  struct Space {
    LevelSpace level;
    std::vector<std::uint8_t> wanted;
    std::vector<Part> parts;
  };

  ScanResult scan_in_turn(const ScanRequest& request, const Exec& exec) {
    ScanResult result;
    const int levels = static_cast<int>(request.plan.levels.size());
    const auto space = spaces_.take(level_pixels(request.plan, 0, levels));
    for (int l = 0; l < levels; ++l) {
      throw_if_stopped(exec);
      scan_level(request, l, levels_.make(l, exec), *space, exec, result);
    }
    return result;
  }

  // A task computes the channels of a source and then searches the levels that come from it, which
  // are tasks of their own, so that no level waits for the source of another.
  ScanResult scan_together(const ScanRequest& request, const Exec& exec) {
    const ScanPlan& plan = request.plan;
    const std::span<const int> sources = levels_.sources();
    std::vector<int> begins;  // the first level of each source, and the end
    for (int l = 0; l < static_cast<int>(sources.size()); ++l)
      if (l == 0 || sources[l] != sources[l - 1]) begins.push_back(l);
    const int groups = static_cast<int>(begins.size());
    begins.push_back(static_cast<int>(sources.size()));
    const LevelTasks tasks(exec, level_pixels(plan, 0, begins.back()), request.clock != nullptr);
    std::vector<ScanResult> results(plan.levels.size());
    tasks.run(exec, groups, [&](int group) {
      const int first = begins[group], last = begins[group + 1];
      const Exec& within = tasks.within(level_pixels(plan, first, last));
      const auto exact = sources_.take(level_pixels(plan, sources[first]));
      levels_.make_exact(sources[first], *exact, within);
      tasks.run(within, last - first, [&](int k) {
        const int l = first + k;
        const std::int64_t size = level_pixels(plan, l);
        const Exec& own = tasks.within(size);
        const auto space = spaces_.take(size);
        scan_level(request, l, levels_.make_level(l, *exact, space->level, own), *space, own,
                   results[l]);
      });
    });
    return joined(results);
  }

  void scan_level(const ScanRequest& request, int index, const ChannelLevels::Level& made,
                  Space& space, const Exec& exec, ScanResult& result) const {
    const StepTimer timer(request.clock, Step::kTrees);
    const ScanLevel& level = request.plan.levels[index];
    std::vector<std::uint8_t>& wanted = space.wanted;
    std::vector<Part>& parts = space.parts;
    const int step = std::max(1, request.plan.stride / channels::kCell);
    const int places = (level.columns - 1) * step + 1;
    wanted.assign(static_cast<std::size_t>(places) + 2 * detail::kPlaces, 0);
    for (int c = 0; c < level.columns; ++c) wanted[static_cast<std::size_t>(c) * step] = 255;
    parts.resize((static_cast<std::size_t>(level.rows) + kRowsPerTask - 1) / kRowsPerTask);
    parallel_for(exec, level.rows, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
      Part& part = parts[static_cast<std::size_t>(first / kRowsPerTask)];
      part.hits.clear();
      part.evaluations = 0;
      std::vector<detail::ChannelSurvivor> survivors;
      for (int row = static_cast<int>(first); row < last; ++row) {
        const std::uint8_t* cells =
            made.cells->line(made.first_row + (level.first_row + row) * step, 0) +
            made.first_column;
        const detail::ChannelRowJob job{
            cells,    places, wanted.data(), trees_.data(), first_trees_.count, first_trees_.limit,
            step == 2};
        if (std::isinf(request.threshold) && request.threshold < 0)
          score_all(job, index, row, part);
        else score_row(job, {index, 0, row, request.threshold}, survivors, part);
      }
    });
    for (const Part& part : parts) {
      result.hits.insert(result.hits.end(), part.hits.begin(), part.hits.end());
      result.counts.evaluations += part.evaluations;
    }
    result.counts.windows += static_cast<std::int64_t>(level.columns) * level.rows;
  }

  // `least` has the level, the row and the least score of a hit.
  void score_row(const detail::ChannelRowJob& job, const Hit& least,
                 std::vector<detail::ChannelSurvivor>& survivors, Part& part) const {
    survivors.clear();
    part.evaluations += HWY_DYNAMIC_DISPATCH(walk_row)(job, survivors);
    const int step = column_step(job);
    for (const detail::ChannelSurvivor& survivor : survivors) {
      const Walked walked = walk_on(job.cells + survivor.place, survivor.trees, survivor.score);
      part.evaluations += walked.trees - survivor.trees;
      if (walked.rejected) continue;
      const float score = final_score(walked.score);
      if (score >= least.score)
        part.hits.push_back({least.level, survivor.place / step, least.row, score});
    }
  }

  void score_all(const detail::ChannelRowJob& job, int level, int row, Part& part) const {
    for (int place = 0, column = 0; place < job.count; ++place) {
      if (job.wanted[place] == 0) continue;
      const Walked walked = walk_on(job.cells + place, 0, 0);
      part.evaluations += walked.trees;
      const float score =
          walked.rejected ? rejected_score(walked.trees - 1) : final_score(walked.score);
      part.hits.push_back({level, column++, row, score});
    }
  }

  static int column_step(const detail::ChannelRowJob& job) {
    for (int place = 1; place < job.count; ++place)
      if (job.wanted[place] != 0) return place;
    return 1;
  }

  struct Walked {
    int score;
    int trees;  // trees that were evaluated, including those of the first part
    bool rejected;
  };
  Walked walk_on(const std::uint8_t* window, int first, int score) const {
    const int count = static_cast<int>(trees_.size());
    for (int t = first; t < count; ++t) {
      score += trees_[t].value(window);
      if (score < trees_[t].rejection) return {score, t + 1, true};
    }
    return {score, count, false};
  }

  const ChannelsModel& model_;
  ChannelLevels levels_;
  std::vector<FlatTree> trees_;
  FirstTrees first_trees_{{}};
  std::ptrdiff_t stride_ = -1;
  FreeList<ExactSpace> sources_;
  FreeList<Space> spaces_;
};

}  // namespace

std::unique_ptr<Scanner> make_channels_scanner(const ChannelsModel& model) {
  check_channels(model);
  return std::make_unique<ChannelsScanner>(model);
}

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
