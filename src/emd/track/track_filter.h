// A correlation filter of a target's edges, learned on in every frame in which the target is sure.
// Where signatures say which colors the target had at first, it says where the edges of the last
// frames lie, and so how large the target is.
#pragma once
#include <fovea/core/geometry.h>

#include <memory>
#include <span>

#include "emd/track/track_filter_engine.h"

namespace fovea::emd {

// A place of the target: the middle of its box, and its size relative to the first one.
struct FilterPlace {
  double x = 0, y = 0;
  double scale = 1;
};

class EdgeFilter {
 public:
  // Learns a target of this size in pixels, in a gray or RGB frame. All frames lie in memory of the
  // device of `exec`, which has been resolved.
  EdgeFilter(ImageView<const std::uint8_t> frame, const FilterPlace& place, double width,
             double height, const Exec& exec);

  // Compares the surroundings of a place with the filter; once finish_look() has returned,
  // response() has the answer for a middle of the target: near 1 where it looks as it did, near 0
  // elsewhere and out of sight.
  void start_look(ImageView<const std::uint8_t> frame, const FilterPlace& place);
  void finish_look();
  void look(ImageView<const std::uint8_t> frame, const FilterPlace& place) {
    start_look(frame, place);
    finish_look();
  }
  double response(double x, double y) const;
  // The highest response of the middles in a box.
  double highest_in(const Rect<double>& box) const;

  // Looks at up to three places alone, each of which costs less than look(). match() is the
  // response of one of them; learn() replaces a share of what was learned by it.
  void see(ImageView<const std::uint8_t> frame, std::span<const FilterPlace> places);
  double match(std::size_t seen) { return engine_->match(seen); }
  void learn(std::size_t seen, double rate) { engine_->learn(seen, rate); }

 private:
  CellSquare square_at(const FilterPlace& place) const;

  double side_;  // of the square that is looked at, in pixels at scale 1
  CellSquare pushed_{}, seen_{};
  std::unique_ptr<FilterEngine> engine_{};
  std::span<const float> responses_{};
};

}  // namespace fovea::emd
