// The coarsest levels by one block of threads: images, flow and all that is in between lie in its
// shared memory, and between stages it only waits for itself.
#include "flow/lk/lucas_kanade_median_cuda.cuh"
#include "flow/lk/lucas_kanade_trial_cuda.cuh"
#include "flow/lk/lucas_kanade_warp_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

constexpr int kThreads = 1024;
constexpr int kPixels = DeviceCoarsest::kMostPixels;
constexpr int kSums = 5;  // xx, xy, yy, xt, yt
constexpr int kFlows = lk::kTrials + 1;

struct Shared {
  float fields[2][2][kPixels];      // two that take turns, each u and v
  std::uint8_t planes[4][kPixels];  // both images and their masks
  union {
    struct {
      float products[kSums][kPixels];
      union {
        float warped[3][kPixels];  // sum, difference, weight
        float along[kSums][kPixels];
      };
    } step;
    struct {
      std::uint16_t differences[kFlows][kPixels];
      std::uint16_t along[kFlows][kPixels];
    } trial;
  };
};

template <class Body>
__device__ void for_each_pixel(int width, int height, const Body& body) {
  for (int i = static_cast<int>(threadIdx.x); i < width * height; i += kThreads)
    body(i, i % width, i / width);
}
// The same `times` over, side by side.
template <class Body>
__device__ void for_each_pixel(int width, int height, int times, const Body& body) {
  const int pixels = width * height;
  for (int i = static_cast<int>(threadIdx.x); i < times * pixels; i += kThreads)
    body(i / pixels, i % pixels, i % pixels % width, i % pixels / width);
}

class Level {
 public:
  __device__ Level(Shared& shared, const DeviceCoarsest& job, int index, int now)
      : shared_(shared), job_(job), level_(job.levels[index]), now_(now) {
    width_ = level_.first.features.width;
    height_ = level_.first.features.height;
  }

  // Brings the images here; the flow starts from a coarser level's, which is larger().
  __device__ void load() {
    first_ = {fetched(level_.first.features, 0), fetched(level_.first.mask, 2)};
    second_ = {fetched(level_.second.features, 1), fetched(level_.second.mask, 3)};
  }
  __device__ void start_at_rest() {
    for_each_pixel(width_, height_, [&](int i, int, int) {
      shared_.fields[now_][0][i] = shared_.fields[now_][1][i] = 0;
    });
    __syncthreads();
  }
  __device__ void start_from(int width, int height) {
    const float(*in)[kPixels] = shared_.fields[now_];
    float(*out)[kPixels] = shared_.fields[1 - now_];
    for_each_pixel(width_, height_, 2, [&](int plane, int i, int x, int y) {
      const float* above = in[plane] + y / 2 * width;
      const float* below = in[plane] + lk::least((y + 1) / 2, height - 1) * width;
      const auto column = [&](int at) { return above[at] + below[at]; };
      out[plane][i] = (column(x / 2) + column(lk::least((x + 1) / 2, width - 1))) * 0.5F;
    });
    turn();
  }

  __device__ void refine() {
    const lk::LevelPlan& work = level_.work;
    for (int k = 0; k < work.steps(); ++k) {
      if (k < work.propagation) propagate(k);
      step(work.round_of(k).radius);
      if (job_.median > 0 && work.median_after(k)) smooth();
    }
  }

  __device__ int now() const { return now_; }
  __device__ void store(const DeviceField& out) const {
    for_each_pixel(width_, height_, [&](int i, int x, int y) {
      out.u.at(x, y) = shared_.fields[now_][0][i];
      out.v.at(x, y) = shared_.fields[now_][1][i];
    });
  }

 private:
  __device__ DevicePlane<std::uint8_t> fetched(const DevicePlane<std::uint8_t>& from, int plane) {
    if (from.data == nullptr) return from;
    std::uint8_t* to = shared_.planes[plane];
    for_each_pixel(width_, height_, [&](int i, int x, int y) { to[i] = from.at(x, y); });
    return {to, width_, height_, width_};
  }
  __device__ void turn() {
    __syncthreads();
    now_ = 1 - now_;
  }
  __device__ DeviceField field(int which) const {
    return {{shared_.fields[which][0], width_, height_, width_},
            {shared_.fields[which][1], width_, height_, width_}};
  }
  __device__ bool counts(int i) const { return first_.mask.data == nullptr || first_.mask.data[i]; }

