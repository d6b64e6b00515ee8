// The interest points on the CPU. Each frame goes through the same steps, each over rows of all
// levels and scales at once: smoothing in space, smoothing over time, derivatives, their products
// summed over time and along rows while they are in the cache, then summed down columns with the
// response, and maxima. Products are computed again for every frame that sums them: a ring of
// products would be twice as large as one of derivatives, and reading it takes longer than
// multiplying.
#include <fovea/flow/flow.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "actions/points/descriptor_cpu.h"
#include "actions/points/points_engine.h"
#include "actions/points/points_ring_cpu.h"
#include "actions/points/points_rows_cpu.h"
#include "core/parallel.h"

namespace fovea::actions::cpu {
namespace {

constexpr int kJobRows = 8;

// Rows [first, last) of plane `index`.
struct RowJob {
  int index;
  int first, last;
};

// A row with its ends repeated on both sides, for sums along it.
class WideRow {
 public:
  WideRow(int width, int radius)
      : width_(width),
        radius_(radius),
        values_(static_cast<std::size_t>(padded(width) + 2 * radius + kRowPadding)) {
    for (int i = 0; i <= 2 * radius; ++i) rows_.push_back(values_.data() + i);
  }
  float* inside() { return values_.data() + radius_; }
  void repeat_ends() {
    float* first = inside();
    std::fill(values_.data(), first, first[0]);
    std::fill(first + width_, values_.data() + values_.size(), first[width_ - 1]);
  }
  const float* const* shifted() const { return rows_.data(); }

 private:
  int width_, radius_;
  std::vector<float> values_;
  std::vector<const float*> rows_;
};

Taps taps_of(const std::vector<float>& kernel) {
  return {kernel.data(), static_cast<int>(kernel.size())};
}

// Finds the rows under a column of taps around row y; rows beyond the plane repeat its border.
void rows_around(ImageView<const float> plane, int y, std::vector<const float*>& rows) {
  const int radius = static_cast<int>(rows.size() / 2);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = plane.row(clamped(y - radius + static_cast<int>(i), plane.height));
}

// Computes rows of the next level of the pyramid.
void halve(ImageView<const float> from, ImageView<float> to, const RowJob& job) {
  std::vector<float> column(static_cast<std::size_t>(from.width));
  for (int y = job.first; y < job.last; ++y) {
    const float* rows[5];
    for (int i = 0; i < 5; ++i) rows[i] = from.row(reflected(2 * y + i - 2, from.height));
    for (int x = 0; x < from.width; ++x)
      column[static_cast<std::size_t>(x)] =
          halve_sum(rows[0][x], rows[1][x], rows[2][x], rows[3][x], rows[4][x]);
    const auto at = [&](int x) {
      return column[static_cast<std::size_t>(reflected(x, from.width))];
    };
    for (int x = 0; x < to.width; ++x)
      to.row(y)[x] =
          halve_sum(at(2 * x - 2), at(2 * x - 1), at(2 * x), at(2 * x + 1), at(2 * x + 2));
  }
}

struct ChannelPlanes {
  PlaneRing blurred;                           // L
  PlaneRing dx, dy, dt;                        // its derivatives in x, y and time
  std::array<Image<float>, kMoments> moments;  // summed over time and rows
  PlaneRing response;
};

class CpuPointEngine final : public PointEngine {
 public:
  CpuPointEngine(const PointPlan& plan, Extent size, const Exec& exec)
      : plan_(plan), sizes_(level_sizes(size.width, size.height, plan.levels)), exec_(exec) {
    for (const Extent& level : sizes_) {
      levels_.emplace_back(level.width, level.height);
      add_rows(static_cast<int>(levels_.size()) - 1, level.height, level_jobs_.emplace_back());
    }
    for (const Smooth& smooth : plan_.smooths) {
      const Extent level = size_of(smooth.level);
      across_.emplace_back(level.width, level.height);
      smooth_.emplace_back(level, 2 * plan_.smooth_radius() + 1);
      add_rows(static_cast<int>(smooth_.size()) - 1, level.height, smooth_jobs_);
    }
    double longest = 0;
    for (const Channel& channel : plan_.channels) {
      add_channel(channel);
      longest = std::max(longest, channel.half_time);
    }
    if (periodic()) {
      response_ = PlaneRing(sizes_[0], 2 * plan_.periodic.radius_time + 1);
      add_rows(0, sizes_[0].height, periodic_jobs_);
    }
    if (plan_.descriptors) make_flow(longest);
  }

