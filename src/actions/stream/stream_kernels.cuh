// What runs on the GPU to match chains with the steps of a stream. A block has one chain and takes
// one step after the other; its states stay in device memory between launches.
#pragma once
#include "actions/match/match_kernels.cuh"
#include "actions/stream/stream_engine.h"

namespace fovea::actions::cuda {

// A step in the ring of steps. Offsets count elements of the pools.
struct StreamStep {
  std::int32_t frame = 0;
  std::int32_t points = 0, nodes = 0;
  std::int32_t before = 0;                  // number of nodes that may be neighbors
  std::int32_t neighbors = 0;               // number of steps that these belong to
  std::int32_t seen = 0;                    // number of points from which directions are known
  std::int32_t seen_steps = 0;              // number of steps that these belong to
  std::int32_t column = 0;                  // of the first point, among the points of its push
  std::int64_t first = 0, oldest_node = 0;  // nodes, counted from the start
  std::int64_t first_point = 0, oldest_seen = 0;  // points, likewise
  std::int64_t states = 0;      // by chain, pair and node: states, then appearances, first frames
  std::int64_t begin = 0;       // by chain and point: the cost of the first node
  std::int64_t places = 0;      // x and y of each point
  std::int64_t directions = 0;  // by point: from each point that is seen
  std::int64_t back = 0;        // by chain, pair and node

  FOVEA_HD std::int64_t pairs() const { return static_cast<std::int64_t>(nodes) * before; }
};

// A point of a push.
struct StreamPoint {
  float x = 0, y = 0;
  std::int32_t row = -1;  // where its features are in the store; -1: they are in place already
  std::int32_t step = 0;  // of the push
};

struct StreamResult {
  float energy;
  float appearance;
  std::int32_t first_frame;
  std::int32_t last_frame;
  std::int64_t pair;  // where the path ends
};

struct StreamWork {
  DeviceModels models;
  detail::MatchTerms terms;
  const StreamStep* ring = nullptr;
  std::int32_t ring_size = 1;
  float* window = nullptr;           // what later steps read
  std::uint16_t* history = nullptr;  // the paths back
  const float* unary = nullptr;      // one row per node, with unary_pitch points of the push each
  std::int64_t unary_pitch = 0;
  std::int64_t first_step = 0;
  std::int32_t steps = 0, points = 0;
  StreamResult* results = nullptr;  // by step and chain

  FOVEA_HD const StreamStep& step(std::int64_t number) const { return ring[number % ring_size]; }
};

// Writes places and features of the points where they belong.
struct StreamGather {
  const StreamPoint* points = nullptr;
  const float* store = nullptr;  // rows of models.depth numbers
  float* features = nullptr;     // one row per point of the push
};
void gather_stream(const StreamWork& work, const StreamGather& gather, cudaStream_t stream);
// Computes directions and matches. unary is complete.
void match_stream(const StreamWork& work, cudaStream_t stream);

// Digests of all steps of a work. Matches that count are appended to one list.
struct DigestEntry {
  double distance;
  std::int32_t chain, first_frame, step;
};
struct DigestWork {
  const std::int32_t* labels = nullptr;
  const std::int32_t* nodes = nullptr;
  const double* limits = nullptr;
  std::int32_t classes = 0;
  bool by_energy = true;
  std::int32_t* counting = nullptr;  // by step and chain: chains whose matches count
  unsigned* count = nullptr;         // of entries, which is 0 before
  double* nearest = nullptr;         // by step and class
  DigestEntry* entries = nullptr;    // room for steps x chains
};
void digest_stream(const StreamWork& work, const DigestWork& digest, cudaStream_t stream);

// Walks back from the end of a chain's match in a step of the work; `path` gets two numbers per
// node: the point within its frame or -1, and the frame.
void trace_stream(const StreamWork& work, std::int32_t step, std::int32_t chain, std::int32_t* path,
                  cudaStream_t stream);

// Features of descriptors, in rows of `depth` numbers from row `first` of a ring of `rows`.
struct FeatureWork {
  const float* descriptors = nullptr;
  int count = 0;
  detail::FeatureRule rule;
  float* ring = nullptr;
  std::int64_t first = 0, rows = 1;
  int depth = 0;
};
void make_features(const FeatureWork& work, cudaStream_t stream);

}  // namespace fovea::actions::cuda
