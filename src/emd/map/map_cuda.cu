// CUDA twin of the map. Labels are uploaded, distances are downloaded and kernels run on three
// streams, so that the transfers of some frames overlap the work on another. The known histograms
// stay on the device; the host only learns how many new ones there are for the solver.
#include <fovea/core/stream.h>

#include <array>
#include <deque>
#include <optional>

#include "core/event.cuh"
#include "core/kept_buffer.cuh"
#include "core/staging_cuda.cuh"
#include "emd/map/map_device.cuh"
#include "emd/map/map_engine.h"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::Event;
using fovea::cuda::KeptBuffer;

// An image on the device that is kept while its size stays the same.
template <class T>
ImageView<T> kept_image(Image<T>& image, int width, int height, int channels = 1) {
  if (image.width() != width || image.height() != height || image.channels() != channels) {
    image = Image<T>();
    image = Image<T>(width, height, channels, Memory::kCuda);
  }
  return image.view();
}

template <class T>
void copy_image(ImageView<const T> from, ImageView<T> to, cudaStream_t stream) {
  const fovea::cuda::PlaneCopy rows{to.data,
                                    static_cast<std::size_t>(to.stride) * sizeof(T),
                                    to.memory,
                                    from.data,
                                    static_cast<std::size_t>(from.stride) * sizeof(T),
                                    from.memory,
                                    static_cast<std::size_t>(from.row_elements()) * sizeof(T),
                                    static_cast<std::size_t>(from.height)};
  fovea::cuda::copy_plane(rows, stream);
}

// The known histograms on the device.
class KnownHistograms {
 public:
  KnownHistograms(std::uint64_t cache_bytes, int bins, bool whole)
      : plan_(cache_bytes, TablePlan::bytes_per_slot(whole ? bins : 0), bins),
        bins_(bins),
        whole_(whole && plan_.keeps()) {}

  const TablePlan& plan() const { return plan_; }
  std::int64_t entries() const { return entries_; }
  std::uint64_t bytes() const {
    return slots_.size() * sizeof(detail::Slot) + kept_.size() * sizeof(std::uint16_t);
  }
  KnownView view() {
    return {slots_.data(), static_cast<std::uint32_t>(slots_.size()), kept_.data(), bins_};
  }
  void count(std::int64_t fresh) { entries_ += fresh; }

  void forget(cudaStream_t stream) {
    if (slots_.size() > 0) clear_known(view(), stream);
    entries_ = 0;
  }
  // Makes room for so many new ones; returns true where the known ones had to be forgotten.
  bool make_room(const TablePlan::Need& need, cudaStream_t stream) {
    bool forgotten = false;
    const std::uint32_t capacity =
        plan_.room_for(static_cast<std::uint32_t>(slots_.size()), entries_, need, forgotten);
    const bool grows = capacity != slots_.size();
    if (grows) {
      slots_ = Array<detail::Slot>();
      kept_ = Array<std::uint16_t>();
      slots_ = Array<detail::Slot>(capacity, Memory::kCuda);
      if (whole_)
        kept_ = Array<std::uint16_t>(
            static_cast<std::size_t>(TablePlan::limit(capacity)) * static_cast<std::size_t>(bins_),
            Memory::kCuda);
    }
    if (grows || forgotten) forget(stream);
    return forgotten;
  }

 private:
  TablePlan plan_;
  int bins_;
  bool whole_;
  Array<detail::Slot> slots_{};
  Array<std::uint16_t> kept_{};
  std::int64_t entries_ = 0;
};

// One frame between submit() and collect().
struct Flight {
  Image<std::uint8_t> bytes{};
  Image<std::uint16_t> words{};
  Image<float> distances{};
  Event uploaded{}, worked{}, done{};
  KeptBuffer<MapCounters> counters{};
  Array<MapCounters> seen{1, Memory::kPinned};   // after a band was looked up
  Array<MapCounters> final{1, Memory::kPinned};  // at the end of the frame
  MapReport report{};
};

