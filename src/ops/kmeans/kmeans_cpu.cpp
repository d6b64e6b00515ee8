// CPU engine of k-means. Points are divided into chunks. A worker adds up, in whole numbers, what
// the points that change their cluster take from one and bring to another. Later iterations, in
// which few points change, therefore cost little more than the search. The search is restricted to
// the neighbors of a point's last center where that saves most of the work.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "ops/kmeans/backend.h"
#include "ops/kmeans/distances.h"
#include "ops/kmeans/means.h"
#include "ops/kmeans/nearest.h"
#include "ops/kmeans/plus_plus.h"
#include "ops/kmeans/pruned.h"

namespace fovea::cpu {
namespace {

constexpr int kChunk = 1536;  // points; whole blocks for every vector length

// When to search among neighbors. Clusters must have enough points to pay for finding their
// neighbors. Where such a search still looked at too many centers, it pauses for some steps.
struct Pruning {
  static constexpr int kLeastPoints = 64;  // average number per cluster
  static constexpr double kMost = 0.5;     // greatest share of all scores
  static constexpr int kPause = 4;         // number of steps, doubled each time
};

// The sums of one thread at a time.
struct Worker {
  std::vector<std::int64_t> sums;    // changes of the clusters' sums
  std::vector<std::int64_t> counts;  // changes of the clusters' counts
  std::vector<std::int32_t> labels;
  std::vector<float> distances;
  PrunedSearch::Scratch scratch{};
  std::int64_t inertia = 0;
  std::int64_t changed = 0;
  std::int64_t scores = 0;
};

// Sorts points by distance, the nearest first, with a limited resolution: points in one of 128
// classes of distance stay in their order.
void sort_by_distance(std::span<std::int32_t> points, const float* distances,
                      std::vector<std::int32_t>& sorted) {
  constexpr int kClasses = 128;
  float most = 0;
  for (const std::int32_t p : points) most = std::max(most, distances[p]);
  const float scale = most > 0 ? (kClasses - 1) / std::sqrt(most) : 0;
  const auto class_of = [&](std::int32_t p) {
    return std::min(kClasses - 1, static_cast<int>(std::sqrt(distances[p]) * scale));
  };
  int begins[kClasses + 1] = {};
  for (const std::int32_t p : points) ++begins[class_of(p) + 1];
  for (int i = 0; i < kClasses; ++i) begins[i + 1] += begins[i];
  sorted.resize(points.size());
  for (const std::int32_t p : points) sorted[static_cast<std::size_t>(begins[class_of(p)]++)] = p;
  std::copy(sorted.begin(), sorted.end(), points.begin());
}

class Engine final : public detail::PartEngine {
 public:
  Engine(ImageView<const float> points, const Exec& exec)
      : points_(points), exec_(exec), labels_(static_cast<std::size_t>(points.height)) {}

  detail::KmeansSurvey survey() override;
  void set_scales(const detail::KmeansScales& scales) override { scales_ = scales; }
  void start_at(std::span<const std::int32_t> points) override;
  void start_with(ImageView<const float> centers) override;
  void move_to(ImageView<const float> centers) override { copy(centers, centers_.view()); }
  void start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) override {
    start_at(draw_plus_plus(points_, clusters, scales_.distance, Random(seed, sequence), exec_));
  }
  detail::KmeansStep step(bool move) override;
  detail::KmeansStep step_batch(std::span<const std::int32_t> points) override;
  std::span<const std::int32_t> labels() override { return labels_; }
  std::span<const float> distances() override;
  std::span<const std::int64_t> counts() override { return counts_; }
  std::span<const std::int64_t> sums() const override { return sums_; }
  double transfer(std::span<const detail::KmeansTransfer> transfers) override;
  void read_centers(ImageView<float> centers) override {
    copy(std::as_const(centers_).view(), centers);
  }

