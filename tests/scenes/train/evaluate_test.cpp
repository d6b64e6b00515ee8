#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/scenes/evaluate.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include "scenes/textures.h"
#include "scenes/with_exec.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

EvaluateOptions small_options(ClassifierKind kind, DictionaryFrom from) {
  EvaluateOptions options;
  options.train.descriptor.step = 3;
  options.train.dictionary.words = 12;
  options.train.dictionary.samples = 20;
  options.train.dictionary.kmeans.max_iterations = 5;
  options.train.classifier.classifier = kind;
  options.train.classifier.neighbors = 3;
  options.dictionary_from = from;
  return options;
}

TEST(Splits, TakeTheShareOfEveryClass) {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 100; ++i) labels.push_back(i < 50 ? 0 : i < 90 ? 1 : 2);
  const auto splits = random_splits(labels, 3, 4, 0.8, 9);
  ASSERT_EQ(splits.size(), 4U);
  for (const Split& split : splits) {
    std::vector<int> counts(3, 0);
    for (const int i : split.train)
      ++counts[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])];
    EXPECT_THAT(counts, ElementsAre(40, 32, 8));
    std::set<int> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), 100U);
    EXPECT_EQ(split.test.size(), 20U);
  }
  EXPECT_NE(splits[0].test, splits[1].test);
  EXPECT_EQ(random_splits(labels, 3, 4, 0.8, 9)[3].test, splits[3].test);
  EXPECT_NE(random_splits(labels, 3, 4, 0.8, 10)[3].test, splits[3].test);
}

