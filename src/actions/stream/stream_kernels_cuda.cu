// The kernels of matching over a stream: states depend on earlier frames only, so that all pairs
// and all nodes of a step advance at once; a warp takes a pair, and a lane a node. The arithmetic
// is that of match_math.h, and of equal energies the first node counts, as on the CPU.
#include <fovea/actions/points.h>

#include "actions/match/features_math.h"
#include "actions/stream/stream_kernels.cuh"
#include "core/launch.cuh"

namespace fovea::actions::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kMatchThreads = 256;
constexpr int kMatchWarps = kMatchThreads / kWarp;
constexpr int kSmallThreads = 128;

__global__ void __launch_bounds__(kSmallThreads)
    gather_kernel(StreamWork work, StreamGather gather) {
  const StreamPoint point = gather.points[blockIdx.x];
  const StreamStep& step = work.step(work.first_step + point.step);
  const int place = static_cast<int>(blockIdx.x) - step.column;
  if (threadIdx.x == 0) {
    work.window[step.places + 2 * place] = point.x;
    work.window[step.places + 2 * place + 1] = point.y;
  }
  if (point.row < 0) return;
  const int depth = work.models.depth;
  const float* const from = gather.store + static_cast<std::int64_t>(point.row) * depth;
  float* const to = gather.features + static_cast<std::int64_t>(blockIdx.x) * depth;
  for (int k = static_cast<int>(threadIdx.x); k < depth; k += kSmallThreads) to[k] = from[k];
}

// The directions to the points of a step from those before it, one block per step.
__global__ void __launch_bounds__(kSmallThreads) stream_directions_kernel(StreamWork work) {
  const std::int64_t number = work.first_step + blockIdx.x;
  const StreamStep& step = work.step(number);
  const float* const to = work.window + step.places;
  float* const directions = work.window + step.directions;
  std::int32_t seen = 0;
  for (std::int64_t s = number - step.seen_steps; s < number; ++s) {
    const StreamStep& earlier = work.step(s);
    const float* const from = work.window + earlier.places;
    const std::int64_t count = static_cast<std::int64_t>(step.points) * earlier.points;
    for (std::int64_t i = threadIdx.x; i < count; i += kSmallThreads) {
      const std::int64_t c = i / earlier.points, a = i % earlier.points;
      directions[c * step.seen + seen + a] =
          detail::direction(to[2 * c] - from[2 * a], to[2 * c + 1] - from[2 * a + 1]);
    }
    seen += earlier.points;
  }
}

// A chain and a pair of nodes: `last` of a step, and `middle` of an earlier one.
struct StreamPair {
  const StreamWork& work;
  ModelRange model;
  const StreamStep &step, &before;
  std::int64_t number, before_number;
  std::int32_t last, middle;

  __device__ bool angles() const { return last < step.points && middle < before.points; }
};

struct StreamCell {
  float energy = INFINITY, state = INFINITY, appearance = 0;
  std::int32_t first_frame = 0;
  std::uint16_t who = detail::kNobody;
};

// The best node before both of the pair, for node i > 1 of the chain.
__device__ float best_before(const StreamPair& pair, int i, const detail::Bends& bends,
                             std::int64_t& who) {
  const StreamWork& work = pair.work;
  const StreamStep &step = pair.step, &middle = pair.before;
  const bool angles = pair.angles();
  const std::int32_t farthest = middle.frame - work.terms.left(step.frame - middle.frame);
  const float* const to_last =
      work.window + step.directions + static_cast<std::int64_t>(pair.last) * step.seen;
  const float* const to_middle =
      work.window + middle.directions + static_cast<std::int64_t>(pair.middle) * middle.seen;
  const float way = angles ? to_last[middle.first_point + pair.middle - step.oldest_seen] : 0.0F;
  const std::int32_t nodes = pair.model.nodes;
  const float* states = work.window + middle.states + pair.model.first * middle.pairs() +
                        static_cast<std::int64_t>(pair.middle) * middle.before * nodes + (i - 1);
  float best = INFINITY;
  std::int64_t at = 0;
  for (std::int64_t s = pair.before_number - middle.neighbors; s < pair.before_number; ++s) {
    const StreamStep& first = work.step(s);
    if (first.frame < farthest) {
      at += first.nodes;
      continue;
    }
    for (std::int32_t a = 0; a < first.nodes; ++a, ++at) {
      float energy = states[at * nodes];
      if (angles && a < first.points) {
        const std::int64_t point = first.first_point + a;
        energy =
            detail::through(energy, work.terms.angles,
                            detail::bend_distance(
                                bends, detail::bends_of(way, to_middle[point - middle.oldest_seen],
                                                        to_last[point - step.oldest_seen])));
      }
      if (energy < best) {
        best = energy;
        who = at;
      }
    }
  }
  return best;
}

