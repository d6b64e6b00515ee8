// Distances are lowered in sweeps over all faces, in place, until a sweep changes nothing. The
// order of faces does not matter: distances only fall, and their final values are the same.
#include <algorithm>
#include <limits>

#include "core/launch.cuh"
#include "mesh/divide/patch_engine.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh::cuda {
namespace {

using fovea::cuda::blocks_for;
using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::thread_number;

struct PatchTuning {
  static constexpr int kThreads = 256;
  static constexpr int kSweeps = 8;  // sweeps between two checks of whether anything changes
  static constexpr int kAgain = 4;  // visits of a face per sweep: its neighbors' threads are mostly
                                    // in the same block, so that distances spread inside it
  static constexpr int kSpread = 1024;  // threads that spread seeds in space
};

constexpr int kInfiniteBits = 0x7f800000;

struct StepsView {
  const std::int32_t* first;
  const PatchStep* steps;
  int faces;
};

__global__ void begin_kernel(int faces, float* distance, std::int32_t* number) {
  const auto face = static_cast<int>(thread_number());
  if (face >= faces) return;
  distance[face] = __int_as_float(kInfiniteBits);
  if (number != nullptr) number[face] = -1;
}

__global__ void seed_kernel(int count, const std::int32_t* seeds, float* distance,
                            std::int32_t* number, int first_number) {
  const auto i = static_cast<int>(thread_number());
  if (i >= count) return;
  distance[seeds[i]] = 0;
  if (number != nullptr) number[seeds[i]] = first_number + i;
}

// With `of`, steps stay inside a superface and have the costs of that superface.
__global__ void __launch_bounds__(PatchTuning::kThreads)
    relax_kernel(StepsView view, const std::int32_t* of, volatile float* distance, int* changed) {
  const auto face = static_cast<int>(thread_number());
  bool fell = false;
  for (int again = 0; again < PatchTuning::kAgain; ++again) {
    if (face < view.faces) {
      const float known = distance[face];
      float best = known;
      for (int i = view.first[face]; i < view.first[face + 1]; ++i) {
        const PatchStep step = view.steps[i];
        if (of != nullptr && of[step.face] != of[face]) continue;
        const float there = path_step(distance[step.face], of != nullptr ? step.inner : step.cost);
        if (there < best) best = there;
      }
      if (best < known) {
        distance[face] = best;
        fell = true;
      }
    }
    __syncthreads();
  }
  if (fell) *changed = 1;
}

__global__ void __launch_bounds__(PatchTuning::kThreads)
    farthest_kernel(int faces, const float* distance, int* most) {
  const auto face = static_cast<int>(thread_number());
  int bits = face < faces ? __float_as_int(distance[face]) : 0;
  bits = __reduce_max_sync(~0U, bits);
  if (threadIdx.x % 32 == 0) atomicMax(most, bits);
}

__global__ void peaks_kernel(StepsView view, const float* distance, const int* most, float share,
                             int* count, PatchPeak* peaks) {
  const auto face = static_cast<int>(thread_number());
  if (face >= view.faces) return;
  const float far = distance[face];
  if (!(far >= share * __int_as_float(*most))) return;
  for (int i = view.first[face]; i < view.first[face + 1]; ++i) {
    const int next = view.steps[i].face;
    const float other = distance[next];
    if (other > far || (other == far && next < face)) return;
  }
  peaks[atomicAdd(count, 1)] = {far, face};
}

// Walks back to the seed.
__global__ void owner_kernel(StepsView view, const float* distance, const std::int32_t* number,
                             std::int32_t* of) {
  const auto start = static_cast<int>(thread_number());
  if (start >= view.faces) return;
  int face = start;
  int owner = number[face];
  while (owner < 0) {
    const float far = distance[face];
    int before = -1;
    for (int i = view.first[face]; i < view.first[face + 1] && before < 0; ++i) {
      const PatchStep step = view.steps[i];
      if (path_step(distance[step.face], step.cost) == far && __float_as_int(far) < kInfiniteBits)
        before = step.face;
    }
    owner = before < 0 ? 0 : number[before];
    face = before;
  }
  of[start] = owner;
}

// One block: one pass per seed, which finds the greatest (distance, lower face first).
__global__ void __launch_bounds__(PatchTuning::kSpread)
    spread_kernel(int faces, const float* points, int count, int* nearest, std::int32_t* seeds,
                  int* found) {
  __shared__ unsigned long long best[PatchTuning::kSpread / 32];
  __shared__ unsigned long long all;
  const auto thread = static_cast<int>(threadIdx.x);
  int latest = 0;
  for (int i = 0; i <= count; ++i) {
    const float cx = points[3 * latest], cy = points[3 * latest + 1], cz = points[3 * latest + 2];
    unsigned long long mine = 0;
    for (int face = thread; face < faces; face += PatchTuning::kSpread) {
      const int bits = __float_as_int(squared_length(
          points[3 * face] - cx, points[3 * face + 1] - cy, points[3 * face + 2] - cz));
      // The first pass only finds where to begin, and the second begins there.
      const int least = i > 1 ? min(nearest[face], bits) : bits;
      nearest[face] = least;
      const unsigned long long key = static_cast<unsigned long long>(least) << 32 |
                                     (0xffffffffU - static_cast<unsigned>(face));
      mine = max(mine, key);
    }
    for (int apart = 16; apart > 0; apart /= 2) {
      const unsigned long long other = __shfl_xor_sync(~0U, mine, apart);
      mine = max(mine, other);
    }
    if (thread % 32 == 0) best[thread / 32] = mine;
    __syncthreads();
    if (thread == 0) {
      for (int warp = 1; warp < PatchTuning::kSpread / 32; ++warp) mine = max(mine, best[warp]);
      all = mine;
      if (i > 0) seeds[i - 1] = latest;
      if (i > 0) *found = i;
    }
    __syncthreads();
    const unsigned long long most = all;
    __syncthreads();
    if (i > 0 && (most >> 32) == 0) break;
    latest = static_cast<int>(0xffffffffU - static_cast<unsigned>(most));
  }
}

class CudaPatches final : public PatchEngine {
 public:
  CudaPatches(const PatchSteps& steps, const Exec& exec)
      : session_(exec),
        stream_(session_.stream()),
        faces_(static_cast<int>(steps.faces())),
        first_(steps.first.size(), stream_),
        steps_(std::max<std::size_t>(steps.steps.size(), 1), stream_),
        distance_(steps.faces(), stream_),
        number_(steps.faces(), stream_),
        peaks_(steps.faces(), stream_),
        flags_(PatchTuning::kSweeps, stream_) {
    session_.must_wait();
    first_.fill(steps.first.data());
    fovea::cuda::upload(steps_.data(), steps.steps.data(), steps.steps.size() * sizeof(PatchStep),
                        stream_);
    begin_kernel<<<blocks(faces_), PatchTuning::kThreads, 0, stream_>>>(faces_, distance_.data(),
                                                                        number_.data());
    check_launch("beginning superfaces");
  }

