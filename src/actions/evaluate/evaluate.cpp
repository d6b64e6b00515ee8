// Evaluates by leaving one subject out at a time, or by a given split: recipes are chosen inside
// each fold, and each recipe is also evaluated by itself.
#include "actions/evaluate/evaluate.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "actions/evaluate/evaluate_fold.h"
#include "actions/train/calibration.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

// Whether a recipe uses more than matching.
bool fuses(const TrainOptions& recipe) { return recipe.score.fusion > 0 || fuses_late(recipe); }

// Returns the recipes, followed by the matching of those with late fusion if there is no other.
std::vector<Recipe> with_matching(std::span<const Recipe> recipes) {
  std::vector<Recipe> all(recipes.begin(), recipes.end());
  if (std::ranges::any_of(recipes, [](const Recipe& one) { return !fuses(one.options); }))
    return all;
  for (const Recipe& recipe : recipes) {
    if (!fuses_late(recipe.options)) continue;
    all.push_back(recipe);
    all.back().options.late_fusion = false;
  }
  return all;
}

// Runs all recipes over all folds.
class Run {
 public:
  Run(const Corpus& corpus, const ClipSource& clips, std::span<const Fold> folds,
      std::span<const Recipe> recipes, const Exec& exec)
      : exec_(exec),
        folds_(folds),
        recipes_(with_matching(recipes)),
        reported_(recipes.size()),
        classifier_(corpus, clips, folds, recipes_, competes(), exec_),
        matching_("matching", corpus),
        fused_(fused_name(recipes), corpus),
        used_(recipes_.size()) {
    exec_.progress = {};
    for (const Recipe& recipe : recipes_) scorers_.emplace_back(recipe.name, corpus);
  }

  void add(std::size_t number) {
    const Fold& fold = folds_[number];
    std::vector<std::vector<std::int32_t>> labels;
    std::vector<int> right;
    for (std::size_t i = 0; i < recipes_.size(); ++i) {
      throw_if_stopped(exec_);
      const TrainOptions& recipe = recipes_[i].options;
      const double scale = classifier_.scale_of(recipe, number);
      const auto [table, cost] = classifier_.table_cost(recipe, scale);
      if (used_[i].insert(table).second) scorers_[i].add_seconds(cost);
      const double start = steady_seconds();
      labels.push_back(classifier_.classify(recipe, scale, number));
      scorers_[i].add(fold, labels.back());
      scorers_[i].add_seconds(steady_seconds() - start);
      right.push_back(alone(recipe) ? 0 : classifier_.correct_inside(recipe, scale, number));
      MethodScorer& chooser = fuses(recipe) ? fused_ : matching_;
      std::set<const void*>& used = fuses(recipe) ? fused_used_ : matching_used_;
      chooser.add_seconds(steady_seconds() - start + (used.insert(table).second ? cost : 0));
    }
    choose(fold, labels, right, false, matching_, result_.chosen);
    choose(fold, labels, right, true, fused_, result_.fused_chosen);
  }

  EvaluateReport result() {
    result_.matching = matching_.result();
    result_.fused = fused_.result();
    for (std::size_t i = 0; i < reported_; ++i) result_.recipes.push_back(scorers_[i].result());
    return std::move(result_);
  }

 private:
  static const char* fused_name(std::span<const Recipe> recipes) {
    const bool words =
        std::ranges::any_of(recipes, [](const Recipe& one) { return fuses_late(one.options); });
    return words ? "matching, single descriptors and words" : "matching and single descriptors";
  }
  // Whether there is anything to choose, recipes or weights.
  bool competes() const {
    return std::ranges::any_of(recipes_, [&](const Recipe& one) {
      return !alone(one.options) || fuses_late(one.options);
    });
  }
  // Whether no other recipe competes with this one.
  bool alone(const TrainOptions& recipe) const {
    return std::ranges::count_if(recipes_, [&](const Recipe& other) {
             return fuses(other.options) == fuses(recipe);
           }) == 1;
  }

  void choose(const Fold& fold, const std::vector<std::vector<std::int32_t>>& labels,
              const std::vector<int>& right, bool with_fusion, MethodScorer& scorer,
              std::vector<std::string>& chosen) const {
    std::size_t best = recipes_.size();
    for (std::size_t i = 0; i < recipes_.size(); ++i)
      if (fuses(recipes_[i].options) == with_fusion &&
          (best == recipes_.size() || right[i] > right[best]))
        best = i;
    if (best == recipes_.size()) return;
    scorer.add(fold, labels[best]);
    chosen.push_back(recipes_[best].name);
  }