__device__ StreamCell stream_cell(const StreamPair& pair, int i) {
  const StreamWork& work = pair.work;
  const StreamStep &step = pair.step, &middle = pair.before;
  const detail::CellNode node = work.models.nodes[pair.model.first + i];
  const float time =
      detail::time_cost(work.terms.time, node.gap, static_cast<float>(step.frame - middle.frame));
  const float own =
      pair.last < step.points
          ? work.unary[(pair.model.first + i) * work.unary_pitch + step.column + pair.last]
          : work.terms.dummy;
  StreamCell cell;
  if (i == 1) {
    const float first =
        pair.middle < middle.points
            ? work.window[middle.begin + static_cast<std::int64_t>(blockIdx.x) * middle.points +
                          pair.middle]
            : work.terms.dummy;
    cell.energy = detail::arrive(own, 0, first);
    cell.appearance = first + own;
    cell.first_frame = middle.frame;
  } else {
    std::int64_t who = -1;
    const float best = best_before(pair, i, node.bends, who);
    if (who < 0) return cell;
    const std::int32_t nodes = pair.model.nodes;
    const std::int64_t all = middle.pairs() * work.models.total;
    const std::int64_t from =
        middle.states + pair.model.first * middle.pairs() +
        (static_cast<std::int64_t>(pair.middle) * middle.before + who) * nodes + (i - 1);
    cell.energy = detail::arrive(own, time, best);
    cell.appearance = work.window[from + all] + own;
    cell.first_frame = __float_as_int(work.window[from + 2 * all]);
    cell.who = static_cast<std::uint16_t>(who);
  }
  cell.state = detail::go_on(cell.energy, time);
  return cell;
}

__global__ void __launch_bounds__(kMatchThreads) stream_match_kernel(StreamWork work) {
  __shared__ StreamResult ends[kMatchWarps];
  const ModelRange model = work.models.ranges[blockIdx.x];
  const int lane = static_cast<int>(threadIdx.x) % kWarp,
            warp = static_cast<int>(threadIdx.x) / kWarp;
  for (std::int32_t k = 0; k < work.steps; ++k) {
    const std::int64_t number = work.first_step + k;
    const StreamStep& step = work.step(number);
    for (std::int32_t p = static_cast<std::int32_t>(threadIdx.x); p < step.points;
         p += kMatchThreads)
      work.window[step.begin + static_cast<std::int64_t>(blockIdx.x) * step.points + p] =
          work.unary[model.first * work.unary_pitch + step.column + p];
    const std::int64_t pairs = step.pairs(), all = pairs * work.models.total;
    StreamResult end{INFINITY, 0, 0, step.frame, -1};
    for (std::int64_t q = warp; q < pairs; q += kMatchWarps) {
      std::int64_t s = number - step.neighbors;
      auto middle = static_cast<std::int32_t>(q % step.before);
      for (; middle >= work.step(s).nodes; ++s) middle -= work.step(s).nodes;
      const StreamPair pair{
          work,  model, step, work.step(s), number, s, static_cast<std::int32_t>(q / step.before),
          middle};
      const std::int64_t to = model.first * pairs + q * model.nodes;
      for (int i = 1 + lane; i < model.nodes; i += kWarp) {
        const StreamCell cell = stream_cell(pair, i);
        work.window[step.states + to + i] = cell.state;
        work.window[step.states + all + to + i] = cell.appearance;
        work.window[step.states + 2 * all + to + i] = __int_as_float(cell.first_frame);
        work.history[step.back + to + i] = cell.who;
        if (i == model.nodes - 1 && cell.energy < end.energy)
          end = {cell.energy, cell.appearance, cell.first_frame, step.frame, q};
      }
    }
    // One lane of each warp has its end.
    if (lane == (model.nodes - 2) % kWarp) ends[warp] = end;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < kMatchWarps; ++w)
        if (ends[w].pair >= 0 &&
            (ends[0].pair < 0 || ends[w].energy < ends[0].energy ||
             (ends[w].energy == ends[0].energy && ends[w].pair < ends[0].pair)))
          ends[0] = ends[w];
      work.results[static_cast<std::int64_t>(k) * work.models.models + blockIdx.x] = ends[0];
    }
    __syncthreads();
  }
}

__device__ double distance_of(const StreamResult& result, const DigestWork& digest, int chain) {
  return static_cast<double>(digest.by_energy ? result.energy : result.appearance) /
         digest.nodes[chain];
}

__device__ double least_of_warp(double value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const double other = __shfl_down_sync(~0U, value, static_cast<unsigned>(distance));
    if (other < value) value = other;
  }
  return value;
}

