// Finds the class of whole clips by a trained model: matches its prototypes with them, and with
// symmetric distances also their prototypes with its clips, and compares single descriptors and
// counts words where the model has fusion. Distances of classes come from class_distances() and
// fused_distances(), as in evaluation.
#include <fovea/actions/classify.h>
#include <fovea/actions/explain.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "actions/evaluate/nearest.h"
#include "actions/evaluate/score.h"
#include "actions/explain/shares.h"
#include "actions/fuse/late_fusion.h"
#include "actions/fuse/words.h"
#include "actions/match/features.h"
#include "actions/train/reject_rule.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

constexpr double kLeastAllowance = 1e-6;
constexpr std::size_t kClipsAtOnce = 64;  // whose matches are in memory at a time

std::shared_ptr<const Model> checked_model(std::shared_ptr<const Model> model) {
  if (!model) throw InvalidArgument("Classifier: the model is a null pointer");
  if (model->prototypes.empty())
    throw InvalidArgument("Classifier: the model has no prototypes; train it first");
  if (model->score.fusion > 0 && model->descriptor_labels.empty())
    throw InvalidArgument(
        fmt::format("Classifier: the model's fusion is {}, but it has no descriptors; train it "
                    "with fusion",
                    model->score.fusion));
  if (model->reject_rule && model->reject_rule->singles && model->descriptor_labels.empty())
    throw InvalidArgument(
        "Classifier: the model's reject rule compares descriptors, but the model has none; train "
        "it again");
  if (model->late_fusion && (model->descriptor_labels.empty() || model->late_fusion->words.empty()))
    throw InvalidArgument(
        "Classifier: the model has late fusion, but no descriptors or no words; train it again");
  return model;
}

MatchOptions match_options(const Model& model, const Exec& exec) {
  MatchOptions options = model.match;
  options.exec = exec;
  options.exec.progress = {};
  return options;
}

// Returns one row per scene and one column per chain.
Image<float> distances_of(const FrameMatcher& matcher, std::span<const Scene> scenes,
                          std::span<const int> nodes, Score score) {
  const Image<MatchScore> matches = matcher.scores(scenes);
  Image<float> table(matches.width(), matches.height());
  for (int y = 0; y < table.height(); ++y)
    for (int x = 0; x < table.width(); ++x)
      table.at(x, y) =
          distance_per_node(matches.at(x, y), score, nodes[static_cast<std::size_t>(x)]);
  return table;
}

// Returns the flow descriptors for fusion: one image per class, with one descriptor per row.
std::vector<Image<float>> descriptors_by_class(const Model& model) {
  std::vector<Image<float>> groups;
  groups.reserve(model.classes.size());
  for (std::size_t label = 0; label < model.classes.size(); ++label) {
    std::vector<int> which;
    for (std::size_t i = 0; i < model.descriptor_labels.size(); ++i)
      if (model.descriptor_labels[i] == static_cast<std::int32_t>(label))
        which.push_back(static_cast<int>(i));
    Image<float> rows(kHofSize, static_cast<int>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i)
      std::copy_n(model.descriptors.row(which[i]), kHofSize, rows.row(static_cast<int>(i)));
    groups.push_back(with_mirrored_hof(rows));
  }
  return groups;
}

std::vector<int> numbers_up_to(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<int> nodes_of(std::span<const Prototype> prototypes) {
  std::vector<int> nodes;
  nodes.reserve(prototypes.size());
  for (const Prototype& prototype : prototypes) nodes.push_back(prototype.nodes);
  return nodes;
}

}  // namespace

struct Classifier::Impl {
  Impl(std::shared_ptr<const Model> given, const ClassifyOptions& chosen)
      : model(checked_model(std::move(given))),
        options((check_options(chosen), chosen)),
        matcher(model->chains(), model->cut.variant, match_options(*model, chosen.exec)),
        columns(numbers_up_to(model->prototypes.size())),
        nodes(nodes_of(model->prototypes)),
        class_numbers(numbers_up_to(model->classes.size())) {
    if (model->score.symmetric) prepare_clips();
    quiet = options.exec;
    quiet.progress = {};
    if (compares_singles()) singles.emplace(descriptors_by_class(*model), quiet);
    if (model->late_fusion) words.emplace(model->late_fusion->words, quiet);
  }

