// Where numbers stand for the tensor cores, and how far their scores may lie from the fma chain's:
// the product instruction is done by hand, on the host, register by register.
#include "ops/kmeans/nearest_layout.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "ops/kmeans/kmeans_math.h"
#include "ops/kmeans/nearest_margin.h"

namespace fovea::detail::nearest {
namespace {

using Lanes4 = std::array<std::array<std::uint32_t, 4>, 32>;

float half_of(std::uint32_t word, int which) {
  return io::half_to_float(static_cast<std::uint16_t>(word >> (16 * which)));
}

// mma.m16n8k16 as its description says: element (row, k) of the first matrix, (k, column) of the
// second and (row, column) of the result, by the lane and register that hold them. Terms are cut
// off at 2^-23 of the largest, as coarsely as any tensor core does.
void multiply_by_hand(std::array<std::array<float, 4>, 32>& d, const Lanes4& a, const Lanes4& b) {
  std::array<std::array<float, 16>, 16> rows{};
  std::array<std::array<float, 16>, 8> columns{};
  for (std::size_t k = 0; k < 16; ++k) {
    for (std::size_t row = 0; row < 16; ++row)
      rows[row][k] = half_of(a[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2], k % 2);
    for (std::size_t column = 0; column < 8; ++column)
      columns[column][k] = half_of(b[column * 4 + k % 8 / 2][k / 8], k % 2);
  }
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      float& to = d[row % 8 * 4 + column / 2][column % 2 + row / 8 * 2];
      std::array<float, 17> terms{};  // products of two float16 are exact
      float largest = std::abs(to), plain = to;
      for (std::size_t k = 0; k < 16; ++k) {
        terms[k] = rows[row][k] * columns[column][k];
        largest = std::max(largest, std::abs(terms[k]));
        plain += terms[k];
      }
      if (!std::isfinite(plain)) {
        to = plain;
        continue;
      }
      terms[16] = to;
      const int shift = 23 - (largest > 0 ? std::ilogb(largest) : 0);
      const double units = std::ldexp(1.0, shift);
      std::int64_t sum = 0;
      for (const float term : terms) sum += static_cast<std::int64_t>(term * units);
      // What follows the 24 bits of a float is cut off as well.
      const std::uint64_t size = static_cast<std::uint64_t>(std::abs(sum));
      const int extra = std::max(0, static_cast<int>(std::bit_width(size)) - 24);
      const auto kept = static_cast<double>(size >> extra << extra) / units;
      to = static_cast<float>(sum < 0 ? -kept : kept);
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

// All that the search knows of a problem.
struct Prepared {
  Frame frame{};
  CenterBounds bounds{};
  std::vector<float> halves;
  std::vector<float> scores;  // of every point and center, as the kernel forms them
  std::vector<float> chain;   // the same of the fma chain, not scaled
  int columns = 0;

  std::size_t at(int row, int center) const {
    return static_cast<std::size_t>(row * columns + center);
  }
  MarginSource source(const Problem& p, int row) const {
    const int pitch = steps_of(p.dimensions) * kStep;
    float square = 0, loss_square = 0;
    for (int i = 0; i < p.dimensions; ++i) {
      const float number = move(p.points[static_cast<std::size_t>(row * pitch + i)],
                                p.origin[static_cast<std::size_t>(i)], frame.scale);
      const float rounded = io::half_to_float(io::float_to_half(number));
      square = std::fma(rounded, rounded, square);
      loss_square = std::fma(number - rounded, number - rounded, loss_square);
    }
    return {square, loss_square, bounds, frame, p.dimensions};
  }
};

float scale_of(const Problem& p) {
  const int pitch = steps_of(p.dimensions) * kStep;
  float largest = 0;
  for (int c = 0; c < p.centers; ++c)
    for (int i = 0; i < p.dimensions; ++i)
      largest = std::max(largest, std::abs(p.numbers[static_cast<std::size_t>(c * pitch + i)] -
                                           p.origin[static_cast<std::size_t>(i)]));
  return scale_for(largest);
}

Prepared prepare(const Problem& p, float scale) {
  const int steps = steps_of(p.dimensions), pitch = steps * kStep, groups = groups_of(p.centers);
  Prepared result;
  result.columns = groups * kGroup;
  result.frame = {scale,
                  std::sqrt(2 * half_square(p.origin.data(), p.dimensions)) * scale * 1.001F};
  result.halves.assign(static_cast<std::size_t>(result.columns), kFarHalf);
  for (int c = 0; c < p.centers; ++c) {
    const CenterSize size =
        measure_center(p.numbers.data() + static_cast<std::ptrdiff_t>(c) * pitch, p.origin.data(),
                       scale, p.dimensions);
    result.halves[static_cast<std::size_t>(c)] = size.half;
    result.bounds = {std::max(result.bounds.length, size.bounds.length),
                     std::max(result.bounds.loss, size.bounds.loss),
                     std::max(result.bounds.share, size.bounds.share)};
  }
  result.scores.resize(result.at(kRows, 0));
  result.chain.resize(result.at(kRows, 0));
  for (int group = 0; group < groups; ++group) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(group_words(steps)));
    const GroupSource source{p.numbers.data() + static_cast<std::ptrdiff_t>(group) * kGroup * pitch,
                             p.origin.data(), scale, pitch,
                             std::min(kGroup, p.centers - group * kGroup)};
    for (int pair = 0; pair < steps * kStepWords; ++pair) pack_pair(source, pair, words.data());
    std::array<std::array<float, 4>, 32> scores{};
    const auto each = [&](const auto& use) {
      for (int lane = 0; lane < 32; ++lane)
        for (int part = 0; part < 4; ++part)
          use(lane, part, scores[static_cast<std::size_t>(lane)][static_cast<std::size_t>(part)]);
    };
    each([&](int lane, int part, float& score) {
      score =
          result.halves[static_cast<std::size_t>(group * kGroup + score_place(lane, part).number)];
    });
    for (int step = 0; step < steps; ++step) {
      Lanes4 a{}, b{};
      each([&](int lane, int part, float&) {
        const auto l = static_cast<std::size_t>(lane), q = static_cast<std::size_t>(part);
        const Place place = point_place(lane, part);
        const float* at = p.points.data() + place.row * pitch + step * kStep + place.number;
        const float* from = p.origin.data() + step * kStep + place.number;
        a[l][q] = round_pair(-move(at[0], from[0], scale), -move(at[1], from[1], scale));
        if (part < 2) b[l][q] = words[static_cast<std::size_t>(word_of(step, lane, part))];
      });
      multiply_by_hand(scores, a, b);
    }
    each([&](int lane, int part, float& score) {
      const Place place = score_place(lane, part);
      result.scores[result.at(place.row, group * kGroup + place.number)] = score;
    });
  }
  for (int row = 0; row < kRows; ++row)
    for (int c = 0; c < p.centers; ++c) {
      const float* point = p.points.data() + static_cast<std::ptrdiff_t>(row) * pitch;
      const float* center = p.numbers.data() + static_cast<std::ptrdiff_t>(c) * pitch;
      float chain = half_square(center, p.dimensions);
      for (int i = 0; i < p.dimensions; ++i) chain = add_to_score(point[i], center[i], chain);
      result.chain[result.at(row, c)] = chain;
    }
  return result;
}

// How much of a center's margin is used, at most, by the scores of centers that the chain scores no
// higher than it.
double used_margin(const Problem& p, const Prepared& known) {
  double used = 0;
  for (int row = 0; row < kRows; ++row) {
    const MarginSource of = known.source(p, row);
    for (int c = 0; c < p.centers; ++c) {
      const float score = known.scores[known.at(row, c)], chain = known.chain[known.at(row, c)];
      const double width = score_margin(score, of).width;
      for (int other = 0; other < p.centers; ++other)
        if (known.chain[known.at(row, other)] <= chain)
          used = std::max(used, (double{known.scores[known.at(row, other)]} - score) / width);
    }
  }
  return used;
}
double used_margin(const Problem& p) { return used_margin(p, prepare(p, scale_of(p))); }

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
  EXPECT_GT(most, 0.1);  // not far more than is needed
}

