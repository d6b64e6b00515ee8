// One target: its signature and that of its surround, its maps, and how it is followed from frame
// to frame.
#pragma once
#include <fovea/emd/explain.h>
#include <fovea/emd/track.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emd/track/track_bhattacharyya.h"
#include "emd/track/track_filter.h"
#include "emd/track/track_parts.h"
#include "emd/track/track_search.h"

namespace fovea::emd {

inline constexpr int kLeastSide = 4;  // least side, in pixels, of a target within the frame

// A frame's labels, in host memory and where the maps are made.
struct LabeledFrame {
  ImageView<const std::uint8_t> here;
  ImageView<const std::uint8_t> there;
  ImageView<const std::uint8_t> pixels{};       // gray or RGB, where maps are made; empty for bands
  ImageView<const std::uint8_t> host_pixels{};  // empty unless a target needs_host_pixels()

  Rect<int> bounds() const { return {0, 0, here.width, here.height}; }
};

// What a target looks like: histograms in the bins of one palette.
struct Signatures {
  std::vector<double> target;
  std::vector<double> surround;
};

// The box's size times a factor, and whether a frame has room for it.
Rect<int> scaled(const Rect<int>& box, double factor);
bool fits(const Rect<int>& box, const LabeledFrame& frame);

class Target {
 public:
  // `options.exec.device` has been resolved.
  Target(int id, const GroundDistance& ground, Signatures signatures, const TrackOptions& options);

  // Sets the place and the first score, and decides whether parts are compared; `no_colors`: the
  // target has no colors.
  void begin(const LabeledFrame& frame, const Rect<int>& box, bool no_colors);
  // Does the same for a target that is known only from an example of this size: looks for it in the
  // whole frame.
  void begin_anywhere(const LabeledFrame& frame, const LabeledFrame& example, bool no_colors);
  // The part of the next frame, in frames of these bounds, whose labels prepare() and next() read.
  Rect<int> reads(const Rect<int>& frame) const;
  // Starts the maps of the area within reach in the next frame; next() with the same frame has to
  // follow. The labels must not change in between. If a prepared frame was abandoned, the next
  // prepare() waits for it.
  void prepare(const LabeledFrame& frame);
  // It explains itself where `why` is not null.
  void next(const LabeledFrame& frame, TrackExplanation* why = nullptr);
  // Whether the labels of a frame are read in host memory.
  bool looks_at_labels() const { return parts_ || options_.adapt > 0 || !plain_.empty(); }
  // Whether the pixels of the next frame are read in host memory too: a target without a filter
  // that is found there may get one, if it has texture.
  bool needs_host_pixels() const {
    return wants_filter() && !filter_ && options_.redetect && may_look_everywhere();
  }

  Track track() const;
  bool uses_parts() const { return parts_.has_value(); }
  const LikelihoodMap& map() const { return map_; }
  const MapReport& report() const { return report_; }  // entries and cache_bytes of both maps

 private:
  void make_map(const LabeledFrame& frame, const Rect<int>& wanted);
  void push_map(const LabeledFrame& frame, const Rect<int>& wanted);
  void finish_map(const LabeledFrame& frame);
  SearchRange range_of(const Rect<int>& frame) const;
  Rect<int> reached(const Rect<int>& frame) const;
  Place local_place(const LabeledFrame& frame, TrackExplanation* why);
  PlaceShares shares_of(const Rect<int>& box, const SearchRange& range);
  void explain_places(const SearchRange& range, const Place& best, TrackExplanation& why);
  void fit_size(const LabeledFrame& frame);
  bool wants_parts(bool no_colors, double plain_score) const;
  Place best_anywhere(const LabeledFrame& frame, bool by_parts);
  Place best_by_parts(const LabeledFrame& frame, const Rect<int>& size);
  std::vector<double> part_costs(std::span<const Rect<int>> places, double farthest);
  bool take_if_found(const LabeledFrame& frame);
  void look_everywhere(const LabeledFrame& frame);
  void adapt(const LabeledFrame& frame);
  bool wants_filter() const;
  // Only a target that is lost, or will be after one more doubtful frame, is searched for
  // everywhere.
  bool may_look_everywhere() const { return lost_ || doubtful_ + 1 >= options_.lost_frames; }
  FilterPlace filter_place(const Rect<int>& box) const;
  double filter_response(const Rect<int>& box) const;
  void begin_filter(const LabeledFrame& frame);
  void add_filter_costs(std::span<const Rect<int>> places, std::vector<double>& costs) const;
  bool sure_by_filter(const Rect<int>& box) const;
  bool found_by_filter(const LabeledFrame& frame, const Rect<int>& box);
  void learn_filter(const LabeledFrame& frame);
  std::size_t fit_size_by_filter(std::span<const FilterPlace> seen);

  int id_;
  TrackOptions options_;
  GroundDistance ground_;
  Signatures signatures_;
  std::array<Image<float>, 2> distances_{};   // to target and surround, where maps are made
  std::vector<Mapper> mappers_{};             // these make the maps, or
  std::vector<BhattacharyyaMapper> plain_{};  // these do
  std::optional<PartModel> parts_{};
  std::optional<EdgeFilter> filter_{};
  Rect<int> first_size_{};  // what the filter's scale is relative to
  double scale_ = 1;
  PlaceModel model_{};
  LikelihoodMap map_{};
  Rect<int> seen_{};                 // what was mapped: the map's region and its windows' pixels
  std::array<bool, 2> in_flight_{};  // mappers whose frame was pushed and not finished
  MapReport report_{};

  Rect<int> box_{};
  double first_score_ = 0;
  double score_ = 0;
  Rect<int> example_{};  // size of an example whose target has not been found yet
  int doubtful_ = 0;     // doubtful frames in a row
  bool lost_ = false;
};

}  // namespace fovea::emd
