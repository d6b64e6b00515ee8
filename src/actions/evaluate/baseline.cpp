// Simpler methods that chains are compared with: the vote of single descriptors (as in Boiman,
// Shechtman and Irani, CVPR 2008, but one vote each), and bags of visual words (Laptev et al., CVPR
// 2008).
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/scenes/trained_classifier.h>

#include <algorithm>
#include <array>
#include <map>

#include "actions/evaluate/evaluate.h"
#include "actions/evaluate/nearest.h"
#include "actions/match/features.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

constexpr int kWords = 400;
constexpr int kSamples = 20000;  // greatest number of descriptors from which words are learned
constexpr int kIterations = 30;
constexpr std::uint64_t kWordSequence = 3;

// Returns plain descriptors, one per row.
Image<float> rows_of(const PointSet& points, Appearance appearance) {
  return make_nodes(points, 0, {.appearance = appearance, .square_root = false, .scale = 1})
      .features;
}

class Voting {
 public:
  Voting(const Corpus& corpus, std::span<const PointSet> points, Appearance appearance,
         const Exec& exec)
      : corpus_(corpus) {
    std::vector<Image<float>> groups, rows;
    first_ = {0};
    for (const PointSet& set : points) {
      rows.push_back(rows_of(set, appearance));
      first_.push_back(first_.back() + rows.back().height());
      const std::array<Image<float>, 2> both{rows_of(set, appearance),
                                             rows_of(mirrored(set), appearance)};
      groups.push_back(stacked(both, feature_size(appearance)));
    }
    nearest_ = NearestRows(std::move(groups), exec).find(stacked(rows, feature_size(appearance)));
  }

  std::vector<std::int32_t> classify(const Fold& fold) const {
    std::vector<std::int32_t> labels(corpus_.clips.size(), -1), result;
    for (const std::int32_t clip : fold.train)
      labels[static_cast<std::size_t>(clip)] = corpus_.clips[static_cast<std::size_t>(clip)].label;
    for (const std::int32_t clip : fold.test) {
      const int begin = first_[static_cast<std::size_t>(clip)];
      const int end = first_[static_cast<std::size_t>(clip) + 1];
      const auto classes = static_cast<int>(corpus_.classes.size());
      const std::vector<int> votes = single_votes(nearest_, begin, end, labels, classes);
      const auto most = std::ranges::max_element(votes);
      result.push_back(*most > 0 ? static_cast<std::int32_t>(most - votes.begin()) : -1);
    }
    return result;
  }

 private:
  const Corpus& corpus_;
  Image<float> nearest_;
  std::vector<int> first_;
};

// Learns words only from the fold's training clips.
class Bags {
 public:
  Bags(const Corpus& corpus, std::span<const PointSet> points, const Exec& exec)
      : corpus_(corpus), exec_(exec) {
    for (const PointSet& set : points) {
      plain_.push_back(rows_of(set, Appearance::kHogHof));
      turned_.push_back(rows_of(mirrored(set), Appearance::kHogHof));
    }
    exec_.progress = {};
  }

  std::vector<std::int32_t> classify(const Fold& fold, Baseline baseline) const {
    NearestCenter words(learn_words(fold), exec_);
    const auto trained = static_cast<int>(fold.train.size());
    Image<float> train(words.centers(), 2 * trained);
    std::vector<std::int32_t> labels;
    for (int i = 0; i < 2 * trained; ++i) {
      const auto clip = static_cast<std::size_t>(fold.train[static_cast<std::size_t>(i % trained)]);
      fill_histogram(words, i < trained ? plain_[clip] : turned_[clip], train.row(i));
      labels.push_back(corpus_.clips[clip].label);
    }
    Image<float> test(words.centers(), static_cast<int>(fold.test.size()));
    for (int i = 0; i < test.height(); ++i)
      fill_histogram(words,
                     plain_[static_cast<std::size_t>(fold.test[static_cast<std::size_t>(i)])],
                     test.row(i));
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
      if (plain_[static_cast<std::size_t>(fold.test[i])].height() == 0) result[i] = -1;
    return result;
  }

 private:
  Image<float> learn_words(const Fold& fold) const {
    std::vector<const float*> rows;
    for (const std::int32_t clip : fold.train)
      for (const auto* of_clips : {&plain_, &turned_}) {
        const Image<float>& own = (*of_clips)[static_cast<std::size_t>(clip)];
        for (int y = 0; y < own.height(); ++y) rows.push_back(own.row(y));
      }
    Random random(exec_.seed, kWordSequence);
    shuffle(rows, random);
    if (rows.size() > kSamples) rows.resize(kSamples);
    Image<float> samples(kDescriptorSize, static_cast<int>(rows.size()));
    for (int y = 0; y < samples.height(); ++y)
      std::copy_n(rows[static_cast<std::size_t>(y)], kDescriptorSize, samples.row(y));
    if (rows.empty()) throw InvalidArgument("bag of words: no training clip has a point");
    return kmeans(samples, {.clusters = std::min(kWords, samples.height()),
                            .max_iterations = kIterations,
                            .exec = exec_})
        .centers;
  }

  static void fill_histogram(NearestCenter& words, const Image<float>& rows, float* histogram) {
    std::fill_n(histogram, words.centers(), 0.0F);
    if (rows.height() == 0) return;
    for (const std::int32_t word : words.find(rows)) histogram[word] += 1;
    for (int i = 0; i < words.centers(); ++i) histogram[i] /= static_cast<float>(rows.height());
  }

  const Corpus& corpus_;
  Exec exec_;
  std::vector<Image<float>> plain_, turned_;
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

MethodReport evaluate_baseline(Baseline baseline, const Corpus& corpus,
                               std::span<const PointSet> points, std::span<const Fold> folds,
                               const Exec& exec) {
  check_corpus(corpus, points, "evaluate_baseline");
  check_folds(folds, points.size());
  MethodScorer scorer(choices(baseline)[static_cast<std::size_t>(baseline)].word, corpus);
  const double start = steady_seconds();
  if (baseline == Baseline::kVote || baseline == Baseline::kVoteFlow) {
    const Voting voting(corpus, points,
                        baseline == Baseline::kVote ? Appearance::kHogHof : Appearance::kHof, exec);
    for (const Fold& fold : folds) scorer.add(fold, voting.classify(fold));
  } else {
    const Bags bags(corpus, points, exec);
    for (const Fold& fold : folds) {
      throw_if_stopped(exec);
      scorer.add(fold, bags.classify(fold, baseline));
    }
  }
  scorer.add_seconds(steady_seconds() - start);
  return scorer.result();
}

}  // namespace fovea::actions
