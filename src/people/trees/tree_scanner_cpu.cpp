// CPU twin of the scanners of channels and of filtered channels, which differ in the cells that
// their trees read. Most windows are rejected by the first trees, which are evaluated for sixteen
// windows at once (tree_walk.h); the remaining windows continue one by one. Scores are integers, so
// that the order of work does not influence them.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "people/filtered/filter_cells.h"
#include "people/level_tasks.h"
#include "people/model_parts.h"
#include "people/scanner.h"
#include "people/steps.h"
#include "people/trees/tree_walk.h"

namespace fovea::people::cpu {
namespace {

constexpr int kWindowRowsPerTask = 4;

// The memory of one level's cells while it is searched.
struct CellSpace {
  LevelSpace level;
  FilteredCells filtered;
};
// The cells that trees read: the first cell of the first window, and the distance to the next row.
struct WindowCells {
  const std::uint8_t* first;
  std::ptrdiff_t row;
};

WindowCells cells_of_windows(const ChannelsModel& /*model*/, const ChannelLevels::Level& level,
                             CellSpace& /*space*/, StepClock* /*clock*/, const Exec& /*exec*/) {
  const ChannelCells& cells = *level.cells;
  return {cells.line(level.first_row, 0) + level.first_column,
          cells.stride() * channels::kChannels};
}

WindowCells cells_of_windows(const FilteredModel& model, const ChannelLevels::Level& level,
                             CellSpace& space, StepClock* clock, const Exec& exec) {
  const StepTimer timer(clock, Step::kFilters);
  FilteredCells& cells = space.filtered;
  filter_cells(*level.cells, model.bank, cells, exec);
  return {cells.line(level.first_row - filtered::kReach, 0) + level.first_column - filtered::kReach,
          cells.stride() * cells.lines()};
}

template <class Model, int kDepth>
class TreeScanner final : public Scanner {
 public:
  explicit TreeScanner(const Model& model) : model_(model) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    levels_.start(request.image, request.plan, pyramid_of(model_), request.clock);
    if (levels_.stride() != stride_) {
      stride_ = levels_.stride();
      trees_ = scan_trees<kDepth>(model_, stride_);
      together_ = TreesTogether::of(trees_);
    }
    return thread_count(exec) == 1 ? scan_in_turn(request, exec) : scan_together(request, exec);
  }

 private:
  using Row = TreeRow<kDepth>;
  struct Part {
    std::vector<Hit> hits;
    std::int64_t evaluations = 0;
  };
  // The memory of one level while it is searched.
  struct Space {
    CellSpace cells;
    std::vector<std::uint8_t> wanted;
    std::vector<Part> parts;
  };

  ScanResult scan_in_turn(const ScanRequest& request, const Exec& exec) {
    ScanResult result;
    const int levels = static_cast<int>(request.plan.levels.size());
    const auto space = spaces_.take(level_pixels(request.plan, 0, levels));
    for (int l = 0; l < levels; ++l) {
      throw_if_stopped(exec);
      scan_level(request, {l, levels_.make(l, exec)}, *space, exec, result);
    }
    return result;
  }

