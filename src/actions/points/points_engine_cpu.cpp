// The interest points on the CPU. Each frame goes through the same steps, each over bands or strips
// of rows of all levels and scales at once: smoothing in space, smoothing over time, and then, in
// tiles where a point may be, the products of derivatives summed over time, along rows and down
// columns with the response, while they are in the cache, and maxima.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "actions/points/descriptor_cpu.h"
#include "actions/points/points_channel_cpu.h"
#include "actions/points/points_engine.h"
#include "actions/points/points_flow_cpu.h"
#include "actions/points/points_wide_row_cpu.h"
#include "core/parallel.h"

namespace fovea::actions::cpu {
namespace {

// A band of rows of plane or channel `index`.
struct BandJob {
  int index;
  int band;
  int first, last;  // rows [first, last)
};

struct StripJob {
  int index;  // of the channel
  Strip strip;
};
constexpr int kStripsPerThread = 4;  // on the first level, which has most of the work
constexpr int kLeastStrip = 8;       // bands

// Computes rows of the next level of the pyramid.
void halve(ImageView<const float> from, ImageView<float> to, const BandJob& job) {
  WideRow column(padded(from.width), 2);
  float* inside = column.inside();
  for (int y = job.first; y < job.last; ++y) {
    const float* rows[5];
    for (int i = 0; i < 5; ++i) rows[i] = from.row(reflected(2 * y + i - 2, from.height));
    halve_columns(rows, inside, from.width);
    for (const int x : {-2, -1, from.width, from.width + 1})
      inside[x] = inside[reflected(x, from.width)];
    halve_along(inside, to.row(y), to.width);
  }
}

class CpuPointEngine final : public PointEngine {
 public:
  CpuPointEngine(const PointPlan& plan, Extent size, const Exec& exec)
      : plan_(plan), sizes_(level_sizes(size.width, size.height, plan.levels)), exec_(exec) {
    for (const Extent& level : sizes_) {
      levels_.emplace_back(level.width, level.height);
      add_bands(static_cast<int>(levels_.size()) - 1, level.height, level_jobs_.emplace_back());
    }
    for (const Smooth& smooth : plan_.smooths) {
      const Extent level = size_of(smooth.level);
      across_.emplace_back(level.width, level.height);
      smooth_.emplace_back(level, 2 * plan_.smooth_radius() + 1);
      add_bands(static_cast<int>(smooth_.size()) - 1, level.height, smooth_jobs_);
    }
    double longest = 0;
    channels_of_.resize(smooth_.size());
    for (const Channel& channel : plan_.channels) {
      const int index = static_cast<int>(channels_.size());
      channels_of_[static_cast<std::size_t>(channel.smooth)].push_back(index);
      channels_.emplace_back(plan_, channel, size_of(channel.level));
      if (!channel.sum_time.empty()) {
        add_bands(index, size_of(channel.level).height, harris_jobs_);
        add_strips(index);
      }
      longest = std::max(longest, channel.half_time);
    }
    if (periodic()) {
      response_ = PlaneRing(sizes_[0], 2 * plan_.periodic.radius_time + 1);
      add_bands(0, sizes_[0].height, periodic_jobs_);
    }
    if (plan_.descriptors)
      flow_ = std::make_unique<FlowKeeper>(
          sizes_, plan_.latency + static_cast<int>(std::ceil(longest)) + 1, exec_);
  }

  int block() const override { return 1; }

  void push(std::int64_t time, std::span<const ImageView<const std::uint8_t>> frames,
            std::vector<Candidate>& found) override {
    for (const auto& frame : frames) {
      if (flow_) flow_->push(frame, time);
      const std::size_t before = found.size();
      // The inner loops use the threads of this one, so that threads are started once per frame.
      // Flow shares no data with the rest, and each fills the gaps between the loops of the other.
      parallel_for(exec_, 2, 1, [&](std::int64_t first, std::int64_t) {
        if (first > 0) {
          if (flow_) flow_->estimate();
          return;
        }
        take(frame);
        smooth(time);
        follow(time, found);
      });
      want_flow(found, before);
      ++time;
    }
  }
  void repeat(std::int64_t time, int count, std::vector<Candidate>& found) override {
    const std::size_t before = found.size();
    parallel_for(exec_, 2, 1, [&](std::int64_t first, std::int64_t) {
      if (first > 0) return;
      for (const std::int64_t end = time + count; time < end; ++time) {
        for (PlaneRing& ring : smooth_) ring.repeat(time);
        follow(time, found);
      }
    });
    want_flow(found, before);
  }
  void describe(std::span<const Site> sites, std::int64_t last,
                ImageView<float> descriptors) override {
    // As above, threads are started once.
    parallel_for(exec_, 2, 1, [&](std::int64_t begin, std::int64_t) {
      if (begin > 0) return;
      for (const Site& site : sites) want_flow(site, last);
      flow_->estimate();
      fill_gradients(sites, last);
      parallel_for(exec_, static_cast<std::int64_t>(sites.size()), 1,
                   [&](std::int64_t first, std::int64_t end) {
                     for (std::int64_t i = first; i < end; ++i)
                       describe_site(sites[static_cast<std::size_t>(i)], last,
                                     descriptors.row(static_cast<int>(i)));
                   });
    });
  }

