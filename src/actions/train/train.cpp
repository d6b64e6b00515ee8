// Training: prototypes that are cut from clips, all or selected, their reject levels, and single
// descriptors.
#include "actions/train/train.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "actions/evaluate/nearest.h"
#include "actions/evaluate/score.h"
#include "actions/match/features.h"
#include "actions/train/calibration.h"
#include "actions/train/match_plan.h"
#include "actions/train/select.h"
#include "core/words.h"

namespace fovea::actions {
namespace {

// The limit of distances that floating selection holds, 200 megabytes.
constexpr std::size_t kMostSelectionPairs = 50'000'000;
constexpr std::size_t kPrototypesAtOnce = 2048, kClipsAtATime = 64;
constexpr std::uint64_t kSelectionSequence = 1;

// The distances of all prototypes of a plan, which were measured clip by clip.
Image<float> known_table(const MatchPlan& plan, const TrainDistances& known) {
  Image<float> table(static_cast<int>(plan.prototypes.size()), static_cast<int>(plan.clips.size()));
  for (std::size_t first = 0; first < plan.prototypes.size();) {
    const int clip = plan.prototypes[first].clip;
    std::size_t end = first;
    while (end < plan.prototypes.size() && plan.prototypes[end].clip == clip) ++end;
    const std::vector<float>& own = known.clips[static_cast<std::size_t>(clip)].matching;
    const std::size_t columns = end - first;
    if (own.size() != columns * plan.clips.size())
      throw InvalidArgument(
          fmt::format("train: clip {} has {} distances; expected {} of each of {} prototypes", clip,
                      own.size(), plan.clips.size(), columns));
    for (std::size_t row = 0; row < plan.clips.size(); ++row)
      std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                  table.row(static_cast<int>(row)) + first);
    first = end;
  }
  return table;
}

class Trainer {
 public:
  Trainer(const Corpus& corpus, const ClipSource& clips, const TrainOptions& options,
          const TrainDistances* known)
      : corpus_(corpus),
        clips_(clips),
        options_(with_learned_scale(clips, options)),
        known_(known),
        exec_(options.exec),
        labels_(labels_of(corpus)),
        subjects_(subject_numbers(corpus)),
        alone_(corpus.subjects().size() < 2) {}

  Model train() {
    Model model;
    model.classes = corpus_.classes;
    model.points = options_.points;
    model.points.exec = {};
    model.scene_points = options_.scene_points;
    model.features = options_.features;
    model.cut = options_.cut;
    model.match = options_.match;
    model.match.exec = {};
    model.score = options_.score;
    auto [prototypes, clips] = plan_matches(corpus_, task());
    Image<float> scores = known_ != nullptr ? known_table({prototypes, clips}, *known_)
                                            : clip_table(task(), prototypes, clips);
    if (options_.selection == Selection::kFloating) {
      prototypes = select_prototypes(task(), prototypes, clips, scores);
      clips = calibration_clips(corpus_.clips.size(), prototypes.size(), exec_.seed);
      scores = clip_table(task(), prototypes, clips);
    }
    set_levels(prototypes, clips, scores);
    if (!alone_) {
      Calibration learned = calibrate({corpus_, task(), prototypes, clips, scores, known_});
      model.reject_rule = learned.rule;
      model.late_fusion = std::move(learned.fusion);
      kept_points_ = learned.points;
    }
    if (compares_descriptors(model)) add_descriptors(model);
    keep_used_clips(std::move(prototypes), model);
    model.facts["options"] = options_json(options_);
    model.facts["seed"] = std::to_string(exec_.seed);
    model.facts["clips"] = std::to_string(corpus_.clips.size());
    model.facts["subjects"] = std::to_string(corpus_.subjects().size());
    if (options_.late_fusion && !model.late_fusion)
      model.facts["late_fusion"] = fmt::format("none ({})", why_not_fused());
    return model;
  }

 private:
  ClipTask task() const { return {clips_, labels_, options_, exec_}; }

  // Whose clip it is. If there is only one subject, prototypes and clips are kept apart by clip.
  int owner(int clip) const { return alone_ ? clip : subjects_[static_cast<std::size_t>(clip)]; }

