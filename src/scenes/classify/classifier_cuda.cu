// CUDA twins of distances, of the search for neighbors and of linear functions over mapped
// histograms. Samples and weights stay on the device; rows of features are taken there or brought
// there some at a time, and only neighbors and margins come back.
#include <fovea/core/stream.h>

#include <algorithm>

#include "core/backend.h"
#include "core/kept_buffer.cuh"
#include "scenes/classify/backend.h"
#include "scenes/classify/kernel_map.h"
#include "scenes/classify/nearest_cuda.cuh"
#include "scenes/classify/pair_sums_cuda.cuh"

namespace fovea::scenes::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::KeptBuffer;
using fovea::cuda::OnDevice;
using fovea::cuda::ScopedDevice;
using fovea::cuda::Session;

constexpr struct {
  std::int64_t scratch_numbers = std::int64_t{1} << 26;  // distances or mapped numbers at a time
  int map_threads = 256;
} kTuning;

// Rows so that their distances or mapped numbers fit into the scratch memory.
int rows_at_once(std::int64_t numbers_per_row, int rows) {
  const std::int64_t most = kTuning.scratch_numbers / std::max<std::int64_t>(numbers_per_row, 1);
  return static_cast<int>(std::clamp<std::int64_t>(most, 1, rows));
}

DeviceRows device_rows(ImageView<const float> rows) {
  return {rows.data, rows.stride, rows.height};
}

// A row with itself: the kernel for pairs would compute all pairs of rows.
__global__ void squares_kernel(DeviceRows rows, int width, float* squares) {
  const auto row = static_cast<int>(fovea::cuda::thread_number() / kPartialSums);
  const auto lane = static_cast<int>(threadIdx.x % kPartialSums);
  const float* numbers = rows.numbers + min(row, rows.count - 1) * rows.pitch;
  float partial = 0;
  for (int i = lane; i < width; i += kPartialSums)
    partial += ProductPair::term(numbers[i], numbers[i]);
  const float sum = sum_of_group(partial);
  if (lane == 0 && row < rows.count) squares[row] = sum;
}
void launch_squares(const DeviceRows& rows, int width, float* squares, cudaStream_t stream) {
  const unsigned blocks =
      fovea::cuda::blocks_for(std::int64_t{rows.count} * kPartialSums, kTuning.map_threads);
  squares_kernel<<<blocks, kTuning.map_threads, 0, stream>>>(rows, width, squares);
  fovea::cuda::check_launch("scenes: squares of histograms");
}

struct WriteDistance {
  Distance distance;
  const float* from_squares;  // cosine only
  const float* to_squares;
  float* distances;
  std::ptrdiff_t pitch;
  __device__ void operator()(int x, int y, float sum) const {
    SquareSums squares;
    if (distance == Distance::kCosine) squares = {from_squares[y], to_squares[x]};
    distances[y * pitch + x] = distance_of(distance, sum, squares);
  }
};

void launch_distances(const PairJob<WriteDistance>& job, cudaStream_t stream) {
  switch (job.finish.distance) {
    case Distance::kChiSquared: return launch_pairs<ChiSquaredPair>(job, stream);
    case Distance::kEuclidean: return launch_pairs<SquaredPair>(job, stream);
    case Distance::kCosine: return launch_pairs<ProductPair>(job, stream);
  }
}

// Rows and, for cosine, their squares on the device.
class KeptRows {
 public:
  DeviceRows keep(ImageView<const float> rows, cudaStream_t stream) {
    float* there = numbers_.reserve(static_cast<std::size_t>(rows.width) * rows.height);
    const auto bytes = static_cast<std::size_t>(rows.width) * sizeof(float);
    fovea::cuda::copy_plane({there, bytes, Memory::kCuda, rows.data, rows.stride * sizeof(float),
                             rows.memory, bytes, static_cast<std::size_t>(rows.height)},
                            stream);
    return {there, rows.width, rows.height};
  }
  // Rows where they are, or a copy of them.
  DeviceRows bring(ImageView<const float> rows, cudaStream_t stream) {
    return rows.memory == Memory::kCuda ? device_rows(rows) : keep(rows, stream);
  }
  const float* squares(const DeviceRows& rows, int width, cudaStream_t stream) {
    float* there = squares_.reserve(static_cast<std::size_t>(rows.count));
    launch_squares(rows, width, there, stream);
    return there;
  }

