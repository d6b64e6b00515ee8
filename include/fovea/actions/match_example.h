#pragma once
#include <fovea/actions/model.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fovea::actions {

// How an example is searched for in a scene. The scale of features, where it is 0, is learned from
// both videos.
struct ExampleOptions {
  int scene_points = 1;  // points of each scene frame that are matched, the most confident; 0: all
  FeatureOptions features{};
  CutOptions cut{};
  MatchOptions match{};
};
FOVEA_API void describe(OptionVisitor& visit, ExampleOptions& options);

// The part of an example that lies nearest to something in the scene.
struct ExampleMatch {
  FrameModel model;  // the part, seen in a mirror where `mirrored` says so
  int frames = 0;    // of the part that have points
  bool mirrored = false;
  Scene scene;
  FrameMatch match;
  FeatureOptions features{};  // with the scale that was used

  double energy() const { return static_cast<double>(match.energy) / frames; }  // per frame
  // A strand of the match as a chain of its own.
  FOVEA_API Chain chain(int strand) const;
  int dummy_count() const {
    int count = 0;
    for (const Strand& strand : match.strands) count += strand.match.dummy_count;
    return count;
  }
};

// Cuts an example into parts, as prototypes are cut from clips, and returns the one that has the
// least energy per frame in the scene; nothing where no part has a match. Throws InvalidArgument
// for an example with points in fewer than three frames, and for points without descriptors.
FOVEA_API std::optional<ExampleMatch> match_example(const PointSet& example, const PointSet& scene,
                                                    const ExampleOptions& options = {});

// A node of an example, and where it was found in the scene.
struct ExampleNode {
  int strand = 0;
  std::int32_t model_frame = 0;
  double model_seconds = 0;
  float model_x = 0;  // in the video as it was filmed
  float model_y = 0;
  std::int32_t scene_frame = 0;
  double scene_seconds = 0;
  std::int32_t scene_point = -1;  // -1: not seen
  float scene_x = 0;              // NaN where it is not seen, and so the next one
  float scene_y = 0;
  double distance = 0;   // of both descriptors; NaN where it is not seen
  float appearance = 0;  // what the node adds to the terms of the energy
  float dummies = 0;
  float time = 0;
  float angles = 0;
};
FOVEA_API void describe(FieldVisitor& visit, ExampleNode& node);

// A match with what each of its nodes adds.
struct ExampleReport {
  bool mirrored = false;
  float energy = 0;
  float appearance = 0;
  float dummies = 0;
  float time = 0;
  float angles = 0;
  int dummy_count = 0;
  std::int64_t frames = 0;   // of both videos
  std::int64_t dropped = 0;  // frames of live sources; the caller says so
  std::vector<ExampleNode> nodes{};
};
FOVEA_API void describe(FieldVisitor& visit, ExampleReport& report);

// The times of frames, one per frame of both videos, and the width of the example's frames.
struct ExampleVideos {
  std::span<const double> model_seconds{};
  std::span<const double> scene_seconds{};
  int model_width = 0;
};
FOVEA_API ExampleReport report_of(const ExampleMatch& match, const MatchOptions& options,
                                  const ExampleVideos& videos);

}  // namespace fovea::actions