  void set_levels(std::vector<Prototype>& prototypes, const std::vector<int>& clips,
                  const Image<float>& scores) const {
    std::vector<std::int32_t> labels;
    std::vector<int> clip_owners, prototype_owners;
    for (const int clip : clips) {
      labels.push_back(labels_[static_cast<std::size_t>(clip)]);
      clip_owners.push_back(owner(clip));
    }
    for (const Prototype& prototype : prototypes) prototype_owners.push_back(owner(prototype.clip));
    set_reject_levels({scores.view(), labels, clip_owners, prototype_owners, options_.reject_share},
                      prototypes);
  }

  void keep_used_clips(std::vector<Prototype> prototypes, Model& model) {
    std::vector<int> place(corpus_.clips.size(), -1);
    for (Prototype& prototype : prototypes) {
      int& at = place[static_cast<std::size_t>(prototype.clip)];
      if (at < 0) {
        at = static_cast<int>(model.clips.size());
        model.clips.push_back(salient_of(clips_, prototype.clip, options_.cut.points));
      }
      prototype.clip = at;
    }
    model.prototypes = std::move(prototypes);
  }

  // Whether whoever classifies clips by the model reads single descriptors.
  static bool compares_descriptors(const Model& model) {
    return model.score.fusion > 0 || model.late_fusion ||
           (model.reject_rule && model.reject_rule->singles);
  }

  const char* why_not_fused() const {
    if (options_.score.fusion > 0) return "fusion with a fixed weight";
    if (options_.selection != Selection::kAll) return "selected prototypes";
    return alone_ ? "one subject" : "a class without words";
  }

  void add_descriptors(Model& model) const {
    std::vector<Image<float>> rows;
    for (std::size_t clip = 0; clip < corpus_.clips.size(); ++clip) {
      PointSet room;
      rows.push_back(fusion_rows(clips_.get(static_cast<int>(clip), room), kept_points_));
      model.descriptor_labels.insert(model.descriptor_labels.end(),
                                     static_cast<std::size_t>(rows.back().height()), labels_[clip]);
    }
    model.descriptors = stacked(rows, kHofSize);
  }

  const Corpus& corpus_;
  ClipSource clips_;
  TrainOptions options_;
  const TrainDistances* known_;  // null where they are measured here
  Exec exec_;
  std::vector<std::int32_t> labels_;
  std::vector<int> subjects_;
  bool alone_;
  int kept_points_ = kept_points(options_);
};

// Makes chains of prototypes that are sorted by clip.
class ChainMaker {
 public:
  explicit ChainMaker(const ClipTask& task) : task_(task) {}
  Chain make(const Prototype& prototype) {
    if (prototype.clip != held_)
      salient_ = salient_of(task_.clips, prototype.clip, task_.options.cut.points);
    held_ = prototype.clip;
    return make_chain(salient_, prototype, task_.options.features);
  }

 private:
  const ClipTask& task_;
  int held_ = -1;
  PointSet salient_;
};

}  // namespace

std::span<const Choice> choices(Selection) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"all", static_cast<int>(Selection::kAll)},
       {"floating", static_cast<int>(Selection::kFloating)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, TrainOptions& options) {
  describe(visit, options.points);
  describe(visit, options.features);
  describe(visit, options.cut);
  describe(visit, options.match);
  describe(visit, options.score);
  visit("scene-points", options.scene_points,
        "points of each frame that are matched, the most confident; 0 matches all", 0, 1000);
  visit("selection", options.selection,
        "prototypes that are kept: all, or those that floating selection chooses on subjects set "
        "aside");
  visit("prototypes", options.prototypes,
        "greatest number of prototypes that floating selection keeps", 2, 100000);
  visit("validation", options.validation,
        "share of the subjects that floating selection sets aside", 0.01, 0.99);
  visit("reject-share", options.reject_share,
        "share of the correctly classified training clips that reject levels may lose", 0, 1);
  visit("clip-reject-share", options.clip_reject_share,
        "share of known clips that the rule for whole clips may reject", 0, 1);
  visit("reject-points", options.reject_points,
        "points per clip whose descriptors are kept for that rule where there is no fusion, the "
        "most confident; 0 lets it go by matches alone",
        0, 1000000);
  visit("late-fusion", options.late_fusion,
        "classify whole clips by matching, single descriptors and words together, with weights "
        "that are learned by leaving out each training subject in turn; --fusion and --selection "
        "floating turn it off",
        {.off_help = "classify whole clips by matching alone, or as --fusion says"});
  visit("fusion-points", options.fusion_points,
        "points per clip whose descriptors are kept for fusion, the most confident; 0 keeps all", 0,
        1000000);
}

