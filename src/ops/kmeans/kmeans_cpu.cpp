// CPU engine of k-means. Points are divided into chunks; a worker adds up, in whole numbers, what
// the points that changed their cluster take from one and bring to another, so that later
// iterations, in which few do, cost the search alone.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>

#include "core/parallel.h"
#include "ops/kmeans/backend.h"
#include "ops/kmeans/distances.h"
#include "ops/kmeans/nearest.h"

namespace fovea::cpu {
namespace {

constexpr int kChunk = 1536;  // points: whole blocks of every vector length

// What one thread at a time adds up.
struct Worker {
  std::vector<std::int64_t> sums;    // what clusters gained
  std::vector<std::int64_t> counts;  // points they gained
  std::vector<std::int32_t> labels;
  std::vector<float> distances;
  std::int64_t inertia = 0;
  std::int64_t changed = 0;
};

class Engine final : public detail::KmeansEngine {
 public:
  Engine(ImageView<const float> points, const Exec& exec)
      : points_(points), exec_(exec), labels_(static_cast<std::size_t>(points.height)) {}

  detail::KmeansSurvey survey() override;
  void set_scales(const detail::KmeansScales& scales) override { scales_ = scales; }
  void start_at(std::span<const std::int32_t> points) override;
  void start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) override;
  detail::KmeansStep step(bool move) override;
  detail::KmeansStep step_batch(std::span<const std::int32_t> points) override;
  std::span<const std::int32_t> labels() override { return labels_; }
  std::span<const float> distances() override;
  std::span<const std::int64_t> counts() override { return counts_; }
  double transfer(std::span<const detail::KmeansTransfer> transfers) override;
  void read_centres(ImageView<float> centres) override {
    copy(std::as_const(centres_).view(), centres);
  }

 private:
  int clusters() const { return centres_.height(); }
  int dimensions() const { return points_.width; }
  ImageView<const float> chunk(std::int64_t begin, std::int64_t end) const {
    return points_.crop(0, static_cast<int>(begin), points_.width, static_cast<int>(end - begin));
  }
  std::int64_t* sums_of(std::vector<std::int64_t>& sums, std::int32_t cluster) const {
    return sums.data() + static_cast<std::ptrdiff_t>(cluster) * dimensions();
  }
  void forget();
  void add(Worker& worker, const float* point, std::int32_t cluster, std::int64_t sign) {
    add_whole(point, scales_.values.data(), dimensions(), sign, sums_of(worker.sums, cluster));
    worker.counts[static_cast<std::size_t>(cluster)] += sign;
  }
  void assign_chunk(Worker& worker, const PreparedCentres& prepared, std::int64_t begin,
                    std::int64_t end);
  std::unique_ptr<Worker> take();
  void give_back(std::unique_ptr<Worker> worker);
  detail::KmeansStep collect();
  double move_centres();
  std::int64_t bring_nearer(ImageView<const float> centre, bool first);
  std::int32_t find_point(std::int64_t drawn) const;

  ImageView<const float> points_;
  Exec exec_;
  detail::KmeansScales scales_;
  Image<float> centres_, before_;  // now, and before the last move
  std::vector<std::int32_t> labels_;
  std::vector<std::int64_t> sums_, counts_;
  std::vector<float> distances_;
  std::vector<std::int64_t> chunk_sums_;  // of plus-plus: whole distances of a chunk
  bool batches_ = false;                  // sums are those of batches
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  // not at work
};

detail::KmeansSurvey Engine::survey() {
  const std::int64_t chunks = (points_.height + kChunk - 1) / kChunk;
  std::vector<detail::KmeansSurvey> parts(static_cast<std::size_t>(chunks));
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    detail::KmeansSurvey& part = parts[static_cast<std::size_t>(begin / kChunk)];
    part.largest.assign(static_cast<std::size_t>(dimensions()), 0);
    for (auto y = static_cast<int>(begin); y < end; ++y) {
      const float* row = points_.row(y);
      bool fine = true;
      for (int i = 0; i < dimensions(); ++i) {
        const float size = std::abs(row[i]);
        fine &= size <= detail::KmeansLimits::kLargest;
        part.largest[static_cast<std::size_t>(i)] =
            std::max(part.largest[static_cast<std::size_t>(i)], size);
      }
      if (fine) continue;
      part.offending = y;
      return;
    }
  });
  detail::KmeansSurvey all{std::vector<float>(static_cast<std::size_t>(dimensions())), -1};
  for (const detail::KmeansSurvey& part : parts) {
    for (std::size_t i = 0; i < all.largest.size(); ++i)
      all.largest[i] = std::max(all.largest[i], part.largest[i]);
    if (part.offending < 0) continue;
    all.offending = part.offending;
    break;
  }
  return all;
}

