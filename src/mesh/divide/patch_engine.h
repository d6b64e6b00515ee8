// Distances along a mesh to a growing set of seeds, on one device; superfaces are made from them.
// They are the least distances with sums in float, in whatever order they are found, so that both
// twins agree to the bit.
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
  float cost = 0;   // the cost by which faces are assigned to seeds
  float inner = 0;  // the cost inside a superface
};
// The steps of each face are stored together, in the order of the arcs.
struct PatchSteps {
  std::vector<std::int32_t> first{0};
  std::vector<PatchStep> steps;

  std::size_t faces() const { return first.size() - 1; }
};

// A face that is at least as far from the seeds as all of its neighbors.
struct PatchPeak {
  float far = 0;
  std::int32_t face = 0;
};

class PatchEngine {
 public:
  virtual ~PatchEngine() = default;
  // Returns faces that are each farthest from those before it in a straight line; the first is
  // farthest from face 0. Returns fewer if all remaining faces are at places that are taken.
  virtual std::vector<std::int32_t> spread_in_space(std::span<const std::array<float, 3>> points,
                                                    int count) = 0;
  // Adds seeds; numbering continues from call to call.
  virtual void add(std::span<const std::int32_t> seeds) = 0;
  // Returns all peaks whose distance is at least `share` times the greatest, in any order.
  virtual std::vector<PatchPeak> peaks(float share) = 0;
  // Finds, for each face, its nearest seed (0 if it reaches none) and the cost of the path to it
  // inside the superface. Of several paths, the one over the first neighbor counts.
  virtual void finish(std::vector<std::int32_t>& of, std::vector<float>& inner) = 0;
};

namespace cpu {
std::unique_ptr<PatchEngine> make_patch_engine(const PatchSteps& steps, const Exec& exec);
}
namespace cuda {
std::unique_ptr<PatchEngine> make_patch_engine(const PatchSteps& steps, const Exec& exec);
}

}  // namespace fovea::mesh