// How far the errors of two centers' scores differ, at most, as a share of the mean of their
// margins.
double difference_of_errors(const Problem& p, const Prepared& known) {
  const double scale = known.frame.scale;
  double used = 0;
  for (int row = 0; row < kRows; ++row) {
    const MarginSource of = known.source(p, row);
    std::vector<double> errors, margins;
    for (int c = 0; c < p.centers; ++c) {
      const float score = known.scores[known.at(row, c)];
      errors.push_back(score - known.chain[known.at(row, c)] * scale * scale);
      margins.push_back(score_margin(score, of).width);
      for (int other = 0; other < c; ++other) {
        const auto o = static_cast<std::size_t>(other);
        const double margin = (margins.back() + margins[o]) / 2;
        used = std::max(used, std::abs(errors.back() - errors[o]) / margin);
      }
    }
  }
  return used;
}

// Numbers that are rounded worst, all errors in one direction: centers lose, points gain.
TEST(NearestLayout, WorstNumbersLieWithinTheMargin) {
  double most = 0;
  for (const int dimensions : {1, 16, 32, 128}) {
    Random random(4);
    Problem problem = random_problem(random, dimensions, 0, 1);
    std::fill(problem.origin.begin(), problem.origin.end(), 0.0F);
    for (float& number : problem.points)
      if (number != 0) number = number > 0 ? 1 + 0x1.8p-11F : -1 - 0x1.8p-11F;
    for (float& number : problem.numbers)
      if (number != 0) number = number > 0 ? 1 + 0x0.FFp-11F : -1 - 0x0.FFp-11F;
    const double used = difference_of_errors(problem, prepare(problem, scale_of(problem)));
    EXPECT_LT(used, 1);
    most = std::max(most, used);
  }
  EXPECT_GT(most, 0.3);
}