void Engine::forget() {
  std::fill(labels_.begin(), labels_.end(), -1);
  sums_.assign(static_cast<std::size_t>(clusters()) * static_cast<std::size_t>(dimensions()), 0);
  counts_.assign(static_cast<std::size_t>(clusters()), 0);
  workers_.clear();
  batches_ = false;
}

void Engine::start_at(std::span<const std::int32_t> points) {
  centres_ = Image<float>(dimensions(), static_cast<int>(points.size()));
  for (std::size_t c = 0; c < points.size(); ++c)
    std::copy_n(points_.row(points[c]), dimensions(), centres_.row(static_cast<int>(c)));
  before_ = clone(centres_);
  forget();
}

std::unique_ptr<Worker> Engine::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!workers_.empty()) {
      auto worker = std::move(workers_.back());
      workers_.pop_back();
      return worker;
    }
  }
  auto worker = std::make_unique<Worker>();
  worker->sums.resize(sums_.size());
  worker->counts.resize(counts_.size());
  worker->labels.resize(kChunk);
  worker->distances.resize(kChunk);
  return worker;
}

void Engine::give_back(std::unique_ptr<Worker> worker) {
  const std::lock_guard lock(mutex_);
  workers_.push_back(std::move(worker));
}

// Adds up what the workers hold and leaves them empty.
detail::KmeansStep Engine::collect() {
  detail::KmeansStep step;
  for (const auto& worker : workers_) {
    step.inertia += std::exchange(worker->inertia, 0);
    step.changed += std::exchange(worker->changed, 0);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += std::exchange(worker->sums[i], 0);
    for (std::size_t c = 0; c < counts_.size(); ++c)
      counts_[c] += std::exchange(worker->counts[c], 0);
  }
  return step;
}

void Engine::assign_chunk(Worker& worker, const PreparedCentres& prepared, std::int64_t begin,
                          std::int64_t end) {
  const ImageView<const float> points = chunk(begin, end);
  nearest_of_rows(prepared, points, worker.labels.data());
  squared_distances(points, centres_, worker.labels.data(), worker.distances.data());
  worker.inertia += sum_whole(worker.distances.data(), points.height, scales_.distance);
  for (int p = 0; p < points.height; ++p) {
    std::int32_t& label = labels_[static_cast<std::size_t>(begin + p)];
    const std::int32_t now = worker.labels[static_cast<std::size_t>(p)];
    if (label == now) continue;
    ++worker.changed;
    if (label >= 0) add(worker, points.row(p), label, -1);
    add(worker, points.row(p), now, 1);
    label = now;
  }
}

double Engine::move_centres() {
  std::swap(centres_, before_);
  double farthest = 0;
  for (int c = 0; c < clusters(); ++c) {
    const std::int64_t count = counts_[static_cast<std::size_t>(c)];
    const std::int64_t* sums = sums_of(sums_, c);
    if (count == 0) std::copy_n(before_.row(c), dimensions(), centres_.row(c));
    else
      for (int i = 0; i < dimensions(); ++i)
        centres_.row(c)[i] =
            detail::mean_of(sums[i], count, scales_.values[static_cast<std::size_t>(i)]);
    farthest =
        std::max(farthest, detail::squared_move(before_.row(c), centres_.row(c), dimensions()));
  }
  return farthest;
}

detail::KmeansStep Engine::step(bool move) {
  if (batches_) forget();
  const PreparedCentres prepared = prepare_centres(centres_);
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto worker = take();
    assign_chunk(*worker, prepared, begin, end);
    give_back(std::move(worker));
  });
  detail::KmeansStep step = collect();
  step.empty = static_cast<std::int32_t>(std::count(counts_.begin(), counts_.end(), 0));
  if (move) step.squared_shift = move_centres();
  else copy(std::as_const(centres_).view(), before_.view());
  return step;
}