  // A task computes the channels of a source and then searches the levels that come from it, which
  // are tasks of their own, so that no level waits for the source of another.
  ScanResult scan_together(const ScanRequest& request, const Exec& exec) {
    const ScanPlan& plan = request.plan;
    const std::span<const int> sources = levels_.sources();
    std::vector<int> begins;  // the first level of each source, and the end
    begins.reserve(sources.size() + 1);
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
        scan_level(request, {l, levels_.make_level(l, *exact, space->cells.level, own)}, *space,
                   own, results[l]);
      });
    });
    return joined(results);
  }

  struct MadeLevel {
    int index;
    ChannelLevels::Level made;
  };
  void scan_level(const ScanRequest& request, const MadeLevel& at, Space& space, const Exec& exec,
                  ScanResult& result) const {
    const WindowCells cells = cells_of_windows(model_, at.made, space.cells, request.clock, exec);
    const StepTimer timer(request.clock, Step::kTrees);
    const ScanLevel& level = request.plan.levels[at.index];
    const int step = std::max(1, request.plan.stride / channels::kCell);
    const int places = (level.columns - 1) * step + 1;
    std::vector<std::uint8_t>& wanted = space.wanted;
    wanted.assign(static_cast<std::size_t>(places) + 2 * kPlacesTogether, 0);
    for (int c = 0; c < level.columns; ++c) wanted[static_cast<std::size_t>(c) * step] = 255;
    std::vector<Part>& parts = space.parts;
    parts.resize((static_cast<std::size_t>(level.rows) + kWindowRowsPerTask - 1) /
                 kWindowRowsPerTask);
    parallel_for(exec, level.rows, kWindowRowsPerTask, [&](std::int64_t first, std::int64_t last) {
      Part& part = parts[static_cast<std::size_t>(first / kWindowRowsPerTask)];
      part.hits.clear();
      part.evaluations = 0;
      std::vector<TreeSurvivor> survivors;
      for (int row = static_cast<int>(first); row < last; ++row) {
        const Row job{cells.first + (level.first_row + row) * step * cells.row,
                      places,
                      wanted.data(),
                      trees_.data(),
                      together_.count,
                      together_.limit,
                      step == 2};
        const RowQuery query{at.index, row, step, request.threshold};
        if (std::isinf(request.threshold) && request.threshold < 0) score_all(job, query, part);
        else score_row(job, query, survivors, part);
      }
    });
    for (const Part& part : parts) {
      result.hits.insert(result.hits.end(), part.hits.begin(), part.hits.end());
      result.counts.evaluations += part.evaluations;
    }
    result.counts.windows += static_cast<std::int64_t>(level.columns) * level.rows;
  }

  // What a row is searched for.
  struct RowQuery {
    int level;
    int row;
    int step;           // between windows, in cells
    float least_score;  // of a hit
  };
  void score_row(const Row& job, const RowQuery& query, std::vector<TreeSurvivor>& survivors,
                 Part& part) const {
    survivors.clear();
    part.evaluations += walk_row(job, survivors);
    for (const TreeSurvivor& survivor : survivors) {
      const Walked walked =
          evaluate_rest(job.cells + survivor.place, survivor.trees, survivor.score);
      part.evaluations += walked.trees - survivor.trees;
      if (walked.rejected) continue;
      const float score = final_score(walked.score);
      if (score >= query.least_score)
        part.hits.push_back({query.level, survivor.place / query.step, query.row, score});
    }
  }

  void score_all(const Row& job, const RowQuery& query, Part& part) const {
    for (int place = 0, column = 0; place < job.count; place += query.step) {
      const Walked walked = evaluate_rest(job.cells + place, 0, 0);
      part.evaluations += walked.trees;
      const float score =
          walked.rejected ? rejected_score(walked.trees - 1) : final_score(walked.score);
      part.hits.push_back({query.level, column++, query.row, score});
    }
  }

  struct Walked {
    int score;
    int trees;  // trees that were evaluated, including those of the first part
    bool rejected;
  };
  // Not inlined: next to the conversion to a float, gcc would add up scores in registers of floats,
  // which takes a tenth longer.
  [[gnu::noinline]] Walked evaluate_rest(const std::uint8_t* window, int first, int score) const {
    const int count = static_cast<int>(trees_.size());
    for (int t = first; t < count; ++t) {
      score += trees_[t].value(window);
      if (score < trees_[t].rejection) return {score, t + 1, true};
    }
    return {score, count, false};
  }

  const Model& model_;
  ChannelLevels levels_;
  std::vector<ScanTree<kDepth>> trees_;
  TreesTogether together_;
  std::ptrdiff_t stride_ = -1;
  FreeList<ExactSpace> sources_;
  FreeList<Space> spaces_;
};

}  // namespace

std::unique_ptr<Scanner> make_channels_scanner(const ChannelsModel& model) {
  check_channels(model);
  return std::make_unique<TreeScanner<ChannelsModel, 2>>(model);
}

std::unique_ptr<Scanner> make_filtered_scanner(const FilteredModel& model) {
  check_filtered(model);
  switch (model.trees.depth) {
    case 2: return std::make_unique<TreeScanner<FilteredModel, 2>>(model);
    case 3: return std::make_unique<TreeScanner<FilteredModel, 3>>(model);
    case 4: return std::make_unique<TreeScanner<FilteredModel, 4>>(model);
    default: return std::make_unique<TreeScanner<FilteredModel, 5>>(model);
  }
}

}  // namespace fovea::people::cpu
