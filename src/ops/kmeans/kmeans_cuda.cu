// CUDA engine of k-means. Points, labels, sums and centers stay on the device. A step is one kernel
// over the points, which subtracts points from the clusters that they leave and adds them to those
// that they join, and one kernel over the centers. Only four numbers per step are copied to the
// host.
#include <fovea/core/exec.h>

#include <algorithm>
#include <bit>

#include "core/kept_buffer.cuh"
#include "ops/kmeans/kmeans_kernels.cuh"

namespace fovea::cuda {
namespace {

class Engine final : public detail::KmeansEngine {
 public:
  Engine(ImageView<const float> points, const Exec& exec);

  detail::KmeansSurvey survey() override;
  void set_scales(const detail::KmeansScales& scales) override;
  void start_at(std::span<const std::int32_t> points) override;
  void start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) override;
  detail::KmeansStep step(bool move) override;
  detail::KmeansStep step_batch(std::span<const std::int32_t> points) override;
  std::span<const std::int32_t> labels() override;
  std::span<const float> distances() override;
  std::span<const std::int64_t> counts() override;
  double transfer(std::span<const detail::KmeansTransfer> transfers) override;
  void read_centers(ImageView<float> centers) override;

 private:
  PointRows rows() const { return {points_.data, points_.stride, points_.height, nullptr}; }
  // The current centers (0) or the next ones (1); each has the record of the step that made it.
  CentersMemory centers_at(int which);
  StepRecord* record_at(int which) { return records_.data() + (current_ + which) % 2; }
  StepTotals totals();
  Move move_of(bool move);

  void reserve(int clusters);
  void begin(cudaStream_t stream);
  void forget(cudaStream_t stream);
  void clear_sums(cudaStream_t stream);
  void run_step(const PointRows& rows, const StepTotals& totals, bool move, Session& session);
  detail::KmeansStep finish(Session& session);
  template <class T>
  void download(std::vector<T>& to, const void* from, std::size_t count);