  int classes() const { return static_cast<int>(model->classes.size()); }

  void prepare_clips() {
    clip_scenes.reserve(model->clips.size());
    for (const PointSet& clip : model->clips)
      clip_scenes.push_back(clip_scene(clip, model->scene_points, model->features));
    clip_labels.assign(model->clips.size(), 0);
    for (const Prototype& prototype : model->prototypes)
      clip_labels[static_cast<std::size_t>(prototype.clip)] = prototype.label;
    clip_columns = columns_by_clip(model->prototypes, static_cast<int>(model->clips.size()));
  }

  // Distances of prototypes of new clips to the model's clips.
  struct Backward {
    Image<float> table;                // one row per clip of the model, one column per prototype
    std::vector<ClipColumns> columns;  // by new clip
  };
  Backward match_backward(std::span<const PointSet> clips) const {
    const ClipSource source(clips);
    std::vector<Chain> chains;
    std::vector<Prototype> prototypes;
    for (int clip = 0; clip < source.size(); ++clip) {
      const PointSet salient = salient_of(source, clip, model->cut.points);
      for (const Prototype& one : cut_prototypes(salient, 0, clip, model->cut)) {
        chains.push_back(make_chain(salient, one, model->features));
        prototypes.push_back(one);
      }
    }
    Backward result;
    result.columns = columns_by_clip(prototypes, static_cast<int>(clips.size()));
    if (chains.empty()) {
      result.table = Image<float>(0, static_cast<int>(clip_scenes.size()));
      return result;
    }
    const FrameMatcher backward(chains, model->cut.variant, match_options(*model, options.exec));
    result.table = distances_of(backward, clip_scenes, nodes_of(prototypes), model->score.score);
    return result;
  }

  std::vector<double> symmetric(std::span<const float> row, const Backward& backward,
                                std::size_t clip) const {
    std::vector<double> distances;
    distances.reserve(clip_scenes.size());
    for (std::size_t other = 0; other < clip_scenes.size(); ++other)
      distances.push_back(symmetric_distance(
          clip_distance(row, clip_columns[other]),
          clip_distance(row_of(backward.table, static_cast<int>(other)), backward.columns[clip])));
    return distances;
  }

  // What single descriptors say about a clip.
  struct Singles {
    std::vector<double> distances;
    std::vector<int> votes;
  };
  Singles singles_of(const PointSet& clip) {
    const Image<float> rows = fusion_rows(clip, 0);
    const Image<float> nearest = singles->find(rows);
    return {single_distances(nearest, 0, rows.height(), class_numbers, classes()),
            single_votes(nearest, 0, rows.height(), class_numbers, classes())};
  }