  int block() const override { return 1; }

  void push(std::int64_t time, std::span<const ImageView<const std::uint8_t>> frames,
            std::vector<Candidate>& found) override {
    for (const auto& frame : frames) {
      // The inner loops use the threads of this one, so that threads are started once per frame.
      // Flow shares no data with the rest, and each fills the gaps between the loops of the other.
      parallel_for(exec_, 2, 1, [&](std::int64_t first, std::int64_t) {
        if (first > 0) {
          if (estimator_) find_flow(frame, time);
          return;
        }
        take(frame);
        smooth(time);
        follow(time, found);
      });
      ++time;
    }
  }
  void repeat(std::int64_t time, int count, std::vector<Candidate>& found) override {
    parallel_for(exec_, 2, 1, [&](std::int64_t first, std::int64_t) {
      if (first > 0) return;
      for (const std::int64_t end = time + count; time < end; ++time) {
        for (PlaneRing& ring : smooth_) ring.repeat(time);
        for (std::size_t level = 0; level < flow_u_.size(); ++level) clear_flow(level, time);
        follow(time, found);
      }
    });
  }
  void describe(std::span<const Site> sites, std::int64_t last,
                ImageView<float> descriptors) override {
    parallel_for(exec_, static_cast<std::int64_t>(sites.size()), 1,
                 [&](std::int64_t first, std::int64_t end) {
                   for (std::int64_t i = first; i < end; ++i)
                     describe_site(sites[static_cast<std::size_t>(i)], last,
                                   descriptors.row(static_cast<int>(i)));
                 });
  }

 private:
  bool periodic() const { return !plan_.periodic.even.empty(); }
  Extent size_of(int level) const { return sizes_[static_cast<std::size_t>(level)]; }

  static void add_rows(int index, int height, std::vector<RowJob>& jobs) {
    for (int y = 0; y < height; y += kJobRows)
      jobs.push_back({index, y, std::min(y + kJobRows, height)});
  }
  template <class Body>
  void each_row(const std::vector<RowJob>& jobs, const Body& body) {
    parallel_for(exec_, static_cast<std::int64_t>(jobs.size()), 1,
                 [&](std::int64_t first, std::int64_t end) {
                   for (std::int64_t i = first; i < end; ++i)
                     body(jobs[static_cast<std::size_t>(i)]);
                 });
  }

  void add_channel(const Channel& channel) {
    const Extent size = size_of(channel.level);
    const int back = static_cast<int>(std::ceil(channel.half_time));
    const int length =
        std::max(2 * channel.sum_radius() + 1,
                 plan_.descriptors ? plan_.latency - channel.derivative_lag() + back + 1 : 1);
    ChannelPlanes planes{PlaneRing(size, 3),
                         PlaneRing(size, length),
                         PlaneRing(size, length),
                         PlaneRing(size, length),
                         {},
                         {}};
    const int index = static_cast<int>(channels_.size());
    add_rows(index, size.height, channel_jobs_);
    if (!channel.sum_time.empty()) {
      for (auto& moment : planes.moments) moment = Image<float>(size.width, size.height);
      planes.response = PlaneRing(size, 3);
      add_rows(index, size.height, harris_jobs_);
    }
    channels_.push_back(std::move(planes));
  }

  void make_flow(double longest) {
    flow::FlowOptions options;
    options.quality = kFlowQuality;
    options.exec = exec_;
    estimator_ = std::make_unique<flow::Estimator>(options);
    const int length = plan_.latency + static_cast<int>(std::ceil(longest)) + 1;
    for (const Extent& size : sizes_) {
      flow_u_.emplace_back(size, length);
      flow_v_.emplace_back(size, length);
    }
  }

