#include <fovea/actions/classify.h>
#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "actions/evaluate/evaluate_fold.h"
#include "actions/evaluate/score.h"
#include "actions/synthetic.h"
#include "actions/videos.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::SizeIs;

TrainOptions small_options() {
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  return options;
}

std::shared_ptr<const Model> small_model(const TrainOptions& options = small_options()) {
  const SyntheticCorpus set(3, 3, 30);
  return std::make_shared<const Model>(train(set.corpus, set.points, options));
}

// A fold that leaves out one subject, and a model that is trained on the same clips, with points
// that are so noisy that classes are confused.
struct FoldAndModel {
  explicit FoldAndModel(const TrainOptions& options, int a_frame) {
    constexpr int kClasses = 3, kSubjects = 3;
    for (int label = 0; label < kClasses; ++label) {
      corpus.classes.push_back(fmt::format("action{}", label));
      part.classes.push_back(corpus.classes.back());
      for (int subject = 0; subject < kSubjects; ++subject) {
        const Clip clip{
            .path = {}, .label = label, .subject = fmt::format("s{}", subject), .scenario = {}};
        const auto number = static_cast<int>(corpus.clips.size());
        corpus.clips.push_back(clip);
        // The last training clip is too short for a prototype: a model does not contain it.
        const int frames = number == 8 ? 3 : 24 + number;
        points.push_back(synthetic_points(label, subject, frames, a_frame));
        (subject == 0 ? test : train_on).push_back(number);
        if (subject == 0) {
          fresh.push_back(synthetic_points(label, subject, frames, a_frame));
          continue;
        }
        part.clips.push_back(clip);
        part_points.push_back(synthetic_points(label, subject, frames, a_frame));
      }
    }
    model = std::make_shared<const Model>(train(part, part_points, options));
  }
  Corpus corpus, part;
  std::vector<PointSet> points, part_points, fresh;
  std::vector<int> train_on, test;
  std::shared_ptr<const Model> model;
};

TEST(Classifier, GivesTheDistancesOfTheEvaluation) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  for (const Score score : {Score::kEnergy, Score::kAppearance})
    for (const bool symmetric : {false, true})
      for (const double fusion : {0.0, 1.5})
        for (const int scene_points : {1, 2}) {
          TrainOptions options = small_options();
          options.score = {.score = score, .best = 2, .symmetric = symmetric, .fusion = fusion};
          options.scene_points = scene_points;
          const FoldAndModel both(options, 2);
          const Exec exec;
          const std::vector<Fold> folds{{"one", both.train_on, both.test, {}}};
          const std::vector<Recipe> recipes{{"one", options}};
          EXPECT_EQ(both.model->late_fusion.has_value(), fusion == 0);
          FoldClassifier fold(both.corpus, ClipSource(both.points), folds, recipes, true, exec);
          const double scale = fold.scale_of(options, 0);
          EXPECT_EQ(scale, both.model->features.scale);
          const auto expected = fold.distances(options, scale, 0);
          const auto labels = fold.classify(options, scale, 0);
          Classifier classifier(both.model);
          const std::vector<ClipClass> found = classifier.classify(both.fresh);
          ASSERT_THAT(found, SizeIs(expected.size()));
          for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_THAT(found[i].distances, ElementsAreArray(expected[i]))
                << symmetric << " " << fusion << " " << scene_points;
            EXPECT_EQ(found[i].nearest, labels[i]);
            // One clip at a time gives the same.
            EXPECT_THAT(classifier.classify(both.fresh[i]).distances,
                        ElementsAreArray(expected[i]));
          }
        }
}

// Also with several points per frame.
TEST(Classifier, GivesTheDistancesOfTheEvaluationForEveryVariant) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  for (const Variant variant : {Variant::kChains, Variant::kGreedy})
    for (const bool symmetric : {false, true})
      for (const int scene_points : {2, 3}) {
        TrainOptions options = small_options();
        options.cut.points = 2;
        options.cut.variant = variant;
        options.scene_points = scene_points;
        options.score.symmetric = symmetric;
        const FoldAndModel both(options, 3);
        const Exec exec;
        const std::vector<Fold> folds{{"one", both.train_on, both.test, {}}};
        const std::vector<Recipe> recipes{{"one", options}};
        FoldClassifier fold(both.corpus, ClipSource(both.points), folds, recipes, true, exec);
        const auto expected = fold.distances(options, fold.scale_of(options, 0), 0);
        const std::vector<ClipClass> found = Classifier(both.model).classify(both.fresh);
        ASSERT_THAT(found, SizeIs(expected.size()));
        for (std::size_t i = 0; i < found.size(); ++i)
          EXPECT_THAT(found[i].distances, ElementsAreArray(expected[i]))
              << static_cast<int>(variant) << " " << symmetric << " " << scene_points;
      }
}