class CudaMap final : public MapEngine {
 public:
  explicit CudaMap(const MapPlan& plan)
      : plan_(plan),
        own_stream_(plan.options.exec.stream == nullptr ? Stream(plan.options.exec.device)
                                                        : Stream()),
        uploads_(plan.options.exec.device),
        downloads_(plan.options.exec.device) {
    if (plan_.options.exec.stream == nullptr) plan_.options.exec.stream = own_stream_.get();
    SolverOptions options = plan_.options.solver;
    options.exec = plan_.options.exec;
    solver_.emplace(plan_.ground, options);
    set_target(plan);
  }
  ~CudaMap() override {
    for (const Stream* stream : {&uploads_, &downloads_})
      cudaStreamSynchronize(static_cast<cudaStream_t>(stream->get()));
    cudaStreamSynchronize(this->stream());
  }

  void set_target(const MapPlan& plan) override {
    plan_.target = plan.target;
    plan_.bounds = plan.bounds;
    target_.fill(plan.target, stream());
    weights_.fill(plan.bounds.weights, stream());
    offsets_.fill(plan.bounds.offsets, stream());
    forget();
  }
  void forget() override {
    if (known_) known_->forget(stream());
  }

  void submit(const MapFrame& frame) override {
    Flight& flight = flights_[next_];
    flight.report = {};
    try {
      if (!frame.labels.empty()) {
        map_labels(flight, upload(flight, flight.bytes, frame.labels), frame.distances);
      } else if (!frame.bytes.empty()) {
        map_histograms(flight, upload(flight, flight.bytes, frame.bytes), frame.distances);
      } else {
        map_histograms(flight, upload(flight, flight.words, frame.words), frame.distances);
      }
    } catch (...) {
      if (known_) known_->forget(stream());  // slots whose claims will never be settled
      throw;
    }
    order_.push_back(next_);
    next_ = (next_ + 1) % flights_.size();
  }
  MapReport collect() override {
    Flight& flight = flights_[order_.front()];
    order_.pop_front();
    flight.done.wait("emd map");
    flight.report.pivots = static_cast<std::int64_t>(flight.final[0].pivots);
    flight.report.unproved = static_cast<std::int64_t>(flight.final[0].unproved);
    for (std::size_t i = 0; i < kSolvers; ++i)
      flight.report.solved_by.counts[i] = static_cast<std::int64_t>(flight.final[0].solved_by[i]);
    return flight.report;
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(plan_.options.exec.stream); }

  template <class T>
  ImageView<const T> upload(Flight& flight, Image<T>& there, ImageView<const T> from) {
    if (from.memory == Memory::kCuda) return from;
    const auto uploads = static_cast<cudaStream_t>(uploads_.get());
    const ImageView<T> to = kept_image(there, from.width, from.height, from.channels);
    copy_image(from, to, uploads);
    flight.uploaded.record(uploads);
    flight.uploaded.hold(stream());
    return to;
  }
  void download(Flight& flight, ImageView<const float> from, ImageView<float> to) {
    if (to.memory == Memory::kCuda) {
      flight.done.record(stream());
      return;
    }
    const auto downloads = static_cast<cudaStream_t>(downloads_.get());
    flight.worked.record(stream());
    flight.worked.hold(downloads);
    copy_image(from, to, downloads);
    flight.done.record(downloads);
  }

