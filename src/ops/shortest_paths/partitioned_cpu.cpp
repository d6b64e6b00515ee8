// All distances over the parts of a plan (Djidjev et al., 2014, with gates shared by both sides of
// a border): the four steps of path_plan.h.
#include <algorithm>

#include "ops/shortest_paths/at.h"
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/min_plus.h"
#include "ops/shortest_paths/min_plus_math.h"

namespace fovea::cpu {
namespace {

using detail::at;
using detail::half_index;
using detail::PathPart;
using detail::PathPlan;

float either(const float* half, int a, int b) {
  return half[a > b ? half_index(a, b) : half_index(b, a)];
}

// Steps 1 to 3.
class Parts {
 public:
  Parts(const PathPlan& plan, const Exec& exec);

  // Step 4 for some own nodes of part `later` (given by their numbers in it) and all nodes of an
  // `earlier` part. `to` has one row per node, with as many columns as the stride of the earlier
  // part.
  void between(const PathPart& later, std::span<const std::int32_t> rows, const PathPart& earlier,
               float* to);
  // The same mirrored: rows of the earlier part, columns of the later one.
  void mirrored(const PathPart& earlier, std::span<const std::int32_t> rows, const PathPart& later,
                float* to);

 private:
  void close_parts(const Exec& exec);
  void close_gates(const Exec& exec);

 public:
  const PathPlan& plan;
  Array<float> inside;   // for each part: own x stride
  Array<float> through;  // for each part: gates x stride, distances from a gate to own nodes

 private:
  std::vector<std::vector<float>> gate_pairs_;  // for each part: distances between its gates
  Array<float> gates_;  // distances between all gates, half a matrix in tiles
  Array<float> far_;    // gates x columns of the plan
};

Parts::Parts(const PathPlan& plan_, const Exec& exec)
    : plan(plan_),
      inside(plan.inside_size),
      through(plan.through_size),
      gate_pairs_(plan.parts.size()),
      far_(at(plan.gates) * at(plan.columns)) {
  close_parts(exec);
  if (plan.gates == 0) return;
  close_gates(exec);
  constexpr int kRows = 256;
  const int pieces = (plan.gates + kRows - 1) / kRows;
  parallel_for(
      exec, pieces * static_cast<std::int64_t>(plan.parts.size()), 1,
      [&](std::int64_t task, std::int64_t) {
        const PathPart& part = plan.parts[at(task / pieces)];
        const auto begin = static_cast<int>(task % pieces) * kRows;
        const int rows = std::min(kRows, plan.gates - begin);
        const std::int32_t* gates = plan.gate_number.data() + part.first_gate;
        std::vector<float> to_gates(at(rows) * at(part.gates));
        for (int i = 0; i < rows; ++i)
          for (int k = 0; k < part.gates; ++k)
            to_gates[at(i) * at(part.gates) + at(k)] = either(gates_.data(), begin + i, gates[k]);
        min_plus({rows, part.stride, part.gates, to_gates.data(), part.gates,
                  through.data() + part.first_through, part.stride,
                  far_.data() + at(begin) * at(plan.columns) + part.column, plan.columns, false});
      });
  gates_ = {};
}

void Parts::close_parts(const Exec& exec) {
  parallel_for(exec, static_cast<std::int64_t>(plan.parts.size()), 1,
               [&](std::int64_t p, std::int64_t) {
                 const PathPart& part = plan.parts[at(p)];
                 const int tiles = detail::path_tiles(part.locals);
                 Array<float> half(detail::half_tile(tiles, 0));
                 std::fill(half.begin(), half.end(), kUnreachable);
                 for (int i = 0; i < tiles * detail::kPathTile; ++i) half[half_index(i, i)] = 0;
                 for (std::size_t i = part.first_arc; i < part.first_arc + part.arcs; ++i) {
                   const GraphArc& arc = plan.arcs[i];
                   const auto [low, high] = std::minmax(arc.a, arc.b);
                   half[half_index(high, low)] = arc.cost;
                   if (high / detail::kPathTile == low / detail::kPathTile)
                     half[half_index(low, high)] = arc.cost;
                 }
                 Exec alone{.threads = 1, .stop = exec.stop};
                 close_half(half.data(), tiles, alone);

                 float* own = inside.data() + part.first_inside;
                 for (int i = 0; i < part.own; ++i, own += part.stride) {
                   for (int j = 0; j < part.own; ++j) own[j] = either(half.data(), i, j);
                   std::fill(own + part.own, own + part.stride, kUnreachable);
                 }
                 const std::int32_t* gates = plan.gate_local.data() + part.first_gate;
                 float* gate = through.data() + part.first_through;
                 auto& pairs = gate_pairs_[at(p)];
                 for (int k = 0; k < part.gates; ++k, gate += part.stride) {
                   for (int j = 0; j < part.own; ++j) gate[j] = either(half.data(), gates[k], j);
                   std::fill(gate + part.own, gate + part.stride, kUnreachable);
                   for (int other = 0; other < part.gates; ++other)
                     pairs.push_back(either(half.data(), gates[k], gates[other]));
                 }
               });
}

void Parts::close_gates(const Exec& exec) {
  const int tiles = detail::path_tiles(plan.gates);
  gates_ = Array<float>(detail::half_tile(tiles, 0));
  std::fill(gates_.begin(), gates_.end(), kUnreachable);
  for (int i = 0; i < tiles * detail::kPathTile; ++i) gates_[half_index(i, i)] = 0;
  const auto put = [&](int a, int b, float distance) {
    float& kept = gates_[half_index(a, b)];
    kept = std::min(kept, distance);
  };
  const auto put_both = [&](int a, int b, float distance) {
    if (a / detail::kPathTile >= b / detail::kPathTile) put(a, b, distance);
    if (b / detail::kPathTile >= a / detail::kPathTile) put(b, a, distance);
  };
  for (const GraphArc& arc : plan.gate_arcs) put_both(arc.a, arc.b, arc.cost);
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const PathPart& part = plan.parts[p];
    const std::int32_t* gates = plan.gate_number.data() + part.first_gate;
    for (int a = 0; a < part.gates; ++a)
      for (int b = 0; b < part.gates; ++b)
        put_both(gates[a], gates[b], gate_pairs_[p][at(a) * at(part.gates) + at(b)]);
  }
  gate_pairs_.clear();
  close_half(gates_.data(), tiles, exec);
}

void Parts::between(const PathPart& later, std::span<const std::int32_t> rows,
                    const PathPart& earlier, float* to) {
  std::vector<float> to_gates(rows.size() * at(later.gates));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int k = 0; k < later.gates; ++k)
      to_gates[i * at(later.gates) + at(k)] =
          through[later.first_through + at(k) * at(later.stride) + at(rows[i])];
  std::vector<float> from_gates(at(later.gates) * at(earlier.stride));
  for (int k = 0; k < later.gates; ++k)
    std::copy_n(far_.data() + at(plan.gate_number[later.first_gate + at(k)]) * at(plan.columns) +
                    earlier.column,
                earlier.stride, from_gates.data() + at(k) * at(earlier.stride));
  min_plus({static_cast<int>(rows.size()), earlier.stride, later.gates, to_gates.data(),
            later.gates, from_gates.data(), earlier.stride, to, earlier.stride, false});
}