TEST(Classifier, GivesTheDistancesOfTheEvaluationForSelectedPrototypes) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  TrainOptions options = small_options();
  options.selection = Selection::kFloating;
  options.prototypes = 4;
  const FoldAndModel both(options, 1);
  const Exec exec;
  const std::vector<Fold> folds{{"one", both.train_on, both.test, {}}};
  const std::vector<Recipe> recipes{{"one", options}};
  FoldClassifier fold(both.corpus, ClipSource(both.points), folds, recipes, true, exec);
  const double scale = fold.scale_of(options, 0);
  const auto expected = fold.distances(options, scale, 0);
  const std::vector<ClipClass> found = Classifier(both.model).classify(both.fresh);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_THAT(found[i].distances, ElementsAreArray(expected[i]));
}

class ClassifierPlaces : public test::OnEveryPlace {};

TEST_P(ClassifierPlaces, GiveTheSameDistances) {
  for (const bool rich : {false, true}) {
    TrainOptions options = small_options();
    if (rich) options.score = {.symmetric = true, .fusion = 1};
    const auto model = small_model(options);
    EXPECT_EQ(model->late_fusion.has_value(), !rich);
    const PointSet clip = synthetic_points(1, 5, 26, 2);
    Classifier here(model, {.exec = {.device = Device::cpu(), .threads = 1}});
    Classifier there(model, {.exec = {.device = device(), .threads = 3}});
    EXPECT_THAT(there.classify(clip).distances, ElementsAreArray(here.classify(clip).distances));
  }
}
FOVEA_ON_EVERY_PLACE(ClassifierPlaces);

TEST(Classifier, NamesClassRunnerUpAndMargin) {
  Classifier classifier(small_model());
  const ClipClass found = classifier.classify(synthetic_points(2, 7, 30));
  EXPECT_EQ(found.nearest, 2);
  ASSERT_THAT(found.distances, SizeIs(3));
  const auto second = static_cast<std::size_t>(found.runner_up);
  EXPECT_NE(found.runner_up, 2);
  EXPECT_LE(found.distances[second], found.distances[second == 0 ? 1 : 0]);
  EXPECT_DOUBLE_EQ(found.margin, found.distances[second] - found.distances[2]);
  const Prototype& prototype =
      classifier.model().prototypes[static_cast<std::size_t>(found.prototype)];
  EXPECT_EQ(prototype.label, 2);
  EXPECT_GT(found.score, 0);
  // Without a rule, the reject level of the prototype decides.
  const SyntheticCorpus set(3, 3, 30);
  auto bare = std::make_shared<Model>(train(set.corpus, set.points, small_options()));
  ASSERT_TRUE(bare->reject_rule.has_value());
  bare->reject_rule.reset();
  const ClipClass level = Classifier(bare).classify(synthetic_points(2, 7, 30));
  EXPECT_DOUBLE_EQ(level.score, 1 - level.distance / static_cast<double>(prototype.reject));
  // Matching alone has no probabilities.
  bare->late_fusion.reset();
  const ClipClass plain = Classifier(bare).classify(synthetic_points(2, 7, 30));
  EXPECT_EQ(plain.nearest, 2);
  const auto next = static_cast<std::size_t>(plain.runner_up);
  EXPECT_DOUBLE_EQ(plain.margin, (plain.distances[next] - plain.distances[2]) / plain.distances[2]);
  EXPECT_FALSE(plain.probability.has_value());
}

TEST(Classifier, RejectsWhatIsFarUnlessToldOtherwise) {
  const auto model = small_model();
  const PointSet other = synthetic_points(40, 1, 30);
  const ClipClass none = Classifier(model).classify(other);
  EXPECT_EQ(none.label, -1);
  EXPECT_EQ(none.name, "none");
  EXPECT_GE(none.nearest, 0);
  EXPECT_LT(none.score, 0);
  const ClipClass nearest = Classifier(model, {.reject = 0}).classify(other);
  EXPECT_EQ(nearest.label, none.nearest);
  EXPECT_EQ(nearest.name, model->classes[static_cast<std::size_t>(none.nearest)]);
  EXPECT_EQ(nearest.distances, none.distances);
  EXPECT_GE(Classifier(model, {.reject = 100}).classify(other).label, 0);
}

TEST(Classifier, SaysNoneForClipsWithoutPoints) {
  TrainOptions options = small_options();
  options.match.dummies = false;
  options.score = {.symmetric = true, .fusion = 1};
  PointSet empty;
  empty.size = {160, 120};
  empty.frames = 12;
  const ClipClass found = Classifier(small_model(options), {.reject = 0}).classify(empty);
  EXPECT_EQ(found.nearest, -1);
  EXPECT_EQ(found.label, -1);
  EXPECT_EQ(found.name, "none");
  EXPECT_EQ(found.runner_up, -1);
  EXPECT_EQ(found.margin, 0);
}

