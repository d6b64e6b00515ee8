// Covers: match_group, match_lanes, match_row, match_terms, match_unary
// Exact minima against trying everything, ties, parts of the energy, refusals.
#include <fovea/actions/match.h>
#include <fovea/core/error.h>

#include <cmath>

#include "actions/match_problems.h"
#include "reference/actions_match.h"
#include "support/devices.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using reference::ActionMatch;
using test::MatchShape;

class MatchOnEveryPlace : public test::OnEveryPlace {};

MatchOptions random_options(Random& random) {
  MatchOptions options;
  options.appearance = random.uniform(0.1F, 2);
  options.geometry = random.uniform(0.1F, 2);
  options.angles = random.uniform(0, 6);
  options.closeness = random.below(2) == 0 ? Closeness::kSpan : Closeness::kPair;
  options.window = random.below(4) == 0 ? 0 : 2 + static_cast<int>(random.below(6));
  options.dummies = random.below(2) == 0;
  options.dummy_cost = random.uniform(0, 1.5F);
  return options;
}

MatchShape random_shape(Random& random, const MatchOptions& options) {
  MatchShape shape;
  shape.nodes = 3 + static_cast<int>(random.below(3));
  shape.frames = static_cast<int>(random.below(options.dummies ? 7 : 9));
  shape.points = static_cast<int>(random.below(options.dummies ? 7 : 11));
  shape.first_frame = static_cast<std::int32_t>(random.below(40)) - 20;
  return shape;
}

// Five models per problem, of several lengths, so that a mix-up of neighboring lanes shows.
void check_problem(std::uint64_t number, Device device) {
  Random random(7, number);
  const MatchOptions options = random_options(random);
  MatchShape shape = random_shape(random, options);
  const Scene scene = test::random_scene(shape, random);
  std::vector<Chain> models;
  for (int m = 0; m < 5; ++m) {
    shape.nodes = 3 + static_cast<int>(random.below(3));
    models.push_back(test::random_chain(shape, random));
  }
  const Matcher matcher(models, match_on(options, {.device = device, .threads = 1}));
  const std::vector<Match> matches = matcher.match(scene);
  const Image<MatchScore> scores = matcher.scores({&scene, 1});
  for (int m = 0; m < 5; ++m) {
    ActionMatch reference(models[m], scene, options);
    const ActionMatch::Found best = reference.best();
    const Match& match = matches[m];
    const MatchScore& score = scores.at(m, 0);
    ASSERT_EQ(match.found, !best.path.empty()) << number;
    ASSERT_EQ(match.energy, score.energy) << number;
    if (!match.found) {
      ASSERT_TRUE(std::isinf(match.energy));
      continue;
    }
    const double allowed = 1e-5 * (1 + best.energy);
    ASSERT_NEAR(match.energy, best.energy, allowed) << number;
    ASSERT_TRUE(reference.allowed(match.path)) << number;
    ASSERT_NEAR(reference.energy(match.path), best.energy, allowed) << number;
    ASSERT_NEAR(match.appearance + match.dummies + match.time + match.angles, best.energy, allowed);
    ASSERT_NEAR(match.appearance + match.dummies, score.appearance, allowed);
    ASSERT_EQ(match.path.front().frame, score.first_frame);
    ASSERT_EQ(match.path.back().frame, score.last_frame);
  }
}

TEST_P(MatchOnEveryPlace, IsTheLeastOfAllAssignments) {
  // On a GPU launches take the time.
  const std::uint64_t problems = test::problems(device() == Device::cpu() ? 10000U : 2000U);
  for (std::uint64_t number = 0; number < problems; ++number) {
    check_problem(number, device());
    if (HasFatalFailure()) return;
  }
}

// Whole-number costs: equal energies are equal to the bit.
TEST_P(MatchOnEveryPlace, TakesTheFirstOfEqualAssignments) {
  for (std::uint64_t number = 0; number < test::problems(500U); ++number) {
    Random random(11, number);
    MatchOptions options = random_options(random);
    options.appearance = options.geometry = 1;
    options.angles = 0;
    options.dummy_cost = random.below(2);
    MatchShape shape = random_shape(random, options);
    shape.features = 1;
    Scene scene = test::random_scene(shape, random);
    Chain model = test::random_chain(shape, random);
    for (Image<float>* features : {&scene.points.features, &model.features})
      for (int y = 0; y < features->height(); ++y)
        features->at(0, y) = std::floor(3 * features->at(0, y));
    const ActionMatch::Found best = ActionMatch(model, scene, options).best();
    const Match match =
        Matcher({&model, 1}, match_on(options, {.device = device()})).match(scene)[0];
    ASSERT_EQ(match.path.size(), best.path.size()) << number;
    for (std::size_t i = 0; i < best.path.size(); ++i) {
      ASSERT_EQ(match.path[i].point, best.path[i].point) << number << " node " << i;
      ASSERT_EQ(match.path[i].frame, best.path[i].frame) << number << " node " << i;
    }
  }
}

