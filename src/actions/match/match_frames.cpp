// Models with several points per frame, matched as one chain, as several, or frame by frame.
#include "actions/match/match_frames.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fovea::actions {
namespace {

int check_model(const FrameModel& model) {
  int features = -1;
  if (model.frames.size() < 3)
    throw InvalidArgument(
        fmt::format("match: a model has {} frames; expected 3 or more", model.frames.size()));
  for (std::size_t i = 0; i < model.frames.size(); ++i) {
    const Nodes& frame = model.frames[i];
    if (frame.size() == 0)
      throw InvalidArgument(
          fmt::format("match: frame {} of the model has no points; expected one or more", i));
    detail::check_points("the model", frame, features);
    features = frame.features.width();
    const std::int32_t time = frame.nodes.front().frame;
    if (frame.nodes.back().frame != time ||
        (i > 0 && time <= model.frames[i - 1].nodes.front().frame))
      throw InvalidArgument(fmt::format(
          "match: the points of frame {} of the model lie in {} to {}; expected one frame, later "
          "than the last",
          i, time, frame.nodes.back().frame));
  }
  return features;
}

// Makes a chain of the points of one rank, from the frames that have that many points.
Chain chain_of(const FrameModel& model, int rank, int features) {
  Chain chain;
  std::vector<const float*> rows;
  for (const Nodes& frame : model.frames)
    if (rank < frame.size()) {
      chain.nodes.push_back(frame.nodes[rank]);
      rows.push_back(frame.features.row(rank));
    }
  chain.features = Image<float>(features, static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(rows[i], features, chain.features.row(static_cast<int>(i)));
  return chain;
}

MatchScore mean_of(const Image<MatchScore>& scores) {
  MatchScore mean = scores.at(0, 0);
  double energy = 0, appearance = 0;
  for (int m = 0; m < scores.width(); ++m) {
    const MatchScore& score = scores.at(m, 0);
    energy += score.energy;
    appearance += score.appearance;
    mean.first_frame = std::min(mean.first_frame, score.first_frame);
    mean.last_frame = std::max(mean.last_frame, score.last_frame);
  }
  mean.energy = static_cast<float>(energy / scores.width());
  mean.appearance = static_cast<float>(appearance / scores.width());
  return mean.energy < std::numeric_limits<float>::infinity()
             ? mean
             : MatchScore{.energy = std::numeric_limits<float>::infinity()};
}

}  // namespace

MatchScore match_frames(const FrameModel& model, const Scene& scene, Variant variant,
                        const MatchOptions& options) {
  check_options(options);
  const int features = check_model(model);
  detail::check_scene(scene, features);
  if (variant == Variant::kGreedy)
    return detail::match_greedily(model, scene, detail::MatchTerms(options), options.exec);
  std::size_t most = 1;
  if (variant == Variant::kChains)
    for (const Nodes& frame : model.frames) most = std::max(most, frame.nodes.size());
  std::vector<Chain> chains;
  for (std::size_t rank = 0; rank < most; ++rank)
    if (Chain chain = chain_of(model, static_cast<int>(rank), features); chain.size() >= 3)
      chains.push_back(std::move(chain));
  return mean_of(Matcher(chains, options).scores({&scene, 1}));
}

}  // namespace fovea::actions