  // Margins of words by clip, empty for clips without points.
  std::vector<std::vector<double>> margins_of(std::span<const PointSet> clips) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < clips.size(); ++i)
      if (!clips[i].points.empty()) which.push_back(i);
    Image<float> rows(words->centers(), static_cast<int>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i)
      count_words(*words, word_rows(clips[which[i]], false), rows.row(static_cast<int>(i)));
    std::vector<std::vector<double>> result(clips.size());
    if (which.empty()) return result;
    const Image<float> margins = model->late_fusion->classifier.scores(rows, quiet);
    for (std::size_t i = 0; i < which.size(); ++i) {
      const std::span<const float> row = row_of(margins, static_cast<int>(i));
      result[which[i]].assign(row.begin(), row.end());
    }
    return result;
  }

  bool compares_singles() const {
    return model->score.fusion > 0 || model->late_fusion ||
           (model->reject_rule && model->reject_rule->singles);
  }

  // By the model's rule or, where it has none, by the reject level of the nearest prototype.
  void set_score(const ClassDistances& found, std::span<const double> of_singles,
                 ClipClass& result) const {
    const double factor = options.reject > 0 ? options.reject : 1;
    double share = 0;  // of what is allowed
    if (model->reject_rule) {
      share = 1 / std::max(
                      kLeastAllowance,
                      allowance(*model->reject_rule, {found.matching, of_singles}, result.nearest));
    } else if (result.prototype >= 0) {
      const auto level =
          static_cast<double>(model->prototypes[static_cast<std::size_t>(result.prototype)].reject);
      if (!(level > 0)) {
        if (options.reject == 0 || result.distance <= level) accept(result);
        return;
      }
      share = result.distance / level;
    } else {
      if (options.reject == 0) accept(result);
      return;
    }
    result.score = 1 - share / factor;
    if (options.reject == 0 || share <= factor) accept(result);
  }

  void accept(ClipClass& result) const {
    result.label = result.nearest;
    result.name = model->classes[static_cast<std::size_t>(result.nearest)];
  }

  ClipClass decide(const ClassDistances& found, std::span<const double> of_singles) const {
    ClipClass result;
    result.distances = found.distances;
    result.classes = model->classes;
    result.nearest = least_of(found.distances);
    if (result.nearest < 0) return result;
    const auto nearest = static_cast<std::size_t>(result.nearest);
    result.runner_up = second_of(found.distances);
    if (model->late_fusion) {
      result.margin = log_odds_of(found.distances);
      result.probability = std::exp(-found.distances[nearest]);
    } else {
      result.margin = margin_of(found.distances);
    }
    result.distance = static_cast<double>(found.nearest[nearest]);
    result.prototype = found.prototypes[nearest];
    set_score(found, of_singles, result);
    return result;
  }

  // Calls use(found, singles, fusion) for each clip: its distances to all classes, what single
  // descriptors say about it, and the scores of the methods that late fusion joins.
  template <class Use>
  void look_at(std::span<const PointSet> clips, std::span<const Scene> scenes, const Use& use) {
    const Image<float> table = distances_of(matcher, scenes, nodes, model->score.score);
    Backward backward;
    if (model->score.symmetric) backward = match_backward(clips);
    std::vector<std::vector<double>> margins(clips.size());
    if (model->late_fusion) margins = margins_of(clips);
    for (std::size_t i = 0; i < clips.size(); ++i) {
      const std::span<const float> row = row_of(table, static_cast<int>(i));
      std::vector<double> of_clips;
      Singles of_singles;
      if (model->score.symmetric) of_clips = symmetric(row, backward, i);
      if (compares_singles()) of_singles = singles_of(clips[i]);
      ClassDistances found = class_distances({.row = row,
                                              .columns = columns,
                                              .prototypes = model->prototypes,
                                              .clips = of_clips,
                                              .clip_labels = clip_labels,
                                              .singles = of_singles.distances},
                                             model->score, classes());
      FusionScores fusion;
      if (model->late_fusion) {
        fusion =
            fusion_scores({found.matching, of_singles.distances, of_singles.votes, margins[i]});
        found.distances = fused_distances(fusion, model->late_fusion->weights, classes());
      }
      use(found, of_singles.distances, fusion);
    }
  }

  std::vector<Scene> scenes_of(std::span<const PointSet> clips) const {
    std::vector<Scene> scenes;
    scenes.reserve(clips.size());
    for (const PointSet& clip : clips)
      scenes.push_back(clip_scene(clip, model->scene_points, model->features));
    return scenes;
  }

  void classify(std::span<const PointSet> clips, std::vector<ClipClass>& results) {
    look_at(clips, scenes_of(clips),
            [&](const ClassDistances& found, std::span<const double> of_singles,
                const FusionScores&) { results.push_back(decide(found, of_singles)); });
  }

  ClipExplanation explain(const PointSet& clip) {
    const std::vector<Scene> scenes = scenes_of({&clip, 1});
    ClipExplanation result;
    look_at({&clip, 1}, scenes,
            [&](const ClassDistances& found, std::span<const double> of_singles,
                const FusionScores& fusion) {
              const ClipEvidenceView evidence{*model, options,    scenes[0],
                                              found,  of_singles, fusion};
              result = explain_clip(evidence, decide(found, of_singles));
            });
    result.size = clip.size;
    return result;
  }

  PointOptions point_options() const {
    PointOptions points = model->points;
    points.descriptors = true;
    points.exec = options.exec;
    points.exec.progress = {};
    return points;
  }

  ClipOptions clip_options() const {
    ClipOptions clips;
    clips.points = point_options();
    clips.cut_first = options.cut_first;
    clips.max_pixels = options.max_pixels;
    clips.exec = clips.points.exec;
    return clips;
  }

  std::shared_ptr<const Model> model;
  ClassifyOptions options;
  FrameMatcher matcher;
  std::vector<int> columns, nodes, class_numbers;
  // For symmetric distances: the model's clips.
  std::vector<Scene> clip_scenes{};
  std::vector<ClipColumns> clip_columns{};
  std::vector<std::int32_t> clip_labels{};
  Exec quiet{};
  std::optional<NearestRows> singles{};
  std::optional<NearestCenter> words{};
};