  std::vector<std::int32_t> spread_in_space(std::span<const std::array<float, 3>> points,
                                            int count) override {
    DeviceBuffer<float> numbers(3 * points.size(), stream_);
    DeviceBuffer<int> nearest(points.size(), stream_);
    DeviceBuffer<std::int32_t> found(static_cast<std::size_t>(count) + 1, stream_);
    numbers.fill(points.front().data());
    found.set_bytes(0);
    spread_kernel<<<1, PatchTuning::kSpread, 0, stream_>>>(
        faces_, numbers.data(), count, nearest.data(), found.data(), found.data() + count);
    check_launch("spreading seeds");
    std::vector<std::int32_t> seeds = fetch(found.data(), static_cast<std::size_t>(count) + 1);
    seeds.resize(static_cast<std::size_t>(seeds.back()));
    return seeds;
  }

  void add(std::span<const std::int32_t> seeds) override {
    put(seeds, distance_.data(), number_.data());
    settle(nullptr, distance_.data());
    all_.insert(all_.end(), seeds.begin(), seeds.end());
  }

  std::vector<PatchPeak> peaks(float share) override {
    flags_.set_bytes(0);
    int* most = flags_.data();
    int* count = flags_.data() + 1;
    farthest_kernel<<<blocks(faces_), PatchTuning::kThreads, 0, stream_>>>(faces_, distance_.data(),
                                                                           most);
    check_launch("the farthest face");
    peaks_kernel<<<blocks(faces_), PatchTuning::kThreads, 0, stream_>>>(
        view(), distance_.data(), most, share, count, peaks_.data());
    check_launch("peaks");
    return fetch(peaks_.data(), static_cast<std::size_t>(fetch(count, 1).front()));
  }