  // Takes a new frame: gray levels and pyramid.
  void take(ImageView<const std::uint8_t> frame) {
    const ImageView<float> gray = levels_[0];
    each_row(level_jobs_[0], [&](const RowJob& job) {
      for (int y = job.first; y < job.last; ++y)
        for (int x = 0; x < frame.width; ++x) gray.row(y)[x] = gray_of(frame.row(y)[x]);
    });
    for (std::size_t level = 1; level < levels_.size(); ++level)
      each_row(level_jobs_[level], [&](const RowJob& job) {
        halve(levels_[level - 1].view(), levels_[level].view(), job);
      });
  }
  void smooth(std::int64_t time) {
    each_row(smooth_jobs_, [&](const RowJob& job) { smooth_along(job); });
    each_row(smooth_jobs_, [&](const RowJob& job) { smooth_down(job, time); });
  }
  void smooth_along(const RowJob& job) {
    const Smooth& smooth = plan_.smooths[static_cast<std::size_t>(job.index)];
    const ImageView<const float> from = levels_[static_cast<std::size_t>(smooth.level)].view();
    const ImageView<float> to = across_[static_cast<std::size_t>(job.index)];
    WideRow wide(from.width, static_cast<int>(smooth.kernel.size() / 2));
    for (int y = job.first; y < job.last; ++y) {
      std::copy_n(from.row(y), from.width, wide.inside());
      wide.repeat_ends();
      sum_rows(wide.shifted(), taps_of(smooth.kernel), to.row(y), from.width);
    }
  }
  void smooth_down(const RowJob& job, std::int64_t time) {
    const Smooth& smooth = plan_.smooths[static_cast<std::size_t>(job.index)];
    const ImageView<const float> from = across_[static_cast<std::size_t>(job.index)].view();
    const ImageView<float> to = smooth_[static_cast<std::size_t>(job.index)].at(time);
    std::vector<const float*> rows(smooth.kernel.size());
    for (int y = job.first; y < job.last; ++y) {
      rows_around(from, y, rows);
      sum_rows(rows.data(), taps_of(smooth.kernel), to.row(y), from.width);
    }
  }

  // Finds the flow from the frame before.
  void find_flow(ImageView<const std::uint8_t> frame, std::int64_t time) {
    if (!estimator_->push(frame, flow_)) {
      for (std::size_t level = 0; level < flow_u_.size(); ++level) clear_flow(level, time);
      return;
    }
    for (std::size_t level = 0; level < flow_u_.size(); ++level) {
      const ImageView<float> u = flow_u_[level].at(time), v = flow_v_[level].at(time);
      each_row(level_jobs_[level], [&](const RowJob& job) {
        for (int y = job.first; y < job.last; ++y)
          for (int x = 0; x < u.width; ++x) {
            u.at(x, y) = flow_.u.at(x << level, y << level);
            v.at(x, y) = flow_.v.at(x << level, y << level);
          }
      });
    }
  }
  void clear_flow(std::size_t level, std::int64_t time) {
    for (const ImageView<float> plane : {flow_u_[level].at(time), flow_v_[level].at(time)})
      for (int y = 0; y < plane.height; ++y) std::fill_n(plane.row(y), plane.width, 0.0F);
  }