  Exec exec_;
  std::span<const Fold> folds_;
  std::vector<Recipe> recipes_;
  std::size_t reported_;  // how many of them were given, and stand for themselves
  FoldClassifier classifier_;
  MethodScorer matching_, fused_;
  std::vector<MethodScorer> scorers_;
  // Tables are made once, but the time of each method includes every table that it needs.
  std::vector<std::set<const void*>> used_;
  std::set<const void*> matching_used_, fused_used_;
  EvaluateReport result_;
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check_folds(std::span<const Fold> folds, std::size_t clips) {
  if (folds.empty()) throw InvalidArgument("evaluate: no fold; there must be one or more");
  for (const Fold& fold : folds) {
    if (fold.train.empty() || fold.test.empty())
      throw InvalidArgument(fmt::format("evaluate: fold {} has {} clips to train on and {} to test",
                                        fold.name, fold.train.size(), fold.test.size()));
    for (const auto& part : {fold.train, fold.test, fold.validation})
      for (const std::int32_t clip : part)
        if (clip < 0 || static_cast<std::size_t>(clip) >= clips)
          throw InvalidArgument(
              fmt::format("evaluate: fold {} names clip {} of {}", fold.name, clip, clips));
    if (!std::ranges::is_sorted(fold.train))
      throw InvalidArgument(fmt::format("evaluate: fold {} is not in rising order", fold.name));
    for (const std::int32_t clip : fold.test)
      if (std::ranges::binary_search(fold.train, clip))
        throw InvalidArgument(fmt::format("evaluate: clip {} is trained on and tested with", clip));
    for (const std::int32_t clip : fold.validation)
      if (std::ranges::binary_search(fold.train, clip) ||
          std::ranges::find(fold.test, clip) != fold.test.end())
        throw InvalidArgument(fmt::format(
            "evaluate: fold {} chooses by clip {}, which it also trains on or tests with",
            fold.name, clip));
  }
}

MethodScorer::MethodScorer(std::string method, const Corpus& corpus) : corpus_(corpus) {
  report_.method = std::move(method);
  report_.confusion = Confusion(static_cast<int>(corpus.classes.size()));
  report_.labels.assign(corpus.clips.size(), -1);
  report_.was_tested.assign(corpus.clips.size(), false);
}

void MethodScorer::add(const Fold& fold, std::span<const std::int32_t> labels) {
  int correct = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto clip = static_cast<std::size_t>(fold.test[i]);
    const std::int32_t truth = corpus_.clips[clip].label;
    report_.labels[clip] = labels[i];
    report_.was_tested[clip] = true;
    ++report_.tested;
    if (labels[i] < 0) ++report_.unclassified;
    else ++report_.confusion.at(truth, labels[i]);
    correct += labels[i] == truth ? 1 : 0;
  }
  report_.correct += correct;
  report_.correct_by_fold.push_back(correct);
}

MethodReport MethodScorer::result() const {
  MethodReport result = report_;
  if (result.tested > 0) result.interval = wilson_interval(result.correct, result.tested);
  return result;
}

std::vector<Fold> leave_one_subject_out(const Corpus& corpus) {
  const std::vector<std::string> names = corpus.subjects();
  if (names.size() < 2)
    throw InvalidArgument(
        fmt::format("leave one subject out: {} subject; two or more are needed", names.size()));
  std::vector<Fold> folds;
  for (const std::string& name : names) {
    Fold fold{name, {}, {}};
    for (std::size_t i = 0; i < corpus.clips.size(); ++i)
      (corpus.clips[i].subject == name ? fold.test : fold.train)
          .push_back(static_cast<std::int32_t>(i));
    folds.push_back(std::move(fold));
  }
  return folds;
}

