// Real masses whose totals lie many digits apart, against exact arithmetic in 128 bits: distances
// are off by no more than the solver's header says.
#include <fovea/emd/solver.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "emd/flows.h"
#include "emd/solve/random_problems.h"
#include "reference/emd.h"
#include "support/devices.h"
#include "support/sanitized.h"

namespace fovea::emd {
namespace {

using random_problems::between;
__extension__ typedef __int128 Wide;

class EmdSolverScale : public fovea::test::OnEveryPlace {
 protected:
  SolverOptions options(MassPolicy policy, std::optional<double> penalty = {}) const {
    SolverOptions options;
    options.mass = policy;
    options.penalty = penalty;
    options.exec.device = device();
    return options;
  }
};
FOVEA_ON_EVERY_PLACE(EmdSolverScale);

// Masses as multiples of 2^exponent, which all of them are.
struct Exact {
  std::vector<Wide> whole{};
  Wide total = 0;
  Exact(const std::vector<double>& masses, int exponent) {
    for (const double mass : masses) {
      const double scaled = std::scalbn(mass, -exponent);
      EXPECT_EQ(scaled, std::trunc(scaled));
      whole.push_back(static_cast<Wide>(scaled));
      total += whole.back();
    }
  }
  Exact& operator*=(Wide factor) {
    for (Wide& mass : whole) mass *= factor;
    total *= factor;
    return *this;
  }
};
// The power of two that all masses are multiples of.
int unit_of(const std::vector<double>& masses) {
  int least = std::numeric_limits<int>::max();
  for (const double mass : masses)
    if (mass > 0) {
      int exponent = std::ilogb(mass) - 52;
      while (std::scalbn(mass, -exponent - 1) == std::trunc(std::scalbn(mass, -exponent - 1)))
        ++exponent;
      least = std::min(least, exponent);
    }
  return least;
}

struct Truth {
  long double distance = 0;
  long double bound = 0;  // of the error
};
Truth truth_of(const GroundDistance& ground, const std::vector<double>& p,
               const std::vector<double>& q, const SolverOptions& options) {
  const auto unit = static_cast<long double>(ground.unit());
  const long double greatest = ground.greatest();
  const long double part = std::scalbn(static_cast<long double>(p.size() + q.size()), -50);
  if (options.mass == MassPolicy::kNormalize) {
    Exact first(p, unit_of(p)), second(q, unit_of(q));
    const Wide one = first.total, other = second.total;
    first *= other;
    second *= one;
    const auto least = reference::least_cost(ground, first.whole, second.whole);
    return {static_cast<long double>(least) / static_cast<long double>(first.total) * unit,
            part * greatest};
  }
  const int exponent = std::min(unit_of(p), unit_of(q));
  const Exact first(p, exponent), second(q, exponent);
  const auto least =
      static_cast<long double>(reference::least_cost(ground, first.whole, second.whole)) * unit;
  const auto lighter = static_cast<long double>(std::min(first.total, second.total));
  const auto heavier = static_cast<long double>(std::max(first.total, second.total));
  if (options.mass == MassPolicy::kPartial) return {least / lighter, part * greatest};
  const long double penalty =
      options.penalty ? static_cast<long double>(*options.penalty) : greatest;
  return {std::scalbn(least + penalty * (heavier - lighter), exponent),
          part * std::scalbn(greatest * lighter + penalty * heavier, exponent)};
}

// Of `bits` bits each, some of much mass and the others of little, which matters all the same.
struct Size {
  double much = 1;
  double little = 1;
};
std::vector<double> draw(Random& random, int bins, const Size& size, int bits) {
  std::vector<double> masses(static_cast<std::size_t>(bins));
  for (double& mass : masses) {
    const double share = std::sqrt(between(random, 1 << 12, 1 << 20)) * 0x1p-10;
    mass = share * (between(random, 0, 2) == 0 ? size.much : size.little);
    if (between(random, 0, 5) == 0) mass = 0;
  }
  masses[static_cast<std::size_t>(between(random, 0, bins - 1))] = size.much;
  for (double& mass : masses) {
    const int exponent = mass > 0 ? std::ilogb(mass) - bits + 1 : 0;
    mass = std::scalbn(std::rint(std::scalbn(mass, -exponent)), exponent);
  }
  return masses;
}

TEST_P(EmdSolverScale, TotalsFarApartAreAsExactAsAnyOthers) {
  Random random(41);
  for (int round = 0; round < test::problems(240); ++round) {
    const int rows = between(random, 2, 9), columns = round % 2 == 0 ? rows : between(random, 2, 9);
    GroundDistance ground = random_problems::random_ground(random, rows, columns);
    if (!ground.exact() || ground.greatest() > 1000) continue;
    // Far apart in either direction, whole against parts, and of one size.
    constexpr double kScales[] = {1e12, 1e-12, 0x1p40, 1, 3e5, 0x1p-30};
    const double scale = kScales[round % 6];
    // All bits there are, where the products of a normalized pair's totals need not fit.
    const int bits = round % 4 < 2 ? 24 : 53;
    const std::vector<double> p = draw(random, rows, {1, std::min(1.0, scale)}, bits),
                              q = draw(random, columns, {scale, std::min(1.0, scale)}, bits);
    for (const auto& chosen : {options(MassPolicy::kPartial), options(MassPolicy::kNormalize),
                               options(MassPolicy::kPenalty), options(MassPolicy::kPenalty, 0),
                               options(MassPolicy::kPenalty, 1e-6)}) {
      SCOPED_TRACE(testing::Message() << rows << 'x' << columns << " scale " << scale << " policy "
                                      << static_cast<int>(chosen.mass) << " penalty "
                                      << chosen.penalty.value_or(-1) << " round " << round);
      if (chosen.mass == MassPolicy::kNormalize && bits > 24) continue;
      const Truth truth = truth_of(ground, p, q, chosen);
      const Solution found = distance(ground, p, q, chosen);
      ASSERT_EQ(found.status, Status::kOptimal);
      ASSERT_LE(std::abs(static_cast<long double>(found.distance) - truth.distance), truth.bound);
      ASSERT_NO_FATAL_FAILURE(
          expect_flow(ground, chosen, p.data(), q.data(), found.flow.data(), found.distance));
    }
  }
}

// By hand: 1/4 of what is moved finds room at 1, the rest has to go on to 2.
TEST_P(EmdSolverScale, LittleRoomBesideMuchIsFilled) {
  const GroundDistance ground = GroundDistance::l1(4);
  for (const double scale : {1.0, 0x1p-40, 0x1p-600, 0x1p-1060, 0x1p600}) {
    const std::vector<double> p{scale, 0, 0, 0}, q{0, scale / 4, 1e300, 0};
    const Solution found = distance(ground, p, q, options(MassPolicy::kPartial));
    EXPECT_EQ(found.status, Status::kOptimal);
    EXPECT_EQ(found.distance, 1.75) << scale;
    EXPECT_EQ(found.flow[1], scale / 4);
    EXPECT_EQ(distance(ground, q, p, options(MassPolicy::kPartial)).distance, 1.75) << scale;
    EXPECT_EQ(distance(ground, p, q, options(MassPolicy::kPenalty, 0)).distance, 1.75 * scale);
  }
}

// Whole masses too great to be counted one by one, beside few.
TEST_P(EmdSolverScale, WholeMassesBesideGreatOnesStayExact) {
  const GroundDistance ground = GroundDistance::thresholded(5, 3);
  const std::vector<double> p{3, 0, 0, 4, 0}, q{1, 1, 1e25, 0, 1};
  // 1 stays, 1 goes to its neighbor, 1 goes two steps; of 4 all go one step.
  EXPECT_EQ(distance(ground, p, q, options(MassPolicy::kPartial)).distance, (1 + 2 + 4) / 7.0);
  EXPECT_EQ(distance(ground, q, p, options(MassPolicy::kPartial)).distance, (1 + 2 + 4) / 7.0);
}

TEST_P(EmdSolverScale, NormalizedSidesNeedNotWeighAlike) {
  const GroundDistance ground = GroundDistance::l1(3);
  const std::vector<double> p{0.25, 0.5, 0.25}, q{0.5, 0.25, 0.25};
  const SolverOptions chosen = options(MassPolicy::kNormalize);
  const double wanted = distance(ground, p, q, chosen).distance;
  EXPECT_EQ(wanted, 0.25);
  for (const double scale : {1e12, 1e-12, 1e300, 1e-300, 0x1p-1040}) {
    std::vector<double> scaled = p;
    for (double& mass : scaled) mass *= scale;
    EXPECT_NEAR(distance(ground, scaled, q, chosen).distance, wanted, 6 * 0x1p-50 * 2) << scale;
    EXPECT_NEAR(distance(ground, q, scaled, chosen).distance, wanted, 6 * 0x1p-50 * 2) << scale;
  }
}

}  // namespace
}  // namespace fovea::emd