 private:
  KeptBuffer<float> numbers_{}, squares_{};
};

// The stream that an engine works on: the caller's or its own.
class EngineStream {
 public:
  explicit EngineStream(const Exec& exec)
      : given_(exec.stream), own_(exec.stream == nullptr ? Stream(exec.device) : Stream()) {}
  cudaStream_t get() const {
    return static_cast<cudaStream_t>(given_ == nullptr ? own_.get() : given_);
  }
  void wait(const char* what) const { check(cudaStreamSynchronize(get()), what); }

 private:
  void* given_;
  Stream own_;
};

class CudaNeighbors final : public NeighborEngine {
 public:
  explicit CudaNeighbors(const NeighborPlan& plan)
      : exec_(plan.exec),
        distance_(plan.distance),
        width_(plan.samples.width),
        stream_(plan.exec),
        samples_(kept_.keep(plan.samples, stream_.get())) {
    if (distance_ == Distance::kCosine) squares_ = kept_.squares(samples_, width_, stream_.get());
    stream_.wait("scenes: preparing samples");
  }

  void find(ImageView<const float> features, ImageView<std::int32_t> nearest) override {
    const ScopedDevice here(exec_.device);
    const int most = rows_at_once(std::max(samples_.count, width_), features.height);
    for (int first = 0; first < features.height; first += most) {
      throw_if_stopped(exec_);
      const int count = std::min(most, features.height - first);
      find_some(features.crop(0, first, width_, count),
                nearest.crop(0, first, nearest.width, count));
    }
  }

 private:
  void find_some(ImageView<const float> features, ImageView<std::int32_t> nearest) {
    const cudaStream_t stream = stream_.get();
    const DeviceRows rows = features_.bring(features, stream);
    const auto count = static_cast<std::size_t>(rows.count);
    const float* squares =
        distance_ == Distance::kCosine ? features_.squares(rows, width_, stream) : nullptr;
    float* distances = distances_.reserve(count * static_cast<std::size_t>(samples_.count));
    launch_distances(
        {rows, samples_, width_, {distance_, squares, squares_, distances, samples_.count}},
        stream);
    std::int32_t* there = nearest_.reserve(count * static_cast<std::size_t>(nearest.width));
    launch_nearest({distances, there, samples_.count, nearest.width, 0}, rows.count, stream);
    const auto bytes = static_cast<std::size_t>(nearest.width) * sizeof(std::int32_t);
    check(cudaMemcpy2DAsync(nearest.data,
                            static_cast<std::size_t>(nearest.stride) * sizeof(std::int32_t), there,
                            bytes, bytes, count, cudaMemcpyDeviceToHost, stream),
          "scenes: fetching neighbors");
    stream_.wait("scenes: neighbors");
  }

  Exec exec_;
  Distance distance_;
  int width_;
  EngineStream stream_;
  KeptRows kept_{}, features_{};
  DeviceRows samples_;
  const float* squares_ = nullptr;
  KeptBuffer<float> distances_{};
  KeptBuffer<std::int32_t> nearest_{};
};

struct MapJob {
  DeviceRows rows;
  int width;
  MapConstants constants;
  float* mapped;  // kMapNumbers per bin, rows without a gap
};
__global__ void map_kernel(MapJob job) {
  const std::int64_t count = std::int64_t{job.rows.count} * job.width;
  for (std::int64_t i = fovea::cuda::thread_number(); i < count; i += fovea::cuda::thread_total()) {
    const std::int64_t row = i / job.width;
    map_bin(job.constants, job.rows.numbers[row * job.rows.pitch + i % job.width],
            job.mapped + i * kMapNumbers);
  }
}

struct WriteMargin {
  double* margins;
  int classes;
  __device__ void operator()(int x, int y, double sum) const {
    margins[static_cast<std::ptrdiff_t>(y) * classes + x] = sum;
  }
};