  __device__ void propagate(int round) {
    const int first = level_.work.first_trial(round);
    const int trials = 1 + level_.work.last_trial(round) - first;
    const int distance = lk::trial_distance(round);
    const auto offset = [&](int k) {
      if (k == 0) return lk::Offset{0, 0};
      const lk::Offset unit = job_.trials[first + k - 1];
      return lk::Offset{unit.x * distance, unit.y * distance};
    };
    const DeviceField in = field(now_), out = field(1 - now_);
    auto& trial = shared_.trial;
    for_each_pixel(width_, height_, trials, [&](int k, int i, int x, int y) {
      const lk::Offset from = offset(k);
      const int fx = lk::clamped(x + from.x, width_), fy = lk::clamped(y + from.y, height_);
      const int difference =
          counts(i) ? difference_at(first_, second_, {x, y}, {in.u.at(fx, fy), in.v.at(fx, fy)})
                    : 0;
      trial.differences[k][i] = static_cast<std::uint16_t>(difference);
    });
    __syncthreads();
    for_each_pixel(width_, height_, trials, [&](int k, int i, int x, int) {
      int sum = 0;
#pragma unroll
      for (int n = -lk::kTrialRadius; n <= lk::kTrialRadius; ++n)
        if (x + n >= 0 && x + n < width_) sum += trial.differences[k][i + n];
      trial.along[k][i] = static_cast<std::uint16_t>(sum);
    });
    __syncthreads();
    for_each_pixel(width_, height_, [&](int i, int x, int y) {
      int least = 0, best = 0;
      for (int k = 0; k < trials && counts(i); ++k) {
        int sum = 0;
#pragma unroll
        for (int n = -lk::kTrialRadius; n <= lk::kTrialRadius; ++n)
          if (y + n >= 0 && y + n < height_) sum += trial.along[k][i + n * width_];
        if (k > 0 && sum >= least) continue;
        least = sum;
        best = k;
      }
      const lk::Offset from = offset(best);
      const int fx = lk::clamped(x + from.x, width_), fy = lk::clamped(y + from.y, height_);
      out.u.at(x, y) = in.u.at(fx, fy);
      out.v.at(x, y) = in.v.at(fx, fy);
    });
    turn();
  }
  __device__ void step(int radius) {
    const float* taps = job_.taps + taps_before(radius);
    const DeviceField in = field(now_), out = field(1 - now_);
    const DeviceStep job{first_, second_, in, out, {}, taps, radius, job_.robust, job_.solve};
    auto& shared = shared_.step;
    for_each_pixel(width_, height_, [&](int i, int x, int y) {
      const Warped warped = warped_at(job, x, y);
      shared.warped[0][i] = warped.sum;
      shared.warped[1][i] = warped.difference;
      shared.warped[2][i] = warped.weight;
    });
    __syncthreads();
    for_each_pixel(width_, height_, [&](int i, int x, int y) {
      const float* sum = shared.warped[0] + i;
      const float gx = lk::gradient(sum[x > 0 ? -1 : 0], sum[x < width_ - 1 ? 1 : 0]);
      const float gy = lk::gradient(sum[y > 0 ? -width_ : 0], sum[y < height_ - 1 ? width_ : 0]);
      const lk::Products here = lk::products(gx, gy, shared.warped[1][i], shared.warped[2][i]);
      shared.products[0][i] = here.xx;
      shared.products[1][i] = here.xy;
      shared.products[2][i] = here.yy;
      shared.products[3][i] = here.xt;
      shared.products[4][i] = here.yt;
    });
    __syncthreads();
    for_each_pixel(width_, height_, kSums, [&](int plane, int i, int x, int) {
      shared.along[plane][i] = weighted(shared.products[plane] + i, x, width_, 1, taps, radius);
    });
    __syncthreads();
    for_each_pixel(width_, height_, [&](int i, int, int y) {
      float totals[kSums];
#pragma unroll
      for (int plane = 0; plane < kSums; ++plane)
        totals[plane] = weighted(shared.along[plane] + i, y, height_, width_, taps, radius);
      const lk::Products sums{totals[0], totals[1], totals[2], totals[3], totals[4]};
      const lk::Step found = counts(i) ? lk::solved(sums, job_.solve) : lk::Step{};
      out.u.data[i] = in.u.data[i] + found.u;
      out.v.data[i] = in.v.data[i] + found.v;
    });
    turn();
  }
  // The window's sum around element `at` of `size` ones, `stride` apart; beyond them lie zeros.
  __device__ static float weighted(const float* here, int at, int size, int stride,
                                   const float* taps, int radius) {
    float total = 0;
    for (int k = 0; k <= 2 * radius; ++k) {
      const int n = k - radius;
      const float value = at + n >= 0 && at + n < size ? here[n * stride] : 0.0F;
      total = k == 0 ? __ldg(taps) * value : std::fma(__ldg(taps + k), value, total);
    }
    return total;
  }

  __device__ void smooth() {
    if (job_.median == 1) smooth_by<1>();
    else smooth_by<2>();
    turn();
  }
  template <int kRadius>
  __device__ void smooth_by() {
    constexpr int kSide = 2 * kRadius + 1;
    for_each_pixel(width_, height_, 2, [&](int plane, int i, int x, int y) {
      float set[kSide * kSide];
#pragma unroll
      for (int n = 0; n < kSide * kSide; ++n)
        set[n] =
            shared_.fields[now_][plane][lk::clamped(y + n / kSide - kRadius, height_) * width_ +
                                        lk::clamped(x + n % kSide - kRadius, width_)];
      shared_.fields[1 - now_][plane][i] = middle(set);
    });
  }

  Shared& shared_;
  const DeviceCoarsest& job_;
  const DeviceCoarsest::Level& level_;
  DeviceFrameLevel first_{}, second_{};
  int width_, height_, now_;
};

__global__ void __launch_bounds__(kThreads)
    coarsest_kernel(const __grid_constant__ DeviceCoarsest job) {
  extern __shared__ float4 memory[];
  fovea::cuda::after_previous();
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  int now = 0;
  for (int k = 0; k < job.count; ++k) {
    Level level(shared, job, k, now);
    level.load();
    if (k == 0) level.start_at_rest();
    else
      level.start_from(job.levels[k - 1].first.features.width,
                       job.levels[k - 1].first.features.height);
    level.refine();
    now = level.now();
    if (k == job.count - 1) level.store(job.out);
  }
}

}  // namespace

void refine_coarsest(const DeviceCoarsest& request, cudaStream_t stream) {
  fovea::cuda::allow_shared(coarsest_kernel, sizeof(Shared), "the coarsest levels");
  fovea::cuda::launch_after(coarsest_kernel, {1, kThreads, sizeof(Shared)}, stream,
                            "the coarsest levels", request);
}

}  // namespace fovea::flow::cuda
