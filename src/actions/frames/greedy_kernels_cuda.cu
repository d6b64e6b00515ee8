// The kernels of greedy matching. Threads take pairs of a scene frame and a rank, then pairs of
// places; each computes what the CPU computes, by the same functions.
#include "actions/frames/greedy_kernels.cuh"
#include "core/launch.cuh"

namespace fovea::actions::cuda {
namespace {

using detail::GreedyState;

constexpr int kThreads = 128;
constexpr int kEndThreads = 256;

struct GreedyJob {
  const GreedyWork& work;
  GreedyModelEntry model;
  GreedySceneEntry scene;
  const detail::CellLayout& layout;
  std::int64_t index;

  FOVEA_HD GreedyJob(const GreedyWork& all, std::int64_t i)
      : work(all),
        model(all.models.entries[(all.first + i) % all.models.models]),
        scene(all.scenes.entries[(all.first + i) / all.models.models]),
        layout(all.scenes.scenes.layouts[(all.first + i) / all.models.models]),
        index(i) {}

  FOVEA_HD const detail::GreedyModelFrame* model_frames() const {
    return work.models.frames + model.first_frame;
  }
  FOVEA_HD const detail::GreedyFrame* frames() const {
    return work.scenes.frames + scene.first_frame;
  }
  FOVEA_HD const detail::GreedyPlace* places() const {
    return work.scenes.places + scene.first_place;
  }
  FOVEA_HD detail::Bends bends(int i, int n) const {
    return work.models.bends[model.first_bend + static_cast<std::int64_t>(i) * model.ranks + n];
  }
  FOVEA_HD std::int64_t taken_at(int i, std::int64_t frame, int n) const {
    return index * work.taken_step +
           (static_cast<std::int64_t>(i) * scene.frames + frame) * model.ranks + n;
  }
  FOVEA_HD std::int32_t taken(int i, std::int64_t frame, int n) const {
    return work.taken[taken_at(i, frame, n)];
  }
  FOVEA_HD std::int64_t pair(std::int64_t c, std::int64_t b) const {
    return work.scenes.first_pairs[scene.first_pairs + c] + b - places()[c].oldest;
  }
  FOVEA_HD float way(std::int32_t from, std::int32_t to) const {
    const DeviceScenes& scenes = work.scenes.scenes;
    if (scenes.directions == nullptr) {
      const float2 a = scenes.places[layout.first_point + from];
      const float2 b = scenes.places[layout.first_point + to];
      return detail::direction(b.x - a.x, b.y - a.y);
    }
    const std::int32_t time = scenes.frames[layout.first_point + to];
    const std::int32_t row = scenes.first_at[layout.first_at + time] - 1 - from;
    return scenes.directions[layout.first_direction +
                             static_cast<std::int64_t>(row) * layout.shape.points + to];
  }
  // The mean cost of model frame i at a place, in the order of ranks.
  FOVEA_HD float cost(int i, const detail::GreedyPlace& place) const {
    if (place.seen < 0) return work.terms.dummy;
    detail::GreedyMean mean;
    for (int n = 0; n < model_frames()[i].count; ++n)
      mean.add(work.costs[taken_at(i, place.seen, n)]);
    return mean.value();
  }
  FOVEA_HD float mean_bend(int i, const detail::GreedyPlace& last,
                           const detail::GreedyPlace& middle,
                           const detail::GreedyPlace& first) const {
    detail::GreedyMean mean;
    if (last.seen < 0 || middle.seen < 0 || first.seen < 0) return 0;
    const int ranks = detail::ranks_of_triangle(model_frames(), i);
    for (int n = 0; n < ranks; ++n) {
      const std::int32_t c = taken(i, last.seen, n), b = taken(i - 1, middle.seen, n),
                         a = taken(i - 2, first.seen, n);
      if (c >= 0 && b >= 0 && a >= 0)
        mean.add(
            detail::bend_distance(bends(i, n), detail::bends_of(way(b, c), way(a, b), way(a, c))));
    }
    return mean.value();
  }
};

struct RankReader {
  const GreedyJob& job;
  const float* costs;
  int i, n;

