// CPU twin of the filtered channels' scanner. Most windows are rejected by the first trees, which
// are evaluated for sixteen windows at once (filtered_walk.h); the remaining windows continue one
// by one. Scores are integers, so that the order of work does not influence them.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "people/channels/channel_trees.h"
#include "people/filtered/filter_cells.h"
#include "people/filtered/filtered_walk.h"
#include "people/level_tasks.h"
#include "people/model_parts.h"
#include "people/scanner.h"
#include "people/steps.h"

namespace fovea::people::cpu {
namespace {

constexpr int kWindowRowsPerTask = 4;

template <int kDepth>
class FilteredScanner final : public Scanner {
 public:
  explicit FilteredScanner(const FilteredModel& model) : model_(model) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    levels_.start(request.image, request.plan, pyramid_of(model_), request.clock);
    if (levels_.stride() != stride_) {
      stride_ = levels_.stride();
      trees_ = deep_trees<kDepth>(model_, stride_);
      together_ = TreesTogether::of(trees_);
    }
    return thread_count(exec) == 1 ? scan_in_turn(request, exec) : scan_together(request, exec);
  }

 private:
  using Row = FilteredRow<kDepth>;
  struct Part {
    std::vector<Hit> hits;
    std::int64_t evaluations = 0;
  };
  // The memory of one level while it is searched.
  struct Space {
    LevelSpace level;
    FilteredCells cells;
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
        scan_level(request, {l, levels_.make_level(l, *exact, space->level, own)}, *space, own,
                   results[l]);
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
    StepTimer timer(request.clock, Step::kFilters);
    filter_cells(*at.made.cells, model_.bank, space.cells, exec);
    timer.next(Step::kTrees);
    const ScanLevel& level = request.plan.levels[at.index];
    const int step = std::max(1, request.plan.stride / channels::kCell);
    const int places = (level.columns - 1) * step + 1;
    std::vector<std::uint8_t>& wanted = space.wanted;
    wanted.assign(static_cast<std::size_t>(places) + 2 * kFilteredPlaces, 0);
    for (int c = 0; c < level.columns; ++c) wanted[static_cast<std::size_t>(c) * step] = 255;
    std::vector<Part>& parts = space.parts;
    parts.resize((static_cast<std::size_t>(level.rows) + kWindowRowsPerTask - 1) /
                 kWindowRowsPerTask);
    parallel_for(exec, level.rows, kWindowRowsPerTask, [&](std::int64_t first, std::int64_t last) {
      Part& part = parts[static_cast<std::size_t>(first / kWindowRowsPerTask)];
      part.hits.clear();
      part.evaluations = 0;
      std::vector<FilteredSurvivor> survivors;
      for (int row = static_cast<int>(first); row < last; ++row) {
        const std::uint8_t* cells =
            space.cells.line(at.made.first_row - filtered::kReach + (level.first_row + row) * step,
                             0) +
            at.made.first_column - filtered::kReach;
        const Row job{cells,           places,          wanted.data(), trees_.data(),
                      together_.count, together_.limit, step == 2};
        if (std::isinf(request.threshold) && request.threshold < 0)
          score_all(job, at.index, row, part);
        else score_row(job, {at.index, step, row, request.threshold}, survivors, part);
      }
    });
    for (const Part& part : parts) {
      result.hits.insert(result.hits.end(), part.hits.begin(), part.hits.end());
      result.counts.evaluations += part.evaluations;
    }
    result.counts.windows += static_cast<std::int64_t>(level.columns) * level.rows;
  }

  // `least` has the level, the step between windows in cells, the row, and the least score of a
  // hit.
  void score_row(const Row& job, const Hit& least, std::vector<FilteredSurvivor>& survivors,
                 Part& part) const {
    survivors.clear();
    part.evaluations += walk_row(job, survivors);
    for (const FilteredSurvivor& survivor : survivors) {
      const Walked walked = walk_on(job.cells + survivor.place, survivor.trees, survivor.score);
      part.evaluations += walked.trees - survivor.trees;
      if (walked.rejected) continue;
      const float score = final_score(walked.score);
      if (score >= least.score)
        part.hits.push_back({least.level, survivor.place / least.column, least.row, score});
    }
  }

  void score_all(const Row& job, int level, int row, Part& part) const {
    for (int place = 0, column = 0; place < job.count; ++place) {
      if (job.wanted[place] == 0) continue;
      const Walked walked = walk_on(job.cells + place, 0, 0);
      part.evaluations += walked.trees;
      const float score =
          walked.rejected ? rejected_score(walked.trees - 1) : final_score(walked.score);
      part.hits.push_back({level, column++, row, score});
    }
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

  const FilteredModel& model_;
  ChannelLevels levels_;
  std::vector<DeepTree<kDepth>> trees_;
  TreesTogether together_;
  std::ptrdiff_t stride_ = -1;
  FreeList<ExactSpace> sources_;
  FreeList<Space> spaces_;
};

}  // namespace

std::unique_ptr<Scanner> make_filtered_scanner(const FilteredModel& model) {
  check_filtered(model);
  switch (model.trees.depth) {
    case 2: return std::make_unique<FilteredScanner<2>>(model);
    case 3: return std::make_unique<FilteredScanner<3>>(model);
    case 4: return std::make_unique<FilteredScanner<4>>(model);
    default: return std::make_unique<FilteredScanner<5>>(model);
  }
}

}  // namespace fovea::people::cpu
