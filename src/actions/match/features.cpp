// Computes features from descriptors: choice of halves, square roots and mirror images.
#include "actions/match/features.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "actions/match/features_math.h"
#include "io/image/half.h"

namespace fovea::actions {
namespace {

constexpr int kCells = 3;  // in x and in y
constexpr int kHogBins = 4;
constexpr int kHofBins = 5;

void check(const PointSet& points) {
  const auto count = static_cast<int>(points.points.size());
  if (count > 0 &&
      (points.descriptors.height() != count || points.descriptors.width() != kDescriptorSize))
    throw InvalidArgument(fmt::format(
        "{} points with {} descriptors of {} numbers; expected one of {} numbers per point", count,
        points.descriptors.height(), points.descriptors.width(), kDescriptorSize));
  for (int i = 0; i < count; ++i) {
    const std::int32_t frame = points.points[static_cast<std::size_t>(i)].frame;
    const std::int32_t before = i == 0 ? 0 : points.points[static_cast<std::size_t>(i) - 1].frame;
    if (frame < before || frame >= points.frames)
      throw InvalidArgument(fmt::format(
          "point {} lies in frame {}; expected {} to {}: points come in the order of frames", i,
          frame, before, points.frames - 1));
  }
}

// Returns the indices of the points that count: the first `most` of each frame.
std::vector<int> first_of_frames(const PointSet& points, int most) {
  std::vector<int> which;
  int of_frame = 0;
  for (std::size_t i = 0; i < points.points.size(); ++i) {
    of_frame = i > 0 && points.points[i].frame == points.points[i - 1].frame ? of_frame + 1 : 0;
    if (most == 0 || of_frame < most) which.push_back(static_cast<int>(i));
  }
  return which;
}

void write_feature(const float* descriptor, const FeatureOptions& options, float* feature) {
  const int begin = options.appearance == Appearance::kHof ? kHogSize : 0;
  const int size = feature_size(options.appearance);
  const auto scale = static_cast<float>(options.scale > 0 ? options.scale : 1);
  for (int i = 0; i < size; ++i) {
    feature[i] = detail::feature_value(descriptor[begin + i], scale, options.square_root);
  }
}

// Reverses the order of cells in x and reorders the bins of each cell by `bins`.
template <std::size_t kBins>
void mirror_cells(const float* from, float* to, const std::array<std::size_t, kBins>& bins) {
  constexpr std::size_t kColumn = std::size_t{kCells} * 2;  // cells with the same x: y, then time
  for (std::size_t cx = 0; cx < kCells; ++cx)
    for (std::size_t rest = 0; rest < kColumn; ++rest)
      for (std::size_t bin = 0; bin < kBins; ++bin)
        to[(cx * kColumn + rest) * kBins + bins[bin]] =
            from[((kCells - 1 - cx) * kColumn + rest) * kBins + bin];
}

}  // namespace

std::span<const Choice> choices(Appearance) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"hog+hof", static_cast<int>(Appearance::kHogHof)},
       {"hog", static_cast<int>(Appearance::kHog)},
       {"hof", static_cast<int>(Appearance::kHof)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, FeatureOptions& options) {
  visit("compare", options.appearance,
        "part of the descriptors that is compared: gradients (hog), flow (hof) or both");
  visit("square-root", options.square_root, "compare square roots of the descriptors' bins",
        {.off_help = "compare the bins of descriptors instead of their square roots"});
  visit("scale", options.scale,
        "factor of all features; 0 chooses it so that random points have a median distance of 3.76",
        0, 1e6);
}

int feature_size(Appearance appearance) {
  switch (appearance) {
    case Appearance::kHog: return kHogSize;
    case Appearance::kHof: return kHofSize;
    case Appearance::kHogHof: break;
  }
  return kDescriptorSize;
}

Nodes make_nodes(const PointSet& points, int most, const FeatureOptions& options) {
  check_options(options);
  if (most < 0) throw InvalidArgument(fmt::format("{} points per frame; expected 0 or more", most));
  check(points);
  const std::vector<int> which = first_of_frames(points, most);
  Nodes nodes;
  nodes.features = Image<float>(feature_size(options.appearance), static_cast<int>(which.size()));
  for (const int i : which) {
    const SpaceTimePoint& point = points.points[static_cast<std::size_t>(i)];
    write_feature(points.descriptors.row(i), options, nodes.features.row(nodes.size()));
    nodes.nodes.push_back({point.x, point.y, point.frame});
  }
  return nodes;
}

Scene make_scene(const PointSet& points, int most, const FeatureOptions& options) {
  return {make_nodes(points, most, options), 0, static_cast<std::int32_t>(points.frames)};
}

// In a mirror, gradients of 45 degrees turn to 135 degrees, and quadrants of flow from +x to -x.
void mirror_hog(const float* from, float* to) { mirror_cells<kHogBins>(from, to, {0, 3, 2, 1}); }
void mirror_hof(const float* from, float* to) { mirror_cells<kHofBins>(from, to, {0, 2, 1, 4, 3}); }

PointSet mirrored(const PointSet& points) {
  check(points);
  PointSet result = clone(points);
  for (SpaceTimePoint& point : result.points)
    point.x = static_cast<float>(points.size.width - 1) - point.x;
  for (int y = 0; y < result.descriptors.height(); ++y) {
    mirror_hog(points.descriptors.row(y), result.descriptors.row(y));
    mirror_hof(points.descriptors.row(y) + kHogSize, result.descriptors.row(y) + kHogSize);
  }
  return result;
}

PointSet most_salient(const PointSet& points, int most) {
  check(points);
  return chosen_points(points, first_of_frames(points, most));
}

std::vector<int> frame_starts(const PointSet& points) {
  std::vector<int> starts;
  for (std::size_t i = 0; i < points.points.size(); ++i)
    if (i == 0 || points.points[i].frame != points.points[i - 1].frame)
      starts.push_back(static_cast<int>(i));
  starts.push_back(static_cast<int>(points.points.size()));
  return starts;
}

PointSet chosen_points(const PointSet& points, std::span<const int> which) {
  PointSet result;
  result.size = points.size;
  result.frames = points.frames;
  result.frame_rate = points.frame_rate;
  result.descriptors = Image<float>(points.descriptors.width(), static_cast<int>(which.size()));
  for (const int i : which) {
    std::copy_n(points.descriptors.row(i), points.descriptors.width(),
                result.descriptors.row(static_cast<int>(result.points.size())));
    result.points.push_back(points.points[static_cast<std::size_t>(i)]);
  }
  return result;
}

PointSet clone(const PointSet& points) {
  PointSet result;
  result.size = points.size;
  result.frames = points.frames;
  result.frame_rate = points.frame_rate;
  result.points = points.points;
  result.descriptors = fovea::clone(points.descriptors);
  return result;
}

void round_to_file(ImageView<float> descriptors) {
  for (int y = 0; y < descriptors.height; ++y)
    for (int x = 0; x < descriptors.width; ++x)
      descriptors.at(x, y) = io::half_to_float(io::float_to_half(descriptors.at(x, y)));
}

}  // namespace fovea::actions
