// Explanations of actions add up to what the matcher, the classifier and the recognizer say.
// Covers: present, records, shares
#include <fovea/actions/explain.h>
#include <fovea/core/error.h>
#include <fovea/io/record_io.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "actions/explain/shares.h"
#include "actions/synthetic.h"
#include "support/messages.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

double sum_of(const ChainShares& chain) {
  double sum = 0;
  for (const NodeShare& node : chain.nodes) sum += node.energy();
  for (const TriangleShare& one : chain.triangles) sum += one.energy();
  return sum;
}

double sum_of(const report::Explanation& shown) {
  double sum = shown.rest;
  for (const report::Reason& reason : shown.reasons) sum += reason.value;
  return sum;
}

TrainOptions explained_options() {
  TrainOptions options;
  options.cut.nodes = 8;
  options.cut.step = 6;
  options.exec.device = Device::cpu();
  return options;
}

std::shared_ptr<Model> explained_model(const TrainOptions& options) {
  const SyntheticCorpus set(3, 3, 30, options.cut.points);
  return std::make_shared<Model>(train(set.corpus, set.points, options));
}

struct Case {
  const char* name;
  Variant variant = Variant::kSingle;
  int points = 1;
  ScoreOptions score{};
  bool late = true;
};
class ExplainClip : public testing::TestWithParam<Case> {
 protected:
  TrainOptions options() const {
    TrainOptions options = explained_options();
    options.cut.variant = GetParam().variant;
    options.cut.points = options.scene_points = GetParam().points;
    options.score = GetParam().score;
    options.late_fusion = GetParam().late;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(
    Models, ExplainClip,
    testing::Values(Case{.name = "LateFusion"}, Case{.name = "Matching", .late = false},
                    Case{.name = "Appearance", .score = {.score = Score::kAppearance}},
                    Case{.name = "Fusion", .score = {.fusion = 1.5}, .late = false},
                    Case{.name = "Symmetric", .score = {.symmetric = true}, .late = false},
                    Case{.name = "Chains", .variant = Variant::kChains, .points = 2, .late = false},
                    Case{
                        .name = "Greedy", .variant = Variant::kGreedy, .points = 2, .late = false}),
    [](const auto& one) { return one.param.name; });

TEST_P(ExplainClip, AddsUpToWhatTheClassifierSays) {
  const auto model = explained_model(options());
  ClassifyOptions classify;
  classify.exec.device = Device::cpu();
  Classifier classifier(model, classify);
  for (const int label : {0, 2}) {
    const PointSet clip = synthetic_points(label, 5, 28, GetParam().points);
    const ClipClass said = classifier.classify(clip);
    const ClipExplanation why = classifier.explain(clip);
    EXPECT_EQ(why.result.nearest, said.nearest);
    EXPECT_EQ(why.result.label, said.label);
    EXPECT_EQ(why.result.distances, said.distances);
    EXPECT_EQ(why.result.score, said.score);
    ASSERT_TRUE(why.match.found);
    ASSERT_TRUE(why.runner_up.found);
    EXPECT_EQ(why.match.prototype, said.prototype);
    EXPECT_EQ(why.match.label, said.nearest);
    EXPECT_EQ(why.runner_up.label, said.runner_up);
    EXPECT_FLOAT_EQ(static_cast<float>(why.match.distance), static_cast<float>(said.distance));
    for (const ChainShares* chain : {&why.match, &why.runner_up})
      EXPECT_NEAR(sum_of(*chain), chain->energy, 1e-4 * (1 + chain->energy));
    if (GetParam().score.score == Score::kEnergy) {
      EXPECT_NEAR(why.match.energy / why.match.frames, said.distance, 1e-5);
    }
    ASSERT_EQ(why.classes.size(), 3U);
    EXPECT_EQ(why.classes[0].label, said.nearest);
    EXPECT_EQ(why.classes[1].label, said.runner_up);
  }
}

TEST_P(ExplainClip, MethodsAddUpToTheDifferenceOfBothClasses) {
  const auto model = explained_model(options());
  Classifier classifier(model, {.exec = {.device = Device::cpu()}});
  const ClipExplanation why = classifier.explain(synthetic_points(1, 7, 28, GetParam().points));
  const ClipClass& said = why.result;
  ASSERT_GE(said.runner_up, 0);
  if (!model->late_fusion && model->score.fusion == 0) {
    EXPECT_TRUE(why.fusion.empty());
    return;
  }
  double sum = 0;
  for (const FusionShare& share : why.fusion) sum += share.value;
  const double apart = said.distances[static_cast<std::size_t>(said.runner_up)] -
                       said.distances[static_cast<std::size_t>(said.nearest)];
  EXPECT_NEAR(sum, apart, 1e-9);
  if (model->late_fusion) {
    EXPECT_EQ(why.fusion.size(), 4U);
    EXPECT_NEAR(sum, said.margin, 1e-9);
  }
}

TEST_P(ExplainClip, TellsHowFarTheRejectLevelWas) {
  const auto model = explained_model(options());
  const PointSet clip = synthetic_points(1, 7, 28, GetParam().points);
  for (const bool ruled : {true, false}) {
    if (!ruled) model->reject_rule.reset();
    for (const double factor : {1.0, 0.2}) {
      const ClipExplanation why =
          Classifier(model, {.reject = factor, .exec = {.device = Device::cpu()}}).explain(clip);
      EXPECT_EQ(why.reject.accepted, why.result.label >= 0);
      EXPECT_EQ(why.reject.by_rule, model->reject_rule.has_value());
      EXPECT_NEAR(why.result.score, 1 - 1 / (why.reject.allowance * factor),
                  1e-6 * (1 + std::abs(why.result.score)));
      if (!why.reject.by_rule) {
        EXPECT_EQ(why.reject.distance <= why.reject.level, why.reject.accepted);
        continue;
      }
      double sum = 0;
      for (const RejectShare& share : why.reject.features) sum += share.value;
      EXPECT_NEAR(sum, why.reject.sum, 1e-9);
      EXPECT_EQ(why.reject.sum <= why.reject.limit, why.reject.allowance >= 1);
    }
  }
}

TEST_P(ExplainClip, IsToldInWordsThatAddUp) {
  const auto model = explained_model(options());
  Classifier classifier(model, {.exec = {.device = Device::cpu()}});
  const ClipExplanation why = classifier.explain(synthetic_points(1, 7, 28, GetParam().points));
  const report::Explanation shown = present(why);
  EXPECT_THAT(io::record_json(record_ref(why)), HasSubstr("\"match\": {\"prototype\": "));
  EXPECT_NEAR(sum_of(shown), shown.total, 1e-4 * (1 + std::abs(shown.total)));
  EXPECT_THAT(shown.summary, HasSubstr("nearest prototype of action1"));
  EXPECT_FALSE(shown.shapes.empty());
  EXPECT_FALSE(shown.place.empty());
}

TEST(ExplainClips, AClipWithoutPointsIsExplainedToo) {
  const auto model = explained_model(explained_options());
  PointSet empty;
  empty.size = {160, 120};
  empty.frames = 2;
  empty.descriptors = Image<float>(kDescriptorSize, 0);
  const ClipExplanation why = Classifier(model).explain(empty);
  EXPECT_EQ(why.result.label, -1);
  EXPECT_FALSE(present(why).summary.empty());
  EXPECT_THAT(io::record_json(record_ref(why)), testing::Not(HasSubstr("\"match\"")));
}

TEST(ExplainExample, AddsUpForEveryVariant) {
  const PointSet example = synthetic_points(1, 0, 30, 3), scene = synthetic_points(1, 1, 30, 3);
  for (const Variant variant : {Variant::kSingle, Variant::kChains, Variant::kGreedy}) {
    ExampleOptions options{.scene_points = 2, .cut = {.nodes = 12}};
    options.cut.points = variant == Variant::kSingle ? 1 : 3;
    options.cut.variant = variant;
    const auto found = match_example(example, scene, options);
    ASSERT_TRUE(found);
    const ExampleExplanation why = explain(*found, options);
    const double energy = double{found->match.energy};
    EXPECT_EQ(why.match.energy, energy);
    EXPECT_NEAR(sum_of(why.match), energy, 1e-4 * (1 + energy));
    EXPECT_NEAR(why.appearance + why.dummies + why.time + why.angles, energy, 1e-4 * (1 + energy));
    double appearance = 0, angles = 0;
    for (const NodeShare& node : why.match.nodes) appearance += node.appearance;
    for (const TriangleShare& one : why.match.triangles) angles += one.angles;
    EXPECT_NEAR(appearance, why.appearance, 1e-4 * (1 + energy));
    EXPECT_NEAR(angles, why.angles, 1e-4 * (1 + energy));
    EXPECT_NEAR(why.match.distance, found->energy(), 1e-6);
    const report::Explanation shown = present(why);
    EXPECT_NEAR(sum_of(shown), energy, 1e-4 * (1 + energy));
  }
}

std::vector<Event> events_of(const std::shared_ptr<const Model>& model, const PointSet& points,
                             bool explains) {
  RecognizeOptions options{.reject = 3, .explain = explains};
  options.exec.device = Device::cpu();
  Recognizer recognizer(model, options);
  std::vector<Event> events;
  const auto keep = [&](std::span<const Event> some) {
    events.insert(events.end(), some.begin(), some.end());
  };
  std::size_t at = 0;
  for (std::int64_t frame = 0; frame < points.frames; ++frame) {
    FramePoints one{.frame = frame};
    const std::size_t first = at;
    while (at < points.points.size() && points.points[at].frame == frame)
      one.points.push_back(points.points[at++]);
    one.descriptors = clone(points.descriptors.view().crop(
        0, static_cast<int>(first), kDescriptorSize, static_cast<int>(at - first)));
    keep(recognizer.push(one, points.size));
  }
  keep(recognizer.finish());
  return events;
}

TEST(ExplainEvent, NodesAndTrianglesAddUpToItsDistance) {
  for (const Score score : {Score::kEnergy, Score::kAppearance}) {
    TrainOptions options = explained_options();
    options.score.score = score;
    const std::shared_ptr<const Model> model = explained_model(options);
    const PointSet points = synthetic_points(1, 6, 60, 2);
    const std::vector<Event> plain = events_of(model, points, false);
    const std::vector<Event> events = events_of(model, points, true);
    ASSERT_FALSE(events.empty());
    ASSERT_EQ(events.size(), plain.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      EXPECT_EQ(event.distance, plain[i].distance);
      EXPECT_EQ(event.box, plain[i].box);
      EXPECT_EQ(plain[i].evidence, nullptr);
      const EventExplanation why = explain(*model, event);
      EXPECT_EQ(why.match.prototype, event.prototype);
      EXPECT_NEAR(sum_of(why.match), why.match.energy, 1e-4 * (1 + why.match.energy));
      double counted = score == Score::kEnergy ? sum_of(why.match) : 0;
      if (score == Score::kAppearance)
        for (const NodeShare& node : why.match.nodes) counted += node.energy();
      EXPECT_NEAR(counted / why.match.frames, event.distance, 1e-5 * (1 + event.distance));
      EXPECT_LE(why.reject.distance, why.reject.level);
      ASSERT_EQ(why.classes.size(), 3U);
      for (const ClassShare& one : why.classes)
        if (one.label != event.label) {
          EXPECT_NEAR(event.margin, (one.distance - event.distance) / event.distance, 1e-9);
          EXPECT_EQ(why.runner_up.label, one.label);
          break;
        }
      const report::Explanation shown = present(why);
      EXPECT_NEAR(sum_of(shown), shown.total, 1e-4 * (1 + shown.total));
      EXPECT_THAT(shown.summary, HasSubstr("matches frames"));
    }
  }
}

TEST(ExplainEvent, NeedsEvidence) {
  const std::shared_ptr<const Model> model = explained_model(explained_options());
  EXPECT_THAT(message_of([&] { explain(*model, Event{}); }), HasSubstr("has no evidence"));
  RecognizeOptions options{.mode = StreamMode::kBlocks, .explain = true};
  options.exec.device = Device::cpu();
  EXPECT_THAT(message_of([&] { Recognizer(model, options); }), HasSubstr("use the mode stream"));
}

}  // namespace
}  // namespace fovea::actions
