// Passes over the distances of candidates to all faces, on the device that holds these distances.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/ops/shortest_paths.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fovea::mesh {

// The distances of each candidate (a row) to all faces: either rows in host memory or a whole
// table, in which every face is a candidate. Their owner must outlive the engine.
struct CandidateRows {
  ImageView<const float> rows{};
  const DistanceTable* table = nullptr;  // used if there are no rows
};

class FuzzyEngine {
 public:
  virtual ~FuzzyEngine() = default;
  virtual std::vector<float> row(std::size_t candidate) = 0;
  // Returns the sum of the distances of each candidate.
  virtual std::vector<double> totals() = 0;
  // Returns the greatest distance of each candidate.
  virtual std::vector<float> reaches() = 0;
  // From now on faces belong to these representatives by nearness: 1 / distance to a power, scaled
  // so that the memberships of a face add up to 1.
  virtual void belong_to(std::span<const std::size_t> representatives, int power) = 0;
  // Returns one row per representative.
  virtual const Image<float>& memberships() = 0;
  // Returns, for each candidate and within it for each representative, the sum of distances
  // weighted by membership.
  virtual std::vector<double> weighted_totals() = 0;
};

namespace cpu {
std::unique_ptr<FuzzyEngine> make_fuzzy_engine(const CandidateRows& candidates, const Exec& exec);
}
namespace cuda {
std::unique_ptr<FuzzyEngine> make_fuzzy_engine(const CandidateRows& candidates, const Exec& exec);
}

}  // namespace fovea::mesh
