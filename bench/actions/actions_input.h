// Random models and scenes of the sizes that the paper measures.
#pragma once
#include <fovea/actions/match.h>

#include <memory>
#include <vector>

namespace fovea::cli {

inline constexpr int kPaperNodes = 30, kPaperFeatures = 162, kPaperModels = 50;

struct SceneShape {
  int points = 0;
  int frames = 0;
};
inline constexpr SceneShape kPaperBlock{60, 55}, kPaperVideo{754, 723};

struct MatchInput {
  std::vector<actions::FrameModel> models;
  std::vector<actions::Scene> scenes;
};
// Models have `points_per_frame` points in each of their frames.
std::shared_ptr<MatchInput> random_match(const SceneShape& shape, int models, int scenes,
                                         int points_per_frame = 1);

}  // namespace fovea::cli