  void map_labels(Flight& flight, ImageView<const std::uint8_t> labels, ImageView<float> out) {
    const int window = plan_.options.window, mass = window * window;
    const KeyPlan& keys = window_keys_of(mass);
    if (!can_look_up_windows(keys, window)) {
      if (mass <= 255) count_windows<std::uint8_t>(flight, labels, out, byte_counts_);
      else count_windows<std::uint16_t>(flight, labels, out, word_counts_);
      return;
    }
    map_bands(flight, keys, 1, out, [&](RowSpan rows, const LookUp& job) {
      look_up_windows({labels, rows, window / 2, plan_.options.border == WindowBorder::kRepeat,
                       device_rank(keys)},
                      job, stream());
    });
  }
  // For windows that are too large for the kernel that does everything at once.
  template <class Count>
  void count_windows(Flight& flight, ImageView<const std::uint8_t> labels, ImageView<float> out,
                     Image<Count>& counts) {
    const int window = plan_.options.window;
    const KeyPlan& keys = window_keys_of(window * window);
    const WindowHistogramOptions options{
        .window = {window, window}, .border = plan_.options.border, .exec = plan_.options.exec};
    map_bands(flight, keys, sizeof(Count), out, [&](RowSpan rows, const LookUp& job) {
      const RowSpan reached = rows.reached(window / 2, labels.height);
      const ImageView<Count> all = kept_image(counts, labels.width, reached.count(), plan_.bins());
      window_histogram(labels.crop(0, reached.first, labels.width, reached.count()), all, options);
      look_up_histograms<Count>(all.crop(0, rows.first - reached.first, labels.width, rows.count()),
                                keys.kind, device_rank(keys), job, stream());
    });
  }
  template <class Count>
  void map_histograms(Flight& flight, ImageView<const Count> counts, ImageView<float> out) {
    const KeyPlan keys = any_keys(plan_.bins(), sizeof(Count));
    map_bands(flight, keys, sizeof(Count), out, [&](RowSpan rows, const LookUp& job) {
      look_up_histograms<Count>(counts.crop(0, rows.first, counts.width, rows.count()), keys.kind,
                                {}, job, stream());
    });
  }

  const KeyPlan& window_keys_of(int mass) {
    if (window_keys_.bins == 0) {
      window_keys_ = window_keys(plan_.bins(), mass);
      binomials_.fill(window_keys_.binomials, stream());
    }
    return window_keys_;
  }
  detail::RankParams device_rank(const KeyPlan& keys) {
    detail::RankParams rank = keys.rank();
    rank.binomials = binomials_.data();
    return rank;
  }

  // Another kind of key needs another table.
  void use_keys(const KeyPlan& keys, std::size_t count_bytes) {
    const bool rank = keys.kind == KeyKind::kRank;
    if (known_ && kind_ == keys.kind && (rank || count_bytes_ == count_bytes)) return;
    kind_ = keys.kind;
    count_bytes_ = count_bytes;
    known_.reset();
    known_.emplace(plan_.options.cache_bytes, plan_.bins(), keys.kind == KeyKind::kWhole);
  }

  // look_up(rows, job) enqueues the look-up of these rows.
  template <class LookUpRows>
  void map_bands(Flight& flight, const KeyPlan& keys, std::size_t count_bytes, ImageView<float> out,
                 const LookUpRows& look_up) {
    use_keys(keys, count_bytes);
    check(cudaMemsetAsync(flight.counters.reserve(1), 0, sizeof(MapCounters), stream()),
          "clearing counters");
    const ImageView<float> there =
        out.memory == Memory::kCuda ? out : kept_image(flight.distances, out.width, out.height);
    for_each_band(out.height, known_->plan().band_rows(out.width), [&](RowSpan rows) {
      throw_if_stopped(plan_.options.exec);
      const auto pixels = std::int64_t{out.width} * rows.count();
      MapReport& report = flight.report;
      if (!known_->plan().keeps()) known_->forget(stream());
      report.resets += known_->make_room({pixels, std::int64_t{out.width} * out.height}, stream());
      const LookUp job = prepare(flight, there.crop(0, rows.first, out.width, rows.count()));
      look_up(rows, job);
      const MapCounters counted = settle(flight, job, pixels);
      report.pixels += pixels;
      report.cached += static_cast<std::int64_t>(counted.cached);
      report.duplicate +=
          pixels - static_cast<std::int64_t>(counted.cached) - std::int64_t{counted.fresh};
    });
    flight.report.entries = known_->plan().keeps() ? known_->entries() : 0;
    flight.report.cache_bytes = known_->bytes();
    fetch_counters(flight, flight.final);
    download(flight, there, out);
  }