  void finish(std::vector<std::int32_t>& of, std::vector<float>& inner) override {
    const auto faces = static_cast<std::size_t>(faces_);
    DeviceBuffer<std::int32_t> owner(faces, stream_);
    DeviceBuffer<float> inside(faces, stream_);
    owner_kernel<<<blocks(faces_), PatchTuning::kThreads, 0, stream_>>>(
        view(), distance_.data(), number_.data(), owner.data());
    check_launch("owners of faces");
    begin_kernel<<<blocks(faces_), PatchTuning::kThreads, 0, stream_>>>(faces_, inside.data(),
                                                                        nullptr);
    check_launch("beginning superfaces");
    put(all_, inside.data(), nullptr);
    settle(owner.data(), inside.data());
    of = fetch(owner.data(), faces);
    inner = fetch(inside.data(), faces);
    session_.finish("superfaces");
  }

 private:
  static unsigned blocks(int count) { return blocks_for(count, PatchTuning::kThreads); }
  StepsView view() const { return {first_.data(), steps_.data(), faces_}; }

  template <class T>
  std::vector<T> fetch(const T* from, std::size_t count) {
    std::vector<T> to(count);
    if (count > 0)
      check(cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
            "fetching superfaces");
    check(cudaStreamSynchronize(stream_), "superfaces");
    return to;
  }

  void put(std::span<const std::int32_t> seeds, float* distance, std::int32_t* number) {
    if (seeds.empty()) return;
    const auto count = static_cast<int>(seeds.size());
    DeviceBuffer<std::int32_t> list(seeds.size(), stream_);
    list.fill(seeds.data());
    seed_kernel<<<blocks(count), PatchTuning::kThreads, 0, stream_>>>(
        count, list.data(), distance, number, static_cast<int>(all_.size()));
    check_launch("seeds");
  }

  void settle(const std::int32_t* of, float* distance) {
    for (;;) {
      flags_.set_bytes(0);
      for (int sweep = 0; sweep < PatchTuning::kSweeps; ++sweep) {
        relax_kernel<<<blocks(faces_), PatchTuning::kThreads, 0, stream_>>>(view(), of, distance,
                                                                            flags_.data() + sweep);
        check_launch("distances to seeds");
      }
      if (fetch(flags_.data(), PatchTuning::kSweeps).back() == 0) return;
    }
  }

  fovea::cuda::Session session_;
  cudaStream_t stream_;
  int faces_;
  DeviceBuffer<std::int32_t> first_;
  DeviceBuffer<PatchStep> steps_;
  DeviceBuffer<float> distance_;
  DeviceBuffer<std::int32_t> number_;
  DeviceBuffer<PatchPeak> peaks_;
  DeviceBuffer<int> flags_;
  std::vector<std::int32_t> all_;
};

}  // namespace

std::unique_ptr<PatchEngine> make_patch_engine(const PatchSteps& steps, const Exec& exec) {
  return std::make_unique<CudaPatches>(steps, exec);
}

}  // namespace fovea::mesh::cuda
