#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// The motion of single points: pyramidal Lucas-Kanade around each of them (Lucas and Kanade, IJCAI
// 1981; Bouguet, Pyramidal implementation of the Lucas Kanade feature tracker, 2000), as OpenCV's
// calcOpticalFlowPyrLK() has it. All work is done on the CPU, on images in host memory: a thousand
// points take less time than the images take to a GPU.
namespace fovea::flow {

// Where a point lies, in pixels from the center of the upper left one, to the right and down.
struct Position {
  float x, y;
};

struct FollowOptions {
  int radius = 10;              // of the window around a point, in pixels, 1 to 50; pixels count
                                // that lie inside of both images
  int levels = 4;               // levels of the pyramid at most, with the image itself, 1 to 16; it
                                // ends before a level that is no larger than a window
  int iterations = 30;          // steps per level at most; 1 to 1000
  double epsilon = 0.01;        // pixels of a step below which a level ends
  double min_eigenvalue = 0.1;  // where the smaller eigenvalue of the mean products of the
                                // gradients is below this, in squares of gray levels (of 255) per
                                // pixel, there is no texture, and the point is lost
  std::optional<double> check{};  // also follow each point back: one that returns farther from
                                  // where it was than this, in pixels, is lost
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, FollowOptions& options);

// Points of the first image.
struct FollowPoints {
  std::span<const Position> points;
  std::span<const Position> guesses{};  // where they are looked for in the second image at first;
                                        // empty: where they are in the first
};

// What became of them, in their order.
struct Followed {
  std::vector<Position>
      points;  // in the second image; the last place that was tried, of a lost one
  std::vector<std::uint8_t> status;  // 1 where the point is found, 0 where it is lost: there is no
                                     // texture, it has left the image, or it did not return
  std::vector<float> error;          // mean absolute difference of gray levels (of 255) between its
                                     // windows in both images; 0 where it is lost
};

// Finds points of the first image in the second. Images have one size and 1, 3 or 4 channels
// (opacity is ignored) of 8 bits, 16 bits or float; their gray values are compared. Bytes are
// compared as they are, others on the range that covers both images. Every point is followed by
// itself, so that threads and other points do not change it. Throws InvalidArgument where a size
// differs, and for values that are not finite.
template <class T>
FOVEA_API Followed follow(ImageView<const T> first, ImageView<const T> second,
                          const FollowPoints& points, const FollowOptions& options = {});
template <class T>
Followed follow(const Image<T>& first, const Image<T>& second, const FollowPoints& points,
                const FollowOptions& options = {}) {
  return follow(first.view(), second.view(), points, options);
}

}  // namespace fovea::flow
