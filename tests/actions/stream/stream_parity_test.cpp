// Covers: stream, stream_core, stream_kernels
// Matching over a stream, CPU against CUDA, to the bit: with points of the host, and with points
// that are on the device already.
#include <fovea/actions/points.h>
#include <fovea/core/stream.h>

#include <optional>

#include "actions/match_problems.h"
#include "actions/stream/stream_chains.h"
#include "core/dispatch.h"
#include "support/devices.h"

namespace fovea::actions {
namespace {

Nodes random_points(std::int32_t frame, int count, int features, Random& random) {
  Nodes points{{}, Image<float>(features, count)};
  for (int i = 0; i < count; ++i)
    points.nodes.push_back(
        {std::floor(random.uniform(0, 9)), std::floor(random.uniform(0, 9)), frame});
  test::fill_features(points.features, random);
  return points;
}

std::vector<Chain> chains_of(int count, int features, Random& random) {
  std::vector<Chain> chains;
  for (int m = 0; m < count; ++m)
    chains.push_back(test::random_chain({.nodes = 3 + m % 6, .features = features}, random));
  return chains;
}

void expect_equal(StreamMatcher& cpu, StreamMatcher& gpu, std::int32_t frame, const Nodes& points) {
  const auto expected = cpu.push(frame, points), scores = gpu.push(frame, points);
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t m = 0; m < scores.size(); ++m) {
    ASSERT_EQ(scores[m].energy, expected[m].energy) << "frame " << frame << " chain " << m;
    ASSERT_EQ(scores[m].appearance, expected[m].appearance) << "frame " << frame << " chain " << m;
    ASSERT_EQ(scores[m].first_frame, expected[m].first_frame);
    ASSERT_EQ(scores[m].last_frame, expected[m].last_frame);
    const auto there = cpu.path(static_cast<int>(m)), path = gpu.path(static_cast<int>(m));
    ASSERT_EQ(path.size(), there.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
      ASSERT_EQ(path[i].point, there[i].point) << "frame " << frame << " chain " << m;
      ASSERT_EQ(path[i].frame, there[i].frame) << "frame " << frame << " chain " << m;
    }
  }
}

void compare(const MatchOptions& options, std::uint64_t seed) {
  Random random(seed);
  const std::vector<Chain> chains = chains_of(7, 5, random);
  StreamMatcher cpu(chains, match_on(options, {.device = Device::cpu(), .threads = 1}));
  StreamMatcher gpu(chains, match_on(options, {.device = Device::cuda()}));
  std::int32_t frame = -5;
  for (int i = 0; i < 40; ++i) {
    // Mostly frame by frame, sometimes far apart; many points now and then, so that memory grows.
    const auto count = static_cast<int>(random.below(i % 13 == 12 ? 9 : 3));
    expect_equal(cpu, gpu, frame, random_points(frame, count, 5, random));
    if (testing::Test::HasFatalFailure()) return;
    frame += 1 + (random.below(8) == 0 ? static_cast<std::int32_t>(random.below(120)) : 0);
  }
}

TEST(StreamParity, PointsOfTheHost) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const bool dummies : {false, true})
    for (const Closeness closeness : {Closeness::kSpan, Closeness::kPair})
      for (const int window : {1, 4, 7})
        compare({.window = window, .closeness = closeness, .dummies = dummies, .dummy_cost = 0.6},
                static_cast<std::uint64_t>(40 + window));
}

TEST(StreamParity, EqualEnergies) {
  FOVEA_SKIP_WITHOUT_CUDA();
  compare({.appearance = 0, .window = 5, .dummies = false}, 51);
  compare({.appearance = 0, .geometry = 0, .window = 5}, 52);
}

TEST(StreamParity, AnotherMatcherBeginsAnew) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(53);
  const std::vector<Chain> chains = chains_of(4, 5, random);
  const MatchOptions options{.window = 6};
  StreamMatcher cpu(chains, match_on(options, {.device = Device::cpu()}));
  std::optional<StreamMatcher> first(
      StreamMatcher(chains, match_on(options, {.device = Device::cuda()})));
  for (int i = 0; i < 5; ++i) first->push(i, random_points(i, 2, 5, random));
  StreamMatcher gpu = first->another();
  first.reset();
  for (int i = 0; i < 12; ++i) expect_equal(cpu, gpu, i, random_points(i, 2, 5, random));
}

