// The interface to the CUDA twin of greedy matching.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "actions/frames/greedy.h"

namespace fovea::actions::detail {

// Keeps models in the memory of its device. Scenes have been checked and are in host memory.
class GreedyEngine {
 public:
  virtual ~GreedyEngine() = default;
  // Returns one path per model.
  virtual std::vector<GreedyPath> match(const Scene& scene, const GreedyLayout& layout) = 0;
  // Writes one row per scene and one column per model, in host memory.
  virtual void scores(std::span<const Scene> scenes, ImageView<MatchScore> scores) = 0;
};

}  // namespace fovea::actions::detail

// Models have been checked and still belong to the caller; exec is resolved.
namespace fovea::actions::cuda {
std::unique_ptr<detail::GreedyEngine> make_greedy_engine(
    std::span<const detail::GreedyModel> models, const detail::MatchTerms& terms, const Exec& exec);
}
