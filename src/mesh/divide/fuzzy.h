// Katz and Tal's representatives, by passes over distances.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/divide/fuzzy_engine.h"

namespace fovea::mesh {

// Candidates one after the other: first the one with the least sum of distances, then the one
// farthest from those taken. `faces` are the candidates' own; `gaps` gets, for each after the
// first, how far that was.
std::vector<std::size_t> spread_candidates(FuzzyEngine& engine, std::span<const std::int32_t> faces,
                                           std::size_t count, std::vector<double>& gaps);
// The two candidates farthest apart.
std::vector<std::size_t> farthest_pair(FuzzyEngine& engine, std::span<const std::int32_t> faces);
// The number of representatives after which the gap falls most.
int count_by_gaps(std::span<const double> gaps);

// Each representative becomes the candidate with the least of the engine's weighted totals.
std::vector<std::size_t> moved(std::span<const double> totals,
                               std::span<const std::size_t> representatives);

}  // namespace fovea::mesh
