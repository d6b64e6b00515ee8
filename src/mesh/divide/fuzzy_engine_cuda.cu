// A pass over the square of distances is limited by memory, so that each pass uses a row that is
// read as much as possible: a warp has a few rows and sums them for many representatives at once,
// with its threads next to each other along the rows. A table that does not fit into the memory of
// a GPU stays on the host and is uploaded in bands of rows, pass by pass.
#include <algorithm>

#include "core/launch.cuh"
#include "mesh/divide/fuzzy_engine.h"
#include "mesh/divide/fuzzy_math.h"
#include "ops/shortest_paths/distance_table.h"

namespace fovea::mesh::cuda {
namespace {

using fovea::cuda::blocks_for;
using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::thread_number;

struct FuzzyTuning {
  static constexpr int kThreads = 256;
  static constexpr int kWarps = kThreads / 32;
  static constexpr int kRows = 4;     // rows per warp
  static constexpr int kWeights = 8;  // representatives that a pass sums for
  static constexpr std::size_t kBand = std::size_t{256} << 20;  // bytes of a band of rows
};
static_assert(kSumLanes == 32);

// Rows of distances on the device.
struct RowsView {
  const float* data;
  std::size_t stride;
  int faces;
  int rows;
};

__device__ double warp_sum(float lane) {
  auto sum = static_cast<double>(lane);
  for (int apart = kSumLanes / 2; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  return sum;
}

// weights: `count` rows of `faces` numbers, or none, which stands for 1. sums: `pitch` numbers per
// row; the pointer is at those of this pass.
__global__ void __launch_bounds__(FuzzyTuning::kThreads)
    sums_kernel(RowsView rows, const float* weights, int count, double* sums, int pitch) {
  using T = FuzzyTuning;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first =
      (static_cast<int>(blockIdx.x) * T::kWarps + static_cast<int>(threadIdx.x) / 32) * T::kRows;
  if (first >= rows.rows) return;
  const float* row[T::kRows];
#pragma unroll
  for (int r = 0; r < T::kRows; ++r)
    row[r] = rows.data + static_cast<std::size_t>(min(first + r, rows.rows - 1)) * rows.stride;
  float sum[T::kRows][T::kWeights] = {};
#pragma unroll 2
  for (int face = lane; face < rows.faces; face += kSumLanes) {
    float distance[T::kRows];
#pragma unroll
    for (int r = 0; r < T::kRows; ++r) distance[r] = __ldg(row[r] + face);
#pragma unroll
    for (int j = 0; j < T::kWeights; ++j) {
      const float weight = j >= count ? 0.0F
                           : weights == nullptr
                               ? 1.0F
                               : __ldg(weights + static_cast<std::size_t>(j) * rows.faces + face);
#pragma unroll
      for (int r = 0; r < T::kRows; ++r) sum[r][j] = add_weighted(distance[r], weight, sum[r][j]);
    }
  }
#pragma unroll
  for (int r = 0; r < T::kRows; ++r) {
#pragma unroll
    for (int j = 0; j < T::kWeights; ++j) {
      const double all = warp_sum(sum[r][j]);
      if (lane == 0 && j < count && first + r < rows.rows)
        sums[static_cast<std::size_t>(first + r) * pitch + j] = all;
    }
  }
}

// One warp per row.
__global__ void __launch_bounds__(FuzzyTuning::kThreads)
    reaches_kernel(RowsView rows, float* reaches) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row =
      static_cast<int>(blockIdx.x) * FuzzyTuning::kWarps + static_cast<int>(threadIdx.x) / 32;
  if (row >= rows.rows) return;
  const float* from = rows.data + static_cast<std::size_t>(row) * rows.stride;
  float most = 0;
  for (int face = lane; face < rows.faces; face += 32) most = fmaxf(most, __ldg(from + face));
  for (int apart = 16; apart > 0; apart /= 2) most = fmaxf(most, __shfl_xor_sync(~0U, most, apart));
  if (lane == 0) reaches[row] = most;
}

// near: one row of distances per representative, which becomes memberships.
__global__ void share_kernel(int faces, int count, int power, float* near) {
  const auto face = static_cast<int>(thread_number());
  if (face >= faces) return;
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += nearness(near[static_cast<std::size_t>(i) * faces + face], power);
  for (int i = 0; i < count; ++i) {
    float& one = near[static_cast<std::size_t>(i) * faces + face];
    one = static_cast<float>(nearness(one, power) / sum);
  }
}

class CudaFuzzy final : public FuzzyEngine {
 public:
  CudaFuzzy(const CandidateRows& candidates, const Exec& exec)
      : session_(exec),
        stream_(session_.stream()),
        table_(candidates.table),
        faces_(table_ != nullptr ? table_->nodes() : candidates.rows.width),
        candidates_(table_ != nullptr ? table_->nodes() : candidates.rows.height),
        copy_(table_ != nullptr ? 0 : static_cast<std::size_t>(faces_) * candidates_, stream_),
        membership_(0, stream_) {
    session_.must_wait();
    if (table_ == nullptr) {
      const auto row_bytes = static_cast<std::size_t>(faces_) * sizeof(float);
      check(cudaMemcpy2DAsync(copy_.data(), row_bytes, candidates.rows.data,
                              static_cast<std::size_t>(candidates.rows.stride) * sizeof(float),
                              row_bytes, static_cast<std::size_t>(candidates_),
                              cudaMemcpyHostToDevice, stream_),
            "distances of candidates");
      check(cudaStreamSynchronize(stream_), "distances of candidates");
      rows_ = {copy_.data(), static_cast<std::size_t>(faces_), faces_, candidates_};
    } else if (const auto square = memory().on_device(); square.data != nullptr) {
      rows_ = {square.data, static_cast<std::size_t>(square.stride), faces_, candidates_};
    }
  }

