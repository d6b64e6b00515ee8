// How the partitioned engine works: parts of the graph, the gates between them, and the layout of
// their data. The plan is made on the host, and both twins follow it.
//
// The graph is cut into parts, each node owned by one. Of every arc between two parts at least one
// end is a gate. A part sees its own nodes and the gates of others that an arc of it leads to
// (together its locals), so that a path leaves a part through one of its gates only. With tiles as
// in min_plus_math.h the distances are
//   1. local(P)        floyd-warshall over the locals of each part P
//   2. between         floyd-warshall over all gates, from the arcs between gates and local(P)
//   3. far(g, j)       min over the gates h of j's part: between(g, h) + local(h, j)
//   4. d(i, j)         min over the gates g of i's part: local(i, g) + far(g, j), i's part after
//                      j's; inside one part both ways round, and local(i, j)
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea::detail {

// Columns of a part are padded to this many floats, a cache line.
inline constexpr int kPathAlign = 16;

struct PathPart {
  int own = 0;     // nodes that it owns
  int locals = 0;  // these, and gates that other parts own
  int gates = 0;   // gates among its locals
  int first = 0;   // position of its first own node
  int column = 0;  // column of its first own node in rows that are padded after each part,
  int stride = 0;  // and how many columns it takes
  std::size_t first_local = 0;
  std::size_t first_gate = 0;
  std::size_t first_arc = 0;
  std::size_t arcs = 0;
  std::size_t first_inside = 0;   // own x stride floats
  std::size_t first_through = 0;  // gates x stride floats
};

struct PathPlan {
  int nodes = 0;
  int gates = 0;
  int columns = 0;  // columns of a padded row
  std::size_t inside_size = 0;
  std::size_t through_size = 0;
  std::vector<PathPart> parts;  // parts with fewer gates come later
  // The node at a position: the own nodes of one part after the other, in their order there.
  std::vector<std::int32_t> node_at;
  std::vector<std::int32_t> position_of;  // its inverse
  std::vector<std::int32_t> part_of;      // part of each node
  std::vector<std::int32_t> locals;  // nodes: for each part its own ones in order, then the others
  std::vector<std::int32_t> gate_local;   // for each part: the index of a gate among its locals,
  std::vector<std::int32_t> gate_number;  // and its number among all gates
  std::vector<GraphArc> arcs;             // for each part, between numbers of its locals
  std::vector<GraphArc> gate_arcs;        // between numbers of gates
  double relaxations = 0;                 // relaxations that all distances take
};

// The plan with the fewest relaxations among those of 1, 2, 4, ... parts. It is the same for any
// number of threads.
FOVEA_API PathPlan make_path_plan(const Graph& graph, const Exec& exec);

// The number of relaxations of blocked floyd-warshall over half a matrix.
FOVEA_API double floyd_warshall_relaxations(int nodes);

}  // namespace fovea::detail
