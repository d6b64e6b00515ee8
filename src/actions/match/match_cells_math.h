// The recursion as a GPU performs it: one node of the model after the other, all pairs of scene
// nodes at once. A table has one column per scene node (the points, then the dummies of all frames)
// and one row per preceding node. Rows are counted backward from the frame of the column: first the
// points, then the dummies, the nearest first. Neighboring threads take neighboring columns, whose
// predecessors are neighbors in memory too. All of it also runs on the host, where it is tested.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>

#include "actions/match/match_math.h"
#include "actions/match/match_terms.h"

namespace fovea::actions::detail {

// Frames are counted from the first of the scene.
struct CellScene {
  std::int32_t points = 0;
  std::int32_t frames = 0;                 // number of frames with a dummy: all or none
  std::int32_t span = 0;                   // number of all frames
  std::int32_t reach = 0;                  // most points in the `pair` frames before a frame
  std::int32_t seen = 0;                   // most points in the `triple` frames before a frame
  std::int32_t gaps = 0;                   // most dummies in the `pair` frames before a frame
  const std::int32_t* frame = nullptr;     // frame of each point
  const std::int32_t* first_at = nullptr;  // first point in this frame or later; span + 1 elements
  const float* directions = nullptr;       // `seen` rows, with one column per point

  FOVEA_HD std::int32_t columns() const { return points + frames; }
  FOVEA_HD std::int32_t rows() const { return reach + gaps; }
  FOVEA_HD std::int32_t frame_of(std::int32_t column) const {
    return column < points ? frame[column] : column - points;
  }
  // Returns the position of a node in the scene's order.
  FOVEA_HD std::int32_t rank_of(std::int32_t column) const {
    return column < points ? column + (frames > 0 ? frame[column] : 0)
                           : first_at[column - points + 1] + (column - points);
  }
  // Returns the preceding node that a row of a column stands for, or -1. `time` is the column's
  // frame.
  FOVEA_HD std::int32_t before(std::int32_t row, std::int32_t time, std::int32_t pair) const {
    if (row < reach) {
      const std::int32_t point = first_at[time] - 1 - row;
      return point >= first_at[time > pair ? time - pair : 0] ? point : -1;
    }
    const std::int32_t earlier = time - 1 - (row - reach);
    return earlier >= 0 ? points + earlier : -1;
  }
};

// A node of a model.
struct CellNode {
  float gap = 0;  // frames since the node before
  Bends bends;    // of the triple that ends with this node
};

// The result for a pair of scene nodes.
struct Cell {
  float energy = 0;
  float state = 0;
  std::uint16_t who = kNobody;  // row of the earlier node in the column of the middle node
};

// The input of one cell. `states` is the table of the node before, `middle` is the scene node
// before that of the column, and `unary` is the cost of the column's node here. For second nodes of
// a model, `begin` is the cost of the middle node as the first.
struct CellWork {
  std::int32_t column = 0;
  std::int32_t middle = 0;
  std::int32_t time = 0;  // frame of the column
  float unary = 0;
  float begin = 0;
  bool second = false;
};

FOVEA_HD inline float wrap_small(float turns) {
  constexpr float kWhole =
      12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number like rint()
  return turns - ((turns + kWhole) - kWhole);
}

FOVEA_HD inline Cell cell_of(const CellScene& scene, const MatchTerms& terms, const CellNode& node,
                             const CellWork& work, const float* states) {
  Cell cell;
  const std::int32_t middle = work.middle, points = scene.points;
  const std::int32_t middle_time = scene.frame_of(middle);
  const auto gap = static_cast<float>(work.time - middle_time);
  const float time = time_cost(terms.time, node.gap, gap);
  float best = work.begin;
  if (!work.second) {
    best = INFINITY;
    const std::int32_t left = terms.left(work.time - middle_time);
    const std::int32_t low = middle_time > left ? middle_time - left : 0;
    const std::int32_t begin = scene.first_at[low], end = scene.first_at[middle_time];
    const std::int32_t pitch = scene.columns();
    const float* column = states + middle;
    if (work.column < points && middle < points) {
      const std::int32_t end_last = scene.first_at[work.time];
      const float* to_last = scene.directions + work.column;
      const float* to_middle = scene.directions + middle;
      const float way = to_last[(end_last - 1 - middle) * points];
      for (std::int32_t a = begin; a < end; ++a) {
        const std::int32_t row = end - 1 - a;
        const Bends bends =
            bends_of(way, to_middle[row * points], to_last[(end_last - 1 - a) * points]);
        const float x = wrap_small(node.bends.at_middle - bends.at_middle);
        const float y = wrap_small(node.bends.at_last - bends.at_last);
        const float bend = std::sqrt(std::fma(y, y, x * x));
        const float energy = through(column[row * pitch], terms.angles, bend);
        if (energy < best) {
          best = energy;
          cell.who = static_cast<std::uint16_t>(row);
        }
      }
    } else {
      for (std::int32_t a = begin; a < end; ++a) {
        const std::int32_t row = end - 1 - a;
        if (const float energy = column[row * pitch]; energy < best) {
          best = energy;
          cell.who = static_cast<std::uint16_t>(row);
        }
      }
    }
    if (scene.frames > 0) {
      // Of equal energies the first counts: a point comes before the dummy of its frame.
      const std::int32_t found =
          cell.who == kNobody ? -1 : scene.frame[end - 1 - static_cast<std::int32_t>(cell.who)];
      bool point = cell.who != kNobody;
      for (std::int32_t f = low; f < middle_time; ++f) {
        const std::int32_t row = scene.reach + (middle_time - 1 - f);
        const float energy = column[row * pitch];
        if (energy < best || (point && energy == best && f < found)) {
          best = energy;
          cell.who = static_cast<std::uint16_t>(row);
          point = false;
        }
      }
    }
  }
  cell.energy = arrive(work.unary, work.second ? 0 : time, best);
  cell.state = go_on(cell.energy, time);
  return cell;
}

// The part of a scene's frames that one block of threads handles: from `first` to `end`, and the
// frames from `halo` that its cells read. Indices of the part are counted from `halo` and its first
// point, so that the part is a scene of its own, whose earlier columns are filled by other blocks.
struct CellSlice {
  std::int32_t halo = 0, first = 0, end = 0;  // frames
  std::int32_t base = 0;                      // the first point of the halo
  CellScene part;                             // with the pointers of the whole scene