  std::vector<float> row(std::size_t candidate) override {
    std::vector<float> result(static_cast<std::size_t>(faces_));
    if (rows_.data == nullptr) {
      memory().on_host().row(static_cast<int>(candidate), result);
      return result;
    }
    fetch(result.data(), rows_.data + candidate * rows_.stride, result.size());
    return result;
  }

  std::vector<double> totals() override { return sums(nullptr, 1); }
  std::vector<double> weighted_totals() override { return sums(membership_.data(), count_); }

  std::vector<float> reaches() override {
    std::vector<float> result(static_cast<std::size_t>(candidates_));
    DeviceBuffer<float> found(result.size(), stream_);
    each_band([&](const RowsView& rows, int first) {
      reaches_kernel<<<blocks_for(rows.rows, FuzzyTuning::kWarps), FuzzyTuning::kThreads, 0,
                       stream_>>>(rows, found.data() + first);
      check_launch("greatest distances");
    });
    fetch(result.data(), found.data(), result.size());
    return result;
  }

  void belong_to(std::span<const std::size_t> representatives, int power) override {
    const auto faces = static_cast<std::size_t>(faces_);
    count_ = static_cast<int>(representatives.size());
    membership_.reserve(faces * representatives.size());
    for (std::size_t i = 0; i < representatives.size(); ++i) {
      float* to = membership_.data() + i * faces;
      if (rows_.data == nullptr) {
        fovea::cuda::upload(to, row(representatives[i]).data(), faces * sizeof(float), stream_);
      } else {
        check(cudaMemcpyAsync(to, rows_.data + representatives[i] * rows_.stride,
                              faces * sizeof(float), cudaMemcpyDeviceToDevice, stream_),
              "distances of representatives");
      }
    }
    share_kernel<<<blocks_for(faces_, FuzzyTuning::kThreads), FuzzyTuning::kThreads, 0, stream_>>>(
        faces_, count_, power, membership_.data());
    check_launch("memberships");
  }

