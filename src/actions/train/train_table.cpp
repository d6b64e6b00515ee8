#include "actions/train/train_table.h"

#include <algorithm>
#include <cmath>

#include "actions/infinity.h"
#include "actions/match/features.h"

namespace fovea::actions {
namespace {

constexpr std::size_t kScenesAtOnce = 64;  // between two reports of progress

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

}  // namespace

std::vector<Prototype> cut_prototypes(const PointSet& salient, std::int32_t label,
                                      std::int32_t clip, const CutOptions& options) {
  const auto points = static_cast<int>(frame_starts(salient).size()) - 1;
  const int nodes = std::min(options.nodes, points);
  std::vector<Prototype> result;
  if (nodes < 3 || 2 * nodes < options.nodes) return result;
  for (int first = 0; first + nodes <= points; first += options.step)
    for (const bool turned : {false, true})
      if (!turned || options.mirror) result.push_back({label, clip, first, nodes, turned, 0});
  return result;
}

ChainTable::ChainTable(std::span<const FrameModel> chains, const MatchOptions& options,
                       const Exec& exec, Variant variant) {
  nodes_.reserve(chains.size());
  for (const FrameModel& chain : chains) nodes_.push_back(frame_count(chain));
  MatchOptions own = options;
  own.exec = exec;
  own.exec.progress = {};
  if (!chains.empty()) matcher_.emplace(chains, variant, own);
}

ScorePair ChainTable::find(std::span<const Scene> scenes) const {
  const auto columns = static_cast<int>(nodes_.size()), rows = static_cast<int>(scenes.size());
  ScorePair result{Image<float>(columns, rows), Image<float>(columns, rows)};
  if (!matcher_) return result;
  for (std::size_t first = 0; first < scenes.size(); first += kScenesAtOnce) {
    const Image<MatchScore> scores =
        matcher_->scores(scenes.subspan(first, std::min(kScenesAtOnce, scenes.size() - first)));
    for (int y = 0; y < scores.height(); ++y)
      for (int x = 0; x < columns; ++x) {
        const MatchScore& score = scores.at(x, y);
        const auto nodes = static_cast<float>(nodes_[static_cast<std::size_t>(x)]);
        const int row = static_cast<int>(first) + y;
        const bool found = std::isfinite(score.energy);
        result.energy.at(x, row) = found ? score.energy / nodes : kInfinity<float>;
        result.appearance.at(x, row) = found ? score.appearance / nodes : kInfinity<float>;
      }
  }
  return result;
}

ScoreTable match_all(std::span<const Chain> chains, std::vector<Prototype> prototypes,
                     std::span<const Scene> scenes, const MatchOptions& options, const Exec& exec) {
  const auto columns = static_cast<int>(chains.size()), rows = static_cast<int>(scenes.size());
  ScoreTable table{std::move(prototypes), Image<float>(columns, rows), Image<float>(columns, rows)};
  if (chains.empty() || scenes.empty()) return table;
  const ChainTable matcher(chains, options, exec);
  for (std::size_t first = 0; first < scenes.size(); first += kScenesAtOnce) {
    throw_if_stopped(exec);
    if (exec.progress)
      exec.progress({"matching", static_cast<double>(first), static_cast<double>(scenes.size())});
    const ScorePair some =
        matcher.find(scenes.subspan(first, std::min(kScenesAtOnce, scenes.size() - first)));
    for (int y = 0; y < some.energy.height(); ++y) {
      const int row = static_cast<int>(first) + y;
      std::copy_n(some.energy.row(y), columns, table.energy.row(row));
      std::copy_n(some.appearance.row(y), columns, table.appearance.row(row));
    }
  }
  if (exec.progress)
    exec.progress(
        {"matching", static_cast<double>(scenes.size()), static_cast<double>(scenes.size())});
  return table;
}

void set_reject_levels(const RejectTask& task, std::span<Prototype> prototypes) {
  const auto rows = task.clip_labels.size();
  const auto usable = [&](std::size_t row, std::size_t column) {
    return task.clip_subjects[row] != task.prototype_subjects[column] &&
           std::isfinite(task.distances.at(static_cast<int>(column), static_cast<int>(row)));
  };
  const auto distance = [&](std::size_t row, std::size_t column) {
    return static_cast<double>(task.distances.at(static_cast<int>(column), static_cast<int>(row)));
  };
  Mean all;
  std::vector<Mean> wrong(prototypes.size());
  for (std::size_t column = 0; column < prototypes.size(); ++column)
    for (std::size_t row = 0; row < rows; ++row)
      if (task.clip_labels[row] != prototypes[column].label && usable(row, column)) {
        wrong[column].add(distance(row, column));
        all.add(distance(row, column));
      }
  const auto usual = [&](std::size_t column) {
    return wrong[column].count > 0 ? wrong[column].value() : all.value();
  };
  // The relative distance of each clip to its nearest prototype, if that is of the right class.
  std::vector<double> right;
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t nearest = prototypes.size();
    for (std::size_t column = 0; column < prototypes.size(); ++column)
      if (usable(row, column) &&
          (nearest == prototypes.size() || distance(row, column) < distance(row, nearest)))
        nearest = column;
    if (nearest < prototypes.size() && prototypes[nearest].label == task.clip_labels[row] &&
        usual(nearest) > 0)
      right.push_back(distance(row, nearest) / usual(nearest));
  }
  std::ranges::sort(right);
  double level =
      1;  // used if no clip was classified correctly: accepts whatever is nearer than usual
  if (!right.empty()) {
    const auto kept =
        static_cast<std::size_t>(std::ceil((1 - task.share) * static_cast<double>(right.size())));
    level = right[std::clamp<std::size_t>(kept, 1, right.size()) - 1];
  }
  for (std::size_t column = 0; column < prototypes.size(); ++column)
    prototypes[column].reject = static_cast<float>(level * usual(column));
}

}  // namespace fovea::actions
