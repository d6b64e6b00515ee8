#include "actions/evaluate/fold_table.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "actions/evaluate/score.h"
#include "actions/train/train.h"
#include "actions/train/train_table.h"

namespace fovea::actions {
namespace {

// The greatest size of a block of clips that are matched with those of another at a time.
constexpr std::size_t kBlockClips = 64;
constexpr int kNodesAtOnce = 1 << 16;

// Clips with their prototypes, which are numbered within the block, and what they are matched with.
struct ClipBlock {
  std::vector<int> clips;
  std::vector<Prototype> prototypes;
  std::vector<ClipColumns> columns;
  std::vector<Scene> scenes;
  // With no more points per frame than a model keeps, where `scenes` have more.
  std::vector<Scene> salient_scenes;
  std::unique_ptr<ChainTable> chains;
};

// The distances of the prototypes of one block in the clips of another. A model keeps one point per
// frame of its training clips, in which the prototypes of new clips are searched for.
struct BlockScores {
  ScorePair all;
  std::optional<ScorePair> salient;

  const ScorePair& one() const { return salient ? *salient : all; }
};

}  // namespace

class FoldTableMaker {
 public:
  FoldTableMaker(const ClipSource& clips, const FoldJobs& jobs, const TrainOptions& recipe,
                 const FoldTableUse& use, const Exec& exec, FoldTable& table)
      : clips_(clips), jobs_(jobs), recipe_(recipe), use_(use), exec_(exec), table_(table) {}

  void run() {
    const std::vector<std::vector<int>> blocks = divided();
    for (std::size_t a = 0; a < blocks.size(); ++a) {
      if (exec_.progress)
        exec_.progress({"matching", static_cast<double>(a), static_cast<double>(blocks.size())});
      ClipBlock first = opened(blocks[a]);
      match(first, first);
      for (std::size_t b = a + 1; b < blocks.size(); ++b) {
        throw_if_stopped(exec_);
        if (!needs(blocks[a][0], blocks[b][0]) && !needs(blocks[b][0], blocks[a][0])) continue;
        ClipBlock second = opened(blocks[b]);
        match(first, second);
      }
    }
    if (exec_.progress)
      exec_.progress(
          {"matching", static_cast<double>(blocks.size()), static_cast<double>(blocks.size())});
  }

 private:
  bool trains(int clip) const { return jobs_.group_of(clip) >= 0; }
  bool tests(int clip) const { return jobs_.is_tested(clip); }
  // Whether the prototypes of a clip are to be found in another. Clips of a block are alike in
  // this.
  bool needs(int from, int in) const {
    return (trains(from) && tests(in)) || (use_.symmetric_best > 0 && tests(from) && trains(in));
  }

  // Divides the clips into blocks of clips that have the same use.
  std::vector<std::vector<int>> divided() const {
    std::vector<std::vector<int>> blocks;
    for (const int kind : {0, 1, 2}) {
      int nodes = 0;
      bool is_open = false;
      for (int clip = 0; clip < clips_.size(); ++clip) {
        if ((trains(clip) ? 1 : 0) + (tests(clip) ? 2 : 0) != kind + 1) continue;
        const int own = clips_.points(clip, 1) / recipe_.cut.step * recipe_.cut.nodes;
        if (!is_open || blocks.back().size() == kBlockClips || nodes + own > kNodesAtOnce) {
          blocks.emplace_back();
          nodes = 0;
        }
        is_open = true;
        blocks.back().push_back(clip);
        nodes += own;
      }
    }
    return blocks;
  }

  ClipBlock opened(const std::vector<int>& clips) const {
    ClipBlock block;
    block.clips = clips;
    std::vector<Chain> chains;
    const bool only_searched = !trains(clips[0]) && use_.symmetric_best == 0;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      PointSet room;
      block.scenes.push_back(
          clip_scene(clips_.get(clips[i], room), recipe_.scene_points, recipe_.features));
      if (only_searched) continue;
      const PointSet salient = salient_of(clips_, clips[i], recipe_.cut.points);
      if (use_.symmetric_best > 0 && keeps_fewer())
        block.salient_scenes.push_back(clip_scene(salient, recipe_.cut.points, recipe_.features));
      for (const Prototype& prototype :
           cut_prototypes(salient, 0, static_cast<std::int32_t>(i), recipe_.cut)) {
        chains.push_back(make_chain(salient, prototype, recipe_.features));
        block.prototypes.push_back(prototype);
      }
    }
    block.columns = columns_by_clip(block.prototypes, static_cast<int>(clips.size()));
    block.chains = std::make_unique<ChainTable>(chains, recipe_.match, exec_, recipe_.cut.variant);
    return block;
  }

  // Whether the clips of a model have fewer points per frame than the clips that are tested.
  bool keeps_fewer() const {
    return recipe_.scene_points == 0 || recipe_.scene_points > recipe_.cut.points;
  }