  // Computes everything that follows from the smoothed frames up to `time`.
  void follow(std::int64_t time, std::vector<Candidate>& found) {
    each_row(channel_jobs_, [&](const RowJob& job) { blur(job, time); });
    each_row(channel_jobs_, [&](const RowJob& job) { differentiate(job, time); });
    if (plan_.detector == PointDetector::kHarris && !harris_jobs_.empty()) find_harris(time, found);
    if (periodic()) find_periodic(time, found);
  }
  void blur(const RowJob& job, std::int64_t time) {
    const Channel& channel = plan_.channels[static_cast<std::size_t>(job.index)];
    const int radius = channel.time_radius();
    sum_over_time(smooth_[static_cast<std::size_t>(channel.smooth)], channel.time, time, job,
                  channels_[static_cast<std::size_t>(job.index)].blurred.at(time - radius));
  }
  // `time` is the newest frame under the kernel.
  static void sum_over_time(PlaneRing& ring, const std::vector<float>& kernel, std::int64_t time,
                            const RowJob& job, ImageView<float> out) {
    std::vector<const float*> rows(kernel.size());
    const auto first = time - static_cast<std::int64_t>(kernel.size()) + 1;
    for (int y = job.first; y < job.last; ++y) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = ring.at(first + static_cast<std::int64_t>(i)).row(y);
      sum_rows(rows.data(), taps_of(kernel), out.row(y), out.width);
    }
  }
  void differentiate(const RowJob& job, std::int64_t time) {
    const Channel& channel = plan_.channels[static_cast<std::size_t>(job.index)];
    ChannelPlanes& planes = channels_[static_cast<std::size_t>(job.index)];
    const std::int64_t at = time - channel.derivative_lag();
    const ImageView<const float> here = planes.blurred.at(at);
    WideRow along_x(here.width, 1), along_y(here.width, 1);
    std::vector<const float*> rows(3);
    for (int y = job.first; y < job.last; ++y) {
      rows_around(here, y, rows);
      sobel_columns(rows.data(), along_x.inside(), along_y.inside(), here.width);
      along_x.repeat_ends();
      along_y.repeat_ends();
      derivatives({along_x.inside(), along_y.inside(), planes.blurred.at(at - 1).row(y),
                   planes.blurred.at(at + 1).row(y)},
                  {channel.along, channel.over_time},
                  {planes.dx.at(at).row(y), planes.dy.at(at).row(y), planes.dt.at(at).row(y)},
                  here.width);
    }
  }

  void find_harris(std::int64_t time, std::vector<Candidate>& found) {
    each_row(harris_jobs_, [&](const RowJob& job) {
      if (wanted(job, time)) sum_along(job, time);
    });
    each_row(harris_jobs_, [&](const RowJob& job) {
      if (wanted(job, time)) respond(job, time);
    });
    find_maxima(
        harris_jobs_,
        [&](const RowJob& job, std::vector<Candidate>& here) {
          const auto c = static_cast<std::size_t>(job.index);
          const std::int64_t at = time - plan_.channels[c].response_lag() - 1;
          if (at >= 0) find_peaks(channels_[c].response, {1, 1}, {at, job}, here);
        },
        found);
  }
  // Before the start of the video, only the response of the last frame is needed, as a neighbor.
  bool wanted(const RowJob& job, std::int64_t time) const {
    return time - plan_.channels[static_cast<std::size_t>(job.index)].response_lag() >= -1;
  }
  void sum_along(const RowJob& job, std::int64_t time) {
    const Channel& channel = plan_.channels[static_cast<std::size_t>(job.index)];
    ChannelPlanes& planes = channels_[static_cast<std::size_t>(job.index)];
    const int width = planes.moments[0].width();
    const int radius = static_cast<int>(channel.sum_space.size() / 2);
    std::vector<WideRow> wide;
    wide.reserve(kMoments);
    float* sums[kMoments];
    for (int m = 0; m < kMoments; ++m) wide.emplace_back(width, radius);
    for (int m = 0; m < kMoments; ++m) sums[m] = wide[static_cast<std::size_t>(m)].inside();
    std::vector<const float*> rows(3 * channel.sum_time.size());
    const std::int64_t newest = time - channel.derivative_lag();
    const auto first = newest - static_cast<std::int64_t>(channel.sum_time.size()) + 1;
    for (int y = job.first; y < job.last; ++y) {
      for (std::size_t i = 0; i < channel.sum_time.size(); ++i) {
        const std::int64_t at = first + static_cast<std::int64_t>(i);
        rows[3 * i] = planes.dx.at(at).row(y);
        rows[3 * i + 1] = planes.dy.at(at).row(y);
        rows[3 * i + 2] = planes.dt.at(at).row(y);
      }
      sum_moments(rows.data(), taps_of(channel.sum_time), sums, width);
      for (std::size_t m = 0; m < kMoments; ++m) {
        wide[m].repeat_ends();
        sum_rows(wide[m].shifted(), taps_of(channel.sum_space), planes.moments[m].row(y), width);
      }
    }
  }
  void respond(const RowJob& job, std::int64_t time) {
    const Channel& channel = plan_.channels[static_cast<std::size_t>(job.index)];
    ChannelPlanes& planes = channels_[static_cast<std::size_t>(job.index)];
    const ImageView<float> out = planes.response.at(time - channel.response_lag());
    std::vector<const float*> rows(channel.sum_space.size());
    const auto line = static_cast<std::size_t>(padded(out.width));
    std::vector<float> sums(kMoments * line);
    const float* moments[kMoments];
    for (std::size_t m = 0; m < kMoments; ++m) moments[m] = sums.data() + m * line;
    for (int y = job.first; y < job.last; ++y) {
      for (std::size_t m = 0; m < kMoments; ++m) {
        rows_around(planes.moments[m].view(), y, rows);
        sum_rows(rows.data(), taps_of(channel.sum_space), sums.data() + m * line, out.width);
      }
      harris_responses(moments, plan_.k, out.row(y), out.width);
    }
  }

