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
  // Gradients may be needed as long as their slot exists, and sums need L of a
  // frame more at either end.
  blurred_ = PlaneRing(size, gradient_slots_ + 2);
  dx_ = PlaneRing(size, gradient_slots_);
  dy_ = PlaneRing(size, gradient_slots_);
  filled_.assign(static_cast<std::size_t>(gradient_slots_) * static_cast<std::size_t>(bands_) *
                     static_cast<std::size_t>(columns_),
                 std::numeric_limits<std::int64_t>::min());
  if (!detects()) return;
  for (auto& moment : moments_) moment = Image<float>(size.width, size.height);
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
    sum_rows(rows.data(), taps_of(channel_.time), out.row(y), out.width);
  }
  if (!detects()) return;
  const int first = first_row(band);
  greatest_changes(
      {blurred_.at(at - 2).row(first), out.row(first), out.stride, end_row(band) - first},
      channel_.over_time, activity_.change(at - 1, band), out.width);
}

void ChannelWork::find_active(std::int64_t time) {
  any_ = activity_.find(time - channel_.response_lag());
}

void ChannelWork::fill_gradients(std::int64_t at, int band, const std::uint8_t* wanted) {
  const auto tile =
      (static_cast<std::size_t>(ring_slot(at, gradient_slots_)) * static_cast<std::size_t>(bands_) +
       static_cast<std::size_t>(band)) *
      static_cast<std::size_t>(columns_);
  std::int64_t* filled = filled_.data() + tile;
  each_span(
      columns_, size_.width, [&](int i) { return wanted[i] != 0 && filled[i] != at; },
      [&](ColumnSpan span) { gradient_rows(at, band, span); });
  for (int i = 0; i < columns_; ++i)
    if (wanted[i] != 0) filled[i] = at;
}

void ChannelWork::gradient_rows(std::int64_t at, int band, ColumnSpan span) {
  const ImageView<const float> here = blurred_.at(at);
  const ImageView<float> dx = dx_.at(at), dy = dy_.at(at);
  // One column more on either side, where the plane has one.
  const int first = std::max(span.first - 1, 0), last = std::min(span.last + 1, size_.width);
  WideRow along_x(size_.width, 1), along_y(size_.width, 1);
  for (int y = first_row(band); y < end_row(band); ++y) {
    const float* rows[3];
    for (int i = 0; i < 3; ++i) rows[i] = here.row(clamped(y - 1 + i, size_.height)) + first;
    sobel_columns(rows, along_x.inside() + first, along_y.inside() + first, last - first);
    for (WideRow* row : {&along_x, &along_y}) {
      if (span.first == 0) row->repeat_first();
      if (span.last == size_.width) row->repeat_last();
    }
    gradients({along_x.inside() + span.first, along_y.inside() + span.first}, channel_.along,
              {dx.row(y) + span.first, dy.row(y) + span.first}, span.last - span.first);
  }
}

void ChannelWork::sum_along(std::int64_t time, int band) {
  if (!any_) return;
  const std::int64_t center = time - channel_.response_lag();
  const std::int64_t newest = time - channel_.derivative_lag();
  const TileMask& active = activity_.active(center);
  const int radius = static_cast<int>(channel_.sum_space.size() / 2);
  const auto columns = static_cast<std::size_t>(columns_);
  std::vector<std::uint8_t> here(columns), wide(columns);
  if (!active.join(first_row(band) - radius, end_row(band) - 1 + radius, here.data())) return;
  const int reach = (radius + kTileWidth - 1) / kTileWidth;
  for (int i = 0; i < columns_; ++i)
    if (here[static_cast<std::size_t>(i)] != 0)
      std::fill(wide.begin() + std::max(i - reach, 0),
                wide.begin() + std::min(i + reach + 1, columns_), std::uint8_t{1});
  for (std::int64_t at = newest - 2 * channel_.sum_radius(); at <= newest; ++at)
    fill_gradients(at, band, wide.data());
  std::vector<WideRow> sums(kMoments, WideRow(size_.width, radius));
  for (int y = first_row(band); y < end_row(band); ++y)
    if (active.join(y - radius, y + radius, here.data()))
      moments_of_row({newest, y}, here.data(), sums);
}