  LookUp prepare(Flight& flight, ImageView<float> distances) {
    const auto pixels =
        static_cast<std::size_t>(distances.width) * static_cast<std::size_t>(distances.height);
    const auto bins = static_cast<std::size_t>(plan_.bins());
    MapCounters* counters = flight.counters.data();
    check(cudaMemsetAsync(counters, 0, offsetof(MapCounters, pivots), stream()),
          "clearing counters");
    return {known_->view(),
            {fresh_pixels_.reserve(pixels), fresh_slots_.reserve(pixels),
             problems_.reserve(pixels * bins)},
            distances,
            counters};
  }

  void fetch_counters(Flight& flight, Array<MapCounters>& into) const {
    check(cudaMemcpyAsync(into.data(), flight.counters.data(), sizeof(MapCounters),
                          cudaMemcpyDeviceToHost, stream()),
          "reading counters");
  }

  // Computes the distances of new histograms; returns the counts from before.
  MapCounters settle(Flight& flight, const LookUp& job, std::int64_t pixels) {
    const bool bounded = !plan_.bounds.offsets.empty();
    const auto size = static_cast<std::size_t>(pixels);
    if (bounded) {
      detail::BoundParams bounds = plan_.bounds.params();
      bounds.weights = weights_.data();
      bounds.offsets = offsets_.data();
      skip_by_bounds({job, bounds, unsolved_.reserve(size),
                      left_problems_.reserve(size * static_cast<std::size_t>(plan_.bins()))},
                     stream());
    }
    fetch_counters(flight, flight.seen);
    check(cudaStreamSynchronize(stream()), "emd map");
    const MapCounters counted = flight.seen[0];
    if (counted.fresh == 0) return counted;
    const unsigned count = bounded ? counted.unsolved : counted.fresh;
    solve(job, bounded, count);
    if (kind_ == KeyKind::kWhole && known_->plan().keeps())
      keep_fresh(job, static_cast<std::uint32_t>(known_->entries()), counted.fresh, stream());
    known_->count(std::int64_t{counted.fresh} - counted.keyless);
    fill_in(job, stream());
    flight.report.solved += count;
    flight.report.skipped += std::int64_t{counted.fresh} - count;
    return counted;
  }

  void solve(const LookUp& job, bool bounded, unsigned count) {
    if (count == 0) return;
    const auto view = [](const std::uint16_t* data, int bins, unsigned rows) {
      return packed_view(data, bins, static_cast<int>(rows), 1, Memory::kCuda);
    };
    const SolutionsView out{.distance = distance_.reserve(count),
                            .status = status_.reserve(count),
                            .pivots = pivots_.reserve(count),
                            .solved_by = solved_by_.reserve(count)};
    solver_->solve<std::uint16_t>(
        view(bounded ? left_problems_.data() : problems_.data(), plan_.bins(), count),
        view(target_.data(), plan_.ground.columns(), 1), out);
    store_solved(job,
                 {bounded ? unsolved_.data() : nullptr, out.distance, out.pivots, out.status,
                  out.solved_by, count},
                 stream());
  }

  MapPlan plan_;
  Stream own_stream_, uploads_, downloads_;
  std::optional<Solver> solver_{};
  KeyPlan window_keys_{};
  std::optional<KnownHistograms> known_{};
  KeyKind kind_ = KeyKind::kRank;
  std::size_t count_bytes_ = 0;

  std::array<Flight, Mapper::kFramesInFlight> flights_{};
  std::size_t next_ = 0;
  std::deque<std::size_t> order_{};

  KeptBuffer<std::uint16_t> target_{}, problems_{}, left_problems_{}, pivots_{};
  KeptBuffer<double> weights_{}, offsets_{}, distance_{};
  KeptBuffer<std::uint64_t> binomials_{};
  KeptBuffer<std::uint32_t> fresh_pixels_{}, fresh_slots_{}, unsolved_{};
  KeptBuffer<Status> status_{};
  KeptBuffer<SolvedBy> solved_by_{};
  Image<std::uint8_t> byte_counts_{};
  Image<std::uint16_t> word_counts_{};
};

}  // namespace

std::unique_ptr<MapEngine> make_map_engine(const MapPlan& plan) {
  return std::make_unique<CudaMap>(plan);
}

}  // namespace fovea::emd::cuda