void Parts::mirrored(const PathPart& earlier, std::span<const std::int32_t> rows,
                     const PathPart& later, float* to) {
  std::vector<float> to_gates(rows.size() * at(later.gates));
  for (int k = 0; k < later.gates; ++k) {
    const float* far = far_.data() +
                       at(plan.gate_number[later.first_gate + at(k)]) * at(plan.columns) +
                       earlier.column;
    for (std::size_t i = 0; i < rows.size(); ++i)
      to_gates[i * at(later.gates) + at(k)] = far[rows[i]];
  }
  min_plus({static_cast<int>(rows.size()), later.stride, later.gates, to_gates.data(), later.gates,
            through.data() + later.first_through, later.stride, to, later.stride, false});
}

// Where tiles are written: the lower half in the order of the nodes.
class Lower {
 public:
  Lower(const PathPlan& plan, std::span<float> lower) : plan_(plan), lower_(lower) {}

  void take(const PathPart& rows, const PathPart& columns, const float* tile) {
    const auto a = nodes_of(rows), b = nodes_of(columns);
    std::size_t less = 0;  // columns whose node comes before that of the row
    for (std::size_t i = 0; i < a.size(); ++i) {
      while (less < b.size() && b[less] < a[i]) ++less;
      float* row = row_of(a[i]);
      const float* from = tile + i * at(columns.stride);
      for (std::size_t j = 0; j < less; ++j) row[b[j]] = from[j];
    }
    less = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      while (less < a.size() && a[less] < b[j]) ++less;
      float* row = row_of(b[j]);
      for (std::size_t i = 0; i < less; ++i) row[a[i]] = tile[i * at(columns.stride) + j];
    }
  }
  void take_own(const PathPart& part, const float* tile, const float* inside) {
    const auto nodes = nodes_of(part);
    const std::size_t stride = at(part.stride);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      float* row = row_of(nodes[i]);
      for (std::size_t j = 0; j <= i; ++j)
        row[nodes[j]] =
            std::min({tile[i * stride + j], tile[j * stride + i], inside[i * stride + j]});
    }
  }

 private:
  std::span<const std::int32_t> nodes_of(const PathPart& part) const {
    return {plan_.node_at.data() + part.first, at(part.own)};
  }
  float* row_of(std::int32_t node) const { return lower_.data() + at(node) * (at(node) + 1) / 2; }

  const PathPlan& plan_;
  std::span<float> lower_;
};