 private:
  bool periodic() const { return !plan_.periodic.even.empty(); }
  Extent size_of(int level) const { return sizes_[static_cast<std::size_t>(level)]; }
  ChannelWork& channel(int index) { return channels_[static_cast<std::size_t>(index)]; }
  const Channel& plan_of(int index) const {
    return plan_.channels[static_cast<std::size_t>(index)];
  }

  static void add_bands(int index, int height, std::vector<BandJob>& jobs) {
    for (int band = 0; band * kTileRows < height; ++band)
      jobs.push_back({index, band, band * kTileRows, std::min((band + 1) * kTileRows, height)});
  }
  // Neighboring strips compute the rows around their border twice, so that there are no more than
  // threads need.
  void add_strips(int index) {
    const int bands = channels_.back().bands();
    const auto channels = static_cast<int>(plan_.channels.size()) / plan_.levels;
    const int wanted = (kStripsPerThread * thread_count(exec_) + channels - 1) / channels;
    const int count = std::clamp(wanted, 1, std::max(bands / kLeastStrip, 1));
    for (int i = 0; i < count; ++i)
      strip_jobs_.push_back({index, {bands * i / count, bands * (i + 1) / count}});
  }
  template <class Job, class Body>
  void each_band(const std::vector<Job>& jobs, const Body& body) {
    parallel_for(exec_, static_cast<std::int64_t>(jobs.size()), 1,
                 [&](std::int64_t first, std::int64_t end) {
                   for (std::int64_t i = first; i < end; ++i)
                     body(jobs[static_cast<std::size_t>(i)]);
                 });
  }

  // Takes a new frame: gray levels and pyramid.
  void take(ImageView<const std::uint8_t> frame) {
    const ImageView<float> gray = levels_[0];
    each_band(level_jobs_[0], [&](const BandJob& job) {
      for (int y = job.first; y < job.last; ++y) {
        const std::uint8_t* from = frame.row(y);
        float* to = gray.row(y);
        for (int x = 0; x < frame.width; ++x) to[x] = gray_of(from[x]);
      }
    });
    for (std::size_t level = 1; level < levels_.size(); ++level)
      each_band(level_jobs_[level], [&](const BandJob& job) {
        halve(levels_[level - 1].view(), levels_[level].view(), job);
      });
  }
  void smooth(std::int64_t time) {
    each_band(smooth_jobs_, [&](const BandJob& job) { smooth_along(job); });
    each_band(smooth_jobs_, [&](const BandJob& job) { smooth_down(job, time); });
  }
  void smooth_along(const BandJob& job) {
    const Smooth& smooth = plan_.smooths[static_cast<std::size_t>(job.index)];
    const ImageView<const float> from = levels_[static_cast<std::size_t>(smooth.level)].view();
    const ImageView<float> to = across_[static_cast<std::size_t>(job.index)];
    const int radius = static_cast<int>(smooth.kernel.size() / 2);
    WideRow wide(from.width, radius);
    for (int y = job.first; y < job.last; ++y) {
      std::copy_n(from.row(y), from.width, wide.inside());
      wide.repeat_ends();
      sum_along(wide.inside() - radius, taps_of(smooth.kernel), to.row(y), from.width);
    }
  }
  void smooth_down(const BandJob& job, std::int64_t time) {
    const Smooth& smooth = plan_.smooths[static_cast<std::size_t>(job.index)];
    const ImageView<const float> from = across_[static_cast<std::size_t>(job.index)].view();
    const ImageView<float> to = smooth_[static_cast<std::size_t>(job.index)].at(time);
    const int radius = static_cast<int>(smooth.kernel.size() / 2);
    std::vector<const float*> rows(smooth.kernel.size() + kColumnRows - 1);
    std::vector<float> beyond(static_cast<std::size_t>(padded(from.width)));
    for (int y = job.first; y < job.last; y += kColumnRows) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = from.row(clamped(y - radius + static_cast<int>(i), from.height));
      float* out[kColumnRows];
      for (int k = 0; k < kColumnRows; ++k)
        out[k] = y + k < job.last ? to.row(y + k) : beyond.data();
      sum_columns(rows.data(), taps_of(smooth.kernel), out, from.width);
    }
  }