  ImageView<const float> points_;  // on the device
  Exec exec_;
  Image<float> copy_;  // copy of points that lie on the host
  Array<double> scales_;
  double distance_scale_ = 1;
  Array<std::int32_t> labels_;
  Array<float> distances_;
  Array<std::int32_t> found_;  // for more than 128 numbers
  std::vector<DeviceCenters> centers_;
  Array<StepRecord> records_;
  Array<StepRecord> read_;
  Array<unsigned long long> sums_;  // sums and counts
  KeptBuffer<std::int32_t> chosen_;
  KeptBuffer<std::int32_t> fresh_;
  KeptBuffer<detail::KmeansTransfer> transfers_;
  std::unique_ptr<PlusPlus> plus_plus_;
  int clusters_ = 0;
  int current_ = 0;
  bool batches_ = false;
  std::int64_t last_changed_ = 0;
  std::vector<std::int32_t> host_labels_;
  std::vector<float> host_distances_;
  std::vector<std::int64_t> host_counts_;
};

Engine::Engine(ImageView<const float> points, const Exec& exec) : points_(points), exec_(exec) {
  Session session(exec);
  if (points.memory != Memory::kCuda) {
    copy_ = Image<float>(points.width, points.height, 1, Memory::kCuda);
    copy(points, copy_.view(), exec_);
    points_ = copy_.view();
  }
  const auto count = static_cast<std::size_t>(points.height);
  labels_ = Array<std::int32_t>(count, Memory::kCuda);
  distances_ = Array<float>(count, Memory::kCuda);
  if (points.width > detail::nearest::kMostTensorDimensions)
    found_ = Array<std::int32_t>(count, Memory::kCuda);
  records_ = Array<StepRecord>(2, Memory::kCuda);
  read_ = Array<StepRecord>(1, Memory::kPinned);
}

CentersMemory Engine::centers_at(int which) {
  const int at = (current_ + which) % 2;
  CentersMemory memory = centers_[static_cast<std::size_t>(at)].memory();
  memory.bounds = &records_.data()[at].bounds;
  memory.origin = centers_[0].memory().origin;  // both stay as they were at the start
  memory.frame = centers_[0].memory().frame;
  return memory;
}

StepTotals Engine::totals() {
  StepTotals totals;
  totals.labels = labels_.data();
  totals.found = found_.data();
  totals.distances = distances_.data();
  totals.sums = sums_.data();
  totals.counts = sums_.data() + static_cast<std::ptrdiff_t>(clusters_) * points_.width;
  totals.scales = scales_.data();
  totals.distance_scale = distance_scale_;
  totals.record = record_at(1);
  return totals;
}

Move Engine::move_of(bool move) {
  const StepTotals all = totals();
  return {centers_at(0), centers_at(1), all.sums, all.counts, all.scales, all.record, move};
}

detail::KmeansSurvey Engine::survey() {
  Session session(exec_);
  const auto dimensions = static_cast<std::size_t>(points_.width);
  DeviceBuffer<float> largest(dimensions, session.stream());
  DeviceBuffer<unsigned> offending(1, session.stream());
  detail::KmeansSurvey result;
  result.largest.resize(dimensions);
  offending.set_bytes(0xFF);
  PointRows looked_at = rows();
  // Runs again over the points before a point that must not be counted.
  for (int round = 0; round < 2 && looked_at.count > 0; ++round) {
    largest.set_bytes(0);
    survey_points(looked_at, points_.width, largest.data(), offending.data(), session.stream());
    check(cudaMemcpyAsync(result.largest.data(), largest.data(), dimensions * sizeof(float),
                          cudaMemcpyDeviceToHost, session.stream()),
          "kmeans");
    check(cudaMemcpyAsync(&result.offending, offending.data(), sizeof(unsigned),
                          cudaMemcpyDeviceToHost, session.stream()),
          "kmeans");
    check(cudaStreamSynchronize(session.stream()), "kmeans");
    if (result.offending < 0) return result;
    looked_at.count = result.offending;
  }
  if (result.offending == 0) std::fill(result.largest.begin(), result.largest.end(), 0.0F);
  return result;
}

void Engine::set_scales(const detail::KmeansScales& scales) {
  Session session(exec_);
  scales_ = Array<double>(scales.values.size(), Memory::kCuda);
  upload(scales_.data(), scales.values.data(), scales.values.size() * sizeof(double),
         session.stream());
  distance_scale_ = scales.distance;
}

// Allocates memory for so many centers.
void Engine::reserve(int clusters) {
  if (clusters == clusters_) return;
  centers_.clear();
  for (int i = 0; i < 2; ++i) centers_.emplace_back(clusters, points_.width);
  clusters_ = clusters;
  sums_ = Array<unsigned long long>(
      static_cast<std::size_t>(clusters) * (static_cast<std::size_t>(points_.width) + 1),
      Memory::kCuda);
}

void Engine::clear_sums(cudaStream_t stream) {
  check(cudaMemsetAsync(sums_.data(), 0, sums_.size() * sizeof(sums_[0]), stream), "kmeans");
}

// No point has a label yet.
void Engine::forget(cudaStream_t stream) {
  check(cudaMemsetAsync(labels_.data(), 0xFF, labels_.size() * sizeof(std::int32_t), stream),
        "kmeans");
  clear_sums(stream);
  batches_ = false;
  last_changed_ = points_.height;
}

// Places centers at the points in chosen_.
void Engine::begin(cudaStream_t stream) {
  PointRows chosen = rows();
  chosen.count = clusters_;
  chosen.chosen = chosen_.data();
  place_centers(chosen, centers_at(0), stream);
  forget(stream);
}

void Engine::start_at(std::span<const std::int32_t> points) {
  Session session(exec_);
  reserve(static_cast<int>(points.size()));
  chosen_.fill({points.begin(), points.end()}, session.stream());
  begin(session.stream());
}

void Engine::start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) {
  Session session(exec_);
  reserve(clusters);
  if (plus_plus_ == nullptr) plus_plus_ = std::make_unique<PlusPlus>(points_.height);
  Random random(seed, sequence);
  const auto first = static_cast<std::int32_t>(
      detail::draw_below(random, static_cast<std::uint64_t>(points_.height)));
  chosen_.reserve(static_cast<std::size_t>(clusters));
  upload(chosen_.data(), &first, sizeof(first), session.stream());
  plus_plus_->run({rows(), points_.width, distance_scale_, chosen_.data(), clusters}, random,
                  session.stream());
  begin(session.stream());
}

