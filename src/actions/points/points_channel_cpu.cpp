#include "actions/points/points_channel_cpu.h"

#include <cmath>
#include <limits>
#include <utility>

namespace fovea::actions::cpu {

ChannelWork::ChannelWork(const PointPlan& plan, const Channel& channel, Extent size)
    : channel_(channel), size_(size), k_(plan.k) {
  const TileMask tiles(size);
  bands_ = tiles.bands();
  columns_ = tiles.columns();
  const int back = static_cast<int>(std::ceil(channel.half_time));
  gradient_slots_ =
      std::max(2 * channel.sum_radius() + 1,
               plan.descriptors ? plan.latency - channel.derivative_lag() + back + 1 : 1);
  // Gradients may be needed as long as their slot exists, and sums need L of a frame more at either
  // end.
  blurred_ = PlaneRing(size, gradient_slots_ + 2, kRowPadding);
  dx_ = PlaneRing(size, gradient_slots_);
  dy_ = PlaneRing(size, gradient_slots_);
  filled_.assign(static_cast<std::size_t>(gradient_slots_) * static_cast<std::size_t>(bands_) *
                     static_cast<std::size_t>(columns_),
                 std::numeric_limits<std::int64_t>::min());
  if (!detects()) return;
  response_ = PlaneRing(size, 3);
  activity_ = Activity(channel, size, least_change(plan.k, plan.threshold), plan.skip);
}

void ChannelWork::blur(PlaneRing& smooth, std::int64_t time, int band) {
  const std::int64_t at = time - channel_.time_radius();
  const ImageView<float> out = blurred_.at(at);
  std::vector<ImageView<float>> planes;
  planes.reserve(channel_.time.size());
  for (std::size_t i = 0; i < channel_.time.size(); ++i)
    planes.push_back(smooth.at(time - 2 * channel_.time_radius() + static_cast<std::int64_t>(i)));
  std::vector<const float*> rows(planes.size());
  for (int y = first_row(band); y < end_row(band); ++y) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = planes[i].row(y);
    float* to = out.row(y);
    sum_rows(rows.data(), taps_of(channel_.time), to, out.width);
    // Gradients read a neighbor beyond either end.
    to[-1] = to[0];
    to[out.width] = to[out.width - 1];
  }
  if (!detects()) return;
  const int first = first_row(band);
  float* changes[kTileRows / kCellSize];
  for (int i = 0; i < kTileRows / kCellSize; ++i)
    changes[i] = activity_.change(at - 1, band * (kTileRows / kCellSize) + i);
  greatest_changes({blurred_.at(at - 2).row(first), out.row(first), out.stride,
                    end_row(band) - first, channel_.over_time},
                   changes, out.width);
}

void ChannelWork::find_active(std::int64_t time) {
  any_ = activity_.find(time - channel_.response_lag());
}

LevelRows ChannelWork::level_rows(std::int64_t at, int y) {
  const ImageView<const float> plane = blurred_.at(at);
  return {plane.row(std::max(y - 1, 0)), plane.row(y),
          plane.row(std::min(y + 1, size_.height - 1))};
}

void ChannelWork::fill_gradients(std::int64_t at, int band, const std::uint8_t* wanted) {
  const auto tile =
      (static_cast<std::size_t>(ring_slot(at, gradient_slots_)) * static_cast<std::size_t>(bands_) +
       static_cast<std::size_t>(band)) *
      static_cast<std::size_t>(columns_);
  std::int64_t* filled = filled_.data() + tile;
  const ImageView<float> dx = dx_.at(at), dy = dy_.at(at);
  each_span(
      columns_, size_.width, [&](int i) { return wanted[i] != 0 && filled[i] != at; },
      [&](ColumnSpan span) {
        for (int y = first_row(band); y < end_row(band); ++y) {
          const LevelRows rows = level_rows(at, y);
          gradients({rows.above + span.first, rows.here + span.first, rows.below + span.first},
                    channel_.along, {dx.row(y) + span.first, dy.row(y) + span.first},
                    span.last - span.first);
        }
      });
  for (int i = 0; i < columns_; ++i)
    if (wanted[i] != 0) filled[i] = at;
}

void ChannelWork::prepare(std::int64_t time, int band) {
  if (!any_) return;
  const std::int64_t center = time - channel_.response_lag();
  const int reach = sum_reach(), tiles = (reach + kTileWidth - 1) / kTileWidth;
  const auto columns = static_cast<std::size_t>(columns_);
  std::vector<std::uint8_t> here(columns), wide(columns);
  if (!activity_.active(center).join(first_row(band) - reach, end_row(band) - 1 + reach,
                                     here.data()))
    return;
  for (int i = 0; i < columns_; ++i)
    if (here[static_cast<std::size_t>(i)] != 0)
      std::fill(wide.begin() + std::max(i - tiles, 0),
                wide.begin() + std::min(i + tiles + 1, columns_), std::uint8_t{1});
  for (int i = -channel_.sum_radius(); i <= channel_.sum_radius(); ++i)
    fill_gradients(center + i, band, wide.data());
}