// A scale that makes numbers subnormal, or overflow, costs accuracy but never breaks the bound.
TEST(NearestLayout, AnyScaleLiesWithinTheMargin) {
  for (const int dimensions : {3, 32, 96})
    for (int power = -30; power <= 30; power += 2) {
      Random random(6);
      const Problem problem = random_problem(random, dimensions, 0, 1);
      const Prepared known = prepare(problem, std::ldexp(1.0F, power));
      const float limit = score_limit(known.scores[0], known.source(problem, 0));
      if (power < 12) {
        EXPECT_TRUE(std::isfinite(limit)) << power;
      }
      if (power > 18) {
        EXPECT_FALSE(std::isfinite(limit)) << power;
      } else if (std::isfinite(limit)) {
        EXPECT_LT(used_margin(problem, known), 1) << power;
      }
    }
}

// Some centers are far longer than others: the limit follows those that are near. It holds for the
// center of the least score, and for any other center that the chain scores no higher than one.
TEST(NearestLayout, TheNearestScoresNoMoreThanTheLimit) {
  Random random(5);
  double shrunk = 0;
  int points = 0;
  for (const int dimensions : {2, 16, 32, 100})
    for (int trial = 0; trial < 12; ++trial) {
      Problem p = random_problem(random, dimensions, 0, 1);
      const int pitch = steps_of(dimensions) * kStep;
      p.origin.assign(static_cast<std::size_t>(pitch), 0);
      for (int c = 0; c < p.centers; ++c) {
        const float scale = std::exp(2 * random.normal());
        for (int i = 0; i < dimensions; ++i)
          p.numbers[static_cast<std::size_t>(c * pitch + i)] *= scale;
      }
      const Prepared known = prepare(p, scale_of(p));
      for (int row = 0; row < kRows; ++row, ++points) {
        const MarginSource of = known.source(p, row);
        float best = kFarHalf;
        for (int c = 0; c < p.centers; ++c) {
          const float score = known.scores[known.at(row, c)], limit = score_limit(score, of);
          best = std::min(best, score);
          EXPECT_GE(limit, score);
          for (int other = 0; other < p.centers; ++other)
            if (known.chain[known.at(row, other)] <= known.chain[known.at(row, c)]) {
              EXPECT_LE(known.scores[known.at(row, other)], limit);
            }
        }
        shrunk += (score_limit(best, of) - best) / score_margin(best, of).width;
      }
    }
  EXPECT_LT(shrunk / points, 0.5);
}

TEST(NearestLayout, MarginIsInfiniteWhereSumsMayBe) {
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  const CenterBounds centers{4, 1e-3F, 2.5e-4F};
  const auto is_infinite = [](const MarginSource& of) {
    return std::isinf(score_margin(0, of).width) && !(score_limit(0, of) < 3e38F);
  };
  EXPECT_FALSE(is_infinite({16, 1e-6F, centers, {1, 0}, 8}));
  EXPECT_FALSE(is_infinite({16, 1e-6F, centers, {0x1p-58F, 1}, 8}));
  EXPECT_TRUE(
      is_infinite({16, 1e-6F, centers, {0x1p-61F, 10}, 8}));  // the chain's numbers are large
  EXPECT_TRUE(is_infinite({16, 1e-6F, centers, {1, 1e19F}, 8}));
  EXPECT_TRUE(is_infinite({infinity, 1e-6F, centers, {1, 0}, 8}));
  EXPECT_TRUE(is_infinite({infinity, infinity, centers, {1, 0}, 8}));
  EXPECT_TRUE(is_infinite({infinity, nan, centers, {1, 0}, 8}));
  EXPECT_TRUE(is_infinite({nan, nan, centers, {1, 0}, 8}));
  EXPECT_TRUE(is_infinite({16, 1e-6F, {infinity, infinity, infinity}, {1, 0}, 8}));
  EXPECT_TRUE(is_infinite({0, 0, {infinity, infinity, infinity}, {1, 0}, 8}));
  EXPECT_TRUE(is_infinite({16, 1e-6F, {4, infinity, infinity}, {1, 0}, 8}));
}

TEST(NearestLayout, ScalesAreBoundedPowersOfTwo) {
  EXPECT_EQ(scale_for(0), 1);
  EXPECT_EQ(scale_for(4), 1);
  EXPECT_EQ(scale_for(7.9F), 1);
  EXPECT_EQ(scale_for(8), 0.5F);
  EXPECT_EQ(scale_for(1e-45F), 0x1p120F);
  EXPECT_EQ(scale_for(std::numeric_limits<float>::infinity()), 0x1p-120F);
  for (int power = -117; power < 122; ++power) {
    const float largest = std::ldexp(1.5F, power);
    EXPECT_EQ(largest * scale_for(largest), 6) << power;
  }
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