  // Computes everything that follows from the smoothed frames up to `time`.
  void follow(std::int64_t time, std::vector<Candidate>& found) {
    // All channels of a smoothed level read the same rows.
    each_band(smooth_jobs_, [&](const BandJob& job) {
      const auto index = static_cast<std::size_t>(job.index);
      for (const int one : channels_of_[index]) channel(one).blur(smooth_[index], time, job.band);
    });
    if (!harris_jobs_.empty()) find_harris(time, found);
    if (periodic()) find_periodic(time, found);
  }
  void find_harris(std::int64_t time, std::vector<Candidate>& found) {
    parallel_for(exec_, static_cast<std::int64_t>(channels_.size()), 1,
                 [&](std::int64_t first, std::int64_t) {
                   ChannelWork& work = channel(static_cast<int>(first));
                   if (work.responds(time)) work.find_active(time);
                 });
    each_band(harris_jobs_, [&](const BandJob& job) {
      if (channel(job.index).responds(time)) channel(job.index).prepare(time, job.band);
    });
    each_band(strip_jobs_, [&](const StripJob& job) {
      ChannelWork& work = channel(job.index);
      if (work.responds(time))
        spaces_.lend([&](StripSpace& space) { work.respond(time, job.strip, space); });
    });
    find_maxima(
        harris_jobs_,
        [&](const BandJob& job, std::vector<Candidate>& here) {
          const std::int64_t at = time - plan_of(job.index).response_lag() - 1;
          if (at < 0) return;
          ChannelWork& work = channel(job.index);
          const std::uint8_t* active = work.active(at).band(job.band);
          each_span(
              work.tile_columns(), size_of(plan_of(job.index).level).width,
              [&](int i) { return active[i] != 0; },
              [&](ColumnSpan span) {
                find_peaks(work.response(), {1, 1}, {at, job, span}, here);
              });
        },
        found);
  }