detail::DigestRules rules_of(std::span<const Chain> chains) {
  detail::DigestRules rules;
  rules.classes = 3;
  for (std::size_t m = 0; m < chains.size(); ++m) {
    rules.labels.push_back(static_cast<std::int32_t>(m % 3));
    rules.nodes.push_back(chains[m].size());
    rules.limits.push_back(0.5 + 0.05 * static_cast<double>(m));
  }
  return rules;
}

// Descriptors go to the device once, in several blocks; digests and paths are those of the CPU.
TEST(StreamParity, PointsOnTheDevice) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(54);
  const int features = kHofSize;
  const std::vector<Chain> chains = chains_of(20, features, random);
  MatchOptions options{.window = 6, .dummy_cost = 1.5};
  const detail::DigestRules rules = rules_of(chains);
  StreamMatcher cpu(chains, match_on(options, {.device = Device::cpu()}));
  const Exec exec = fovea::detail::resolve_exec("test", {.device = Device::cuda()}, {});
  const fovea::Stream own(exec.device), other(exec.device);
  Exec on_own = exec;
  on_own.stream = own.get();
  const auto rows = cuda::make_feature_rows({kHogSize, kHofSize, 0.8F, true}, on_own);
  const auto prototypes =
      cuda::make_row_stream(detail::stream_chains(chains, options), rules, exec);
  const auto stream = prototypes->another(rows, on_own);
  std::int32_t frame = 0;
  for (const int block : {1, 5, 16, 70}) {
    std::vector<detail::RowFrame> frames;
    std::vector<Nodes> nodes;
    std::vector<float> descriptors;
    for (int f = 0; f < block; ++f, ++frame) {
      Nodes& points = nodes.emplace_back(
          random_points(frame, static_cast<int>(random.below(3)), features, random));
      detail::RowFrame& row = frames.emplace_back(detail::RowFrame{frame, {}});
      for (int p = 0; p < points.size(); ++p) {
        row.points.push_back({points.nodes[static_cast<std::size_t>(p)].x,
                              points.nodes[static_cast<std::size_t>(p)].y,
                              std::ssize(descriptors) / kDescriptorSize});
        for (int k = 0; k < kHogSize; ++k) descriptors.push_back(random.uniform());
        for (int k = 0; k < kHofSize; ++k) {
          const float bin = points.features.at(k, p);
          descriptors.push_back(bin);
          points.features.at(k, p) = 0.8F * std::sqrt(bin);
        }
      }
    }
    const auto count = static_cast<int>(descriptors.size()) / kDescriptorSize;
    Image<float> here(std::max<int>(1, static_cast<int>(descriptors.size())), 1);
    std::ranges::copy(descriptors, here.row(0));
    const Image<float> there = clone(here.view(), Memory::kCuda);
    const std::int64_t first = rows->add(there.view().data, count, other.get());
    for (detail::RowFrame& row : frames)
      for (detail::RowPoint& point : row.points) point.row += first;
    std::vector<detail::FrameDigest> digests;
    stream->push(frames, digests);
    rows->forget_before(first + count);
    ASSERT_EQ(std::ssize(digests), block);
    for (std::size_t f = 0; f < digests.size(); ++f) {
      const std::int32_t number = frames[f].frame;
      const detail::FrameDigest expected =
          detail::digest_of(number, cpu.push(number, nodes[f]), rules);
      ASSERT_EQ(digests[f].frame, number);
      ASSERT_EQ(digests[f].nearest, expected.nearest) << number;
      ASSERT_EQ(digests[f].matches.size(), expected.matches.size()) << number;
      for (std::size_t i = 0; i < expected.matches.size(); ++i) {
        const detail::DigestMatch &a = digests[f].matches[i], &b = expected.matches[i];
        ASSERT_EQ(a.distance, b.distance);
        ASSERT_EQ(a.chain, b.chain);
        ASSERT_EQ(a.first_frame, b.first_frame);
        if (block == 70) continue;  // paths are those of the last launch
        const auto path = stream->path(number, a.chain), expected_path = cpu.path(a.chain);
        ASSERT_EQ(path.size(), expected_path.size());
        for (std::size_t n = 0; n < path.size(); ++n) {
          ASSERT_EQ(path[n].point, expected_path[n].point);
          ASSERT_EQ(path[n].frame, expected_path[n].frame);
        }
      }
    }
    EXPECT_EQ(stream->copied_bytes(), 0);
  }
}

}  // namespace
}  // namespace fovea::actions
