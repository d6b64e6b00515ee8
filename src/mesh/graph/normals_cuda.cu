// Smooths normals and measures angles on a GPU, with one thread per face and one thread per arc,
// and with the arithmetic and the order of sums of the CPU. The graph is uploaded and its arcs and
// normals are downloaded once: for 20000 faces that is a megabyte and a few dozen microseconds.
#include "core/launch.cuh"
#include "mesh/graph/normals.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh::cuda {
namespace {

using fovea::cuda::blocks_for;
using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::thread_number;

constexpr int kThreads = 256;

static_assert(sizeof(Direction) == sizeof(std::array<float, 3>));

struct Around {
  const std::int64_t* first;
  const Neighbor* list;
  unsigned faces;
};

__global__ void weight_kernel(unsigned faces, const float* shares, const Direction* normals,
                              Direction* to) {
  const unsigned face = thread_number();
  if (face < faces) to[face] = weighted(shares[face], normals[face]);
}

__global__ void smooth_kernel(Around around, const float* shares, float share,
                              const Direction* from, Direction* to, Direction* normals) {
  const unsigned face = thread_number();
  if (face >= around.faces) return;
  Direction sum;
  for (std::int64_t i = around.first[face]; i < around.first[face + 1]; ++i)
    sum = added(sum, from[around.list[i].face]);
  const Direction now = smoothed(from[face], sum, share, normals[face]);
  normals[face] = now;
  to[face] = weighted(shares[face], now);
}

__global__ void measure_kernel(unsigned count, DualArc* arcs, const float* areas,
                               const Direction* normals, const Direction* centroids) {
  const unsigned i = thread_number();
  if (i >= count) return;
  const int a = arcs[i].a;
  const int b = arcs[i].b;
  Bend bend;
  if (areas[a] > 0 && areas[b] > 0)
    bend = bend_between(normals[a], normals[b], added(centroids[b], weighted(-1, centroids[a])));
  arcs[i].angle = bend.angle;
  arcs[i].concave = bend.concave;
}

template <class T>
void fetch(std::vector<T>& to, const void* from, cudaStream_t stream) {
  if (to.empty()) return;
  check(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost, stream),
        "fetching a dual graph");
}

}  // namespace

void smooth_and_measure(DualGraph& graph, const Adjacency& adjacency, std::span<const float> shares,
                        double rounds, const Exec& exec) {
  fovea::cuda::Session session(exec);
  session.must_wait();
  const cudaStream_t stream = session.stream();
  const std::size_t faces = shares.size();
  const std::size_t arcs = graph.arcs.size();
  DeviceBuffer<float> share(faces, stream), areas(faces, stream);
  DeviceBuffer<Direction> normals(faces, stream), centroids(faces, stream);
  DeviceBuffer<Direction> from(faces, stream), to(faces, stream);
  DeviceBuffer<std::int64_t> first(faces + 1, stream);
  DeviceBuffer<Neighbor> list(adjacency.list().size(), stream);
  DeviceBuffer<DualArc> arc(arcs, stream);
  share.fill(shares.data());
  areas.fill(graph.areas.data());
  normals.fill(reinterpret_cast<const Direction*>(graph.normals.data()));
  centroids.fill(reinterpret_cast<const Direction*>(graph.centroids.data()));
  first.fill(adjacency.first().data());
  if (arcs > 0) {
    list.fill(adjacency.list().data());
    arc.fill(graph.arcs.data());
  }

  const Around around{first.data(), list.data(), static_cast<unsigned>(faces)};
  const unsigned blocks = blocks_for(static_cast<std::int64_t>(faces), kThreads);
  weight_kernel<<<blocks, kThreads, 0, stream>>>(around.faces, share.data(), normals.data(),
                                                 from.data());
  check_launch("weighting normals");
  Direction* now = from.data();
  Direction* next = to.data();
  for (const float part : smoothing_shares(rounds)) {
    smooth_kernel<<<blocks, kThreads, 0, stream>>>(around, share.data(), part, now, next,
                                                   normals.data());
    check_launch("smoothing normals");
    std::swap(now, next);
  }
  if (arcs > 0) {
    measure_kernel<<<blocks_for(static_cast<std::int64_t>(arcs), kThreads), kThreads, 0, stream>>>(
        static_cast<unsigned>(arcs), arc.data(), areas.data(), normals.data(), centroids.data());
    check_launch("measuring angles");
  }
  fetch(graph.normals, normals.data(), stream);
  fetch(graph.arcs, arc.data(), stream);
  session.finish("smoothing normals");
}

}  // namespace fovea::mesh::cuda