 private:
  int clusters() const { return centers_.height(); }
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
  void assign_chunk(Worker& worker, const PreparedCenters& prepared, std::int64_t begin,
                    std::int64_t end);
  void assign_all(const PreparedCenters& prepared);
  void order_points();
  void assign_pruned(const PreparedCenters& prepared);
  void assign_piece(Worker& worker, const PrunedSearch& search, std::int64_t begin,
                    std::int64_t end);
  void change(Worker& worker, std::int32_t point, std::int32_t to);
  std::unique_ptr<Worker> take();
  void give_back(std::unique_ptr<Worker> worker);
  detail::KmeansStep collect();
  double move_centers();

  ImageView<const float> points_;
  Exec exec_;
  detail::KmeansScales scales_;
  Image<float> centers_, before_;  // now, and before the last move
  std::vector<std::int32_t> labels_;
  std::vector<std::int64_t> sums_, counts_;
  std::vector<float> distances_;
  bool batches_ = false;             // whether sums are those of batches
  std::vector<std::int32_t> order_;  // points by label and distance
  int rest_ = 0;                     // steps until pruning is tried again
  int pause_ = Pruning::kPause;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  // those that are not in use
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
  rest_ = 1;  // no point has a label yet
  pause_ = Pruning::kPause;
}

void Engine::start_at(std::span<const std::int32_t> points) {
  Image<float> centers(dimensions(), static_cast<int>(points.size()));
  for (std::size_t c = 0; c < points.size(); ++c)
    std::copy_n(points_.row(points[c]), dimensions(), centers.row(static_cast<int>(c)));
  start_with(centers);
}

void Engine::start_with(ImageView<const float> centers) {
  centers_ = clone(centers);
  before_ = clone(centers);
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

// Adds up the results of the workers and clears them.
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

void Engine::assign_chunk(Worker& worker, const PreparedCenters& prepared, std::int64_t begin,
                          std::int64_t end) {
  const ImageView<const float> points = chunk(begin, end);
  nearest_of_rows(prepared, points, worker.labels.data());
  squared_distances(points, centers_, worker.labels.data(), worker.distances.data());
  worker.inertia += sum_whole(worker.distances.data(), points.height, scales_.distance);
  for (int p = 0; p < points.height; ++p)
    change(worker, static_cast<std::int32_t>(begin) + p,
           worker.labels[static_cast<std::size_t>(p)]);
}

void Engine::change(Worker& worker, std::int32_t point, std::int32_t to) {
  std::int32_t& label = labels_[static_cast<std::size_t>(point)];
  if (label == to) return;
  ++worker.changed;
  if (label >= 0) add(worker, points_.row(point), label, -1);
  add(worker, points_.row(point), to, 1);
  label = to;
}

void Engine::assign_all(const PreparedCenters& prepared) {
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto worker = take();
    assign_chunk(*worker, prepared, begin, end);
    give_back(std::move(worker));
  });
}

// Sorts points by label, and within a label by the distance from its center.
void Engine::order_points() {
  distances_.resize(labels_.size());
  order_.resize(labels_.size());
  parallel_for(exec_, points_.height, kChunk, [&](std::int64_t begin, std::int64_t end) {
    squared_distances(chunk(begin, end), centers_, labels_.data() + begin,
                      distances_.data() + begin);
  });
  std::vector<std::int64_t> ends(counts_.size());
  std::partial_sum(counts_.begin(), counts_.end() - 1, ends.begin() + 1);
  for (std::size_t p = 0; p < labels_.size(); ++p)
    order_[static_cast<std::size_t>(ends[static_cast<std::size_t>(labels_[p])]++)] =
        static_cast<std::int32_t>(p);
  constexpr int kClusters = 8;
  parallel_for(exec_, clusters(), kClusters, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> sorted;
    for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c)
      sort_by_distance(
          {order_.data() + (ends[c] - counts_[c]), static_cast<std::size_t>(counts_[c])},
          distances_.data(), sorted);
  });
}