TEST(Classifier, LateFusionGivesProbabilities) {
  const ClipClass found = Classifier(small_model()).classify(synthetic_points(1, 7, 30));
  double whole = 0;
  for (const double distance : found.distances) whole += std::exp(-distance);
  EXPECT_NEAR(whole, 1, 1e-9);
  EXPECT_EQ(found.label, 1);
  ASSERT_TRUE(found.probability.has_value());
  EXPECT_EQ(*found.probability, std::exp(-found.distances[1]));
  EXPECT_GT(*found.probability, 0.5);
  const double next = std::exp(-found.distances[static_cast<std::size_t>(found.runner_up)]);
  EXPECT_NEAR(found.margin, std::log(*found.probability / next), 1e-9);
  // A clip without points says nothing, and one that is too short for chains is known by its words.
  TrainOptions options = small_options();
  options.match.dummies = false;
  Classifier strict(small_model(options), {.reject = 0});
  PointSet empty;
  empty.size = {160, 120};
  empty.frames = 12;
  EXPECT_EQ(strict.classify(empty).nearest, -1);
  EXPECT_FALSE(strict.classify(empty).probability.has_value());
  const ClipClass brief = strict.classify(synthetic_points(2, 7, 3));
  EXPECT_EQ(brief.nearest, 2);
  EXPECT_EQ(brief.prototype, -1);
  EXPECT_TRUE(std::isinf(brief.distance));  // of matching
  EXPECT_TRUE(std::isfinite(brief.margin));
  EXPECT_TRUE(brief.probability.has_value());
}

TEST(Classifier, ReadsVideosAndTheirParts) {
  const test::TempFolder folder;
  write_swing_folder(folder / "clips", 2);
  TrainOptions options = small_options();
  options.points.harris.levels = 2;
  options.points.harris.scales = 1;
  options.points.harris.threshold = 1e-13;
  const Corpus corpus = read_corpus(folder / "clips");
  ClipOptions reading;
  reading.points = options.points;
  const std::vector<PointSet> points = clip_points(corpus.clips, reading);
  const auto model = std::make_shared<const Model>(train(corpus, points, options));
  Classifier classifier(model, {.reject = 0});
  const Clip& clip = corpus.clips[0];
  const ClipClass found = classifier.classify(clip.path);
  EXPECT_EQ(found.label, clip.label);
  EXPECT_EQ(found.distances, classifier.classify(points[0]).distances);
  Clip part = clip;
  part.first = 2;
  part.frames = 20;
  const auto cut = clip_points(std::span(&part, 1), reading);
  EXPECT_EQ(classifier.classify(part).distances, classifier.classify(cut[0]).distances);
  EXPECT_NE(classifier.classify(part).distances, found.distances);
  std::vector<Image<std::uint8_t>> images;
  io::VideoReader reader(clip.path, {.color = io::VideoColor::kGray});
  for (io::Frame frame; reader.next(frame); frame = {}) images.push_back(std::move(frame.image));
  std::vector<ImageView<const std::uint8_t>> frames;
  for (const auto& image : images) frames.push_back(image.view());
  EXPECT_EQ(classifier.classify(frames).distances, found.distances);
  EXPECT_THAT(message_of<FormatError>([&] { classifier.classify(folder / "none.avi"); }),
              HasSubstr("none.avi"));
}

TEST(Classifier, RefusesModelsThatCannotServe) {
  EXPECT_THAT(message_of<InvalidArgument>([] { Classifier(std::shared_ptr<const Model>()); }),
              HasSubstr("null"));
  EXPECT_THAT(message_of<InvalidArgument>([] { Classifier(std::make_shared<const Model>()); }),
              HasSubstr("no prototypes"));
  auto model = std::make_shared<Model>();
  model->prototypes.resize(1);
  model->score.fusion = 2;
  EXPECT_THAT(message_of<InvalidArgument>([&] { Classifier give(model); }),
              HasSubstr("fusion is 2, but it has no descriptors"));
  model->score.fusion = 0;
  model->reject_rule = RejectRule{.singles = true};
  EXPECT_THAT(message_of<InvalidArgument>([&] { Classifier give(model); }),
              HasSubstr("reject rule compares descriptors"));
  model->reject_rule.reset();
  model->late_fusion.emplace();
  EXPECT_THAT(message_of<InvalidArgument>([&] { Classifier give(model); }),
              HasSubstr("late fusion, but no descriptors"));
  EXPECT_THROW(Classifier(small_model(), {.reject = -1}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
