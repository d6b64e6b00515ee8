// Where numbers stand for the tensor cores, and how far their scores may lie from the fma chain's:
// the product instruction is done by hand, on the host, register by register.
#include "ops/kmeans/nearest_layout.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ops/kmeans/kmeans_math.h"

namespace fovea::detail::nearest {
namespace {

using Lanes4 = std::array<std::array<std::uint32_t, 4>, 32>;

float half_of(std::uint32_t word, int which) {
  return from_bfloat16(word >> (16 * which) & 0xFFFFU);
}

// mma.m16n8k16 as its description says: element (row, k) of the first matrix, (k, column) of the
// second and (row, column) of the result, by the lane and register that hold them. Terms are cut
// off at 2^-23 of the largest, as coarsely as any tensor core does.
void multiply_by_hand(std::array<std::array<float, 4>, 32>& d, const Lanes4& a, const Lanes4& b,
                      int piece) {
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      float& to = d[static_cast<std::size_t>(row % 8 * 4 + column / 2)]
                   [static_cast<std::size_t>(column % 2 + row / 8 * 2)];
      std::vector<double> terms{to};
      for (int k = 0; k < 16; ++k) {
        const std::uint32_t from_a = a[static_cast<std::size_t>(row % 8 * 4 + k % 8 / 2)]
                                      [static_cast<std::size_t>(row / 8 + k / 8 * 2)];
        const std::uint32_t from_b = b[static_cast<std::size_t>(column * 4 + k % 8 / 2)]
                                      [static_cast<std::size_t>(piece * 2 + k / 8)];
        terms.push_back(static_cast<double>(half_of(from_a, k % 2)) * half_of(from_b, k % 2));
      }
      double largest = 0;
      for (const double term : terms) largest = std::max(largest, std::abs(term));
      const double unit = largest > 0 ? std::ldexp(1.0, std::ilogb(largest) - 23) : 1;
      double sum = 0;
      for (const double term : terms) sum += std::trunc(term / unit) * unit;
      to = static_cast<float>(sum);
    }
}

struct Problem {
  int dimensions, centers;
  std::vector<float> points;   // 16, steps * 16 apart
  std::vector<float> numbers;  // of whole groups
  std::vector<float> origin;   // steps * 16
};

Problem random_problem(Random& random, int dimensions, float offset, float spread) {
  Problem problem{dimensions, static_cast<int>(1 + random.below(40)), {}, {}, {}};
  const int pitch = steps_of(dimensions) * kStep;
  const auto fill = [&](std::vector<float>& rows, int count, int present) {
    rows.assign(static_cast<std::size_t>(count * pitch), 0);
    for (int r = 0; r < present; ++r)
      for (int i = 0; i < dimensions; ++i)
        rows[static_cast<std::size_t>(r * pitch + i)] = offset + spread * random.normal();
  };
  fill(problem.points, kRows, kRows);
  fill(problem.numbers, groups_of(problem.centers) * kGroup, problem.centers);
  if (random.below(2) == 0) fill(problem.origin, 1, 1);
  else problem.origin.assign(static_cast<std::size_t>(pitch), 0);
  return problem;
}

// The score of every point and center as the kernel forms it.
std::vector<float> tensor_scores(const Problem& p, const std::vector<float>& halves) {
  const int steps = steps_of(p.dimensions), pitch = steps * kStep, groups = groups_of(p.centers);
  std::vector<float> result(static_cast<std::size_t>(kRows * groups * kGroup));
  for (int group = 0; group < groups; ++group) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(group_words(steps)));
    const GroupSource source{p.numbers.data() + static_cast<std::ptrdiff_t>(group) * kGroup * pitch,
                             p.origin.data(), pitch, std::min(kGroup, p.centers - group * kGroup)};
    for (int pair = 0; pair < steps * 64; ++pair) pack_pair(source, pair, words.data());
    std::array<std::array<float, 4>, 32> scores{};
    for (int round = 0; round < 3; ++round)  // second x first, first x second, first x first
      for (int step = 0; step < steps; ++step) {
        Lanes4 a{}, b{};
        for (int lane = 0; lane < 32; ++lane)
          for (int part = 0; part < 4; ++part) {
            const auto l = static_cast<std::size_t>(lane), q = static_cast<std::size_t>(part);
            const Place place = point_place(lane, part);
            const float* at = p.points.data() + place.row * pitch + step * kStep + place.number;
            const float* from = p.origin.data() + step * kStep + place.number;
            const Pieces pieces = split(-(at[0] - from[0]), -(at[1] - from[1]));
            a[l][q] = round == 0 ? pieces.second : pieces.first;
            b[l][q] = words[static_cast<std::size_t>(word_of(step, lane, part / 2, part % 2))];
          }
        multiply_by_hand(scores, a, b, round == 1 ? 1 : 0);
      }
    for (int lane = 0; lane < 32; ++lane)
      for (int part = 0; part < 4; ++part) {
        const Place place = score_place(lane, part);
        const int center = group * kGroup + place.number;
        result[static_cast<std::size_t>(place.row * groups * kGroup + center)] =
            scores[static_cast<std::size_t>(lane)][static_cast<std::size_t>(part)] +
            halves[static_cast<std::size_t>(center)];
      }
  }
  return result;
}