class CudaMargins final : public MarginEngine {
 public:
  explicit CudaMargins(const MarginPlan& plan)
      : exec_(plan.exec),
        map_(plan.functions.kernel),
        stream_(plan.exec),
        width_(plan.functions.weights.width),
        weights_(kept_.keep(plan.functions.weights, stream_.get())) {
    stream_.wait("scenes: preparing weights");
  }

  void find(ImageView<const float> features, ImageView<double> margins) override {
    const ScopedDevice here(exec_.device);
    const int most = rows_at_once(width_, features.height);
    for (int first = 0; first < features.height; first += most) {
      throw_if_stopped(exec_);
      const int count = std::min(most, features.height - first);
      find_some(features.crop(0, first, features.width, count),
                margins.crop(0, first, margins.width, count));
    }
  }

 private:
  DeviceRows mapped(const DeviceRows& rows, int bins) {
    if (map_.numbers() == 1) return rows;
    constexpr int kBlocksEach = 16;  // per multiprocessor
    constexpr const char* kWhat = "scenes: mapping histograms";
    float* there = mapped_.reserve(static_cast<std::size_t>(rows.count) * width_);
    const unsigned blocks = fovea::cuda::blocks_within(std::int64_t{rows.count} * bins,
                                                       kTuning.map_threads, kBlocksEach, kWhat);
    map_kernel<<<blocks, kTuning.map_threads, 0, stream_.get()>>>(
        {rows, bins, map_.constants(), there});
    fovea::cuda::check_launch(kWhat);
    return {there, width_, rows.count};
  }

  void find_some(ImageView<const float> features, ImageView<double> margins) {
    const cudaStream_t stream = stream_.get();
    const DeviceRows rows = mapped(features_.bring(features, stream), features.width);
    const auto count = static_cast<std::size_t>(rows.count);
    double* there = margins_.reserve(count * static_cast<std::size_t>(margins.width));
    launch_pairs<ExactProductPair>(
        PairJob<WriteMargin>{rows, weights_, width_, {there, margins.width}}, stream);
    const auto bytes = static_cast<std::size_t>(margins.width) * sizeof(double);
    check(cudaMemcpy2DAsync(margins.data, static_cast<std::size_t>(margins.stride) * sizeof(double),
                            there, bytes, bytes, count, cudaMemcpyDeviceToHost, stream),
          "scenes: fetching margins");
    stream_.wait("scenes: margins");
  }

  Exec exec_;
  KernelMap map_;
  EngineStream stream_;
  int width_;  // numbers of a mapped histogram
  KeptRows kept_{}, features_{};
  DeviceRows weights_;
  KeptBuffer<float> mapped_{};
  KeptBuffer<double> margins_{};
};

}  // namespace

std::unique_ptr<NeighborEngine> make_neighbor_engine(const NeighborPlan& plan) {
  const ScopedDevice here(plan.exec.device);
  return std::make_unique<CudaNeighbors>(plan);
}

std::unique_ptr<MarginEngine> make_margin_engine(const MarginPlan& plan) {
  const ScopedDevice here(plan.exec.device);
  return std::make_unique<CudaMargins>(plan);
}

void histogram_distances(ImageView<const float> from, ImageView<const float> to,
                         ImageView<float> distances, const DistanceOptions& options) {
  Session session(options.exec);
  const cudaStream_t stream = session.stream();
  OnDevice<const float> first(session, from), second(session, to);
  OnDevice<float> result(session, distances);
  const DeviceRows rows = device_rows(first.image()), others = device_rows(second.image());
  const bool cosine = options.distance == Distance::kCosine;
  fovea::cuda::DeviceBuffer<float> squares(
      cosine ? static_cast<std::size_t>(rows.count) + static_cast<std::size_t>(others.count) : 0,
      stream);
  float* to_squares = squares.data();
  if (cosine) {
    to_squares += rows.count;
    launch_squares(rows, from.width, squares.data(), stream);
    launch_squares(others, to.width, to_squares, stream);
  }
  const ImageView<float> out = result.image();
  launch_distances({rows,
                    others,
                    from.width,
                    {options.distance, squares.data(), to_squares, out.data, out.stride}},
                   stream);
  result.fetch();
  session.finish("scenes: distances between histograms");
}

}  // namespace fovea::scenes::cuda