  void find_periodic(std::int64_t time, std::vector<Candidate>& found) {
    const PeriodicPlan& filters = plan_.periodic;
    PlaneRing& smooth = smooth_[static_cast<std::size_t>(filters.smooth)];
    const std::int64_t at = time - static_cast<std::int64_t>(filters.even.size() / 2);
    each_row(periodic_jobs_, [&](const RowJob& job) {
      const ImageView<float> out = response_.at(at);
      const auto rows = static_cast<int>(job.last - job.first);
      Image<float> even(out.width, rows), odd(out.width, rows);
      // These images have only the rows of the job, so that views are shifted to begin with its
      // first row.
      const auto shifted = [&](Image<float>& plane) {
        ImageView<float> view = plane;
        view.data -= job.first * view.stride;
        return view;
      };
      sum_over_time(smooth, filters.even, time, job, shifted(even));
      sum_over_time(smooth, filters.odd, time, job, shifted(odd));
      for (int y = job.first; y < job.last; ++y)
        periodic_responses(even.row(y - job.first), odd.row(y - job.first), out.row(y), out.width);
    });
    const std::int64_t peak = at - filters.radius_time;
    if (peak < 0) return;
    find_maxima(
        periodic_jobs_,
        [&](const RowJob& job, std::vector<Candidate>& here) {
          find_peaks(response_, {filters.radius_space, filters.radius_time}, {peak, job}, here);
        },
        found);
  }

  // The neighbors that a maximum must exceed.
  struct Window {
    int space, time;
  };
  // Where maxima are searched: rows of a channel's response to one frame.
  struct Search {
    std::int64_t time;
    RowJob job;
  };
  // Appends what search(job, list) finds in each job, in the order of the jobs.
  template <class Find>
  void find_maxima(const std::vector<RowJob>& jobs, const Find& search,
                   std::vector<Candidate>& found) {
    std::vector<std::vector<Candidate>> lists(jobs.size());
    each_row(jobs, [&](const RowJob& job) {
      search(job, lists[static_cast<std::size_t>(&job - jobs.data())]);
    });
    for (const auto& list : lists) found.insert(found.end(), list.begin(), list.end());
  }
  void find_peaks(PlaneRing& ring, const Window& window, const Search& search,
                  std::vector<Candidate>& found) const {
    const Extent size{ring.at(0).width, ring.at(0).height};
    const int border = std::max(plan_.border, 0);
    const int end_x = size.width - border, end_y = size.height - border;
    std::vector<const float*> rows;
    std::vector<int> peaks(static_cast<std::size_t>(size.width));
    for (int y = std::max(search.job.first, border); y < std::min(search.job.last, end_y); ++y) {
      neighbor_rows(ring, window, search.time, y, rows);
      const PeakRows near{rows.data(), static_cast<int>(rows.size()), size.width, window.space};
      const int count = peaks_of_row(near, {border, end_x, plan_.threshold}, peaks.data());
      for (int i = 0; i < count; ++i) {
        const int x = peaks[static_cast<std::size_t>(i)];
        found.push_back({search.time, search.job.index, x, y, rows[0][x]});
      }
    }
  }
  // Finds the rows within the window around row y: this row, then the others of its frame, then
  // those of other frames, because most pixels are exceeded by one that is near.
  static void neighbor_rows(PlaneRing& ring, const Window& window, std::int64_t time, int y,
                            std::vector<const float*>& rows) {
    const int height = ring.at(time).height;
    const int y0 = std::max(y - window.space, 0), y1 = std::min(y + window.space, height - 1);
    rows.assign(1, ring.at(time).row(y));
    const auto add = [&](std::int64_t t) {
      const ImageView<const float> plane = ring.at(t);
      for (int j = y0; j <= y1; ++j)
        if (t != time || j != y) rows.push_back(plane.row(j));
    };
    add(time);
    for (int dt = 1; dt <= window.time; ++dt) {
      add(time - dt);
      add(time + dt);
    }
  }

