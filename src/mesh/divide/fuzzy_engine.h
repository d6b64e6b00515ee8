// Passes over the distances of candidates to all faces, on the device where these lie.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/ops/shortest_paths.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fovea::mesh {

// Distances of each candidate (a row) to all faces: rows in host memory, or a whole table, whose
// every face is a candidate. Whoever holds one of them outlives the engine.
struct CandidateRows {
  ImageView<const float> rows{};
  const DistanceTable* table = nullptr;  // where there are no rows
};

class FuzzyEngine {
 public:
  virtual ~FuzzyEngine() = default;
  virtual std::vector<float> row(std::size_t candidate) = 0;
  // Of each candidate the sum of its distances.
  virtual std::vector<double> totals() = 0;
  // Of each candidate its greatest distance.
  virtual std::vector<float> reaches() = 0;
  // From here on faces belong to these, each as much as it is near: 1 / distance to a power, as a
  // share.
  virtual void belong_to(std::span<const std::size_t> representatives, int power) = 0;
  // A row a representative.
  virtual const Image<float>& memberships() = 0;
  // Of each candidate and representative, the latter's together by candidate, the sum of distances
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
