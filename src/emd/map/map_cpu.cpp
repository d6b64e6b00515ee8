// CPU twin of the map. A frame is processed in bands of rows: window histograms, look-up by all
// threads, bounds and the solver for new histograms, and last the distances of all pixels that wait
// for those.
#include <bit>
#include <cstring>
#include <deque>
#include <optional>

#include "core/parallel.h"
#include "emd/map/known_cpu.h"
#include "emd/map/map_engine.h"

namespace fovea::emd::cpu {
namespace {

constexpr int kRowsPerTask = 8;
constexpr int kFreshPerTask = 4096;
constexpr int kRun = 32;  // pixels whose slots are prefetched before the first one is read

// A pixel whose histogram is new, and the slot where its distance will be stored.
struct Fresh {
  std::uint32_t pixel;  // index within the band
  std::uint32_t slot;   // kUnknown: no slot, because the distance is for this pixel only
};

// Rows of histograms and the distances that are computed for them.
template <class Count>
struct Band {
  ImageView<const Count> counts;
  ImageView<float> distances;
  ImageView<const std::uint8_t> mask{};  // empty: all pixels are mapped

  const std::uint8_t* mask_row(int y) const { return mask.empty() ? nullptr : mask.row(y); }
  const Count* histogram(std::uint32_t pixel) const {
    const int x = static_cast<int>(pixel % static_cast<std::uint32_t>(counts.width));
    const int y = static_cast<int>(pixel / static_cast<std::uint32_t>(counts.width));
    return &counts.at(x, y);
  }
  std::int64_t pixels() const { return std::int64_t{counts.width} * counts.height; }
  // Copies bits, because a pending value is not a valid float.
  void set(std::uint32_t pixel, std::uint32_t bits) const {
    const int x = static_cast<int>(pixel % static_cast<std::uint32_t>(counts.width));
    const int y = static_cast<int>(pixel / static_cast<std::uint32_t>(counts.width));
    std::memcpy(&distances.at(x, y), &bits, sizeof(bits));
  }
};

struct Keyed {
  std::uint64_t hash;
  std::uint64_t key;
};

// The kinds of keys, each with the interface that the look-up expects.
template <class Count>
struct RankKeys {
  detail::RankParams params;
  Keyed of(const Count* counts, std::uint32_t) const {
    const std::uint64_t key = detail::rank_of(params, counts);
    return {detail::scramble(key), key};
  }
  bool same(std::uint64_t there, const Keyed& mine, const Count*) const {
    return there == mine.key;
  }
};
template <class Count>
struct PackedKeys {
  int bins;
  Keyed of(const Count* counts, std::uint32_t) const {
    const std::uint64_t key = detail::packed_counts<Count>(bins, counts);
    return {detail::scramble(key), key};
  }
  bool same(std::uint64_t there, const Keyed& mine, const Count*) const {
    return there == mine.key;
  }
};
template <class Count>
struct WholeKeys {
  int bins;
  const KnownHistograms& known;
  const Band<Count>& band;
  Keyed of(const Count* counts, std::uint32_t pixel) const {
    const std::uint64_t hash = detail::hash_of(bins, counts);
    return {hash, detail::owner_key(hash, pixel | detail::kOwnerIsPixel)};
  }
  bool same(std::uint64_t there, const Keyed& mine, const Count* counts) const {
    if (!detail::hash_part_equals(there, mine.hash)) return false;
    const std::uint32_t owner = detail::owner_of(there);
    return owner >= detail::kOwnerIsPixel
               ? std::equal(counts, counts + bins, band.histogram(owner - detail::kOwnerIsPixel))
               : std::equal(counts, counts + bins, known.kept(owner));
  }
};

// The result of one task.
struct Found {
  std::vector<Fresh> fresh{};
  std::int64_t pixels = 0;
  std::int64_t cached = 0;
};

template <class Keys, class Count>
void look_up_rows(const Keys& keys, const Band<Count>& band, int first, int last,
                  KnownHistograms& known, Found& found) {
  const int width = band.counts.width;
  Keyed keyed[kRun];
  int columns[kRun];
  for (int y = first; y < last; ++y) {
    const auto row = static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(width);
    const std::uint8_t* const mask = band.mask_row(y);
    for (int next = 0; next < width;) {
      int run = 0;
      for (; next < width && run < kRun; ++next) {
        if (mask != nullptr && mask[next] == 0) continue;
        keyed[run] = keys.of(&band.counts.at(next, y), row + static_cast<std::uint32_t>(next));
        known.prefetch(keyed[run].hash);
        columns[run++] = next;
      }
      found.pixels += run;
      for (int i = 0; i < run; ++i) {
        const std::uint32_t pixel = row + static_cast<std::uint32_t>(columns[i]);
        if (keyed[i].key == detail::kNoKey) {
          found.fresh.push_back({pixel, detail::kUnknown});
          continue;
        }
        const Count* counts = &band.counts.at(columns[i], y);
        const detail::Place place = known.find_or_claim(
            keyed[i].hash, keyed[i].key,
            [&](std::uint64_t there) { return keys.same(there, keyed[i], counts); });
        if (place.claimed) found.fresh.push_back({pixel, place.slot});
        const bool ready = place.value != detail::kUnknown;
        found.cached += ready;
        band.set(pixel, ready ? place.value : detail::kPending | place.slot);
      }
    }
  }
}

class CpuMap final : public MapEngine {
 public:
  explicit CpuMap(const MapPlan& plan) { set_target(plan); }