  // The columns that this part fills, and those of its halo that it reads: points, then dummies.
  std::int32_t own_point = 0, own_dummy = 0;  // the first of each, as indices in the part
  std::int32_t read_point = 0, read_dummy = 0;

  FOVEA_HD std::int32_t own() const {
    return (part.points - own_point) + (part.frames - own_dummy);
  }
  FOVEA_HD std::int32_t own_column(std::int32_t i) const {
    const std::int32_t points = part.points - own_point;
    return i < points ? own_point + i : part.points + own_dummy + (i - points);
  }
  FOVEA_HD std::int32_t read() const { return (own_point - read_point) + (own_dummy - read_dummy); }
  FOVEA_HD std::int32_t read_column(std::int32_t i) const {
    const std::int32_t points = own_point - read_point;
    return i < points ? read_point + i : part.points + read_dummy + (i - points);
  }
  // Returns the column in another part, or in the whole scene, for a column of this part.
  FOVEA_HD std::int32_t column_in(const CellSlice& other, std::int32_t column) const {
    return column < part.points ? column + base - other.base
                                : column - part.points + halo - other.halo + other.part.points;
  }
};

FOVEA_HD inline CellSlice slice_of(const CellScene& scene, const MatchTerms& terms,
                                   std::int32_t rank, std::int32_t ranks) {
  CellSlice slice;
  const auto border = [&](std::int32_t r) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(scene.span) * r / ranks);
  };
  slice.first = border(rank);
  slice.end = border(rank + 1);
  slice.halo = slice.first > terms.triple ? slice.first - terms.triple : 0;
  slice.base = scene.first_at[slice.halo];
  slice.part = scene;
  slice.part.points = scene.first_at[slice.end] - slice.base;
  slice.part.span = slice.end - slice.halo;
  slice.part.frames = scene.frames > 0 ? slice.part.span : 0;
  slice.own_point = scene.first_at[slice.first] - slice.base;
  slice.own_dummy = scene.frames > 0 ? slice.first - slice.halo : 0;
  const std::int32_t read = slice.first > terms.pair ? slice.first - terms.pair : 0;
  slice.read_point = scene.first_at[read] - slice.base;
  slice.read_dummy = scene.frames > 0 ? read - slice.halo : 0;
  return slice;
}

// The end of an assignment, ordered by energy and then by the positions of its last two nodes.
struct CellEnd {
  float energy = 0;
  std::int32_t last_rank = 0, before_rank = 0;
  std::int32_t column = -1, row = 0;
};
FOVEA_HD inline bool earlier(const CellEnd& a, const CellEnd& b) {
  if (a.energy != b.energy) return a.energy < b.energy;
  if (a.last_rank != b.last_rank) return a.last_rank < b.last_rank;
  return a.before_rank < b.before_rank;
}

}  // namespace fovea::actions::detail
