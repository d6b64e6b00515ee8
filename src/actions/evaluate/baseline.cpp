// Simpler methods that chains are compared with: the vote of single descriptors (as in Boiman,
// Shechtman and Irani, CVPR 2008, but one vote each), and bags of visual words (Laptev et al., CVPR
// 2008).
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/trained_classifier.h>

#include <algorithm>
#include <array>

#include "actions/evaluate/evaluate.h"
#include "actions/evaluate/fold_singles.h"
#include "actions/evaluate/nearest.h"
#include "actions/fuse/words.h"
#include "actions/match/features.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

// Returns plain descriptors, one per row.
Image<float> rows_of(const PointSet& points, Appearance appearance) {
  return make_nodes(points, 0, {.appearance = appearance, .square_root = false, .scale = 1})
      .features;
}

// Each descriptor votes for the class of its nearest one. Returns labels, by fold.
std::vector<std::vector<std::int32_t>> vote(const Corpus& corpus, const ClipSource& clips,
                                            std::span<const Fold> folds, Appearance appearance,
                                            const Exec& exec) {
  const FoldJobs jobs(corpus, folds, false);
  std::vector<std::vector<std::int32_t>> labels;
  for (const FoldJob& job : jobs.jobs()) labels.emplace_back(job.test.size(), -1);
  const auto places = test_places(jobs, clips.size());
  const auto classes = static_cast<int>(corpus.classes.size());
  const SinglesTask task{[&](const PointSet& points) { return rows_of(points, appearance); },
                         [&](const PointSet& points) {
                           const std::array<Image<float>, 2> both{
                               rows_of(points, appearance), rows_of(mirrored(points), appearance)};
                           return stacked(both, feature_size(appearance));
                         },
                         feature_size(appearance)};
  compare_singles(clips, jobs, task, exec, [&](int clip, ImageView<const float> nearest) {
    for (const TestPlace& place : places[static_cast<std::size_t>(clip)]) {
      const std::vector<int> votes =
          single_votes(nearest, 0, nearest.height, jobs.labels(place.job), classes);
      const auto most = std::ranges::max_element(votes);
      if (*most > 0)
        labels[static_cast<std::size_t>(place.job)][place.tested] =
            static_cast<std::int32_t>(most - votes.begin());
    }
  });
  return labels;
}

// Learns words only from the fold's training clips.
class Bags {
 public:
  Bags(const Corpus& corpus, const ClipSource& clips, const Exec& exec)
      : corpus_(corpus), clips_(clips), exec_(exec) {
    exec_.progress = {};
  }

  std::vector<std::int32_t> classify(const Fold& fold, Baseline baseline) const {
    const Image<float> learned = learn_words(clips_, fold.train, exec_);
    if (learned.height() == 0) throw InvalidArgument("bag of words: no training clip has a point");
    NearestCenter words(learned, exec_);
    const auto trained = static_cast<int>(fold.train.size());
    Image<float> train(words.centers(), 2 * trained);
    std::vector<std::int32_t> labels;
    for (int i = 0; i < 2 * trained; ++i) {
      const auto clip = static_cast<std::size_t>(fold.train[static_cast<std::size_t>(i % trained)]);
      count_words(words, rows(static_cast<int>(clip), i >= trained), train.row(i));
      labels.push_back(corpus_.clips[clip].label);
    }
    Image<float> test(words.centers(), static_cast<int>(fold.test.size()));
    for (int i = 0; i < test.height(); ++i)
      count_words(words, rows(fold.test[static_cast<std::size_t>(i)], false), test.row(i));
    const scenes::TrainClassifierOptions options{.classifier = baseline == Baseline::kWordsSvm
                                                                   ? scenes::ClassifierKind::kSvm
                                                                   : scenes::ClassifierKind::kKnn,
                                                 .neighbors = 1,
                                                 .folds = 0,
                                                 .exec = exec_};
    const scenes::TrainedClassifier classifier =
        scenes::train_classifier(train, labels, static_cast<int>(corpus_.classes.size()), options);
    std::vector<std::int32_t> result = scenes::best_classes(classifier.scores(test, exec_));
    for (std::size_t i = 0; i < result.size(); ++i)
      if (clips_.points(fold.test[i], 0) == 0) result[i] = -1;
    return result;
  }

 private:
  Image<float> rows(int clip, bool turned) const {
    PointSet room;
    return word_rows(clips_.get(clip, room), turned);
  }

  const Corpus& corpus_;
  const ClipSource& clips_;
  Exec exec_;
};

}  // namespace

std::span<const Choice> choices(Baseline) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"vote", static_cast<int>(Baseline::kVote)},
       {"vote-flow", static_cast<int>(Baseline::kVoteFlow)},
       {"words-nearest", static_cast<int>(Baseline::kWordsNearest)},
       {"words-svm", static_cast<int>(Baseline::kWordsSvm)}}};
  return kChoices;
}

MethodReport source_baseline(Baseline baseline, const Corpus& corpus, const ClipSource& clips,
                             std::span<const Fold> folds, const Exec& exec) {
  check_corpus(corpus, clips.size(), "evaluate_baseline");
  check_folds(folds, corpus.clips.size());
  MethodScorer scorer(choices(baseline)[static_cast<std::size_t>(baseline)].word, corpus);
  const double start = steady_seconds();
  if (baseline == Baseline::kVote || baseline == Baseline::kVoteFlow) {
    const auto appearance = baseline == Baseline::kVote ? Appearance::kHogHof : Appearance::kHof;
    const auto labels = vote(corpus, clips, folds, appearance, exec);
    for (std::size_t i = 0; i < folds.size(); ++i) scorer.add(folds[i], labels[i]);
  } else {
    const Bags bags(corpus, clips, exec);
    for (const Fold& fold : folds) {
      throw_if_stopped(exec);
      scorer.add(fold, bags.classify(fold, baseline));
    }
  }
  scorer.add_seconds(steady_seconds() - start);
  return scorer.result();
}

MethodReport evaluate_baseline(Baseline baseline, const Corpus& corpus,
                               std::span<const PointSet> points, std::span<const Fold> folds,
                               const Exec& exec) {
  return source_baseline(baseline, corpus, points, folds, exec);
}

MethodReport evaluate_baseline(Baseline baseline, const Corpus& corpus, const PackedClips& points,
                               std::span<const Fold> folds, const Exec& exec) {
  return source_baseline(baseline, corpus, points, folds, exec);
}

}  // namespace fovea::actions