  void set_target(const MapPlan& plan) override {
    plan_ = plan;
    if (!solver_) {
      SolverOptions options = plan.options.solver;
      options.exec = plan.options.exec;
      options.exec.progress = {};
      solver_.emplace(plan.ground, options);
    }
    forget();
  }
  void forget() override {
    if (known_) known_->forget();
  }

  void submit(const MapFrame& frame) override {
    MapReport report;
    if (!frame.bytes.empty()) {
      report = map_histograms(frame.bytes, frame);
    } else if (!frame.words.empty()) {
      report = map_histograms(frame.words, frame);
    } else {
      const int mass = plan_.options.window * plan_.options.window;
      report = mass <= 255 ? map_windows(bytes_, frame) : map_windows(words_, frame);
    }
    done_.push_back(report);
  }
  MapReport collect() override {
    const MapReport report = done_.front();
    done_.pop_front();
    return report;
  }

 private:
  // `counts` is kept and reused for the next band.
  template <class Count>
  MapReport map_windows(Image<Count>& counts, const MapFrame& frame) {
    const ImageView<const std::uint8_t>& labels = frame.labels;
    const int window = plan_.options.window;
    const WindowHistogramOptions options{
        .window = {window, window}, .border = plan_.options.border, .exec = plan_.options.exec};
    return map_bands<Count>(window_keys_of(window), frame, [&](RowSpan rows) {
      const RowSpan reached = rows.reached(window / 2, labels.height);
      if (counts.width() != labels.width || counts.height() != reached.count()) {
        counts = Image<Count>();
        counts = Image<Count>(labels.width, reached.count(), plan_.bins());
      }
      window_histogram(labels.crop(0, reached.first, labels.width, reached.count()), counts,
                       options);
      return ImageView<const Count>(
          counts.view().crop(0, rows.first - reached.first, labels.width, rows.count()));
    });
  }
  template <class Count>
  MapReport map_histograms(ImageView<const Count> counts, const MapFrame& frame) {
    return map_bands<Count>(any_keys(plan_.bins(), sizeof(Count)), frame, [&](RowSpan rows) {
      return counts.crop(0, rows.first, counts.width, rows.count());
    });
  }

  const KeyPlan& window_keys_of(int window) {
    if (window_keys_.bins == 0) window_keys_ = window_keys(plan_.bins(), window * window);
    return window_keys_;
  }

  // Makes a new table if the kind of keys has changed.
  void use_keys(const KeyPlan& keys, std::size_t count_bytes) {
    const bool rank = keys.kind == KeyKind::kRank;
    if (known_ && kind_ == keys.kind && (rank || count_bytes_ == count_bytes)) return;
    kind_ = keys.kind;
    count_bytes_ = count_bytes;
    known_.emplace(plan_.options.cache_bytes, plan_.bins(), keys.kind == KeyKind::kWhole);
  }