  FOVEA_HD std::int32_t middle(std::int64_t frame) const { return job.taken(i - 1, frame, n); }
  FOVEA_HD std::int32_t first(std::int64_t frame) const { return job.taken(i - 2, frame, n); }
  FOVEA_HD float way(std::int32_t from, std::int32_t to) const { return job.way(from, to); }
  FOVEA_HD float unary(std::int32_t point) const { return costs[point]; }
};

// The points of model frame i, one thread per scene frame and rank.
__global__ void __launch_bounds__(kThreads) take_kernel(GreedyWork work, int i) {
  const GreedyJob job(work, blockIdx.y);
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t v = item / job.model.ranks;
  const int n = static_cast<int>(item % job.model.ranks);
  if (i >= job.model.frames || v >= job.scene.frames) return;
  const detail::GreedyModelFrame* const frames = job.model_frames();
  detail::GreedyChoice choice;
  if (n < frames[i].count) {
    detail::GreedyRank rank;
    if (n < detail::ranks_of_triangle(frames, i))
      rank = {true, detail::model_gap(frames, i), detail::model_gap(frames, i - 1),
              job.bends(i, n)};
    const std::int64_t row = job.model.first_point + frames[i].first + n;
    const float* const costs =
        work.scenes.scenes.unary + row * work.scenes.scenes.unary_pitch + job.layout.first_point;
    choice = detail::choose_point(job.frames(), work.terms, rank, v, RankReader{job, costs, i, n});
  }
  const std::int64_t at = job.taken_at(i, v, n);
  work.taken[at] = choice.point;
  work.costs[at] = choice.point >= 0 ? choice.unary : work.terms.dummy;
}

struct PairReader {
  const GreedyJob& job;
  const GreedyState* states;  // of the model frame before
  int i;
  std::int64_t b;
  const detail::GreedyPlace& last;