// One block per step. A match that counts is left out if one that begins no earlier is nearer.
__global__ void __launch_bounds__(kSmallThreads) digest_kernel(StreamWork work, DigestWork digest) {
  __shared__ int counted;
  const int models = work.models.models, tid = static_cast<int>(threadIdx.x);
  const StreamResult* const results = work.results + static_cast<std::int64_t>(blockIdx.x) * models;
  std::int32_t* const counting = digest.counting + static_cast<std::int64_t>(blockIdx.x) * models;
  if (tid == 0) counted = 0;
  __syncthreads();
  for (int c = tid / kWarp; c < digest.classes; c += kSmallThreads / kWarp) {
    double least = INFINITY;
    for (int m = tid % kWarp; m < models; m += kWarp) {
      if (digest.labels[m] != c || results[m].pair < 0) continue;
      const double distance = distance_of(results[m], digest, m);
      if (distance < least) least = distance;
    }
    least = least_of_warp(least);
    if (tid % kWarp == 0)
      digest.nearest[static_cast<std::int64_t>(blockIdx.x) * digest.classes + c] = least;
  }
  for (int m = tid; m < models; m += kSmallThreads)
    if (results[m].pair >= 0 && distance_of(results[m], digest, m) <= digest.limits[m])
      counting[atomicAdd(&counted, 1)] = m;
  __syncthreads();
  for (int i = tid; i < counted; i += kSmallThreads) {
    const int m = counting[i];
    const double distance = distance_of(results[m], digest, m);
    bool best = true;
    for (int j = 0; j < counted && best; ++j) {
      const int other = counting[j];
      if (results[other].first_frame < results[m].first_frame) continue;
      const double there = distance_of(results[other], digest, other);
      best = !(there < distance || (there == distance && other < m));
    }
    if (!best) continue;
    digest.entries[atomicAdd(digest.count, 1U)] = {distance, m, results[m].first_frame,
                                                   static_cast<std::int32_t>(blockIdx.x)};
  }
}

__global__ void trace_kernel(StreamWork work, std::int32_t which, std::int32_t chain,
                             std::int32_t* path) {
  if (threadIdx.x != 0) return;
  const ModelRange model = work.models.ranges[chain];
  std::int64_t number = work.first_step + which;
  const std::int64_t end =
      work.results[static_cast<std::int64_t>(which) * work.models.models + chain].pair;
  std::int64_t last = end / work.step(number).before, row = end % work.step(number).before;
  for (int i = model.nodes - 1;; --i) {
    const StreamStep& step = work.step(number);
    path[2 * i] = last < step.points ? static_cast<std::int32_t>(last) : -1;
    path[2 * i + 1] = step.frame;
    if (i == 0) break;
    const std::int64_t node = step.oldest_node + row;
    row = work.history[step.back + model.first * step.pairs() +
                       (last * step.before + row) * model.nodes + i];
    do --number;
    while (work.step(number).first > node);
    last = node - work.step(number).first;
  }
}

__global__ void __launch_bounds__(kSmallThreads) features_kernel(FeatureWork work) {
  const float* const from =
      work.descriptors + static_cast<std::int64_t>(blockIdx.x) * kDescriptorSize + work.rule.begin;
  float* const to = work.ring + (work.first + blockIdx.x) % work.rows * work.depth;
  for (int k = static_cast<int>(threadIdx.x); k < work.depth; k += kSmallThreads)
    to[k] = k < work.rule.size
                ? detail::feature_value(from[k], work.rule.scale, work.rule.square_root)
                : 0.0F;
}

}  // namespace

void gather_stream(const StreamWork& work, const StreamGather& gather, cudaStream_t stream) {
  if (work.points == 0) return;
  gather_kernel<<<static_cast<unsigned>(work.points), kSmallThreads, 0, stream>>>(work, gather);
  fovea::cuda::check_launch("match: points of a stream");
}

void match_stream(const StreamWork& work, cudaStream_t stream) {
  stream_directions_kernel<<<static_cast<unsigned>(work.steps), kSmallThreads, 0, stream>>>(work);
  fovea::cuda::check_launch("match: directions of a stream");
  stream_match_kernel<<<static_cast<unsigned>(work.models.models), kMatchThreads, 0, stream>>>(
      work);
  fovea::cuda::check_launch("match: steps of a stream");
}

void digest_stream(const StreamWork& work, const DigestWork& digest, cudaStream_t stream) {
  digest_kernel<<<static_cast<unsigned>(work.steps), kSmallThreads, 0, stream>>>(work, digest);
  fovea::cuda::check_launch("match: nearest classes");
}

void trace_stream(const StreamWork& work, std::int32_t step, std::int32_t chain, std::int32_t* path,
                  cudaStream_t stream) {
  trace_kernel<<<1, kWarp, 0, stream>>>(work, step, chain, path);
  fovea::cuda::check_launch("match: a path");
}

void make_features(const FeatureWork& work, cudaStream_t stream) {
  if (work.count == 0) return;
  features_kernel<<<static_cast<unsigned>(work.count), kSmallThreads, 0, stream>>>(work);
  fovea::cuda::check_launch("match: features");
}

}  // namespace fovea::actions::cuda