  // counts_of(rows) returns the histograms of these rows.
  template <class Count, class CountsOf>
  MapReport map_bands(const KeyPlan& keys, const MapFrame& frame, const CountsOf& counts_of) {
    const ImageView<float>& distances = frame.distances;
    use_keys(keys, sizeof(Count));
    MapReport report;
    try {
      for_each_band(distances.height, known_->plan().band_rows(distances.width), [&](RowSpan rows) {
        Band<Count> band{counts_of(rows),
                         distances.crop(0, rows.first, distances.width, rows.count())};
        if (!frame.mask.empty())
          band.mask = frame.mask.crop(0, rows.first, distances.width, rows.count());
        report.resets +=
            known_->make_room({band.pixels(), std::int64_t{distances.width} * distances.height});
        map_band(keys, band, report);
        if (!known_->plan().keeps()) forget_band();
      });
    } catch (...) {
      known_->forget();  // otherwise claims that no thread will complete would remain
      throw;
    }
    report.cache_bytes = known_->bytes();
    report.entries = known_->entries();
    return report;
  }
  // Removes what the last band stored. There was nothing in the table before.
  void forget_band() {
    for (const Fresh& one : fresh_)
      if (one.slot != detail::kUnknown) known_->forget_slot(one.slot);
    known_->set_entries(0);
  }

  template <class Count>
  void map_band(const KeyPlan& keys, const Band<Count>& band, MapReport& report) {
    switch (keys.kind) {
      case KeyKind::kRank: look_up(RankKeys<Count>{keys.rank()}, band, report); break;
      case KeyKind::kPacked: look_up(PackedKeys<Count>{keys.bins}, band, report); break;
      case KeyKind::kWhole:
        look_up(WholeKeys<Count>{keys.bins, *known_, band}, band, report);
        break;
    }
    settle(band, report);
    fill_in(band);
  }

  template <class Keys, class Count>
  void look_up(const Keys& keys, const Band<Count>& band, MapReport& report) {
    const int height = band.counts.height;
    std::vector<Found> found(static_cast<std::size_t>((height + kRowsPerTask - 1) / kRowsPerTask));
    parallel_for(plan_.options.exec, height, kRowsPerTask,
                 [&](std::int64_t first, std::int64_t last) {
                   look_up_rows(keys, band, static_cast<int>(first), static_cast<int>(last),
                                *known_, found[static_cast<std::size_t>(first / kRowsPerTask)]);
                 });
    fresh_.clear();
    std::int64_t pixels = 0, cached = 0;
    for (const Found& one : found) {
      fresh_.insert(fresh_.end(), one.fresh.begin(), one.fresh.end());
      pixels += one.pixels;
      cached += one.cached;
    }
    report.pixels += pixels;
    report.cached += cached;
    report.duplicate += pixels - cached - static_cast<std::int64_t>(fresh_.size());
  }

  // Finds the distances of the new histograms: by bounds if they suffice, otherwise by the solver.
  template <class Count>
  void settle(const Band<Count>& band, MapReport& report) {
    const auto count = static_cast<std::int64_t>(fresh_.size());
    if (count == 0) return;
    const auto each = [&](std::int64_t items, const auto& body) {
      parallel_for(plan_.options.exec, items, kFreshPerTask,
                   [&](std::int64_t first, std::int64_t last) {
                     for (std::int64_t i = first; i < last; ++i) body(static_cast<std::size_t>(i));
                   });
    };
    values_.assign(fresh_.size(), -1);
    if (!plan_.bounds.offsets.empty()) {
      const detail::BoundParams params = plan_.bounds.params();
      each(count, [&](std::size_t i) {
        values_[i] = detail::bound_above(params, band.histogram(fresh_[i].pixel));
      });
    }
    unsolved_.clear();
    for (std::size_t i = 0; i < fresh_.size(); ++i)
      if (values_[i] < 0) unsolved_.push_back(static_cast<std::uint32_t>(i));
    solve(band, each, report);
    report.skipped += count - static_cast<std::int64_t>(unsolved_.size());

    std::int64_t number = known_->entries();
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(values_[i]);
      if (fresh_[i].slot == detail::kUnknown) {
        band.set(fresh_[i].pixel, bits);
        continue;
      }
      known_->store(fresh_[i].slot, bits);
      if (kind_ == KeyKind::kWhole && known_->plan().keeps())
        known_->keep(fresh_[i].slot, number, band.histogram(fresh_[i].pixel));
      ++number;
    }
    known_->set_entries(number);
  }