  void describe_site(const Site& site, std::int64_t last, float* out) {
    const Channel& channel = plan_.channels[static_cast<std::size_t>(site.channel)];
    ChannelPlanes& planes = channels_[static_cast<std::size_t>(site.channel)];
    const Extent size = size_of(channel.level);
    const auto level = static_cast<std::size_t>(channel.level);
    const int back = static_cast<int>(std::ceil(channel.half_time));
    std::vector<const float*> x, y, u, v;
    for (std::int64_t t = site.frame - back; t <= site.frame + back; ++t) {
      x.push_back(planes.dx.at(t).data);
      y.push_back(planes.dy.at(t).data);
      u.push_back(flow_u_[level].at(t).data);
      v.push_back(flow_v_[level].at(t).data);
    }
    const VectorPlanes gradients{x, y, planes.dx.at(0).stride};
    const VectorPlanes motion{u, v, flow_u_[level].at(0).stride};
    for (int cx = 0; cx < kCellsSpace; ++cx)
      for (int cy = 0; cy < kCellsSpace; ++cy)
        for (int ct = 0; ct < kCellsTime; ++ct) {
          const CellSpan sx = cell_span(channel.half_space, kCellsSpace, cx);
          const CellSpan sy = cell_span(channel.half_space, kCellsSpace, cy);
          const CellSpan st = cell_span(channel.half_time, kCellsTime, ct);
          CellBox box{std::max(site.x + sx.first, 0),
                      std::min(site.x + sx.last, size.width - 1),
                      std::max(site.y + sy.first, 0),
                      std::min(site.y + sy.last, size.height - 1),
                      static_cast<int>(std::max<std::int64_t>(st.first, -site.frame)) + back,
                      static_cast<int>(std::min<std::int64_t>(st.last, last - site.frame)) + back};
          const int cell = cell_index(cx, cy, ct);
          float* hog = out + static_cast<std::ptrdiff_t>(cell) * kHogBins;
          gradient_votes(gradients, box, hog);
          normalize_cell(hog, kHogBins);
          // There is no flow for the first frame.
          box.t0 = std::max(box.t0,
                            static_cast<int>(std::max<std::int64_t>(1 - site.frame, -back)) + back);
          float* hof = out + kHogSize + static_cast<std::ptrdiff_t>(cell) * kHofBins;
          flow_votes(motion, box, {plan_.votes, plan_.still}, hof);
          normalize_cell(hof, kHofBins);
        }
  }

  PointPlan plan_;
  std::vector<Extent> sizes_;
  Exec exec_;
  std::vector<Image<float>> levels_;
  std::vector<Image<float>> across_;  // smoothed along rows
  std::vector<PlaneRing> smooth_;
  std::vector<ChannelPlanes> channels_;
  PlaneRing response_;                           // for the periodic detector
  std::vector<std::vector<RowJob>> level_jobs_;  // one list per level
  std::vector<RowJob> smooth_jobs_, channel_jobs_, harris_jobs_, periodic_jobs_;
  std::unique_ptr<flow::Estimator> estimator_;
  flow::Flow flow_;
  std::vector<PlaneRing> flow_u_, flow_v_;  // one per level
};

}  // namespace

std::unique_ptr<PointEngine> make_point_engine(const PointPlan& plan, Extent size,
                                               const Exec& exec) {
  return std::make_unique<CpuPointEngine>(plan, size, exec);
}

}  // namespace fovea::actions::cpu
