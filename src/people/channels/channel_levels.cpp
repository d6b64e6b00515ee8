// Chooses the levels that are computed from pixels, and computes where the cells of the others lie
// in theirs.
#include "people/channels/channel_levels.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "people/level_image.h"

namespace fovea::people {
namespace {

using channels::kCell;

double octave(const ScanPlan& plan, int level) {
  return std::log2(plan.levels[level].scale_x / plan.levels[0].scale_x);
}

// Where window (0, 0) begins, in pixels of the level.
int window_begin(const ScanPlan& plan) { return plan.origin - plan.padding; }

// The first cell that a level needs, in cells of its source's windows.
double first_place(int begin, double ratio, int reach) {
  constexpr int kHalf = kCell / 2;
  const int middle = begin - reach * kCell + kHalf;
  return (middle * ratio - kHalf - begin) / kCell;
}

struct CellSpan {
  int before;  // cells before those of the source's windows
  int end;     // one after the last, counted from those
};
// The cells that a level needs from its source, of which `first` is the first and `cells` the
// number.
CellSpan needed(double first, double ratio, int cells) {
  const double last = first + (cells - 1) * ratio;
  return {std::max(0, -static_cast<int>(std::floor(first))),
          static_cast<int>(std::floor(last)) + 2};
}

}  // namespace

Extent window_cells(const ScanPlan& plan, const ScanLevel& level) {
  return {((level.columns - 1) * plan.stride + plan.window.width) / kCell,
          ((level.first_row + level.rows - 1) * plan.stride + plan.window.height) / kCell};
}

Extent resampled_cells(const ScanPlan& plan, const ScanLevel& level, int reach) {
  const Extent cells = window_cells(plan, level);
  return {cells.width + 2 * reach, cells.height + 2 * reach};
}

void require_cell_stride(const ScanPlan& plan) {
  const bool single = std::all_of(plan.levels.begin(), plan.levels.end(),
                                  [](const ScanLevel& l) { return l.columns <= 1 && l.rows <= 1; });
  if (plan.stride % kCell != 0 && !single)
    throw InvalidArgument(fmt::format(
        "channels: windows {} pixels apart do not begin at cells of {} pixels; choose a multiple",
        plan.stride, kCell));
}

std::vector<int> channel_sources(const ScanPlan& plan, int exact_per_octave) {
  const int levels = static_cast<int>(plan.levels.size());
  std::vector<int> sources(plan.levels.size());
  const auto step = [&](int level) {
    return std::floor(octave(plan, level) * exact_per_octave + 0.5);
  };
  for (int first = 0; first < levels;) {
    int last = first + 1, source = first;
    if (exact_per_octave > 0) {
      const double middle = step(first) / exact_per_octave;
      const auto distance = [&](int level) { return std::abs(octave(plan, level) - middle); };
      for (; last < levels && step(last) == step(first); ++last) {
        if (distance(last) < distance(source)) source = last;
      }
    }
    std::fill(sources.begin() + first, sources.begin() + last, source);
    first = last;
  }
  return sources;
}

ExactCells exact_cells(const ScanPlan& plan, int source, int first, int last, int reach) {
  const ScanLevel& own = plan.levels[source];
  const int begin = window_begin(plan);
  const Extent cells = window_cells(plan, own);
  const int margin = channels::kNormalMargin + reach;
  int end_x = cells.width + margin, end_y = cells.height + margin;
  ExactCells exact;
  exact.margin_x = exact.margin_y = margin;
  for (int l = first; l < last; ++l) {
    const ScanLevel& level = plan.levels[l];
    const Extent size = resampled_cells(plan, level, reach);
    const double ratio_x = level.scale_x / own.scale_x, ratio_y = level.scale_y / own.scale_y;
    const CellSpan x = needed(first_place(begin, ratio_x, reach), ratio_x, size.width),
                   y = needed(first_place(begin, ratio_y, reach), ratio_y, size.height);
    exact.margin_x = std::max(exact.margin_x, x.before);
    exact.margin_y = std::max(exact.margin_y, y.before);
    end_x = std::max(end_x, x.end);
    end_y = std::max(end_y, y.end);
  }
  exact.columns = exact.margin_x + end_x;
  exact.rows = exact.margin_y + end_y;
  // Pixels before and after the level that the cells reach.
  const int left = begin - kCell * exact.margin_x - channels::kReach,
            top = begin - kCell * exact.margin_y - channels::kReach,
            right = begin + kCell * end_x + channels::kReach - own.size.width,
            bottom = begin + kCell * end_y + channels::kReach - own.size.height;
  exact.padding = std::max({0, -left, -top, right, bottom});
  exact.origin = {exact.padding + left + channels::kReach, exact.padding + top + channels::kReach};
  return exact;
}

CellPlacement cell_placement(const ScanPlan& plan, LevelPair levels, const ExactCells& exact,
                             const ChannelPyramid& pyramid) {
  const ScanLevel &to = plan.levels[levels.level], &from = plan.levels[levels.source];
  const int begin = window_begin(plan);
  CellPlacement placement;
  placement.step_x = to.scale_x / from.scale_x;
  placement.step_y = to.scale_y / from.scale_y;
  placement.first_x = first_place(begin, placement.step_x, pyramid.reach) + exact.margin_x;
  placement.first_y = first_place(begin, placement.step_y, pyramid.reach) + exact.margin_y;
  for (int k = 0; k < channels::kChannels; ++k)
    placement.factor[k] =
        static_cast<float>(std::clamp(std::pow(placement.step_x, -pyramid.decay[k]), 0.5, 1.875));
  return placement;
}

namespace cpu {

void ChannelLevels::start(ImageView<const std::uint8_t> image, const ScanPlan& plan,
                          const ChannelPyramid& pyramid, StepClock* clock) {
  require_cell_stride(plan);
  clock_ = clock;
  image_ = image;
  plan_ = &plan;
  pyramid_ = pyramid;
  sources_ = channel_sources(plan, pyramid.exact_per_octave);
  exact_of_.assign(sources_.size(), {});
  exact_level_ = -1;
  int widest = 0;
  const int levels = static_cast<int>(sources_.size());
  for (int first = 0; first < levels;) {
    const int source = sources_[first];
    int last = first;
    while (last < levels && sources_[last] == source) ++last;
    exact_of_[source] = exact_cells(plan, source, first, last, pyramid.reach);
    widest = std::max(widest, exact_of_[source].columns);
    for (int l = first; l < last; ++l)
      widest = std::max(widest, resampled_cells(plan, plan.levels[l], pyramid.reach).width);
    first = last;
  }
  stride_ = (widest + 15) / 16 * 16;
}

void ChannelLevels::make_exact(int source, ExactSpace& space, const Exec& exec) const {
  StepTimer timer(clock_, Step::kLevels);
  const ScanLevel& level = plan_->levels[source];
  const ExactCells& exact = exact_of_[source];
  const ScanPlan padded{plan_->window, plan_->stride, exact.padding, 0, {level}};
  const Extent size = padded.padded(level);
  Image<std::uint8_t>& pixels = space.pixels;
  if (pixels.width() < size.width || pixels.height() < size.height ||
      pixels.channels() != image_.channels)
    pixels = Image<std::uint8_t>(std::max(size.width, pixels.width()),
                                 std::max(size.height, pixels.height()), image_.channels);
  const ImageView<std::uint8_t> view = pixels.view().crop(0, 0, size.width, size.height);
  level_image(image_, padded, level, view, exec);
  timer.next(Step::kChannels);
  space.sums.reset(exact.columns, exact.rows);
  space.values.reset(exact.columns, exact.rows, stride_);
  channel_sums(view, exact.origin, space.sums, exec);
  channel_values(space.sums, space.values, exec);
}

ChannelLevels::Level ChannelLevels::make_level(int level, const ExactSpace& from, LevelSpace& space,
                                               const Exec& exec) const {
  const StepTimer timer(clock_, Step::kCells);
  const int source = sources_[level];
  const ExactCells& exact = exact_of_[source];
  if (source == level) {
    if (!pyramid_.smooth) return {&from.values, exact.margin_x, exact.margin_y};
    space.cells.reset(exact.columns, exact.rows, stride_);
    smooth_cells(from.values, space.cells, exec);
    return {&space.cells, exact.margin_x, exact.margin_y};
  }
  const Extent size = resampled_cells(*plan_, plan_->levels[level], pyramid_.reach);
  space.resampled.reset(size.width, size.height, stride_);
  resample_cells(from.values, cell_placement(*plan_, {level, source}, exact, pyramid_),
                 space.resampled, exec);
  if (!pyramid_.smooth) return {&space.resampled, pyramid_.reach, pyramid_.reach};
  space.cells.reset(size.width, size.height, stride_);
  smooth_cells(space.resampled, space.cells, exec);
  return {&space.cells, pyramid_.reach, pyramid_.reach};
}

ChannelLevels::Level ChannelLevels::make(int level, const Exec& exec) {
  const int source = sources_[level];
  if (exact_level_ != source) {
    make_exact(source, exact_, exec);
    exact_level_ = source;
  }
  return make_level(level, exact_, level_, exec);
}

}  // namespace cpu
}  // namespace fovea::people
