// One point at a time, over planes of gray levels that are mirrored beyond their borders.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/flow/follow.h>

#include <cstddef>
#include <vector>

namespace fovea::flow::cpu {

// A level of the pyramid with `border` more pixels on each side, mirrored about the outermost ones.
struct FollowLevel {
  Image<float> pixels;
  int width = 0, height = 0, border = 0;

  // From column x - border of row y on.
  const float* row(int y) const { return pixels.row(y + border); }
};
using FollowPyramid = std::vector<FollowLevel>;

// How many levels options ask for, of images of this size.
int follow_levels(const FollowOptions& options, int width, int height);
// The gray plane itself and its halves, by gaussian_halve().
FollowPyramid follow_pyramid(ImageView<const float> gray, const FollowOptions& options);

struct FollowedPoint {
  Position place;
  bool found;
  float error;
};

// Follows points from the first pyramid to the second; it keeps its memory from one to the next.
class PointFollower {
 public:
  PointFollower(const FollowPyramid& first, const FollowPyramid& second,
                const FollowOptions& options);
  FollowedPoint follow(Position point, Position guess);

 private:
  struct Tensor {
    double xx, xy, yy;  // sums of the products of the gradients over the window
    double smaller_eigenvalue() const;
  };
  struct Slopes {
    double x, y;
  };
  Tensor prepare(const FollowLevel& level, Position point);
  Slopes slopes(const FollowLevel& level, Position place) const;
  double mean_difference(const FollowLevel& level, Position place) const;
  bool search(const FollowLevel& level, const Tensor& tensor, Position& place) const;

  const FollowPyramid &first_, &second_;
  FollowOptions options_;
  std::size_t side_, stride_;  // of the window, and from one of its rows to the next
  // The gray levels of the first image with a ring around the window; those of the window, and
  // their gradients.
  std::vector<float> patch_, gray_, gradient_x_, gradient_y_;
};

}  // namespace fovea::flow::cpu
