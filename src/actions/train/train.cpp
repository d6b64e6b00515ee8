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
#include "actions/match/features.h"
#include "actions/train/select.h"
#include "core/words.h"

namespace fovea::actions {
namespace {

// The limit of matches for reject levels; if there would be more, clips are drawn at random.
constexpr std::int64_t kMostMatches = 4'000'000;
constexpr std::uint64_t kSelectionSequence = 1, kRejectSequence = 2;

std::vector<int> all_clips(const Corpus& corpus) {
  std::vector<int> all(corpus.clips.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::int32_t> labels_of(const Corpus& corpus) {
  std::vector<std::int32_t> labels;
  for (const Clip& clip : corpus.clips) labels.push_back(clip.label);
  return labels;
}

class Trainer {
 public:
  Trainer(const Corpus& corpus, std::span<const PointSet> points, const TrainOptions& options)
      : corpus_(corpus),
        points_(points),
        options_(options),
        exec_(options.exec),
        labels_(labels_of(corpus)),
        subjects_(subject_numbers(corpus)),
        salient_(salient_points(points)) {
    if (options_.features.scale == 0)
      options_.features.scale = choose_scale(points, all_clips(corpus), options.scene_points,
                                             options.features, exec_.seed);
  }

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
    std::vector<Prototype> prototypes = cut(all_clips(corpus_));
    check_every_class(prototypes);
    if (options_.selection == Selection::kFloating) prototypes = selected();
    set_levels(prototypes);
    keep_used_clips(std::move(prototypes), model);
    if (options_.score.fusion > 0) add_descriptors(model);
    model.facts["options"] = options_json(options_);
    model.facts["seed"] = std::to_string(exec_.seed);
    model.facts["clips"] = std::to_string(corpus_.clips.size());
    model.facts["subjects"] = std::to_string(corpus_.subjects().size());
    return model;
  }

 private:
  std::vector<Prototype> cut(std::span<const int> clips) const {
    std::vector<Prototype> prototypes;
    for (const int clip : clips) {
      const auto at = static_cast<std::size_t>(clip);
      const auto own = cut_prototypes(salient_[at], labels_[at], clip, options_.cut);
      prototypes.insert(prototypes.end(), own.begin(), own.end());
    }
    return prototypes;
  }

  void check_every_class(const std::vector<Prototype>& prototypes) const {
    for (std::size_t label = 0; label < corpus_.classes.size(); ++label)
      if (std::ranges::none_of(prototypes, [&](const Prototype& prototype) {
            return prototype.label == static_cast<std::int32_t>(label);
          }))
        throw InvalidArgument(fmt::format(
            "train: no clip of class {} has points in {} frames; lower the detector's threshold or "
            "the number of nodes",
            corpus_.classes[label], (options_.cut.nodes + 1) / 2));
  }

  ScoreTable table(std::vector<Prototype> prototypes, std::span<const int> clips) const {
    std::vector<Chain> chains;
    chains.reserve(prototypes.size());
    for (const Prototype& prototype : prototypes)
      chains.push_back(make_chain(salient_[static_cast<std::size_t>(prototype.clip)], prototype,
                                  options_.features));
    std::vector<Scene> scenes;
    for (const int clip : clips)
      scenes.push_back(make_scene(points_[static_cast<std::size_t>(clip)], options_.scene_points,
                                  options_.features));
    return match_all(chains, std::move(prototypes), scenes, options_.match, exec_);
  }

  // Rows of the table are validation clips only, because select_columns() finds them by position.
  std::vector<Prototype> selected() const {
    const SelectionParts parts =
        selection_parts(all_clips(corpus_), subjects_, options_.validation, exec_.seed);
    const ScoreTable scores = table(cut(parts.candidates), parts.validation);
    std::vector<std::int32_t> labels;
    for (const int clip : parts.validation)
      labels.push_back(labels_[static_cast<std::size_t>(clip)]);
    std::vector<int> rows(labels.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<Prototype> chosen;
    for (const int column :
         select_columns(scores, {parts.candidates, std::move(rows)}, labels, options_, exec_))
      chosen.push_back(scores.prototypes[static_cast<std::size_t>(column)]);
    return chosen;
  }

  void set_levels(std::vector<Prototype>& prototypes) const {
    std::vector<int> clips = all_clips(corpus_);
    const std::int64_t most =
        std::max<std::int64_t>(kMostMatches / static_cast<std::int64_t>(prototypes.size()), 1);
    if (static_cast<std::int64_t>(clips.size()) > most) {
      Random random(exec_.seed, kRejectSequence);
      shuffle(clips, random);
      clips.resize(static_cast<std::size_t>(most));
      std::ranges::sort(clips);
    }
    const ScoreTable scores = table(prototypes, clips);
    // If there is only one subject, prototypes and clips are kept apart by clip instead.
    const bool alone = corpus_.subjects().size() < 2;
    const auto owner = [&](int clip) {
      return alone ? clip : subjects_[static_cast<std::size_t>(clip)];
    };
    std::vector<std::int32_t> labels;
    std::vector<int> clip_owners, prototype_owners;
    for (const int clip : clips) {
      labels.push_back(labels_[static_cast<std::size_t>(clip)]);
      clip_owners.push_back(owner(clip));
    }
    for (const Prototype& prototype : prototypes) prototype_owners.push_back(owner(prototype.clip));
    set_reject_levels({scores.values(options_.score.score), labels, clip_owners, prototype_owners,
                       options_.reject_share},
                      prototypes);
  }

  void keep_used_clips(std::vector<Prototype> prototypes, Model& model) {
    std::vector<int> place(salient_.size(), -1);
    for (Prototype& prototype : prototypes) {
      int& at = place[static_cast<std::size_t>(prototype.clip)];
      if (at < 0) {
        at = static_cast<int>(model.clips.size());
        model.clips.push_back(clone(salient_[static_cast<std::size_t>(prototype.clip)]));
      }
      prototype.clip = at;
    }
    model.prototypes = std::move(prototypes);
  }

  void add_descriptors(Model& model) const {
    std::vector<Image<float>> rows;
    for (std::size_t clip = 0; clip < points_.size(); ++clip) {
      rows.push_back(fusion_rows(points_[clip], options_.fusion_points));
      model.descriptor_labels.insert(model.descriptor_labels.end(),
                                     static_cast<std::size_t>(rows.back().height()), labels_[clip]);
    }
    model.descriptors = stacked(rows, kHofSize);
  }

  const Corpus& corpus_;
  std::span<const PointSet> points_;
  TrainOptions options_;
  Exec exec_;
  std::vector<std::int32_t> labels_;
  std::vector<int> subjects_;
  std::vector<PointSet> salient_;
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
  options.validation = 0.5;  // KTH: 8 people to train on, 8 for validation
  return options;
}

void check_corpus(const Corpus& corpus, std::span<const PointSet> points, const char* who) {
  if (corpus.clips.size() != points.size())
    throw InvalidArgument(fmt::format("{}: points of {} clips for a corpus of {}", who,
                                      points.size(), corpus.clips.size()));
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

std::vector<PointSet> salient_points(std::span<const PointSet> points) {
  std::vector<PointSet> result;
  for (const PointSet& set : points) {
    result.push_back(most_salient(set));
    round_to_file(result.back().descriptors);
  }
  return result;
}

Chain make_chain(const PointSet& salient, const Prototype& prototype,
                 const FeatureOptions& features) {
  std::vector<int> which(static_cast<std::size_t>(prototype.nodes));
  std::iota(which.begin(), which.end(), prototype.first);
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

std::vector<int> select_columns(const ScoreTable& table, const SelectionParts& parts,
                                std::span<const std::int32_t> labels, const TrainOptions& options,
                                const Exec& exec) {
  if (options.score.symmetric)
    throw InvalidArgument(
        "symmetric distances are those of whole clips: not of selected prototypes");
  std::vector<int> columns;
  std::vector<std::int32_t> column_labels, row_labels;
  for (std::size_t i = 0; i < table.prototypes.size(); ++i) {
    if (!std::ranges::binary_search(parts.candidates, table.prototypes[i].clip)) continue;
    columns.push_back(static_cast<int>(i));
    column_labels.push_back(table.prototypes[i].label);
  }
  const ImageView<const float> values = table.values(options.score.score);
  Image<float> distances(static_cast<int>(columns.size()),
                         static_cast<int>(parts.validation.size()));
  for (int y = 0; y < distances.height(); ++y) {
    const int row = parts.validation[static_cast<std::size_t>(y)];
    row_labels.push_back(labels[static_cast<std::size_t>(row)]);
    for (int x = 0; x < distances.width(); ++x)
      distances.at(x, y) = values.at(columns[static_cast<std::size_t>(x)], row);
  }
  std::vector<int> chosen =
      select_floating({distances.view(), row_labels, column_labels, options.prototypes}, exec);
  for (int& column : chosen) column = columns[static_cast<std::size_t>(column)];
  return chosen;
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

Model train(const Corpus& corpus, std::span<const PointSet> points, const TrainOptions& options) {
  check_options(options);
  check_corpus(corpus, points, "train");
  return Trainer(corpus, points, options).train();
}

}  // namespace fovea::actions