detail::KmeansStep Engine::step_batch(std::span<const std::int32_t> points) {
  batches_ = true;
  Image<float> drawn(dimensions(), static_cast<int>(points.size()));
  std::vector<std::int32_t> given(points.size());
  const PreparedCentres prepared = prepare_centres(centres_);
  parallel_for(exec_, drawn.height(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto worker = take();
    for (auto p = static_cast<int>(begin); p < end; ++p)
      std::copy_n(points_.row(points[static_cast<std::size_t>(p)]), dimensions(), drawn.row(p));
    const auto rows =
        drawn.view().crop(0, static_cast<int>(begin), dimensions(), static_cast<int>(end - begin));
    nearest_of_rows(prepared, rows, given.data() + begin);
    squared_distances(rows, centres_, given.data() + begin, worker->distances.data());
    worker->inertia += sum_whole(worker->distances.data(), rows.height, scales_.distance);
    for (int p = 0; p < rows.height; ++p) {
      const std::size_t draw = static_cast<std::size_t>(begin) + static_cast<std::size_t>(p);
      worker->changed += labels_[static_cast<std::size_t>(points[draw])] != given[draw];
      add(*worker, rows.row(p), given[draw], 1);
    }
    give_back(std::move(worker));
  });
  for (std::size_t p = 0; p < points.size(); ++p)
    labels_[static_cast<std::size_t>(points[p])] = given[p];
  detail::KmeansStep step = collect();
  step.squared_shift = move_centres();
  return step;
}

std::span<const float> Engine::distances() {
  distances_.resize(labels_.size());
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    squared_distances(chunk(begin, end), before_, labels_.data() + begin,
                      distances_.data() + begin);
  });
  return distances_;
}

double Engine::transfer(std::span<const detail::KmeansTransfer> transfers) {
  auto worker = take();
  for (const detail::KmeansTransfer& t : transfers) {
    labels_[static_cast<std::size_t>(t.point)] = t.to;
    add(*worker, points_.row(t.point), t.from, -1);
    add(*worker, points_.row(t.point), t.to, 1);
  }
  give_back(std::move(worker));
  collect();
  std::swap(centres_, before_);  // the whole move anew, from where it began
  return move_centres();
}

// Least distance of each point to the centres so far; returns the sum of their whole numbers.
std::int64_t Engine::bring_nearer(ImageView<const float> centre, bool first) {
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    float fresh[kChunk];
    float* kept = distances_.data() + begin;
    const auto count = static_cast<int>(end - begin);
    squared_distances(chunk(begin, end), centre, nullptr, first ? kept : fresh);
    if (!first)
      for (int p = 0; p < count; ++p) kept[p] = std::min(kept[p], fresh[p]);
    chunk_sums_[static_cast<std::size_t>(begin / kChunk)] =
        sum_whole(kept, count, scales_.distance);
  });
  std::int64_t sum = 0;
  for (const std::int64_t part : chunk_sums_) sum += part;
  return sum;
}

std::int32_t Engine::find_point(std::int64_t drawn) const {
  std::size_t part = 0;
  for (; drawn >= chunk_sums_[part]; ++part) drawn -= chunk_sums_[part];
  std::size_t point = part * kChunk;
  for (;; ++point) {
    const std::int64_t distance = detail::whole(distances_[point], scales_.distance);
    if (drawn < distance) return static_cast<std::int32_t>(point);
    drawn -= distance;
  }
}

void Engine::start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) {
  Random random(seed, sequence);
  const auto count = static_cast<std::uint64_t>(points_.height);
  distances_.resize(labels_.size());
  chunk_sums_.resize((labels_.size() + kChunk - 1) / kChunk);
  std::vector<std::int32_t> chosen{static_cast<std::int32_t>(detail::draw_below(random, count))};
  while (static_cast<int>(chosen.size()) < clusters) {
    throw_if_stopped(exec_);
    const std::int64_t sum =
        bring_nearer(points_.crop(0, chosen.back(), dimensions(), 1), chosen.size() == 1);
    chosen.push_back(sum > 0 ? find_point(static_cast<std::int64_t>(
                                   detail::draw_below(random, static_cast<std::uint64_t>(sum))))
                             : static_cast<std::int32_t>(detail::draw_below(random, count)));
  }
  start_at(chosen);
}

}  // namespace

std::unique_ptr<detail::KmeansEngine> make_kmeans_engine(ImageView<const float> points,
                                                         const Exec& exec) {
  return std::make_unique<Engine>(points, exec);
}

}  // namespace fovea::cpu