  template <class Count, class Each>
  void solve(const Band<Count>& band, const Each& each, MapReport& report) {
    const std::size_t count = unsolved_.size();
    if (count == 0) return;
    const auto bins = static_cast<std::size_t>(plan_.bins());
    problems_.resize(std::max(problems_.size(), count * bins));
    distance_.resize(std::max(distance_.size(), count));
    pivots_.resize(distance_.size());
    status_.resize(distance_.size());
    solved_by_.resize(distance_.size());
    each(static_cast<std::int64_t>(count), [&](std::size_t k) {
      std::copy_n(band.histogram(fresh_[unsolved_[k]].pixel), bins, problems_.data() + k * bins);
    });
    const auto columns = static_cast<int>(plan_.target.size());
    solver_->solve<std::uint16_t>(
        packed_view<const std::uint16_t>(problems_.data(), plan_.bins(), static_cast<int>(count)),
        packed_view<const std::uint16_t>(plan_.target.data(), columns, 1),
        {.distance = distance_.data(),
         .status = status_.data(),
         .pivots = pivots_.data(),
         .solved_by = solved_by_.data()});
    for (std::size_t k = 0; k < count; ++k) {
      values_[unsolved_[k]] = static_cast<float>(distance_[k]);
      report.pivots += pivots_[k];
      ++report.solved_by[solved_by_[k]];
      report.unproved += status_[k] == Status::kPivotLimit;
    }
    report.solved += static_cast<std::int64_t>(count);
  }

  template <class Count>
  void fill_in(const Band<Count>& band) {
    if (fresh_.empty()) return;
    const ImageView<float>& distances = band.distances;
    parallel_for(plan_.options.exec, distances.height, kRowsPerTask,
                 [&](std::int64_t first, std::int64_t last) {
                   for (auto y = static_cast<int>(first); y < static_cast<int>(last); ++y) {
                     const std::uint8_t* const mask = band.mask_row(y);
                     for (int x = 0; x < distances.width; ++x) {
                       if (mask != nullptr && mask[x] == 0) continue;
                       std::uint32_t bits = 0;
                       std::memcpy(&bits, &distances.at(x, y), sizeof(bits));
                       if ((bits & detail::kPending) == 0) continue;
                       bits = known_->value(bits & ~detail::kPending);
                       std::memcpy(&distances.at(x, y), &bits, sizeof(bits));
                     }
                   }
                 });
  }

  MapPlan plan_{GroundDistance::l1(1), {}, {}, {}};
  KeyPlan window_keys_{};
  std::optional<Solver> solver_{};
  std::optional<KnownHistograms> known_{};
  KeyKind kind_ = KeyKind::kRank;
  std::size_t count_bytes_ = 0;
  std::deque<MapReport> done_{};

  Image<std::uint8_t> bytes_{};
  Image<std::uint16_t> words_{};
  std::vector<Fresh> fresh_{};
  std::vector<float> values_{};
  std::vector<std::uint32_t> unsolved_{};
  std::vector<std::uint16_t> problems_{};
  std::vector<double> distance_{};
  std::vector<std::uint16_t> pivots_{};
  std::vector<Status> status_{};
  std::vector<SolvedBy> solved_by_{};
};

}  // namespace

std::unique_ptr<MapEngine> make_map_engine(const MapPlan& plan) {
  return std::make_unique<CpuMap>(plan);
}

}  // namespace fovea::emd::cpu