std::vector<std::int32_t> all_of(const PathPart& part) {
  std::vector<std::int32_t> rows(at(part.own));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int32_t>(i);
  return rows;
}

}  // namespace

void partitioned(const PathPlan& plan, const PathOptions& options, std::span<float> lower) {
  Parts parts(plan, options.exec);
  Lower to(plan, lower);
  constexpr std::size_t kColumns = 8;  // parts per piece of work
  struct Piece {
    std::size_t row, begin, end;
  };
  std::vector<Piece> pieces;
  for (std::size_t row = 0; row < plan.parts.size(); ++row)
    for (std::size_t begin = 0; begin <= row; begin += kColumns)
      pieces.push_back({row, begin, std::min(row + 1, begin + kColumns)});
  const auto work = [&](const Piece& piece) {
    const PathPart& later = plan.parts[piece.row];
    const std::vector<std::int32_t> rows = all_of(later);
    int widest = 0;
    for (std::size_t p = piece.begin; p < piece.end; ++p)
      widest = std::max(widest, plan.parts[p].stride);
    Array<float> tile(at(later.own) * at(widest));
    for (std::size_t p = piece.begin; p < piece.end; ++p) {
      parts.between(later, rows, plan.parts[p], tile.data());
      if (p != piece.row) to.take(later, plan.parts[p], tile.data());
      else to.take_own(later, tile.data(), parts.inside.data() + later.first_inside);
    }
  };
  constexpr std::size_t kReport = 256;  // pieces between two progress reports
  for (std::size_t begin = 0; begin < pieces.size(); begin += kReport) {
    const std::size_t end = std::min(pieces.size(), begin + kReport);
    parallel_for(options.exec, static_cast<std::int64_t>(end - begin), 1,
                 [&](std::int64_t i, std::int64_t) { work(pieces[begin + at(i)]); });
    if (options.exec.progress)
      options.exec.progress(
          {"distances", static_cast<double>(end), static_cast<double>(pieces.size())});
  }
}

void partitioned_rows(const PathPlan& plan, const PathOptions& options, detail::TakeRows take) {
  Parts parts(plan, options.exec);
  const int most = std::min(plan.nodes, detail::rows_at_a_time(plan.nodes));
  Image<float> rows(plan.nodes, most);
  const auto count = static_cast<std::int64_t>(plan.parts.size());
  for (int first = 0; first < plan.nodes; first += most) {
    const int end = std::min(plan.nodes, first + most);
    // The numbers of the rows in each part, and which row each of them is.
    std::vector<std::vector<std::int32_t>> own(plan.parts.size()), place(plan.parts.size());
    for (int node = first; node < end; ++node) {
      const std::size_t p = at(plan.part_of[at(node)]);
      own[p].push_back(plan.position_of[at(node)] - plan.parts[p].first);
      place[p].push_back(node - first);
    }
    parallel_for(options.exec, count, 1, [&](std::int64_t column, std::int64_t) {
      const PathPart& to = plan.parts[at(column)];
      const std::int32_t* nodes = plan.node_at.data() + to.first;
      for (std::size_t p = 0; p < plan.parts.size(); ++p) {
        if (own[p].empty()) continue;
        const PathPart& from = plan.parts[p];
        Array<float> tile(own[p].size() * at(to.stride)), other;
        if (at(column) <= p) parts.between(from, own[p], to, tile.data());
        else parts.mirrored(from, own[p], to, tile.data());
        if (at(column) == p) {
          other = Array<float>(tile.size());
          parts.mirrored(from, own[p], to, other.data());
        }
        for (std::size_t i = 0; i < own[p].size(); ++i) {
          float* values = tile.data() + i * at(to.stride);
          if (at(column) == p) {
            const float* inside =
                parts.inside.data() + to.first_inside + at(own[p][i]) * at(to.stride);
            const float* back = other.data() + i * at(to.stride);
            for (int j = 0; j < to.own; ++j) values[j] = std::min({values[j], back[j], inside[j]});
          }
          float* row = rows.row(place[p][i]);
          for (int j = 0; j < to.own; ++j) row[nodes[j]] = values[j];
        }
      }
    });
    take({first, rows.view().crop(0, 0, plan.nodes, end - first)});
  }
}

}  // namespace fovea::cpu
