// A correlation filter of a target's edges, learned on in every frame in which the target is sure.
// Where signatures say which colors the target had at first, it says where the edges of the last
// frames lie, and so how large the target is.
#pragma once
#include <vector>

#include "emd/track/track_cells.h"
#include "emd/track/track_fourier.h"

namespace fovea::emd {

// A place of the target: the middle of its box, and its size relative to the first one.
struct FilterPlace {
  double x = 0, y = 0;
  double scale = 1;
};

// What a filter sees at a place: the spectra of its cells, one plane per channel.
using FilterView = std::vector<ComplexPlane>;

class EdgeFilter {
 public:
  // Learns a target of this size in pixels, in a gray or RGB frame in host memory as all frames.
  EdgeFilter(ImageView<const std::uint8_t> frame, const FilterPlace& place, double width,
             double height);

  // Compares the surroundings of a place with the filter; response() then has the answer for a
  // middle of the target: near 1 where it looks as it did, near 0 elsewhere and out of sight.
  void look(ImageView<const std::uint8_t> frame, const FilterPlace& place);
  double response(double x, double y) const;
  double highest() const;  // response of all middles
  // The response of a place alone, which costs less than look().
  FilterView view(ImageView<const std::uint8_t> frame, const FilterPlace& place) const;
  double match(const FilterView& view) const;
  // Replaces a share of what was learned by a view of the target.
  void learn(const FilterView& view, double rate);

 private:
  static constexpr int kFine = 4 * CellGrid::kSide;  // samples per side of the response

  CellSquare square_at(const FilterPlace& place) const;
  ComplexPlane compared(const FilterView& view) const;  // the response's spectrum

  double side_;  // of the square that is looked at, in pixels at scale 1
  Fourier coarse_, fine_;
  ComplexPlane wanted_;    // spectrum of the response to the target itself
  FilterView products_{};  // of it with the target's spectra, one per channel
  std::vector<float> energy_{};
  CellSquare seen_{};
  std::vector<float> responses_{};
};

}  // namespace fovea::emd
