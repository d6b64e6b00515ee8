// Scores of spectra that are fused: what the first frame and the target teach, and the twins that
// use it.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <array>
#include <span>
#include <vector>

#include "emd/detect/signature_learn.h"
#include "emd/scene/fusion_math.h"

namespace fovea::emd {

using LevelTables = std::array<detail::LevelTable, detail::kFusedScores>;

class Fusion {
 public:
  // Learns the contrasts of a scene in host memory, and the directions of the target.
  Fusion(StackView<const float> scene, std::span<const float> target, const Exec& exec);

  // Learns levels from distances of pixels of the scene and from their two angles.
  void learn_levels(ImageView<const float> distances, ImageView<const float> angles);

  // The two angles of every pixel, into two channels. The twin is that of exec.device; the views
  // may lie in any memory that it reaches.
  void angles(StackView<const float> bands, ImageView<float> to, const Exec& exec) const;
  // Replaces distances by fused scores. Both views lie in the same memory.
  void fuse(ImageView<const float> angles, ImageView<float> distances, const Exec& exec) const;

 private:
  struct Levels {
    std::vector<float> distances{};
    std::vector<double> levels{};
  };
  static Levels levels_of(std::vector<float> distances);
  detail::AngleParams params() const;

  SignaturePlan plan_;
  std::vector<double> target_, toward_;
  std::array<Levels, detail::kFusedScores> levels_{};
};

namespace cpu {
void measure_angles(StackView<const float> bands, const detail::AngleParams& params,
                    ImageView<float> to, const Exec& exec);
void fuse_scores(ImageView<const float> angles, const LevelTables& tables,
                 ImageView<float> distances, const Exec& exec);
}  // namespace cpu

namespace cuda {
// Tables lie in host memory.
void measure_angles(StackView<const float> bands, const detail::AngleParams& params,
                    ImageView<float> to, const Exec& exec);
void fuse_scores(ImageView<const float> angles, const LevelTables& tables,
                 ImageView<float> distances, const Exec& exec);
}  // namespace cuda

}  // namespace fovea::emd