  // `time` is the newest frame under the kernel.
  static void sum_over_time(PlaneRing& ring, const std::vector<float>& kernel, std::int64_t time,
                            const BandJob& job, ImageView<float> out) {
    std::vector<const float*> rows(kernel.size());
    const auto first = time - static_cast<std::int64_t>(kernel.size()) + 1;
    for (int y = job.first; y < job.last; ++y) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = ring.at(first + static_cast<std::int64_t>(i)).row(y);
      sum_rows(rows.data(), taps_of(kernel), out.row(y), out.width);
    }
  }
  void find_periodic(std::int64_t time, std::vector<Candidate>& found) {
    const PeriodicPlan& filters = plan_.periodic;
    PlaneRing& smooth = smooth_[static_cast<std::size_t>(filters.smooth)];
    const std::int64_t at = time - static_cast<std::int64_t>(filters.even.size() / 2);
    each_band(periodic_jobs_, [&](const BandJob& job) {
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
        [&](const BandJob& job, std::vector<Candidate>& here) {
          find_peaks(response_, {filters.radius_space, filters.radius_time},
                     {peak, job, {0, sizes_[0].width}}, here);
        },
        found);
  }

  // The neighbors that a maximum must exceed.
  struct Window {
    int space, time;
  };
  // Where maxima are searched: rows and columns of a channel's response to one frame.
  struct Search {
    std::int64_t time;
    BandJob job;
    ColumnSpan columns;
  };
  // Appends what search(job, list) finds in each job, in the order of the jobs.
  template <class Find>
  void find_maxima(const std::vector<BandJob>& jobs, const Find& search,
                   std::vector<Candidate>& found) {
    std::vector<std::vector<Candidate>> lists(jobs.size());
    each_band(jobs, [&](const BandJob& job) {
      search(job, lists[static_cast<std::size_t>(&job - jobs.data())]);
    });
    for (const auto& list : lists) found.insert(found.end(), list.begin(), list.end());
  }
  void find_peaks(PlaneRing& ring, const Window& window, const Search& search,
                  std::vector<Candidate>& found) const {
    const Extent size{ring.at(0).width, ring.at(0).height};
    const int border = std::max(plan_.border, 0);
    const int first_x = std::max(search.columns.first, border);
    const int end_x = std::min(search.columns.last, size.width - border);
    const int end_y = size.height - border;
    if (first_x >= end_x) return;
    std::vector<const float*> rows;
    std::vector<int> peaks(static_cast<std::size_t>(size.width));
    for (int y = std::max(search.job.first, border); y < std::min(search.job.last, end_y); ++y) {
      neighbor_rows(ring, window, search.time, y, rows);
      const PeakRows near{rows.data(), static_cast<int>(rows.size()), size.width, window.space};
      const int count = peaks_of_row(near, {first_x, end_x, plan_.threshold}, peaks.data());
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

  // The frames that a patch reaches, within [0, last].
  struct Reach {
    std::int64_t first, last;
  };
  Reach reach_of(const Site& site, std::int64_t last) const {
    const double half = plan_of(site.channel).half_time;
    return {std::max<std::int64_t>(site.frame + cell_span(half, kCellsTime, 0).first, 0),
            std::min(site.frame + cell_span(half, kCellsTime, kCellsTime - 1).last, last)};
  }
  void want_flow(const Site& site, std::int64_t last) {
    const Reach reach = reach_of(site, last);
    flow_->want(reach.first, reach.last);
  }
  // Notes what new maxima will need, so that flow is estimated beside the next frame.
  void want_flow(const std::vector<Candidate>& found, std::size_t first) {
    if (!flow_ || plan_.channels.empty()) return;
    for (std::size_t i = first; i < found.size(); ++i)
      want_flow({found[i].frame, found[i].channel, found[i].x, found[i].y},
                std::numeric_limits<std::int64_t>::max());
  }

  // Computes the gradients of all patches that are not there yet.
  void fill_gradients(std::span<const Site> sites, std::int64_t last) {
    struct Patch {
      int channel, band;
      const Site* site;
    };
    std::vector<Patch> patches;
    for (const Site& site : sites) {
      const CellSpan rows = patch_span(site.channel);
      const int end = size_of(plan_of(site.channel).level).height - 1;
      const int first = std::max(site.y + rows.first, 0) / kTileRows;
      for (int b = first; b <= std::min(site.y + rows.last, end) / kTileRows; ++b)
        patches.push_back({site.channel, b, &site});
    }
    // A band of a channel is one thread's work.
    const auto key = [](const Patch& patch) { return std::pair(patch.channel, patch.band); };
    std::stable_sort(patches.begin(), patches.end(),
                     [&](const Patch& a, const Patch& b) { return key(a) < key(b); });
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < patches.size(); ++i)
      if (i == 0 || key(patches[i]) != key(patches[i - 1])) starts.push_back(i);
    const auto groups = static_cast<std::int64_t>(starts.size());
    starts.push_back(patches.size());
    parallel_for(exec_, groups, 1, [&](std::int64_t group, std::int64_t) {
      const auto g = static_cast<std::size_t>(group);
      for (std::size_t i = starts[g]; i < starts[g + 1]; ++i)
        fill_patch(*patches[i].site, patches[i].band, last);
    });
  }
  CellSpan patch_span(int index) const {
    const double half = plan_of(index).half_space;
    return {cell_span(half, kCellsSpace, 0).first,
            cell_span(half, kCellsSpace, kCellsSpace - 1).last};
  }
  void fill_patch(const Site& site, int band, std::int64_t last) {
    ChannelWork& work = channel(site.channel);
    const CellSpan columns = patch_span(site.channel);
    const int end = size_of(plan_of(site.channel).level).width - 1;
    std::vector<std::uint8_t> wanted(static_cast<std::size_t>(work.tile_columns()));
    const int first = std::max(site.x + columns.first, 0) / kTileWidth;
    for (int i = first; i <= std::min(site.x + columns.last, end) / kTileWidth; ++i)
      wanted[static_cast<std::size_t>(i)] = 1;
    const Reach reach = reach_of(site, last);
    for (std::int64_t t = reach.first; t <= reach.last; ++t)
      work.fill_gradients(t, band, wanted.data());
  }

  void describe_site(const Site& site, std::int64_t last, float* out) {
    const Channel& channel = plan_of(site.channel);
    ChannelWork& work = this->channel(site.channel);
    const Extent size = size_of(channel.level);
    PlaneRing& flow_u = flow_->u(channel.level);
    PlaneRing& flow_v = flow_->v(channel.level);
    const int back = static_cast<int>(std::ceil(channel.half_time));
    std::vector<const float*> x, y, u, v;
    for (std::int64_t t = site.frame - back; t <= site.frame + back; ++t) {
      x.push_back(work.dx().at(t).data);
      y.push_back(work.dy().at(t).data);
      u.push_back(flow_u.at(t).data);
      v.push_back(flow_v.at(t).data);
    }
    const VectorPlanes gradients{x, y, work.dx().at(0).stride};
    const VectorPlanes motion{u, v, flow_u.at(0).stride};
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
  std::vector<ChannelWork> channels_;
  PlaneRing response_;                            // for the periodic detector
  std::vector<std::vector<BandJob>> level_jobs_;  // one list per level
  std::vector<BandJob> smooth_jobs_, harris_jobs_, periodic_jobs_;
  std::vector<StripJob> strip_jobs_;
  StripSpaces spaces_;
  std::vector<std::vector<int>> channels_of_;  // of each smoothed level
  std::unique_ptr<FlowKeeper> flow_;
};

}  // namespace

std::unique_ptr<PointEngine> make_point_engine(const PointPlan& plan, Extent size,
                                               const Exec& exec) {
  return std::make_unique<CpuPointEngine>(plan, size, exec);
}

}  // namespace fovea::actions::cpu
