// The parts that explanations of actions are made of.
#pragma once
#include <fovea/actions/explain.h>

#include <span>

#include "actions/evaluate/score.h"
#include "actions/fuse/late_fusion.h"

namespace fovea::actions {

// Divides the energy of a match among its nodes and triangles. Its prototype and its distance are
// left to the caller.
struct ChainTask {
  const FrameModel& model;
  const Scene& scene;
  const FrameMatch& match;
  Variant variant = Variant::kSingle;
  const MatchOptions& options;
};
ChainShares chain_shares(const ChainTask& task);

// The match of a prototype in a scene, on the CPU.
ChainShares prototype_shares(const Model& model, int prototype, const Scene& scene);

// What the classifier knows of a clip when it decides.
struct ClipEvidenceView {
  const Model& model;
  const ClassifyOptions& options;
  const Scene& scene;
  const ClassDistances& found;
  std::span<const double> singles;  // distances of single descriptors; empty where not compared
  const FusionScores& fusion;
};
ClipExplanation explain_clip(const ClipEvidenceView& evidence, ClipClass result);

}  // namespace fovea::actions
