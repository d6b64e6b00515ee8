// Distances along a mesh to a growing set of seeds, on one device: what superfaces are made of.
// Distances are the least there are with sums in float, whatever the order in which they are
// found, so that both twins agree to the bit.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea {
struct Exec;
}

namespace fovea::mesh {

// A step to a neighbor.
struct PatchStep {
  std::int32_t face = 0;
  float cost = 0;   // by which faces are given to seeds
  float inner = 0;  // inside a superface
};
// Steps of each face together, in the order of the arcs.
struct PatchSteps {
  std::vector<std::int32_t> first{0};
  std::vector<PatchStep> steps;

  std::size_t faces() const { return first.size() - 1; }
};

// A face that lies no nearer to the seeds than any of its neighbors.
struct PatchPeak {
  float far = 0;
  std::int32_t face = 0;
};

class PatchEngine {
 public:
  virtual ~PatchEngine() = default;
  // Faces each farthest from those before it, through the air; the first is farthest from face 0.
  // Fewer where all lie at places that are taken.
  virtual std::vector<std::int32_t> spread_in_space(std::span<const std::array<float, 3>> points,
                                                    int count) = 0;
  // Brings in more seeds; those of all calls are numbered on.
  virtual void add(std::span<const std::int32_t> seeds) = 0;
  // All peaks that are at least `share` as far as the farthest, in any order.
  virtual std::vector<PatchPeak> peaks(float share) = 0;
  // Of each face the seed that it is nearest to (0 where it reaches none), and what it takes to get
  // there inside the superface. Of several ways the first neighbor's counts.
  virtual void finish(std::vector<std::int32_t>& of, std::vector<float>& inner) = 0;
};

namespace cpu {
std::unique_ptr<PatchEngine> make_patch_engine(const PatchSteps& steps, const Exec& exec);
}
namespace cuda {
std::unique_ptr<PatchEngine> make_patch_engine(const PatchSteps& steps, const Exec& exec);
}

}  // namespace fovea::mesh