void ChannelWork::moments_of_row(const MomentRow& row, const std::uint8_t* wanted,
                                 std::vector<WideRow>& wide) {
  const int radius = static_cast<int>(channel_.sum_space.size() / 2), width = size_.width;
  const std::size_t count = channel_.sum_time.size();
  const int y = row.y;
  std::vector<const float*> gradient_rows(2 * count), level_rows(count + 2), shifted;
  float* sums[kMoments];
  const auto over_time = [&](ColumnSpan span) {
    const std::int64_t first = row.newest - static_cast<std::int64_t>(count) + 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t at = first + static_cast<std::int64_t>(i);
      gradient_rows[2 * i] = dx_.at(at).row(y) + span.first;
      gradient_rows[2 * i + 1] = dy_.at(at).row(y) + span.first;
    }
    for (std::size_t i = 0; i < count + 2; ++i)
      level_rows[i] = blurred_.at(first - 1 + static_cast<std::int64_t>(i)).row(y) + span.first;
    for (std::size_t m = 0; m < kMoments; ++m) sums[m] = wide[m].inside() + span.first;
    sum_moments({gradient_rows.data(), level_rows.data(), channel_.over_time},
                taps_of(channel_.sum_time), sums, span.last - span.first);
    for (WideRow& moment : wide) {
      if (span.first == 0) moment.repeat_first();
      if (span.last == width) moment.repeat_last();
    }
  };
  int done = 0;  // columns whose sums over time are known
  each_span(
      columns_, width, [&](int i) { return wanted[i] != 0; },
      [&](ColumnSpan span) {
        const int first = std::max(span.first - radius, 0) / 4 * 4;
        const ColumnSpan around{std::max(first, done), std::min(span.last + radius, width)};
        if (around.first < around.last) over_time(around);
        done = std::max(done, around.last);
        for (std::size_t m = 0; m < kMoments; ++m) {
          wide[m].shifted(span.first, shifted);
          sum_rows(shifted.data(), taps_of(channel_.sum_space), moments_[m].row(y) + span.first,
                   span.last - span.first);
        }
      });
}

void ChannelWork::respond(std::int64_t time, int band) {
  const std::int64_t center = time - channel_.response_lag();
  const ImageView<float> out = response_.at(center);
  const std::uint8_t* active = activity_.active(center).band(band);
  const std::uint8_t* stale = activity_.stale().band(band);
  // What is left out has a response below the threshold, which is no rival to a
  // maximum.
  each_span(
      columns_, size_.width, [&](int i) { return active[i] == 0 && stale[i] != 0; },
      [&](ColumnSpan span) {
        for (int y = first_row(band); y < end_row(band); ++y)
          std::fill(out.row(y) + span.first, out.row(y) + span.last, 0.0F);
      });
  each_span(
      columns_, size_.width, [&](int i) { return active[i] != 0; },
      [&](ColumnSpan span) { respond_in(span, band, out); });
}

void ChannelWork::respond_in(ColumnSpan span, int band, ImageView<float> out) {
  const int radius = static_cast<int>(channel_.sum_space.size() / 2);
  const int width = span.last - span.first;
  const auto line = static_cast<std::size_t>(padded(width));
  std::vector<float> sums(kMoments * kColumnRows * line);
  std::vector<const float*> rows(channel_.sum_space.size() + kColumnRows - 1);
  const auto sums_of = [&](int m, int k) {
    return sums.data() + static_cast<std::size_t>(m * kColumnRows + k) * line;
  };
  for (int y = first_row(band); y < end_row(band); y += kColumnRows) {
    for (int m = 0; m < kMoments; ++m) {
      const ImageView<const float> plane =
          std::as_const(moments_[static_cast<std::size_t>(m)]).view();
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = plane.row(clamped(y - radius + static_cast<int>(i), size_.height)) + span.first;
      float* to[kColumnRows];
      for (int k = 0; k < kColumnRows; ++k) to[k] = sums_of(m, k);
      sum_columns(rows.data(), taps_of(channel_.sum_space), to, width);
    }
    for (int k = 0; k < std::min(kColumnRows, end_row(band) - y); ++k) {
      const float* moments[kMoments];
      for (int m = 0; m < kMoments; ++m) moments[m] = sums_of(m, k);
      harris_responses(moments, k_, out.row(y + k) + span.first, width);
    }
  }
}

}  // namespace fovea::actions::cpu