// How much of the margin errors take up, at most: of the difference of two centers' scores, in
// which what they have in common is gone.
double used_margin(const Problem& p) {
  const int pitch = steps_of(p.dimensions) * kStep, columns = groups_of(p.centers) * kGroup;
  std::vector<float> halves(static_cast<std::size_t>(columns));
  float most_half = 0;
  for (int c = 0; c < p.centers; ++c) {
    float& half = halves[static_cast<std::size_t>(c)];
    half = moved_half(p.numbers.data() + c * pitch, p.origin.data(), p.dimensions);
    most_half = std::max(most_half, half);
  }
  const float origin_length = std::sqrt(2 * half_square(p.origin.data(), p.dimensions)) * 1.001F;
  const std::vector<float> scores = tensor_scores(p, halves);
  double used = 0;
  for (int row = 0; row < kRows; ++row) {
    const float* point = p.points.data() + row * pitch;
    const float squared = 2 * moved_half(point, p.origin.data(), p.dimensions);
    const float margin = score_margin({squared, most_half, origin_length, p.dimensions});
    double least = 0, most = 0;
    for (int c = 0; c < p.centers; ++c) {
      const float* center = p.numbers.data() + c * pitch;
      float chain = half_square(center, p.dimensions);
      for (int i = 0; i < p.dimensions; ++i) chain = add_to_score(point[i], center[i], chain);
      const double error =
          static_cast<double>(scores[static_cast<std::size_t>(row * columns + c)]) - chain;
      least = c == 0 ? error : std::min(least, error);
      most = c == 0 ? error : std::max(most, error);
    }
    used = std::max(used, (most - least) / margin);
  }
  return used;
}

TEST(NearestLayout, ScoresLieWithinTheMargin) {
  Random random(3);
  double most = 0;
  for (const int dimensions : {1, 2, 15, 16, 17, 31, 32, 33, 64, 96, 100, 128})
    for (const float offset : {0.0F, 1.0F, 100.0F})
      for (const float spread : {1.0F, 1e-3F, 1e4F, 1e-20F, 1e15F}) {
        const double used = used_margin(random_problem(random, dimensions, offset, spread));
        EXPECT_LT(used, 1) << dimensions << " numbers, " << offset << " +- " << spread;
        most = std::max(most, used);
      }
  EXPECT_GT(most, 0.05);  // not far more than is needed
}

