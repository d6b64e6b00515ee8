// Sorts and selects points, writes them as CSV and hands them out frame by frame.
#include <fovea/actions/select_points.h>
#include <fovea/core/options.h>
#include <fovea/io/csv_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "actions/points/points_words.h"

namespace fovea::actions {
namespace {

std::vector<int> detector_order(const PointSet& set) {
  std::vector<int> order(set.points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const bool known = std::ranges::any_of(set.points, [&](const SpaceTimePoint& point) {
    return point.confidence != set.points.front().confidence;
  });
  if (!known) return order;
  std::ranges::stable_sort(order, [&](int a, int b) {
    const SpaceTimePoint& one = set.points[static_cast<std::size_t>(a)];
    const SpaceTimePoint& other = set.points[static_cast<std::size_t>(b)];
    if (one.frame != other.frame) return one.frame < other.frame;
    if (one.confidence != other.confidence) return one.confidence > other.confidence;
    return one.y != other.y ? one.y < other.y : one.x < other.x;
  });
  return order;
}

// The indices of the points that are kept, in their order.
std::vector<int> wanted_points(const PointSet& set, const SelectOptions& options) {
  std::vector<int> which;
  which.reserve(set.points.size());
  int of_frame = 0;
  std::int32_t frame = -1;
  for (const int i : detector_order(set)) {
    const SpaceTimePoint& point = set.points[static_cast<std::size_t>(i)];
    if (point.frame != frame) of_frame = 0;
    frame = point.frame;
    if (static_cast<double>(point.confidence) < options.least_confidence) continue;
    if (options.most_per_frame > 0 && of_frame == options.most_per_frame) continue;
    ++of_frame;
    which.push_back(i);
  }
  return which;
}

}  // namespace

void describe(OptionVisitor& visit, SelectOptions& options) {
  visit("most-per-frame", options.most_per_frame,
        "keep this number of points of each frame, the most confident; 0 keeps all", 0, 1e6);
  visit("least-confidence", options.least_confidence,
        "keep only points that are as confident as this", 0, 1e30);
  visit("descriptors", options.descriptors, "keep the descriptors",
        {.off_help = "leave out the descriptors"});
}

PointSet select_points(const PointSet& set, const SelectOptions& options) {
  check_options(options);
  const std::vector<int> which = wanted_points(set, options);
  PointSet result;
  result.size = set.size;
  result.frames = set.frames;
  result.frame_rate = set.frame_rate;
  result.detector = set.detector;
  const bool described = options.descriptors && !set.descriptors.empty();
  if (options.descriptors) result.votes = set.votes;
  result.found_with = words_of_selected(set.found_with, options);
  if (described)
    result.descriptors = Image<float>(set.descriptors.width(), static_cast<int>(which.size()));
  result.points.reserve(which.size());
  for (const int i : which) {
    if (described)
      std::copy_n(set.descriptors.row(i), set.descriptors.width(),
                  result.descriptors.row(static_cast<int>(result.points.size())));
    result.points.push_back(set.points[static_cast<std::size_t>(i)]);
  }
  return result;
}

void write_points_csv(const io::Sink& sink, const PointSet& set) {
  std::vector<std::string> header{"frame", "x", "y", "sigma2", "tau2", "confidence"};
  for (int i = 0; i < set.descriptors.width(); ++i)
    header.push_back(i < kHogSize ? fmt::format("hog{}", i) : fmt::format("hof{}", i - kHogSize));
  io::CsvWriter csv(sink, header, {.crlf = false});
  for (std::size_t i = 0; i < set.points.size(); ++i) {
    const SpaceTimePoint& point = set.points[i];
    csv.field(point.frame).field(point.x).field(point.y);
    csv.field(point.sigma2).field(point.tau2).field(point.confidence);
    for (int k = 0; k < set.descriptors.width(); ++k)
      csv.field(set.descriptors.at(k, static_cast<int>(i)));
    csv.end_row();
  }
}

FramePoints PointFrames::next() {
  std::size_t end = at_;
  while (end < set_.points.size() && set_.points[end].frame == frame_) ++end;
  FramePoints one{first_ + frame_, {}, {}};
  one.points.reserve(end - at_);
  for (std::size_t i = at_; i < end; ++i) {
    one.points.push_back(set_.points[i]);
    one.points.back().frame += static_cast<std::int32_t>(first_);
  }
  if (end > at_ && !set_.descriptors.empty())
    one.descriptors = clone(set_.descriptors.view().crop(
        0, static_cast<int>(at_), set_.descriptors.width(), static_cast<int>(end - at_)));
  at_ = end;
  ++frame_;
  return one;
}

}  // namespace fovea::actions
