#include "bench/actions/actions_trellis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "actions/match_problems.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

// The paper's algorithm finds what Fovea's matcher finds, whatever is optimized.
TEST(ActionsTrellis, IsExact) {
  for (std::uint64_t number = 0; number < test::problems(40U); ++number) {
    Random random(71, number);
    std::vector<actions::Chain> models;
    models.push_back(test::random_chain({.nodes = 3 + static_cast<int>(number % 4)}, random));
    const actions::Scene scene =
        test::random_scene({.frames = 12, .points = 20, .first_frame = 5}, random);
    const actions::MatchOptions options{
        .window = number % 3 == 0 ? 0 : 6,
        .closeness = number % 2 == 0 ? actions::Closeness::kSpan : actions::Closeness::kPair,
        .dummies = false,
        .exec = {.device = Device::cpu()}};
    const float energy = actions::Matcher(models, options).scores({&scene, 1}).at(0, 0).energy;
    for (const bool unary_table : {false, true})
      for (const bool bounds : {false, true}) {
        const double found = trellis_energy(models[0], scene, options, {unary_table, bounds});
        if (std::isinf(energy)) ASSERT_TRUE(std::isinf(found));
        else ASSERT_NEAR(found, energy, 1e-4) << number;
      }
  }
}

}  // namespace
}  // namespace fovea::cli
