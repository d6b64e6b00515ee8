// A stream gives what the whole scene gives of matches that end in each frame.
#include <fovea/actions/match.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <cmath>
#include <optional>

#include "actions/match_problems.h"
#include "actions/stream/stream_health.h"
#include "reference/actions_match.h"
#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using test::MatchShape;
using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

Nodes points_of(const Scene& scene, std::int32_t frame) {
  Nodes points;
  std::vector<int> rows;
  for (int i = 0; i < scene.points.size(); ++i)
    if (scene.points.nodes[i].frame == frame) {
      points.nodes.push_back(scene.points.nodes[i]);
      rows.push_back(i);
    }
  points.features = Image<float>(scene.points.features.width(), static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(scene.points.features.row(rows[i]), scene.points.features.width(),
                points.features.row(static_cast<int>(i)));
  return points;
}

Scene until(const Scene& scene, std::int32_t end) {
  Scene part;
  part.first_frame = scene.first_frame;
  part.frames = end - scene.first_frame;
  int count = 0;
  while (count < scene.points.size() && scene.points.nodes[count].frame < end) ++count;
  part.points.nodes.assign(scene.points.nodes.begin(), scene.points.nodes.begin() + count);
  part.points.features = Image<float>(scene.points.features.width(), count);
  for (int i = 0; i < count; ++i)
    std::copy_n(scene.points.features.row(i), scene.points.features.width(),
                part.points.features.row(i));
  return part;
}

MatchOptions options_of(Random& random) {
  MatchOptions options;
  options.closeness = random.below(2) == 0 ? Closeness::kSpan : Closeness::kPair;
  options.window = 2 + static_cast<int>(random.below(6));
  options.dummies = random.below(2) == 0;
  options.dummy_cost = random.uniform(0, 1.5F);
  return options;
}

// A frame that cannot be matched leaves steps without states. Later frames must not be matched with
// them as if nothing had happened.
TEST(StreamMatch, AfterAFailureSaysSo) {
  Random random(29);
  std::vector<Chain> chains;
  chains.push_back(test::random_chain({.nodes = 3}, random));
  StreamMatcher matcher(chains);
  const int width = chains[0].features.width();
  const auto points = [&](std::int32_t frame, int count) {
    Nodes nodes;
    nodes.nodes.assign(static_cast<std::size_t>(count), {1, 2, frame});
    nodes.features = Image<float>(width, count);
    for (int y = 0; y < count; ++y) std::fill_n(nodes.features.row(y), width, 0.5F);
    return nodes;
  };
  matcher.push(0, points(0, 65535));
  EXPECT_THAT(message_of<InvalidArgument>([&] { matcher.push(1, points(1, 1)); }),
              HasSubstr("scene nodes within the window"));
  EXPECT_THAT(message_of<Error>([&] { matcher.push(2, points(2, 1)); }),
              AllOf(HasSubstr("begin a new stream"), HasSubstr("scene nodes within the window")));
  EXPECT_THAT(message_of<Error>([&] { matcher.path(0); }), HasSubstr("begin a new stream"));
  EXPECT_EQ(matcher.another().push(2, points(2, 1)).size(), 1U);
}

TEST(StreamHealth, StaysCancelled) {
  detail::StreamHealth health;
  EXPECT_EQ(health.change([] { return 3; }), 3);
  EXPECT_THROW(health.change([] { throw Cancelled("stopped"); }), Cancelled);
  EXPECT_THROW(health.change([] {}), Cancelled);
  EXPECT_THROW(health.require_whole(), Cancelled);
}

// Two streams of the same chains do not see each other.
TEST(StreamMatch, AnotherMatcherBeginsAnew) {
  Random random(23);
  const MatchShape shape{.nodes = 4, .frames = 9, .points = 12, .first_frame = 0};
  std::vector<Chain> models;
  for (const int nodes : {4, 3}) models.push_back(test::random_chain({.nodes = nodes}, random));
  const MatchOptions options = match_on({.window = 5}, {.device = Device::cpu(), .threads = 1});
  StreamMatcher first(models, options), fresh(models, options);
  const Scene one = test::random_scene(shape, random), two = test::random_scene(shape, random);
  first.push(0, points_of(one, 0));
  std::optional<StreamMatcher> other = first.another();
  for (std::int32_t frame = 0; frame < 9; ++frame) {
    if (frame > 0) first.push(frame, points_of(one, frame));
    const auto scores = other->push(frame, points_of(two, frame));
    const auto expected = fresh.push(frame, points_of(two, frame));
    for (std::size_t m = 0; m < models.size(); ++m) {
      EXPECT_EQ(scores[m].energy, expected[m].energy);
      EXPECT_EQ(scores[m].first_frame, expected[m].first_frame);
    }
    if (frame == 4) first = StreamMatcher(models, options);  // the chains outlive the first
    if (frame == 4) first.push(4, points_of(one, 4));
  }
}

// Frames without points are left out of the pushes, but for the first.
TEST(StreamMatch, GivesTheBestThatEndsInEachFrame) {
  for (std::uint64_t number = 0; number < test::problems(400U); ++number) {
    Random random(17, number);
    const MatchOptions options = options_of(random);
    const MatchShape shape{.nodes = 4, .frames = 7, .points = 7, .first_frame = -3};
    const Scene scene = test::random_scene(shape, random);
    std::vector<Chain> models;
    for (int m = 0; m < 3; ++m)
      models.push_back(
          test::random_chain({.nodes = 3 + static_cast<int>(random.below(3))}, random));
    StreamMatcher stream(models, match_on(options, {.device = Device::cpu(), .threads = 1}));
    for (std::int32_t frame = -3; frame < 4; ++frame) {
      const Nodes points = points_of(scene, frame);
      if (frame > -3 && points.size() == 0) continue;
      const auto scores = stream.push(frame, points);
      for (int m = 0; m < 3; ++m) {
        reference::ActionMatch reference(models[m], scene, options);
        const auto best = reference.best(&frame);
        std::vector<MatchedNode> path = stream.path(m);
        ASSERT_EQ(path.empty(), best.path.empty()) << number;
        ASSERT_EQ(std::isinf(scores[m].energy), best.path.empty());
        if (path.empty()) continue;
        ASSERT_NEAR(scores[m].energy, best.energy, 1e-5 * (1 + best.energy)) << number;
        ASSERT_EQ(path.front().frame, scores[m].first_frame);
        ASSERT_EQ(path.back().frame, frame);
        for (MatchedNode& node : path)
          if (node.point >= 0) node.point += until(scene, node.frame).points.size();
        ASSERT_TRUE(reference.allowed(path));
        ASSERT_NEAR(reference.energy(path), best.energy, 1e-5 * (1 + best.energy)) << number;
      }
    }
  }
}

// A long stream, in which everything old has been forgotten many times: the least over its frames
// is what the matcher finds, to the bit.
TEST(StreamMatch, AgreesWithTheMatcherOverALongScene) {
  Random random(23);
  std::vector<Chain> models;
  for (int m = 0; m < 20; ++m)
    models.push_back(test::random_chain({.nodes = 3 + m, .features = 9, .extent = 50}, random));
  const Scene scene = test::random_scene(
      {.frames = 3000, .points = 2500, .features = 9, .extent = 50, .first_frame = 100}, random);
  for (const bool dummies : {false, true}) {
    const MatchOptions options{.window = 7, .dummies = dummies, .dummy_cost = 0.8};
    StreamMatcher stream(models, match_on(options, {.device = Device::cpu(), .threads = 2}));
    std::vector<MatchScore> best(models.size(), {.energy = INFINITY});
    std::vector<std::vector<MatchedNode>> paths(models.size());
    int first_point = 0;
    for (std::int32_t frame = 100; frame < 3100; ++frame) {
      const Nodes points = points_of(scene, frame);
      const auto scores = stream.push(frame, points);
      for (std::size_t m = 0; m < models.size(); ++m)
        if (scores[m].energy < best[m].energy) {
          best[m] = scores[m];
          paths[m] = stream.path(static_cast<int>(m));
        }
      first_point += points.size();
    }
    EXPECT_EQ(first_point, scene.points.size());
    const Matcher matcher(models, match_on(options, {.device = Device::cpu()}));
    const std::vector<Match> matches = matcher.match(scene);
    const Image<MatchScore> whole = matcher.scores({&scene, 1});
    for (std::size_t m = 0; m < models.size(); ++m) {
      ASSERT_EQ(matches[m].energy, best[m].energy);
      ASSERT_EQ(whole.at(static_cast<int>(m), 0).appearance, best[m].appearance);
      ASSERT_EQ(matches[m].path.size(), paths[m].size());
      for (std::size_t i = 0; i < paths[m].size(); ++i) {
        ASSERT_EQ(matches[m].path[i].frame, paths[m][i].frame);
        ASSERT_EQ(matches[m].path[i].point < 0, paths[m][i].point < 0);
      }
    }
  }
}

// Pushes far apart: dummies stand in all frames between, whatever was skipped.
TEST(StreamMatch, BridgesFramesThatWereNotPushed) {
  Random random(29);
  const Chain model = test::random_chain({.nodes = 4}, random);
  const MatchOptions options{.window = 5, .dummy_cost = 0.3};
  for (int gap = 1; gap < 40; ++gap) {
    StreamMatcher stream({&model, 1}, match_on(options, {.device = Device::cpu(), .threads = 1}));
    Scene scene;
    scene.frames = 2 * gap + 1;
    scene.points.features = Image<float>(3, 3);
    test::fill_features(scene.points.features, random);
    for (int i = 0; i < 3; ++i) {
      scene.points.nodes.push_back({random.uniform(), random.uniform(), i * gap});
      stream.push(i * gap, points_of(scene, i * gap));
    }
    const std::int32_t last = 2 * gap;
    if (gap < 5) {
      const auto best = reference::ActionMatch(model, scene, options).best(&last);
      EXPECT_EQ(stream.path(0).size(), best.path.size());
    }
    // One pushed frame by frame says the same.
    StreamMatcher slow({&model, 1}, match_on(options, {.device = Device::cpu(), .threads = 1}));
    float energy = 0;
    for (std::int32_t frame = 0; frame <= last; ++frame)
      energy = slow.push(frame, points_of(scene, frame))[0].energy;
    const auto path = stream.path(0), expected = slow.path(0);
    ASSERT_EQ(path.size(), expected.size()) << gap;
    for (std::size_t i = 0; i < path.size(); ++i)
      ASSERT_EQ(path[i].frame, expected[i].frame) << gap;
    StreamMatcher again({&model, 1}, match_on(options, {.device = Device::cpu(), .threads = 1}));
    for (int i = 0; i < 2; ++i) again.push(i * gap, points_of(scene, i * gap));
    EXPECT_EQ(again.push(last, points_of(scene, last))[0].energy, energy) << gap;
  }
}

TEST(StreamMatch, Refuses) {
  Random random(31);
  const Chain model = test::random_chain({}, random);
  EXPECT_THROW(StreamMatcher({&model, 1}, {.window = 0}), InvalidArgument);
  StreamMatcher stream({&model, 1});
  stream.push(5, {});
  EXPECT_THROW(stream.push(5, {}), InvalidArgument);
  Nodes elsewhere{{{0, 0, 9}}, Image<float>(3, 1)};
  test::fill_features(elsewhere.features, random);
  EXPECT_THROW(stream.push(6, elsewhere), InvalidArgument);
  EXPECT_THROW(stream.path(1), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
