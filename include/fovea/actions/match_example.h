#pragma once
#include <fovea/actions/model.h>

#include <optional>

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

}  // namespace fovea::actions