// A model found in a larger scene, at no cost but for what was lost.
TEST_P(MatchOnEveryPlace, FindsAModelAmongOthers) {
  Random random(3);
  const Chain model = test::random_chain({.nodes = 30, .features = 20, .extent = 100}, random);
  MatchShape shape{.frames = 200, .points = 250, .features = 20, .extent = 100};
  Scene noise = test::random_scene(shape, random);
  Scene scene;
  scene.frames = 200;
  std::vector<std::pair<Node, const float*>> rows;
  for (int i = 0; i < noise.points.size(); ++i)
    rows.emplace_back(noise.points.nodes[i], noise.points.features.row(i));
  for (int i = 0; i < model.size(); ++i) {
    Node node = model.nodes[i];
    node.frame += 90 - model.nodes[0].frame;
    if (i % 10 != 5) rows.emplace_back(node, model.features.row(i));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first.frame < b.first.frame; });
  scene.points.features = Image<float>(20, static_cast<int>(rows.size()));
  for (const auto& [node, row] : rows) {
    std::copy_n(row, 20, scene.points.features.row(scene.points.size()));
    scene.points.nodes.push_back(node);
  }
  const Match match =
      Matcher({&model, 1}, match_on({.dummy_cost = 0.5}, {.device = device()})).match(scene)[0];
  ASSERT_TRUE(match.found);
  EXPECT_EQ(match.dummy_count, 3);
  EXPECT_FLOAT_EQ(match.energy, 3 * 0.5F * 0.6F);
  EXPECT_EQ(match.path.front().frame, 90);
  EXPECT_EQ(match.path[5].point, -1);
}

TEST_P(MatchOnEveryPlace, IsTheSameForAnyThreadsAndCompany) {
  Random random(5);
  std::vector<Chain> models;
  for (int m = 0; m < 9; ++m)
    models.push_back(test::random_chain({.nodes = 3 + 4 * m, .features = 33}, random));
  std::vector<Scene> scenes;
  for (int s = 0; s < 5; ++s)
    scenes.push_back(test::random_scene({.frames = 60, .points = 20 * s, .features = 33}, random));
  for (const bool dummies : {false, true}) {
    const MatchOptions options{.dummies = dummies};
    const Image<MatchScore> one =
        Matcher(models, match_on(options, {.device = Device::cpu(), .threads = 1})).scores(scenes);
    const Image<MatchScore> all =
        Matcher(models, match_on(options, {.device = device()})).scores(scenes);
    for (int m = 0; m < 9; ++m) {
      const Matcher alone({&models[m], 1}, match_on(options, {.device = device()}));
      for (int s = 0; s < 5; ++s) {
        const float energy = alone.match(scenes[s])[0].energy;
        EXPECT_EQ(all.at(m, s).energy, energy);
        EXPECT_EQ(all.at(m, s).energy, one.at(m, s).energy);
        EXPECT_EQ(all.at(m, s).appearance, one.at(m, s).appearance);
        EXPECT_EQ(all.at(m, s).first_frame, one.at(m, s).first_frame);
      }
    }
  }
}

FOVEA_ON_EVERY_PLACE(MatchOnEveryPlace);

TEST(Match, RefusesWhatCannotBeMatched) {
  Random random(1);
  const Chain good = test::random_chain({.nodes = 3}, random);
  const auto refused = [](const Chain& chain) {
    EXPECT_THROW(Matcher({&chain, 1}), InvalidArgument);
  };
  refused(test::random_chain({.nodes = 2}, random));
  Chain out_of_order = test::random_chain({.nodes = 3}, random);
  out_of_order.nodes[2].frame = out_of_order.nodes[1].frame;
  refused(out_of_order);
  Chain not_finite = test::random_chain({.nodes = 3}, random);
  not_finite.features.at(0, 1) = NAN;
  refused(not_finite);
  const Matcher matcher({&good, 1}, match_on({}, {.device = Device::cpu()}));
  EXPECT_THROW(matcher.match(test::random_scene({.features = 4}, random)), InvalidArgument);
  Scene short_scene = test::random_scene({}, random);
  short_scene.frames = short_scene.points.nodes.back().frame;
  EXPECT_THROW(matcher.match(short_scene), InvalidArgument);
  EXPECT_THROW(Matcher({&good, 1}, {.window = -1}), InvalidArgument);
  EXPECT_TRUE(Matcher({}).match(test::random_scene({}, random)).empty());
}

}  // namespace
}  // namespace fovea::actions