std::vector<Fold> fewer_subjects(const Corpus& corpus, std::span<const Fold> folds, int subjects,
                                 std::uint64_t seed) {
  const std::vector<int> numbers = subject_numbers(corpus);
  std::vector<Fold> result;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    std::vector<int> names;
    for (const std::int32_t clip : folds[f].train)
      names.push_back(numbers[static_cast<std::size_t>(clip)]);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (subjects < 1 || static_cast<std::size_t>(subjects) > names.size())
      throw InvalidArgument(fmt::format("fold {} has {} subjects to train on; {} were requested",
                                        folds[f].name, names.size(), subjects));
    Random random(seed, f);
    shuffle(names, random);
    names.resize(static_cast<std::size_t>(subjects));
    Fold fold{folds[f].name, {}, folds[f].test};
    for (const std::int32_t clip : folds[f].train)
      if (std::ranges::find(names, numbers[static_cast<std::size_t>(clip)]) != names.end())
        fold.train.push_back(clip);
    result.push_back(std::move(fold));
  }
  return result;
}

std::vector<Recipe> default_recipes(const TrainOptions& base) {
  std::vector<Recipe> matching, fusing;
  TrainOptions late = base;
  late.selection = Selection::kAll;
  for (const bool root : {true, false}) {
    const std::string name = root ? "rooted" : "plain";
    TrainOptions options = base;
    options.selection = Selection::kAll;
    options.features.square_root = root;
    options.score = {};
    options.late_fusion = false;
    const auto add = [&](const char* what, Score score, int best, bool symmetric) {
      options.score = {.score = score, .best = best, .symmetric = symmetric};
      matching.push_back({name + " " + what, options});
    };
    add("energy, best 3", Score::kEnergy, 3, false);
    add("energy, best 5", Score::kEnergy, 5, false);
    add("appearance, best 3", Score::kAppearance, 3, false);
    add("appearance, best 5", Score::kAppearance, 5, false);
    add("energy, symmetric", Score::kEnergy, 3, true);
    add("appearance, symmetric", Score::kAppearance, 3, true);
    if (fuses_late(late)) continue;
    const auto fuse = [&](const char* what, bool symmetric, double weight) {
      options.score = {.symmetric = symmetric, .fusion = weight};
      fusing.push_back(
          {fmt::format("{} {} and {} x single descriptors", name, what, weight), options});
    };
    for (const double weight : {1.0, 4.0, 16.0, 100.0}) fuse("energy", false, weight);
    fuse("symmetric energy", true, 4);
  }
  if (fuses_late(late)) fusing.push_back({"late fusion", late});
  matching.insert(matching.end(), fusing.begin(), fusing.end());
  return matching;
}

void describe(OptionVisitor& visit, EvaluateOptions& options) {
  visit("baselines", options.baselines, "evaluate voting and bags of words in the same run",
        {.off_help = "evaluate matching alone, without voting and bags of words"});
}

namespace {

EvaluateReport evaluate_source(const Corpus& corpus, const ClipSource& clips,
                               std::span<const Fold> folds, std::span<const Recipe> recipes,
                               const EvaluateOptions& options) {
  const Exec& exec = options.exec;
  check_corpus(corpus, clips.size(), "evaluate");
  check_folds(folds, corpus.clips.size());
  for (const Recipe& recipe : recipes) {
    check_options(recipe.options);
    check_cut(recipe.options.cut);
  }
  Run run(corpus, clips, folds, recipes, exec);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (exec.progress)
      exec.progress({"folds", static_cast<double>(i), static_cast<double>(folds.size())});
    run.add(i);
  }
  if (exec.progress)
    exec.progress({"folds", static_cast<double>(folds.size()), static_cast<double>(folds.size())});
  EvaluateReport result = run.result();
  if (!options.baselines) return result;
  for (const Choice& choice : choices(Baseline{}))
    result.baselines.push_back(
        source_baseline(static_cast<Baseline>(choice.value), corpus, clips, folds, exec));
  return result;
}

}  // namespace

EvaluateReport evaluate(const Corpus& corpus, std::span<const PointSet> points,
                        std::span<const Fold> folds, std::span<const Recipe> recipes,
                        const EvaluateOptions& options) {
  return evaluate_source(corpus, points, folds, recipes, options);
}

EvaluateReport evaluate(const Corpus& corpus, const PackedClips& points,
                        std::span<const Fold> folds, std::span<const Recipe> recipes,
                        const EvaluateOptions& options) {
  return evaluate_source(corpus, points, folds, recipes, options);
}

}  // namespace fovea::actions