// Every value that the paper gives is set here, also where it is the default, which may change.
TrainOptions paper_options() {
  TrainOptions options;
  options.points = {};  // the options of STIP-2.0, "the publicly available code"
  options.features = {.appearance = Appearance::kHogHof, .square_root = false, .scale = 1};
  options.cut.nodes = 30;
  options.cut.mirror = false;
  options.match = {.appearance = 0.6,
                   .geometry = 0.2,
                   .angles = 5,
                   .window = 10,
                   .closeness = Closeness::kSpan,
                   .dummies = false};
  options.score = {.score = Score::kAppearance, .best = 1};
  options.scene_points = 0;
  options.selection = Selection::kFloating;
  options.prototypes = 50;
  options.reject_points = 0;
  options.late_fusion = false;
  options.validation = 0.5;  // KTH: 8 people to train on, 8 for validation
  return options;
}

void check_corpus(const Corpus& corpus, int clips, const char* who) {
  if (std::ssize(corpus.clips) != clips)
    throw InvalidArgument(
        fmt::format("{}: points of {} clips for a corpus of {}", who, clips, corpus.clips.size()));
  if (corpus.classes.size() < 2)
    throw InvalidArgument(
        fmt::format("{}: the corpus has {}; two or more are needed", who,
                    fovea::detail::counted(corpus.classes.size(), "class", "classes")));
  for (std::size_t i = 0; i < corpus.clips.size(); ++i)
    if (corpus.clips[i].label < 0 ||
        static_cast<std::size_t>(corpus.clips[i].label) >= corpus.classes.size())
      throw InvalidArgument(fmt::format("{}: clip {} has label {}, expected 0 to {}", who, i,
                                        corpus.clips[i].label, corpus.classes.size() - 1));
}

std::vector<int> subject_numbers(const Corpus& corpus) {
  const std::vector<std::string> names = corpus.subjects();
  std::vector<int> numbers;
  for (const Clip& clip : corpus.clips)
    numbers.push_back(static_cast<int>(std::ranges::find(names, clip.subject) - names.begin()));
  return numbers;
}

Chain make_chain(const PointSet& salient, const Prototype& prototype,
                 const FeatureOptions& features) {
  const std::vector<int> starts = frame_starts(salient);
  const int first = starts[static_cast<std::size_t>(prototype.first)];
  const int end =
      starts[static_cast<std::size_t>(prototype.first) + static_cast<std::size_t>(prototype.nodes)];
  std::vector<int> which(static_cast<std::size_t>(end - first));
  std::iota(which.begin(), which.end(), first);
  PointSet part = chosen_points(salient, which);
  if (prototype.mirrored) part = mirrored(part);
  return make_nodes(part, 0, features);
}

SelectionParts selection_parts(std::span<const int> clips, std::span<const int> subjects,
                               double share, std::uint64_t seed) {
  std::vector<int> names;
  for (const int clip : clips) names.push_back(subjects[static_cast<std::size_t>(clip)]);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() < 2)
    throw InvalidArgument(fmt::format(
        "floating selection sets subjects aside, but there is only {}; have two or more, or "
        "selection all",
        names.size()));
  Random random(seed, kSelectionSequence);
  shuffle(names, random);
  const auto aside = std::clamp<std::int64_t>(
      std::llround(share * static_cast<double>(names.size())), 1, std::ssize(names) - 1);
  names.resize(static_cast<std::size_t>(aside));
  SelectionParts parts;
  for (const int clip : clips) {
    const bool validates =
        std::ranges::find(names, subjects[static_cast<std::size_t>(clip)]) != names.end();
    (validates ? parts.validation : parts.candidates).push_back(clip);
  }
  return parts;
}

std::vector<Prototype> cut_clips(const ClipTask& task, std::span<const int> clips) {
  std::vector<Prototype> prototypes;
  for (const int clip : clips) {
    const auto own =
        cut_prototypes(salient_of(task.clips, clip, task.options.cut.points),
                       task.labels[static_cast<std::size_t>(clip)], clip, task.options.cut);
    prototypes.insert(prototypes.end(), own.begin(), own.end());
  }
  return prototypes;
}