void Engine::run_step(const PointRows& rows, const StepTotals& totals, bool move,
                      Session& session) {
  check(cudaMemsetAsync(record_at(1), 0, sizeof(StepRecord), session.stream()), "kmeans");
  step_points(centers_at(0).view(), rows, totals, session.stream());
  move_centers(move_of(move), session.stream());
}

// Reads what the step found; the next centers become the current ones.
detail::KmeansStep Engine::finish(Session& session) {
  check(cudaMemcpyAsync(read_.data(), record_at(1), sizeof(StepRecord), cudaMemcpyDeviceToHost,
                        session.stream()),
        "kmeans");
  check(cudaStreamSynchronize(session.stream()), "kmeans");
  current_ = 1 - current_;
  const StepRecord& record = read_[0];
  last_changed_ = static_cast<std::int64_t>(record.changed);
  return {static_cast<std::int64_t>(record.inertia), last_changed_,
          static_cast<std::int32_t>(record.empty), std::bit_cast<double>(record.squared_shift)};
}

detail::KmeansStep Engine::step(bool move) {
  Session session(exec_);
  if (batches_) forget(session.stream());
  StepTotals all = totals();
  // Summing all points again costs less than updating many that change.
  all.anew = last_changed_ > points_.height / 2;
  if (all.anew) clear_sums(session.stream());
  run_step(rows(), all, move, session);
  return finish(session);
}

detail::KmeansStep Engine::step_batch(std::span<const std::int32_t> points) {
  Session session(exec_);
  batches_ = true;
  PointRows drawn = rows();
  drawn.count = static_cast<int>(points.size());
  drawn.chosen = chosen_.fill({points.begin(), points.end()}, session.stream());
  if (found_.size() > 0 && found_.size() < points.size())
    found_ = Array<std::int32_t>(points.size(), Memory::kCuda);
  StepTotals all = totals();
  all.fresh = fresh_.reserve(points.size());
  all.distances = nullptr;
  all.anew = true;
  run_step(drawn, all, true, session);
  scatter_labels(drawn, all, session.stream());
  detail::KmeansStep step = finish(session);
  step.empty = 0;
  return step;
}

template <class T>
void Engine::download(std::vector<T>& to, const void* from, std::size_t count) {
  Session session(exec_);
  to.resize(count);
  check(
      cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, session.stream()),
      "kmeans");
  check(cudaStreamSynchronize(session.stream()), "kmeans");
}

std::span<const std::int32_t> Engine::labels() {
  download(host_labels_, labels_.data(), labels_.size());
  return host_labels_;
}
std::span<const float> Engine::distances() {
  download(host_distances_, distances_.data(), distances_.size());
  return host_distances_;
}
std::span<const std::int64_t> Engine::counts() {
  download(host_counts_, totals().counts, static_cast<std::size_t>(clusters_));
  return host_counts_;
}

double Engine::transfer(std::span<const detail::KmeansTransfer> transfers) {
  Session session(exec_);
  const Transfers list{transfers_.fill({transfers.begin(), transfers.end()}, session.stream()),
                       static_cast<int>(transfers.size())};
  transfer_points(rows(), points_.width, list, totals(), session.stream());
  current_ = 1 - current_;  // the whole move again, from where it began
  check(cudaMemsetAsync(record_at(1), 0, sizeof(StepRecord), session.stream()), "kmeans");
  move_centers(move_of(true), session.stream());
  const std::int64_t changed = last_changed_;
  const double squared_shift = finish(session).squared_shift;
  last_changed_ = changed;
  return squared_shift;
}

void Engine::read_centers(ImageView<float> centers) {
  Session session(exec_);
  const CentersMemory memory = centers_at(0);
  copy(ImageView<const float>{memory.numbers, points_.width, clusters_, 1, memory.pitch,
                              Memory::kCuda},
       centers, exec_);
}

}  // namespace

std::unique_ptr<detail::KmeansEngine> make_kmeans_engine(ImageView<const float> points,
                                                         const Exec& exec) {
  return std::make_unique<Engine>(points, exec);
}

}  // namespace fovea::cuda