  FOVEA_HD float so_far(std::int64_t a) const { return states[job.pair(b, a)].so_far; }
  FOVEA_HD float bend(std::int64_t a) const {
    return job.mean_bend(i, last, job.places()[b], job.places()[a]);
  }
};

// The states of model frame i, one thread per pair of places.
__global__ void __launch_bounds__(kThreads) recurse_kernel(GreedyWork work, int i) {
  const GreedyJob job(work, blockIdx.y);
  if (i >= job.model.frames || job.scene.before == 0) return;
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t c = item / job.scene.before;
  if (c >= job.scene.places) return;
  const detail::GreedyPlace last = job.places()[c];
  const std::int64_t b = last.oldest + item % job.scene.before;
  if (b >= c) return;
  const GreedyState* const before = work.states[(i + 1) % 2] + job.index * work.pair_step;
  const detail::GreedyPlace middle = job.places()[b];
  const std::int64_t pair = job.pair(c, b);
  GreedyState state;
  std::int64_t from = -1;
  if (const std::int32_t gap = last.frame - middle.frame; gap != 0) {
    const float own = job.cost(i, last);
    const float time = detail::time_cost(work.terms.time, detail::model_gap(job.model_frames(), i),
                                         static_cast<float>(gap));
    if (i == 1) {
      state = detail::begin_pair(job.cost(0, middle), own, time, middle.frame);
    } else {
      const detail::GreedyFrom found = detail::least_before(job.places(), work.terms, last.frame, b,
                                                            PairReader{job, before, i, b, last});
      from = found.from;
      if (from >= 0)
        state = detail::continue_pair(before[job.pair(b, from)], own, time, found.best);
    }
  }
  work.states[i % 2][job.index * work.pair_step + pair] = state;
  if (work.origins != nullptr)
    work.origins[(job.index * work.models.longest + i) * work.pair_step + pair] =
        static_cast<std::int32_t>(from);
}

// The pair with the least energy, the first of equal ones, in thread 0.
__device__ std::int64_t best_pair(const GreedyState* states, std::int64_t pairs) {
  __shared__ float energies[kEndThreads];
  __shared__ std::int64_t places[kEndThreads];
  const int tid = static_cast<int>(threadIdx.x);
  float energy = INFINITY;
  std::int64_t best = -1;
  for (std::int64_t p = tid; p < pairs; p += kEndThreads)
    if (states[p].energy < energy) {
      energy = states[p].energy;
      best = p;
    }
  energies[tid] = energy;
  places[tid] = best;
  __syncthreads();
  for (int half = kEndThreads / 2; half > 0; half /= 2) {
    if (tid < half && places[tid + half] >= 0 &&
        (places[tid] < 0 || energies[tid + half] < energies[tid] ||
         (energies[tid + half] == energies[tid] && places[tid + half] < places[tid]))) {
      energies[tid] = energies[tid + half];
      places[tid] = places[tid + half];
    }
    __syncthreads();
  }
  return places[0];
}

__device__ void write_path(const GreedyJob& job, std::int64_t c, std::int64_t b) {
  const GreedyWork& work = job.work;
  const std::int64_t first = job.index * work.models.longest;
  for (int i = job.model.frames - 1; i >= 0; --i) {
    work.path_places[first + i] = static_cast<std::int32_t>(c);
    const detail::GreedyPlace place = job.places()[c];
    work.path_costs[first + i] = job.cost(i, place);
    for (int n = 0; n < job.model.ranks; ++n)
      work.path_points[(first + i) * work.models.ranks + n] =
          place.seen < 0 ? -1 : job.taken(i, place.seen, n);
    if (i == 0) break;
    const std::int64_t a =
        i == 1 ? -1 : work.origins[(first + i) * work.pair_step + job.pair(c, b)];
    c = b;
    b = a;
  }
}

__global__ void __launch_bounds__(kEndThreads) end_kernel(GreedyWork work) {
  const GreedyJob job(work, blockIdx.x);
  const std::int64_t* const first_pairs = work.scenes.first_pairs + job.scene.first_pairs;
  const GreedyState* const states =
      work.states[(job.model.frames - 1) % 2] + job.index * work.pair_step;
  const std::int64_t pair = best_pair(states, first_pairs[job.scene.places]);
  if (threadIdx.x != 0) return;
  GreedyResult result{INFINITY, 0, 0, 0};
  if (pair >= 0) {
    // The place whose pairs begin at this one or before it, and which has pairs.
    std::int64_t low = 0, high = job.scene.places;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      if (first_pairs[middle] <= pair) low = middle;
      else high = middle;
    }
    const GreedyState state = states[pair];
    result = {state.energy, state.appearance, state.first_frame, job.places()[low].frame};
    if (work.origins != nullptr)
      write_path(job, low, job.places()[low].oldest + pair - first_pairs[low]);
  }
  work.results[job.index] = result;
}

}  // namespace

void match_greedily(const GreedyWork& work, cudaStream_t stream) {
  using fovea::cuda::blocks_for;
  const auto jobs = static_cast<unsigned>(work.count);
  const std::int64_t points =
      static_cast<std::int64_t>(work.scenes.most_frames) * work.models.ranks;
  const std::int64_t pairs =
      static_cast<std::int64_t>(work.scenes.most_places) * work.scenes.most_before;
  for (int i = 0; i < work.models.longest; ++i) {
    if (points > 0) {
      take_kernel<<<dim3(blocks_for(points, kThreads), jobs), kThreads, 0, stream>>>(work, i);
      fovea::cuda::check_launch("greedy matching: points");
    }
    if (i == 0 || pairs == 0) continue;
    recurse_kernel<<<dim3(blocks_for(pairs, kThreads), jobs), kThreads, 0, stream>>>(work, i);
    fovea::cuda::check_launch("greedy matching: frames");
  }
  end_kernel<<<jobs, kEndThreads, 0, stream>>>(work);
  fovea::cuda::check_launch("greedy matching: ends");
}

}  // namespace fovea::actions::cuda