void ChannelWork::respond(std::int64_t time, const Strip& strip, StripSpace& space) {
  const std::int64_t center = time - channel_.response_lag();
  clear_stale(center, strip);
  if (!any_) return;
  const TileMask& active = activity_.active(center);
  const ImageView<float> out = response_.at(center);
  const int reach = sum_reach();
  space.reset(size_.width, reach);
  space.wanted.resize(static_cast<std::size_t>(columns_));
  int known = 0;  // sums along the rows before it are there, or not needed
  for (int band = strip.first; band < strip.last; ++band) {
    const std::uint8_t* tiles = active.band(band);
    if (std::find(tiles, tiles + columns_, 1) == tiles + columns_) continue;
    for (int y = first_row(band); y < end_row(band); y += kColumnRows) {
      const int last = std::min(y + kColumnRows - 1 + reach, size_.height - 1);
      for (known = std::max(known, y - reach); known <= last; ++known)
        if (active.join(std::max(known - reach, first_row(strip.first)),
                        std::min(known + reach, end_row(strip.last - 1) - 1), space.wanted.data()))
          moments_of_row(center, known, space);
      each_span(
          columns_, size_.width, [&](int i) { return tiles[i] != 0; },
          [&](ColumnSpan span) { respond_in(span, y, space, out); });
    }
  }
}

// What is left out has a response below the threshold, which is no rival to a maximum.
void ChannelWork::clear_stale(std::int64_t center, const Strip& strip) {
  const ImageView<float> out = response_.at(center);
  for (int band = strip.first; band < strip.last; ++band) {
    const std::uint8_t* active = activity_.active(center).band(band);
    const std::uint8_t* stale = activity_.stale().band(band);
    each_span(
        columns_, size_.width, [&](int i) { return active[i] == 0 && stale[i] != 0; },
        [&](ColumnSpan span) {
          for (int y = first_row(band); y < end_row(band); ++y)
            std::fill(out.row(y) + span.first, out.row(y) + span.last, 0.0F);
        });
  }
}

void ChannelWork::moments_of_row(std::int64_t center, int y, StripSpace& space) {
  const int reach = sum_reach();
  int done = 0;  // columns whose sums over time are known
  each_span(
      columns_, size_.width, [&](int i) { return space.wanted[static_cast<std::size_t>(i)] != 0; },
      [&](ColumnSpan span) {
        const int first = std::max(span.first - reach, 0) / 4 * 4;
        const ColumnSpan around{std::max(first, done), std::min(span.last + reach, size_.width)};
        if (around.first < around.last) moments_over_time(center, y, around, space);
        done = std::max(done, around.last);
        for (int m = 0; m < kMoments; ++m)
          sum_along(space.over_time[static_cast<std::size_t>(m)].inside() + span.first - reach,
                    taps_of(channel_.sum_space), space.along(m, y) + span.first,
                    span.last - span.first);
      });
}

void ChannelWork::moments_over_time(std::int64_t center, int y, ColumnSpan span,
                                    StripSpace& space) {
  const int radius = channel_.sum_radius();
  space.gradients.clear();
  space.rows.clear();
  for (std::int64_t at = center - radius; at <= center + radius; ++at)
    space.gradients.push_back({dx_.at(at).row(y) + span.first, dy_.at(at).row(y) + span.first});
  for (std::int64_t at = center - radius - 1; at <= center + radius + 1; ++at)
    space.rows.push_back(blurred_.at(at).row(y) + span.first);
  float* sums[kMoments];
  for (std::size_t m = 0; m < kMoments; ++m) sums[m] = space.over_time[m].inside() + span.first;
  sum_moments({space.gradients.data(), space.rows.data(), channel_.over_time},
              taps_of(channel_.sum_time), sums, span.last - span.first);
  for (WideRow& moment : space.over_time) {
    if (span.first == 0) moment.repeat_first();
    if (span.last == size_.width) moment.repeat_last();
  }
}

void ChannelWork::respond_in(ColumnSpan span, int y, StripSpace& space, ImageView<float> out) {
  const int reach = sum_reach(), width = span.last - span.first;
  space.rows.resize(channel_.sum_space.size() + kColumnRows - 1);
  for (int m = 0; m < kMoments; ++m) {
    for (std::size_t i = 0; i < space.rows.size(); ++i)
      space.rows[i] =
          space.along(m, clamped(y - reach + static_cast<int>(i), size_.height)) + span.first;
    float* to[kColumnRows];
    for (int k = 0; k < kColumnRows; ++k) to[k] = space.down(m, k);
    sum_columns(space.rows.data(), taps_of(channel_.sum_space), to, width);
  }
  for (int k = 0; k < std::min(kColumnRows, size_.height - y); ++k) {
    const float* moments[kMoments];
    for (int m = 0; m < kMoments; ++m) moments[m] = space.down(m, k);
    harris_responses(moments, k_, out.row(y + k) + span.first, width);
  }
}

}  // namespace fovea::actions::cpu