  static BlockScores found(const ClipBlock& from, const ClipBlock& in) {
    BlockScores scores{from.chains->find(in.scenes), {}};
    if (!in.salient_scenes.empty()) scores.salient = from.chains->find(in.salient_scenes);
    return scores;
  }

  void match(const ClipBlock& a, const ClipBlock& b) {
    const bool same = &a == &b;
    std::optional<BlockScores> forward, backward;
    if (needs(a.clips[0], b.clips[0])) forward = found(a, b);
    if (!same && needs(b.clips[0], a.clips[0])) backward = found(b, a);
    if (forward) add(a, b, forward->all);
    if (backward) add(b, a, backward->all);
    if (use_.symmetric_best == 0 || !forward || !(same || backward)) return;
    const BlockScores& back = same ? *forward : *backward;
    add_symmetric(a, b, forward->all.energy, back.one().energy, table_.symmetric_energy_);
    add_symmetric(a, b, forward->all.appearance, back.one().appearance,
                  table_.symmetric_appearance_);
    if (same) return;
    add_symmetric(b, a, back.all.energy, forward->one().energy, table_.symmetric_energy_);
    add_symmetric(b, a, back.all.appearance, forward->one().appearance,
                  table_.symmetric_appearance_);
  }

  // Adds the distances of the prototypes of `from` in the clips of `in`.
  void add(const ClipBlock& from, const ClipBlock& in, const ScorePair& scores) {
    if (use_.best == 0) return;
    for (std::size_t y = 0; y < in.clips.size(); ++y)
      for (std::size_t x = 0; x < from.prototypes.size(); ++x) {
        const int source = from.clips[static_cast<std::size_t>(from.prototypes[x].clip)];
        const int row = table_.row_of_[static_cast<std::size_t>(in.clips[y])];
        if (row < 0 || !trains(source) || source == in.clips[y]) continue;
        const auto column = static_cast<int>(x), line = static_cast<int>(y);
        const int group = jobs_.group_of(source);
        table_.energy_.add(row, group, scores.energy.at(column, line));
        table_.appearance_.add(row, group, scores.appearance.at(column, line));
      }
  }

  // Adds the symmetric distances of the clips of `in` to those of `from` that have prototypes. In
  // `forward`, rows are clips of `in` and columns prototypes of `from`; in `backward`, the reverse.
  void add_symmetric(const ClipBlock& from, const ClipBlock& in, const Image<float>& forward,
                     const Image<float>& backward, LeastDistances<double>& to) const {
    for (std::size_t i = 0; i < from.clips.size(); ++i) {
      if (!trains(from.clips[i]) || from.columns[i].plain.empty()) continue;
      const int group = jobs_.group_of(from.clips[i]);
      for (std::size_t j = 0; j < in.clips.size(); ++j) {
        const int row = table_.row_of_[static_cast<std::size_t>(in.clips[j])];
        if (row < 0 || from.clips[i] == in.clips[j]) continue;
        to.add(row, group,
               symmetric_distance(
                   clip_distance(row_of(forward, static_cast<int>(j)), from.columns[i]),
                   clip_distance(row_of(backward, static_cast<int>(i)), in.columns[j])));
      }
    }
  }

  const ClipSource& clips_;
  const FoldJobs& jobs_;
  const TrainOptions& recipe_;
  const FoldTableUse& use_;
  const Exec& exec_;
  FoldTable& table_;
};

FoldTable::FoldTable(const ClipSource& clips, const FoldJobs& jobs, const TrainOptions& recipe,
                     const FoldTableUse& use, const Exec& exec) {
  int rows = 0;
  for (int clip = 0; clip < clips.size(); ++clip)
    row_of_.push_back(jobs.is_tested(clip) ? rows++ : -1);
  if (use.best > 0) {
    energy_ = {rows, jobs.groups(), use.best};
    appearance_ = {rows, jobs.groups(), use.best};
  }
  if (use.symmetric_best > 0) {
    symmetric_energy_ = {rows, jobs.groups(), use.symmetric_best};
    symmetric_appearance_ = {rows, jobs.groups(), use.symmetric_best};
  }
  FoldTableMaker(clips, jobs, recipe, use, exec, *this).run();
}

std::vector<double> FoldTable::distances(int clip, std::span<const std::int32_t> group_labels,
                                         const ScoreOptions& score, int classes) const {
  std::vector<double> values;
  std::vector<std::int32_t> labels;
  const auto gather = [&](const auto& from) {
    for (std::size_t group = 0; group < group_labels.size(); ++group) {
      if (group_labels[group] < 0) continue;
      for (const auto value :
           from.get(row_of_[static_cast<std::size_t>(clip)], static_cast<int>(group))) {
        values.push_back(static_cast<double>(value));
        labels.push_back(group_labels[group]);
      }
    }
  };
  const bool by_energy = score.score == Score::kEnergy;
  if (score.symmetric) gather(by_energy ? symmetric_energy_ : symmetric_appearance_);
  else gather(by_energy ? energy_ : appearance_);
  return nearest_clips(values, labels, classes, score.best);
}

}  // namespace fovea::actions