Image<float> clip_table(const ClipTask& task, std::span<const Prototype> prototypes,
                        std::span<const int> clips) {
  Image<float> table(static_cast<int>(prototypes.size()), static_cast<int>(clips.size()));
  const bool by_energy = task.options.score.score == Score::kEnergy;
  ChainMaker maker(task);
  for (std::size_t first = 0; first < prototypes.size(); first += kPrototypesAtOnce) {
    const auto some =
        prototypes.subspan(first, std::min(kPrototypesAtOnce, prototypes.size() - first));
    std::vector<Chain> chains;
    chains.reserve(some.size());
    for (const Prototype& prototype : some) chains.push_back(maker.make(prototype));
    const ChainTable matcher(chains, task.options.match, task.exec, task.options.cut.variant);
    chains.clear();
    for (std::size_t from = 0; from < clips.size(); from += kClipsAtATime) {
      throw_if_stopped(task.exec);
      if (task.exec.progress)
        task.exec.progress({"matching",
                            static_cast<double>(first * clips.size() + from * some.size()),
                            static_cast<double>(prototypes.size() * clips.size())});
      std::vector<Scene> scenes;
      for (const int clip : clips.subspan(from, std::min(kClipsAtATime, clips.size() - from))) {
        PointSet room;
        scenes.push_back(clip_scene(task.clips.get(clip, room), task.options.scene_points,
                                    task.options.features));
      }
      const ScorePair scores = matcher.find(scenes);
      const Image<float>& values = by_energy ? scores.energy : scores.appearance;
      for (int y = 0; y < values.height(); ++y)
        std::copy_n(values.row(y), values.width(), table.row(static_cast<int>(from) + y) + first);
    }
  }
  return table;
}

std::vector<Prototype> selection_candidates(const ClipTask& task, const SelectionParts& parts) {
  if (task.options.score.symmetric)
    throw InvalidArgument(
        "symmetric distances are those of whole clips: not of selected prototypes");
  std::vector<Prototype> candidates = cut_clips(task, parts.candidates);
  const std::size_t most = std::max<std::size_t>(
      kMostSelectionPairs / std::max<std::size_t>(parts.validation.size(), 1), 2);
  if (candidates.size() > most) {
    for (std::size_t i = 0; i < most; ++i) candidates[i] = candidates[i * candidates.size() / most];
    candidates.resize(most);
  }
  return candidates;
}

std::vector<Prototype> select_prototypes(const ClipTask& task,
                                         std::span<const Prototype> candidates,
                                         std::span<const int> validation,
                                         const Image<float>& distances) {
  std::vector<std::int32_t> columns, rows;
  columns.reserve(candidates.size());
  rows.reserve(validation.size());
  for (const Prototype& candidate : candidates) columns.push_back(candidate.label);
  for (const int clip : validation) rows.push_back(task.labels[static_cast<std::size_t>(clip)]);
  std::vector<Prototype> chosen;
  for (const int column :
       select_floating({distances.view(), rows, columns, task.options.prototypes}, task.exec))
    chosen.push_back(candidates[static_cast<std::size_t>(column)]);
  return chosen;
}

std::vector<Prototype> selected_prototypes(const ClipTask& task, const SelectionParts& parts) {
  const std::vector<Prototype> candidates = selection_candidates(task, parts);
  return select_prototypes(task, candidates, parts.validation,
                           clip_table(task, candidates, parts.validation));
}

Image<float> fusion_rows(const PointSet& points, int most) {
  std::vector<int> which(points.points.size());
  std::iota(which.begin(), which.end(), 0);
  if (most > 0 && which.size() > static_cast<std::size_t>(most)) {
    std::ranges::stable_sort(which, [&](int a, int b) {
      return points.points[static_cast<std::size_t>(a)].confidence >
             points.points[static_cast<std::size_t>(b)].confidence;
    });
    which.resize(static_cast<std::size_t>(most));
    std::ranges::sort(which);
  }
  Image<float> rows = make_nodes(chosen_points(points, which), 0,
                                 {.appearance = Appearance::kHof, .square_root = false, .scale = 1})
                          .features;
  round_to_file(rows);
  return rows;
}

Model train_clips(const Corpus& corpus, const ClipSource& clips, const TrainOptions& options,
                  const TrainDistances* known) {
  check_options(options);
  check_cut(options.cut);
  check_corpus(corpus, clips.size(), "train");
  return Trainer(corpus, clips, options, known).train();
}

Model train(const Corpus& corpus, std::span<const PointSet> points, const TrainOptions& options) {
  return train_clips(corpus, points, options, nullptr);
}

Model train(const Corpus& corpus, const PackedClips& points, const TrainOptions& options) {
  return train_clips(corpus, points, options, nullptr);
}

}  // namespace fovea::actions
