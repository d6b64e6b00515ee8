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

ScoreTable match_all(std::span<const FrameModel> models, std::vector<Prototype> prototypes,
                     std::span<const Scene> scenes, const TableOptions& options) {
  const Exec& exec = options.exec;
  ScoreTable table;
  table.prototypes = std::move(prototypes);
  const auto columns = static_cast<int>(models.size());
  table.energy = Image<float>(columns, static_cast<int>(scenes.size()));
  table.appearance = Image<float>(columns, static_cast<int>(scenes.size()));
  if (models.empty() || scenes.empty()) return table;
  MatchOptions own = options.match;
  own.exec = exec;
  const FrameMatcher matcher(models, options.variant, own);
  for (std::size_t first = 0; first < scenes.size(); first += kScenesAtOnce) {
    throw_if_stopped(exec);
    if (exec.progress)
      exec.progress({"matching", static_cast<double>(first), static_cast<double>(scenes.size())});
    const auto some = scenes.subspan(first, std::min(kScenesAtOnce, scenes.size() - first));
    const Image<MatchScore> scores = matcher.scores(some);
    for (int y = 0; y < scores.height(); ++y)
      for (int x = 0; x < columns; ++x) {
        const MatchScore& score = scores.at(x, y);
        const auto nodes = static_cast<float>(table.prototypes[static_cast<std::size_t>(x)].nodes);
        const int row = static_cast<int>(first) + y;
        const bool found = std::isfinite(score.energy);
        table.energy.at(x, row) = found ? score.energy / nodes : kInfinity<float>;
        table.appearance.at(x, row) = found ? score.appearance / nodes : kInfinity<float>;
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