  const Image<float>& memberships() override {
    found_ = Image<float>(faces_, count_);
    const auto row_bytes = static_cast<std::size_t>(faces_) * sizeof(float);
    const ImageView<float> to = found_.view();
    check(cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.stride) * sizeof(float),
                            membership_.data(), row_bytes, row_bytes,
                            static_cast<std::size_t>(count_), cudaMemcpyDeviceToHost, stream_),
          "memberships");
    check(cudaStreamSynchronize(stream_), "memberships");
    return found_;
  }

 private:
  // Memory that grows when it has to.
  class Growing {
   public:
    Growing(std::size_t size, cudaStream_t stream) : stream_(stream) { reserve(size); }
    void reserve(std::size_t size) {
      if (size == 0 || (buffer_ != nullptr && buffer_->size() >= size)) return;
      buffer_ = std::make_unique<DeviceBuffer<float>>(size, stream_);
    }
    float* data() const { return buffer_ == nullptr ? nullptr : buffer_->data(); }

   private:
    cudaStream_t stream_;
    std::unique_ptr<DeviceBuffer<float>> buffer_;
  };

  const detail::TableMemory& memory() const { return detail::TableMemory::of(*table_); }

  // visit(rows on the device, number of the first row) is called for all rows at once, or band by
  // band.
  template <class Visit>
  void each_band(const Visit& visit) {
    if (rows_.data != nullptr) {
      visit(rows_, 0);
      return;
    }
    const auto faces = static_cast<std::size_t>(faces_);
    const auto each = static_cast<int>(std::clamp<std::size_t>(
        FuzzyTuning::kBand / (faces * sizeof(float)), 1, static_cast<std::size_t>(candidates_)));
    std::vector<float> staged(static_cast<std::size_t>(each) * faces);
    DeviceBuffer<float> band(staged.size(), stream_);
    for (int first = 0; first < candidates_; first += each) {
      const int rows = std::min(each, candidates_ - first);
      for (int i = 0; i < rows; ++i)
        memory().on_host().row(first + i,
                               {staged.data() + static_cast<std::size_t>(i) * faces, faces});
      fovea::cuda::upload(band.data(), staged.data(),
                          static_cast<std::size_t>(rows) * faces * sizeof(float), stream_);
      visit(RowsView{band.data(), faces, faces_, rows}, first);
    }
  }

  std::vector<double> sums(const float* weights, int count) {
    using T = FuzzyTuning;
    std::vector<double> result(static_cast<std::size_t>(candidates_) *
                               static_cast<std::size_t>(count));
    DeviceBuffer<double> found(result.size(), stream_);
    each_band([&](const RowsView& rows, int first) {
      for (int j = 0; j < count; j += T::kWeights) {
        sums_kernel<<<blocks_for(rows.rows, T::kWarps * T::kRows), T::kThreads, 0, stream_>>>(
            rows, weights == nullptr ? nullptr : weights + static_cast<std::size_t>(j) * faces_,
            std::min(T::kWeights, count - j),
            found.data() + static_cast<std::size_t>(first) * count + j, count);
        check_launch("sums of distances");
      }
    });
    fetch(result.data(), found.data(), result.size());
    return result;
  }

  template <class V>
  void fetch(V* to, const V* from, std::size_t count) {
    check(cudaMemcpyAsync(to, from, count * sizeof(V), cudaMemcpyDeviceToHost, stream_),
          "fetching sums");
    check(cudaStreamSynchronize(stream_), "fetching sums");
  }

  fovea::cuda::Session session_;
  cudaStream_t stream_;
  const DistanceTable* table_;
  int faces_;
  int candidates_;
  DeviceBuffer<float> copy_;
  Growing membership_;
  RowsView rows_{};
  int count_ = 0;
  Image<float> found_;
};

}  // namespace

std::unique_ptr<FuzzyEngine> make_fuzzy_engine(const CandidateRows& candidates, const Exec& exec) {
  return std::make_unique<CudaFuzzy>(candidates, exec);
}

}  // namespace fovea::mesh::cuda