// Numbers that split worst, all errors in one direction.
TEST(NearestLayout, WorstNumbersLieWithinTheMargin) {
  for (const int dimensions : {1, 16, 32, 128}) {
    Random random(4);
    Problem problem = random_problem(random, dimensions, 0, 1);
    const float worst = 1 + 0x1p-8F - 0x1p-16F - 0x1p-17F;
    for (auto* rows : {&problem.points, &problem.numbers})
      for (float& number : *rows)
        if (number != 0) number = worst;
    EXPECT_LT(used_margin(problem), 1);
  }
}

// Some centers are far longer than others: the limit follows those that are near.
TEST(NearestLayout, TheNearestScoresNoMoreThanTheLimit) {
  Random random(5);
  double shrunk = 0;
  int points = 0;
  for (const int dimensions : {2, 16, 32, 100})
    for (int trial = 0; trial < 12; ++trial) {
      Problem p = random_problem(random, dimensions, 0, 1);
      const int pitch = steps_of(dimensions) * kStep, columns = groups_of(p.centers) * kGroup;
      p.origin.assign(static_cast<std::size_t>(pitch), 0);
      std::vector<float> halves(static_cast<std::size_t>(columns), kFarHalf);
      float most_half = 0;
      for (int c = 0; c < p.centers; ++c) {
        const float scale = std::exp(2 * random.normal());
        float* center = p.numbers.data() + static_cast<std::ptrdiff_t>(c) * pitch;
        for (int i = 0; i < dimensions; ++i) center[i] *= scale;
        halves[static_cast<std::size_t>(c)] = moved_half(center, p.origin.data(), dimensions);
        most_half = std::max(most_half, halves[static_cast<std::size_t>(c)]);
      }
      const std::vector<float> scores = tensor_scores(p, halves);
      for (int row = 0; row < kRows; ++row, ++points) {
        const float* point = p.points.data() + static_cast<std::ptrdiff_t>(row) * pitch;
        const auto score = [&](int c) {
          return scores[static_cast<std::size_t>(row * columns + c)];
        };
        int nearest = 0;
        float least_chain = kFarHalf, best = kFarHalf;
        for (int c = 0; c < p.centers; ++c) {
          const float* center = p.numbers.data() + static_cast<std::ptrdiff_t>(c) * pitch;
          float chain = half_square(center, dimensions);
          for (int i = 0; i < dimensions; ++i) chain = add_to_score(point[i], center[i], chain);
          if (chain < least_chain) {
            least_chain = chain;
            nearest = c;
          }
          best = std::min(best, score(c));
        }
        const float squared = 2 * moved_half(point, p.origin.data(), dimensions);
        const MarginSource of{squared, most_half, 0, dimensions};
        const float limit = score_limit(best, of);
        EXPECT_LE(score(nearest), limit);
        EXPECT_GE(limit, best);
        shrunk += (limit - best) / score_margin(of);
      }
    }
  EXPECT_LT(shrunk / points, 0.5);
}

TEST(NearestLayout, MarginIsInfiniteWhereSumsMayBe) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isinf(score_margin({1, 1, 1e19F, 8})));
  EXPECT_TRUE(std::isinf(score_margin({infinity, 1, 0, 8})));
  EXPECT_TRUE(std::isinf(score_margin({1, infinity, 0, 8})));
  EXPECT_TRUE(std::isinf(score_margin({3e38F, 3e38F, 0, 8})));
  EXPECT_FALSE(std::isinf(score_margin({1e30F, 1e30F, 0, 8})));
}

TEST(NearestLayout, OrderOfFloats) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> rising{-infinity, -3e38F, -2,   -1, -1e-45F, 0,
                                  1e-45F,    1e-20F, 1.0F, 2,  3e38F,   infinity};
  for (std::size_t i = 1; i < rising.size(); ++i)
    EXPECT_LT(order_of(rising[i - 1]), order_of(rising[i])) << i;
  EXPECT_EQ(order_of(-0.0F), order_of(0.0F));
}

}  // namespace
}  // namespace fovea::detail::nearest
