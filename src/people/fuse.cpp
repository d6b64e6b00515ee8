// Fuses the detections of one person. Greedy suppression keeps the best box and drops those that
// overlap it. The boxes that are kept are entered in the cells of a grid, so that a box is compared
// only with those near it.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/people/fuse.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "people/fuse_mean_shift.h"

namespace fovea::people {
namespace {

bool sound(const Rect<float>& box) {
  return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.width) &&
         std::isfinite(box.height) && box.width > 0 && box.height > 0 && std::isfinite(box.area());
}

std::string text(const Rect<float>& box) {
  return fmt::format("({}, {}, {} x {})", box.x, box.y, box.width, box.height);
}

void check(std::span<const Detection> detections) {
  for (std::size_t i = 0; i < detections.size(); ++i) {
    const Detection& detection = detections[i];
    if (!std::isfinite(detection.score))
      throw InvalidArgument(
          fmt::format("fuse: detection {} has the score {}; scores must be finite numbers", i,
                      detection.score));
    if (!sound(detection.box) || !sound(detection.window))
      throw InvalidArgument(fmt::format(
          "fuse: detection {} has the box {} in the window {}; both must be finite and not empty",
          i, text(detection.box), text(detection.window)));
    if (!std::isfinite(detection.scale) || !(detection.scale > 0))
      throw InvalidArgument(
          fmt::format("fuse: detection {} has the scale {}; expected a finite one above 0", i,
                      detection.scale));
  }
}

// The boxes that are kept, by the cells of the grid that they touch.
class Kept {
 public:
  explicit Kept(std::span<const Detection> detections) {
    if (detections.empty()) return;
    double right = detections[0].box.x, bottom = detections[0].box.y;
    left_ = right;
    top_ = bottom;
    for (const Detection& detection : detections) {
      const Rect<float>& box = detection.box;
      left_ = std::min<double>(left_, box.x);
      top_ = std::min<double>(top_, box.y);
      right = std::max(right, double{box.x} + box.width);
      bottom = std::max(bottom, double{box.y} + box.height);
    }
    cell_width_ = std::max((right - left_) / kSide, 1e-30);
    cell_height_ = std::max((bottom - top_) / kSide, 1e-30);
  }

  void add(const Rect<float>& box) {
    for_each_cell(box, [&](std::vector<Rect<float>>& cell) {
      cell.push_back(box);
      return false;
    });
  }

  // Whether a kept box overlaps this one by more than the options allow.
  bool covers(const Rect<float>& box, const FuseOptions& options) {
    return for_each_cell(box, [&](const std::vector<Rect<float>>& cell) {
      return std::any_of(cell.begin(), cell.end(), [&](const Rect<float>& kept) {
        const double common = intersection_area(box, kept);
        const double whole = options.method == FuseMethod::kSmaller
                                 ? std::min(box.area(), kept.area())
                                 : double{box.area()} + kept.area() - common;
        return common > options.overlap * whole;
      });
    });
  }

 private:
  static constexpr int kSide = 16;

  static int index(double distance, double side) {
    return static_cast<int>(std::clamp(std::floor(distance / side), 0.0, double{kSide - 1}));
  }

  // Calls `function` until it returns true; returns whether it did.
  template <class Function>
  bool for_each_cell(const Rect<float>& box, Function function) {
    const int first_column = index(box.x - left_, cell_width_);
    const int last_column = index(double{box.x} + box.width - left_, cell_width_);
    const int last_row = index(double{box.y} + box.height - top_, cell_height_);
    for (int row = index(box.y - top_, cell_height_); row <= last_row; ++row) {
      for (int column = first_column; column <= last_column; ++column) {
        if (function(
                cells_[static_cast<std::size_t>(row) * kSide + static_cast<std::size_t>(column)]))
          return true;
      }
    }
    return false;
  }

  double left_ = 0, top_ = 0;
  double cell_width_ = 1, cell_height_ = 1;
  std::array<std::vector<Rect<float>>, std::size_t{kSide} * kSide> cells_;
};

std::vector<Detection> greedy(std::span<const Detection> detections, const FuseOptions& options) {
  Kept kept(detections);
  std::vector<Detection> fused;
  for (const Detection& detection : detections) {
    if (kept.covers(detection.box, options)) continue;
    kept.add(detection.box);
    fused.push_back(detection);
  }
  return fused;
}

}  // namespace

std::span<const Choice> choices(FuseMethod) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"smaller", static_cast<int>(FuseMethod::kSmaller)},
       {"union", static_cast<int>(FuseMethod::kUnion)},
       {"mean-shift", static_cast<int>(FuseMethod::kMeanShift)},
       {"none", static_cast<int>(FuseMethod::kNone)}}};
  return kChoices;
}

std::span<const Choice> choices(FuseWeights) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"score", static_cast<int>(FuseWeights::kScore)},
       {"margin", static_cast<int>(FuseWeights::kMargin)},
       {"one", static_cast<int>(FuseWeights::kOne)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, FuseOptions& options) {
  visit("fuse", options.method,
        "how windows that show the same person become one detection. smaller and union drop boxes "
        "that overlap a better one, relative to the smaller box or to the union; mean-shift finds "
        "modes of their density; none keeps all windows");
  visit("fuse-overlap", options.overlap,
        "smaller and union: share of overlap above which a box is dropped", 0, 1);
  visit("fuse-width-x", options.width_x,
        "mean-shift: width of the kernel across, in pixels of a level", 0.1, 1000);
  visit("fuse-width-y", options.width_y,
        "mean-shift: width of the kernel down, in pixels of a level", 0.1, 1000);
  visit("fuse-width-scale", options.width_scale,
        "mean-shift: width of the kernel in scale, as a factor", 1.001, 100);
  visit(
      "fuse-weights", options.weights,
      "mean-shift: weights of windows. score takes positive scores and leaves windows with others "
      "out; margin takes scores minus the threshold; one makes all windows equal, as score does "
      "for cascades that vote by sign without a ranking");
  visit("fuse-weight-from", options.weight_from,
        "mean-shift: subtract this from scores to make weights, and leave out windows that do not "
        "exceed it",
        -1e9, 1e9, {.absent = "0, and the threshold for margin"});
}

std::vector<Detection> fuse(std::span<const Detection> detections, const FuseOptions& options,
                            std::int64_t* zero_weight_windows) {
  check_options(options);
  check(detections);
  if (zero_weight_windows) *zero_weight_windows = 0;
  std::vector<Detection> sorted(detections.begin(), detections.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  switch (options.method) {
    case FuseMethod::kSmaller:
    case FuseMethod::kUnion: return greedy(sorted, options);
    case FuseMethod::kMeanShift: return fuse_by_mean_shift(sorted, options, zero_weight_windows);
    case FuseMethod::kNone: break;
  }
  return sorted;
}

std::vector<Detection> clip_people(std::vector<Detection> people, Extent image) {
  const Rect<float> borders{0, 0, static_cast<float>(image.width),
                            static_cast<float>(image.height)};
  for (Detection& person : people) {
    const Rect<float>& box = person.box;
    const bool inside =
        box.x >= 0 && box.y >= 0 && box.right() <= borders.width && box.bottom() <= borders.height;
    if (!inside) person.box = intersect(box, borders);  // rounds, so boxes inside are left alone
  }
  std::erase_if(people, [](const Detection& person) { return person.box.empty(); });
  return people;
}

}  // namespace fovea::people
