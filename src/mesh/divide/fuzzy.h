// Katz and Tal's choice of representatives, by passes over distances.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/divide/fuzzy_engine.h"

namespace fovea::mesh {

// Takes candidates one after the other: first the one with the least sum of distances, then always
// the one farthest from those taken. `faces` are the faces of the candidates; `gaps` gets this
// distance for each candidate after the first.
std::vector<std::size_t> spread_candidates(FuzzyEngine& engine, std::span<const std::int32_t> faces,
                                           std::size_t count, std::vector<double>& gaps);
// Returns the two candidates that are farthest apart.
std::vector<std::size_t> farthest_pair(FuzzyEngine& engine, std::span<const std::int32_t> faces);
// Returns the number of representatives after which the gap decreases most.
int count_by_gaps(std::span<const double> gaps);

// Replaces each representative by the candidate with the least of the engine's weighted totals.
std::vector<std::size_t> moved(std::span<const double> totals,
                               std::span<const std::size_t> representatives);

// Chooses representatives and moves them until they stay, or `rounds` times.
struct FuzzyPlan {
  int count = 0;  // 0 chooses the number
  int most = 20;  // the most, where it is chosen
  int rounds = 10;
  int power = 1;
  Exec exec{};  // its stop is watched
};
struct FuzzyRun {
  std::vector<std::size_t> representatives;  // as indices of candidates
  int rounds = 0;                            // how often they moved
  bool converged = false;                    // whether they stayed
  // Where the number was chosen: by how much the gap decreases after each number from 2 on.
  std::vector<double> decreases{};
};
// The engine then holds the memberships.
FuzzyRun settle_representatives(FuzzyEngine& engine, std::span<const std::int32_t> faces,
                                const FuzzyPlan& plan);

}  // namespace fovea::mesh
