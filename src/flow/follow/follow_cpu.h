// One point at a time, over planes of gray levels. Of a window, pixels count that lie inside of
// both images; those of the first one need their neighbors too, for gradients.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/flow/follow.h>

#include <cstddef>
#include <vector>

namespace fovea::flow::cpu {

// A level of the pyramid with `border` more pixels on each side, which are 0 and count nowhere.
struct FollowLevel {
  Image<float> pixels;
  int width = 0, height = 0, border = 0;

  // From column x - border of row y on.
  const float* row(int y) const { return pixels.row(y + border); }
  ImageView<float> inside() { return pixels.view().crop(border, border, width, height); }
};
using FollowPyramid = std::vector<FollowLevel>;

// How many levels options ask for, of images of this size.
int follow_levels(const FollowOptions& options, int width, int height);
// A level whose gray levels are still to be written.
FollowLevel follow_level(int width, int height, const FollowOptions& options);
// The whole plane and its halves, by gaussian_halve().
FollowPyramid follow_pyramid(FollowLevel whole, const FollowOptions& options);

struct FollowedPoint {
  Position place;
  bool found;
  float error;
};

// The pixels of a window from (left, top) to before (right, bottom).
struct WindowPart {
  int left = 0, top = 0, right = 0, bottom = 0;

  bool operator==(const WindowPart&) const = default;
};

// Follows points from the first pyramid to the second; it keeps its memory from one to the next.
class PointFollower {
 public:
  PointFollower(const FollowPyramid& first, const FollowPyramid& second,
                const FollowOptions& options);
  FollowedPoint follow(Position point, Position guess);

 private:
  struct Tensor {
    double xx, xy, yy;  // sums of the products of the gradients over the pixels that count
    double smaller_eigenvalue() const;
  };
  struct Slopes {
    double x, y;
  };
  void prepare(const FollowLevel& level, Position point);
  bool count_pixels(const FollowLevel& level, Position place);
  void differentiate();
  Slopes slopes(const FollowLevel& level, Position place) const;
  double mean_difference(const FollowLevel& level, Position place) const;
  bool search(const FollowLevel& level, Position& place);
  WindowPart inside(const FollowLevel& level, Position center, int margin) const;
  // The gray levels of row j of the window, in the first image.
  const float* gray(std::size_t j) const { return patch_.data() + (j + 1) * (side_ + 2) + 1; }

  const FollowPyramid &first_, &second_;
  FollowOptions options_;
  std::size_t side_, stride_;  // of the window, and from one of its rows to the next
  // The gray levels of the first image in a window with a ring around it; the gradients of the
  // window, which are 0 where pixels do not count.
  std::vector<float> patch_, gradient_x_, gradient_y_;
  WindowPart first_part_, part_;  // what lies inside of the first image, and of both
  Tensor tensor_{};
  bool textured_ = false;
};

}  // namespace fovea::flow::cpu