// Assigns a range of the ordered points, all of which have one label.
void Engine::assign_piece(Worker& worker, const PrunedSearch& search, std::int64_t begin,
                          std::int64_t end) {
  const std::span<const std::int32_t> order(order_.data() + begin,
                                            static_cast<std::size_t>(end - begin));
  worker.scores +=
      search.find({labels_[static_cast<std::size_t>(order[0])], order, distances_.data()},
                  worker.scratch, worker.labels.data());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto point = static_cast<std::size_t>(order[i]);
    const std::int32_t now = worker.labels[i];
    worker.distances[i] = distances_[point];
    if (labels_[point] == now) continue;
    squared_distances(chunk(order[i], order[i] + 1), centers_, &now, &worker.distances[i]);
    change(worker, order[i], now);
  }
  worker.inertia +=
      sum_whole(worker.distances.data(), static_cast<int>(order.size()), scales_.distance);
}

void Engine::assign_pruned(const PreparedCenters& prepared) {
  order_points();
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  std::int64_t begin = 0;
  for (const std::int64_t count : counts_) {
    for (std::int64_t at = 0; at < count; at += kChunk)
      pieces.emplace_back(begin + at, begin + std::min<std::int64_t>(count, at + kChunk));
    begin += count;
  }
  const PrunedSearch search(points_, centers_, prepared);
  constexpr int kPieces = 4;
  parallel_for(exec_, static_cast<std::int64_t>(pieces.size()), kPieces,
               [&](std::int64_t from, std::int64_t to) {
                 auto worker = take();
                 for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to);
                      ++i)
                   assign_piece(*worker, search, pieces[i].first, pieces[i].second);
                 give_back(std::move(worker));
               });
  std::int64_t scores = 0;
  for (const auto& worker : workers_) scores += std::exchange(worker->scores, 0);
  const double all = static_cast<double>(points_.height) * clusters();
  if (static_cast<double>(scores) > Pruning::kMost * all) rest_ = pause_ *= 2;
}

double Engine::move_centers() {
  std::swap(centers_, before_);
  return detail::move_to_means({sums_, counts_}, scales_, before_, centers_);
}

detail::KmeansStep Engine::step(bool move) {
  if (batches_) forget();
  const PreparedCenters prepared = prepare_centers(centers_);
  const bool full = points_.height >= Pruning::kLeastPoints * std::int64_t{clusters()};
  if (full && rest_ == 0) assign_pruned(prepared);
  else assign_all(prepared);
  if (rest_ > 0) --rest_;
  detail::KmeansStep step = collect();
  step.empty = static_cast<std::int32_t>(std::count(counts_.begin(), counts_.end(), 0));
  if (move) step.squared_shift = move_centers();
  else copy(std::as_const(centers_).view(), before_.view());
  return step;
}

detail::KmeansStep Engine::step_batch(std::span<const std::int32_t> points) {
  batches_ = true;
  Image<float> drawn(dimensions(), static_cast<int>(points.size()));
  std::vector<std::int32_t> given(points.size());
  const PreparedCenters prepared = prepare_centers(centers_);
  parallel_for(exec_, drawn.height(), kChunk, [&](std::int64_t begin, std::int64_t end) {
    auto worker = take();
    for (auto p = static_cast<int>(begin); p < end; ++p)
      std::copy_n(points_.row(points[static_cast<std::size_t>(p)]), dimensions(), drawn.row(p));
    const auto rows =
        drawn.view().crop(0, static_cast<int>(begin), dimensions(), static_cast<int>(end - begin));
    nearest_of_rows(prepared, rows, given.data() + begin);
    squared_distances(rows, centers_, given.data() + begin, worker->distances.data());
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
  step.squared_shift = move_centers();
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
  std::swap(centers_, before_);  // undo the move, to do all of it again
  return move_centers();
}

}  // namespace

std::unique_ptr<detail::KmeansEngine> make_kmeans_engine(ImageView<const float> points,
                                                         const Exec& exec) {
  return std::make_unique<Engine>(points, exec);
}

std::unique_ptr<detail::PartEngine> make_part_engine(ImageView<const float> points,
                                                     const Exec& exec) {
  return std::make_unique<Engine>(points, exec);
}

}  // namespace fovea::cpu
