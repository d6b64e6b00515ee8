// The parts of the division by motion: fits of affine motions, the motions of a field, and the
// labels of its pixels.
#pragma once
#include <fovea/flow/segment.h>

#include <cstdint>
#include <vector>

namespace fovea::flow::segment {

// Sums from which an affine motion is fitted by least squares, and with which two sets of pixels
// are fitted together without looking at the pixels again. Coordinates are those of a Frame.
struct Moments {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  double u = 0, xu = 0, yu = 0, v = 0, xv = 0, yv = 0;
  double squares = 0;  // of u and v

  void add(double weight, double px, double py, double pu, double pv);
  Moments& operator+=(const Moments& other);
};

// Coordinates from about -1 to 1, in which fits are well conditioned.
struct Frame {
  double middle_x = 0, middle_y = 0, unit = 1;

  double x(double column) const { return (column - middle_x) / unit; }
  double y(double row) const { return (row - middle_y) / unit; }
  AffineMotion to_pixels(const AffineMotion& motion) const;
};
Frame frame_of(int width, int height);

// The square of the tolerance that the options have, or of the least one.
inline constexpr double kLeastTolerance = 0.3, kMostTolerance = 1;
inline double squared_tolerance(const SegmentOptions& options) {
  const double tolerance = options.tolerance.value_or(kLeastTolerance);
  return tolerance * tolerance;
}

// The least number of pixels of a region: a share of the image and some cells, because blurred flow
// between motions makes strips whose width does not grow with the image, but no more than a quarter
// of the image.
double least_pixels(const SegmentOptions& options, int width, int height);

struct Fit {
  AffineMotion motion{};
  double squares = 0;  // weighted sum of squared distances between flow and motion
};
Fit fit_of(const Moments& moments);

// What both sets of pixels lose per pixel of the smaller one when they share a motion, as a squared
// distance in pixels.
double distance_between(const Moments& a, const Moments& b);

// A field with the weight of every pixel: its confidence, or 0 where it is not known.
struct WeightedField {
  ImageView<const float> u, v;
  Image<float> weight;
  Frame frame{};

  int width() const { return u.width; }
  int height() const { return u.height; }
};

// The median over cells of the distance, root mean square, between their flow and the motion that
// fits them best; most cells lie inside one motion, where this is the noise of the flow.
double field_noise(const WeightedField& field, const SegmentOptions& options);

// The motions of cells, merged while they differ by less than the tolerance; the largest first.
std::vector<Moments> gather_motions(const WeightedField& field, const SegmentOptions& options);
inline constexpr std::size_t kMostMotions = 96;  // that are compared pair by pair
// Appends the largest of `more`, as long as there are no more than kMostMotions.
void add_motions(std::vector<Moments>& motions, std::vector<Moments> more);
// Merges motions that differ by less than the tolerance, and more until there are as few as asked.
void merge_motions(std::vector<Moments>& motions, const SegmentOptions& options);

// The motion of every pixel: a number below motions.size(). Neighbors are pulled together; less so
// across edges of the image, which may be empty.
void label_pixels(const WeightedField& field, const std::vector<AffineMotion>& motions,
                  ImageView<const std::uint8_t> image, const SegmentOptions& options,
                  Image<std::uint16_t>& labels);

// Fits every motion to its pixels, which count less the worse they fit.
std::vector<Moments> fit_labels(const WeightedField& field,
                                const std::vector<AffineMotion>& motions,
                                const Image<std::uint16_t>& labels, const SegmentOptions& options);

// Motions of patches that no motion explains yet.
std::vector<Moments> unexplained_motions(const WeightedField& field,
                                         const std::vector<AffineMotion>& motions,
                                         const Image<std::uint16_t>& labels,
                                         const SegmentOptions& options);

// Connected sets of pixels of one label. Returns their sizes; `regions` gets a number per pixel.
std::vector<std::int64_t> connected_regions(const Image<std::uint16_t>& labels,
                                            Image<std::int32_t>& regions);
// Whether a pixel lies inside its region: the pixels kDepth to the left, right, above and below
// have its label too. Blurred flow along the border of two motions makes strips without such
// pixels.
inline constexpr int kDepth = 3;
inline constexpr double kLeastInside = 0.2;  // share of the pixels of a region
bool is_inside(const Image<std::uint16_t>& labels, int x, int y);

// Gives regions of fewer pixels, and strips, to the neighbor with which they share the longest
// border.
void absorb_small_regions(Image<std::uint16_t>& labels, std::int64_t least_pixels);

}  // namespace fovea::flow::segment