TEST(Splits, OfAFolderAndOfTwoLists) {
  const test::TempFolder folder;
  const Textures set(4);
  std::string train_list, test_list;
  for (int i = 0; i < set.count(); ++i) {
    const std::string& kind = set.classes[static_cast<std::size_t>(i % 3)];
    const std::string name = kind + "/" + std::to_string(i) + ".png";
    std::filesystem::create_directories(folder / kind);
    io::write_image(folder / name, set.read(i).view());
    (i < 6 ? train_list : test_list) += name + " " + kind + "\n";
  }
  const SplitCorpus random = split_corpus(folder.path(), {.splits = 3, .share = 0.5}, 7);
  EXPECT_EQ(random.corpus.paths.size(), 12U);
  ASSERT_EQ(random.splits.size(), 3U);
  EXPECT_EQ(random.splits[2].train, random_splits(random.corpus.labels, 3, 3, 0.5, 7)[2].train);
  EXPECT_THROW(split_corpus(folder.path(), {.splits = 0}, 7), InvalidArgument);

  const test::TempFolder lists;
  test::save(lists / "train.txt", train_list);
  test::save(lists / "test.txt", test_list);
  const SplitCorpus given = given_split(folder.path(), lists / "train.txt", lists / "test.txt");
  ASSERT_EQ(given.splits.size(), 1U);
  EXPECT_THAT(given.splits[0].train, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(given.splits[0].test, ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_EQ(given.corpus.paths[7], folder / "spots/7.png");
  EXPECT_EQ(given.corpus.classes[static_cast<std::size_t>(given.corpus.labels[7])], "spots");
}

TEST(Splits, KeepOneOfFewOnEitherSide) {
  const std::vector<std::int32_t> labels{0, 0, 1, 2, 2, 2};
  const Split split = random_splits(labels, 3, 1, 0.99, 1)[0];
  EXPECT_EQ(split.train.size(), 4U);
  EXPECT_EQ(split.test.size(), 2U);
  EXPECT_THROW(random_splits(labels, 3, 1, 1, 1), InvalidArgument);
  EXPECT_THROW(random_splits(labels, 3, 0, 0.5, 1), InvalidArgument);
  EXPECT_THROW(random_splits(labels, 2, 1, 0.5, 1), InvalidArgument);
}

TEST(Evaluate, ClassifiesKindsOfPictures) {
  const Textures set(10);
  const auto splits = random_splits(set.labels, 3, 3, 0.8, 1);
  for (const ClassifierKind kind : {ClassifierKind::kKnn, ClassifierKind::kSvm})
    for (const DictionaryFrom from : {DictionaryFrom::kSplit, DictionaryFrom::kAll}) {
      const EvaluateReport result = evaluate(set, set.labels, 3, splits, small_options(kind, from));
      EXPECT_GT(result.accuracy_mean, 0.85);
      ASSERT_EQ(result.splits.size(), 3U);
      double mean = 0, squares = 0;
      for (const Confusion& split : result.splits) mean += split.accuracy() / 3;
      for (const Confusion& split : result.splits) squares += std::pow(split.accuracy() - mean, 2);
      EXPECT_NEAR(result.accuracy_mean, mean, 1e-12);
      EXPECT_NEAR(result.accuracy_deviation, std::sqrt(squares / 2), 1e-12);
      EXPECT_EQ(result.total.total(), 18);
      EXPECT_EQ(result.failed, 0);
    }
}

TEST(Evaluate, OneMatrixOfDistancesServesAllNumbersOfNeighbors) {
  const Textures set(8);
  const auto splits = random_splits(set.labels, 3, 2, 0.75, 1);
  EvaluateOptions options = small_options(ClassifierKind::kKnn, DictionaryFrom::kAll);
  const EvaluateReport all = evaluate(set, set.labels, 3, splits, options);
  ASSERT_EQ(all.neighbors.size(), 18U);  // as many as a split trains on
  EXPECT_NEAR(all.neighbors_accuracy[2], all.accuracy_mean, 1e-12);
  options.train.classifier.neighbors = 7;
  EXPECT_NEAR(evaluate(set, set.labels, 3, splits, options).accuracy_mean,
              all.neighbors_accuracy[6], 1e-12);
}

TEST(Evaluate, ASplitIsWhatTrainingOnItGives) {
  const Textures set(8);
  const Split split = random_splits(set.labels, 3, 1, 0.75, 3)[0];
  for (const ClassifierKind kind : {ClassifierKind::kKnn, ClassifierKind::kSvm}) {
    EvaluateOptions options = small_options(kind, DictionaryFrom::kSplit);
    const EvaluateReport result = evaluate(set, set.labels, 3, {&split, 1}, options);
    // A set whose other images cannot be read trains on the split alone, with the same numbers.
    const Textures left(8, {split.test.begin(), split.test.end()});
    const Model model =
        train(left, left.labels, left.classes, options.train, [](int, const std::string&) {});
    const FeatureTable table = make_features(set, model.dictionary, features_with(model.pyramid));
    const auto predicted = best_classes(model.classifier.scores(table.features));
    Confusion expected(3);
    for (const int i : split.test)
      ++expected.at(set.labels[static_cast<std::size_t>(i)],
                    predicted[static_cast<std::size_t>(i)]);
    EXPECT_EQ(result.total.counts, expected.counts);
  }
}

TEST(Evaluate, IsTheSameForAnyNumberOfThreads) {
  const Textures set(8);
  const auto splits = random_splits(set.labels, 3, 2, 0.6, 1);
  const auto run = [&](int threads) {
    return evaluate(
        set, set.labels, 3, splits,
        with(small_options(ClassifierKind::kKnn, DictionaryFrom::kSplit), {.threads = threads}));
  };
  const EvaluateReport one = run(1);
  for (const int threads : {2, 7}) {
    const EvaluateReport many = run(threads);
    EXPECT_EQ(one.total.counts, many.total.counts);
    EXPECT_EQ(one.neighbors_accuracy, many.neighbors_accuracy);
  }
}

TEST(Evaluate, ImagesThatCannotBeReadTakeNoPart) {
  const Textures set(8, {0, 10});
  const auto splits = random_splits(set.labels, 3, 3, 0.75, 1);
  std::vector<int> failed;
  const EvaluateReport result = evaluate(
      set, set.labels, 3, splits, small_options(ClassifierKind::kKnn, DictionaryFrom::kAll),
      [&](int index, const std::string&) { failed.push_back(index); });
  EXPECT_THAT(failed, ElementsAre(0, 10));
  EXPECT_EQ(result.failed, 2);
  EXPECT_THROW(evaluate(set, set.labels, 3, splits), FormatError);
}

TEST(Evaluate, ATrainedClassifierIsTestedWithAllImages) {
  const Textures set(6), broken(6, {5});
  const TrainOptions options = small_options(ClassifierKind::kKnn, DictionaryFrom::kAll).train;
  Classifier classifier(
      std::make_shared<const Model>(train(set, set.labels, set.classes, options)));
  std::vector<int> failed;
  const EvaluateReport report =
      evaluate(classifier, broken, broken.labels,
               [&](int index, const std::string&) { failed.push_back(index); });
  EXPECT_THAT(failed, ElementsAre(5));
  EXPECT_EQ(report.failed, 1);
  ASSERT_EQ(report.splits.size(), 1U);
  Confusion expected(3);
  for (int i = 0; i < set.count(); ++i)
    if (i != 5)
      ++expected.at(set.labels[static_cast<std::size_t>(i)],
                    classifier.classify(set.read(i)).label);
  EXPECT_EQ(report.total, expected);
  EXPECT_EQ(report.accuracy_mean, expected.accuracy());
  EXPECT_THAT(message_of<FormatError>([&] { evaluate(classifier, broken, broken.labels); }),
              HasSubstr("picture 5"));
  EXPECT_THROW(evaluate(classifier, set, std::vector<std::int32_t>(18, 3)), InvalidArgument);
}

TEST(Evaluate, NamesTheSplitInItsProgress) {
  const Textures set(5);
  std::set<std::string> stages;
  const Exec exec{.progress = [&](const Progress& p) { stages.emplace(p.stage); }};
  evaluate(set, set.labels, 3, random_splits(set.labels, 3, 2, 0.8, 1),
           with(small_options(ClassifierKind::kKnn, DictionaryFrom::kSplit), exec));
  EXPECT_TRUE(stages.contains("split 2 of 2: features"));
}

TEST(Evaluate, SaysWhatIsWrong) {
  const Textures set(3);
  const auto why = [&](const Split& split) {
    return message_of<InvalidArgument>([&] { evaluate(set, set.labels, 3, {&split, 1}); });
  };
  EXPECT_THAT(why({{0, 1}, {1, 2}}), HasSubstr("image 1 is trained on and tested with"));
  EXPECT_THAT(why({{0, 1}, {9}}), HasSubstr("image 9 of 9"));
  EXPECT_THAT(why({{0, 1}, {}}), HasSubstr("2 training and 0 test"));
  EXPECT_THROW(evaluate(set, set.labels, 3, {}), InvalidArgument);
  const Split split{{0, 1}, {2}};
  const auto why_labels = [&](std::span<const std::int32_t> labels, int classes) {
    return message_of<InvalidArgument>([&] { evaluate(set, labels, classes, {&split, 1}); });
  };
  EXPECT_THAT(why_labels(set.labels, 1), HasSubstr("1 class,"));
  EXPECT_THAT(why_labels(set.labels, 2), HasSubstr("image 2 has label 2"));
  EXPECT_THAT(why_labels(std::span(set.labels).first(4), 3), HasSubstr("4 labels for 9"));
}

}  // namespace
}  // namespace fovea::scenes
