// One target: its signature and its surround's, its maps, and how it is followed from frame to
// frame.
#pragma once
#include <fovea/emd/track.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emd/track/track_bhattacharyya.h"
#include "emd/track/track_parts.h"
#include "emd/track/track_search.h"

namespace fovea::emd {

// A frame's labels, in host memory and where the maps are made.
struct LabelledFrame {
  ImageView<const std::uint8_t> here;
  ImageView<const std::uint8_t> there;

  PixelBox bounds() const { return {0, 0, here.width, here.height}; }
};

// What a target looks like, in bins of one palette.
struct Signatures {
  std::vector<double> target;
  std::vector<double> surround;
};

class Target {
 public:
  // `exec.device` is settled. The target lies at `box`; or, where that is not known yet, only has
  // its size and starts as lost, with `first_score` as the score that is expected of it.
  Target(int id, const GroundDistance& ground, Signatures signatures, const TrackOptions& options);

  // Fixes place, first score and parts.
  void begin(const LabelledFrame& frame, const PixelBox& box, bool with_parts);
  // The same for a target known by an example of this size alone: looks for it everywhere.
  void begin_anywhere(const LabelledFrame& frame, const LabelledFrame& example);
  void next(const LabelledFrame& frame);

  // Of the box in the frame's map: how clearly it stands out.
  double score_at(const LabelledFrame& frame, const PixelBox& box);

  Track track() const;
  bool uses_parts() const { return parts_.has_value(); }
  const LikelihoodMap& map() const { return map_; }
  const MapStats& stats() const { return stats_; }

 private:
  void make_map(const LabelledFrame& frame, const PixelBox& wanted);
  SearchRange range_of(const LabelledFrame& frame) const;
  Place local_place(const LabelledFrame& frame);
  void fit_size(const LabelledFrame& frame);
  void look_everywhere(const LabelledFrame& frame);
  void adapt(const LabelledFrame& frame);

  int id_;
  TrackOptions options_;
  GroundDistance ground_;
  Signatures signatures_;
  std::vector<Mapper> mappers_{};             // to target and surround; or
  std::vector<BhattacharyyaMapper> plain_{};  // these
  std::optional<PartModel> parts_{};
  PlaceModel model_{};
  LikelihoodMap map_{};
  MapStats stats_{};

  PixelBox box_{};
  double first_score_ = 0;
  double score_ = 0;
  int doubtful_ = 0;  // frames in a row
  bool lost_ = false;
};

}  // namespace fovea::emd
