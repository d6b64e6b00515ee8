// Katz and Tal's clusters on distances from candidate faces.
#pragma once
#include <fovea/exec.h>
#include <fovea/image.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::mesh {

// Distances of some candidates (a row each) to all faces of a connected graph.
struct CandidateRows {
  std::vector<std::int32_t> faces;
  Image<float> rows;

  float at(std::size_t candidate, std::size_t face) const {
    return rows.at(static_cast<int>(face), static_cast<int>(candidate));
  }
};

// Candidates one after the other: first the one with the least sum of distances, then the one
// farthest from those taken. `gaps` gets, for each after the first, how far that was.
std::vector<std::size_t> spread_candidates(const CandidateRows& candidates, std::size_t count,
                                           std::vector<double>& gaps);
// The two candidates farthest apart.
std::vector<std::size_t> farthest_pair(const CandidateRows& candidates);
// The number of representatives after which the gap falls most.
int count_by_gaps(std::span<const double> gaps);

// How much each face belongs to each representative: 1 / distance, as a share. A row a
// representative.
Image<float> memberships(const CandidateRows& candidates,
                         std::span<const std::size_t> representatives);
// Each representative becomes the candidate with the least sum of distances weighted by membership.
std::vector<std::size_t> moved(const CandidateRows& candidates, const Image<float>& membership,
                               std::span<const std::size_t> representatives, const Exec& exec);

}  // namespace fovea::mesh