void describe(OptionVisitor& visit, ClassifyOptions& options) {
  visit("reject", options.reject,
        "factor of what the reject rule allows: a greater one accepts more, and 0 gives the "
        "nearest class "
        "whatever its distance",
        0, 100);
  visit("cut-first", options.cut_first, "cut parts out of their videos before points are found");
  visit("max-pixels", options.max_pixels,
        "refuse videos whose frames have more pixels; 0 is no limit", 0, 0x1p62);
}

Classifier::Classifier(std::string_view model, const ClassifyOptions& options)
    : Classifier(load_model(model), options) {}
Classifier::Classifier(std::shared_ptr<const Model> model, const ClassifyOptions& options)
    : impl_(std::make_unique<Impl>(std::move(model), options)) {}
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;
Classifier::~Classifier() = default;

const Model& Classifier::model() const { return *impl_->model; }
const ClassifyOptions& Classifier::options() const { return impl_->options; }
const std::vector<std::string>& Classifier::classes() const { return impl_->model->classes; }

ClipClass Classifier::classify(const PointSet& points) {
  return std::move(classify(std::span(&points, 1))[0]);
}

std::vector<ClipClass> Classifier::classify(std::span<const PointSet> clips) {
  const Exec& exec = impl_->options.exec;
  std::vector<ClipClass> results;
  results.reserve(clips.size());
  for (std::size_t first = 0; first < clips.size(); first += kClipsAtOnce) {
    throw_if_stopped(exec);
    if (exec.progress && clips.size() > kClipsAtOnce)
      exec.progress({"classify", static_cast<double>(first), static_cast<double>(clips.size())});
    impl_->classify(clips.subspan(first, std::min(kClipsAtOnce, clips.size() - first)), results);
  }
  return results;
}

ClipClass Classifier::classify(std::span<const ImageView<const std::uint8_t>> frames) {
  return classify(find_points(frames, impl_->point_options()));
}

ClipClass Classifier::classify(const std::string& path) {
  return classify(Clip{.path = path, .subject = {}, .scenario = {}});
}

ClipClass Classifier::classify(const Clip& clip) {
  ClipClass found = classify(clip_points({&clip, 1}, impl_->clip_options())[0]);
  found.first_frame = clip.first;
  return found;
}

ClipExplanation Classifier::explain(const PointSet& points) { return impl_->explain(points); }

ClipExplanation Classifier::explain(std::span<const ImageView<const std::uint8_t>> frames) {
  return explain(find_points(frames, impl_->point_options()));
}

ClipExplanation Classifier::explain(const std::string& path) {
  return explain(Clip{.path = path, .subject = {}, .scenario = {}});
}

ClipExplanation Classifier::explain(const Clip& clip) {
  return explain(clip_points({&clip, 1}, impl_->clip_options())[0]);
}

std::string ClipClass::name_of(std::int32_t of_label) const {
  const auto place = static_cast<std::size_t>(of_label);
  return of_label < 0 || place >= classes.size() ? "none" : classes[place];
}

std::vector<ClipClass> classify_clips(const Model& model, std::span<const PointSet> clips,
                                      const Exec& exec) {
  // The classifier does not outlive this call, so that it need not own the model.
  const std::shared_ptr<const Model> shared(std::shared_ptr<const Model>(), &model);
  return Classifier(shared, {.exec = exec}).classify(clips);
}

}  // namespace fovea::actions
