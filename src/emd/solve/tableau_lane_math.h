// Shaffer's simplex (2011) for the lanes of a warp, which hold one problem together. At the start
// all mass goes to an auxiliary sink that every source reaches and that costs more than any path,
// so that there is no first phase. The entries of the tableau of a transportation problem are -1, 0
// or 1 (Nagler 1962). They are kept in registers as two planes of bits, which a pivot changes by
// logic operations.
//
// Lane k holds the constraints of source k and of sink k, and what their columns would save. The
// caller exchanges data between lanes: by shuffles on the device, by loops in a test.
#pragma once
#include <cstdint>

#include "emd/solve/lane_solver_math.h"

namespace fovea::emd::tableau {

// Columns: cells at source * 16 + sink, then those of the auxiliary sink and the slacks of the
// sinks.
inline constexpr int kSide = 16;
inline constexpr int kAuxiliary = kSide * kSide;
inline constexpr int kSlack = kAuxiliary + kSide;

// A row of the tableau.
template <int kBins>
struct Row {
  static constexpr int kCellWords = (kBins + 1) / 2;  // words of two sources each
  static constexpr int kWords = kCellWords + 1;
  std::uint32_t plus[kWords];
  std::uint32_t minus[kWords];

  FOVEA_HD static int word_of(int column) { return column < kAuxiliary ? column / 32 : kCellWords; }
  FOVEA_HD int entry(int column) const {
    std::uint32_t above = 0, below = 0;
    FOVEA_UNROLL
    for (int w = 0; w < kWords; ++w) {
      above = w == word_of(column) ? plus[w] : above;
      below = w == word_of(column) ? minus[w] : below;
    }
    return static_cast<int>(above >> column % 32 & 1U) -
           static_cast<int>(below >> column % 32 & 1U);
  }
  // Subtracts `factor` times another row; all results are -1, 0 or 1.
  FOVEA_HD void subtract(const Row& other, int factor) {
    if (factor == 0) return;
    FOVEA_UNROLL
    for (int w = 0; w < kWords; ++w) {
      const std::uint32_t up = factor > 0 ? other.plus[w] : other.minus[w];
      const std::uint32_t down = factor > 0 ? other.minus[w] : other.plus[w];
      const std::uint32_t sum_plus = (plus[w] & ~up) | (down & ~minus[w]);
      minus[w] = (minus[w] & ~down) | (up & ~plus[w]);
      plus[w] = sum_plus;
    }
  }
};

// A column and its reduced cost.
template <class Cost>
struct Candidate {
  Cost cost;
  int column;
  FOVEA_HD bool before(const Candidate& other) const {
    return cost < other.cost || (cost == other.cost && column < other.column);
  }
};
// A row that limits the entering column, and the limit.
template <class Mass>
struct Limit {
  Mass mass;
  int column;  // of the row's basic variable
  int row;     // 2 * lane + side, < 0 for none
  FOVEA_HD bool before(const Limit& other) const {
    if (row < 0 || other.row < 0) return other.row < 0 && row >= 0;
    return mass < other.mass || (mass == other.mass && column < other.column);
  }
};

struct Size {
  int sources;
  int sinks;
};

template <class Mass, class Cost, int kBins>
struct Lane {
  Row<kBins> row[2];  // of the source and of the sink
  Mass value[2];      // values of the basic variables
  int basic[2];       // their columns
  Cost reduced[kBins +
               2];  // of the source's cells, the source's auxiliary cell and the sink's slack

  // Starts a problem with so many sources and sinks; lanes beyond them hold nothing. `dear` is the
  // cost of the auxiliary sink.
  FOVEA_HD void start(int lane, const Size& size, Mass supply, Mass demand,
                      const Cost (&cost)[kBins], Cost dear) {
    constexpr int kLast = Row<kBins>::kCellWords;
    const bool source = lane < size.sources, sink = lane < size.sinks;
    row[0] = row[1] = {};
    FOVEA_UNROLL
    for (int w = 0; w < kLast; ++w) {
      const std::uint32_t half = ((1U << size.sinks) - 1) << (lane % 2 * kSide);
      const std::uint32_t both = 1U << lane | (2 * w + 1 < size.sources ? 1U << (kSide + lane) : 0);
      row[0].plus[w] = source && w == lane / 2 ? half : 0;
      row[1].plus[w] = sink && 2 * w < size.sources ? both : 0;
    }
    row[0].plus[kLast] = source ? 1U << lane : 0;
    row[1].plus[kLast] = sink ? 1U << (kSide + lane) : 0;
    value[0] = supply;
    value[1] = demand;
    basic[0] = kAuxiliary + lane;
    basic[1] = kSlack + lane;
    FOVEA_UNROLL
    for (int j = 0; j < kBins; ++j) reduced[j] = source && j < size.sinks ? cost[j] - dear : 0;
    reduced[kBins] = reduced[kBins + 1] = 0;
  }

  // Returns the lane's column with the least reduced cost, or the first with a negative one (Bland
  // 1977).
  FOVEA_HD Candidate<Cost> cheapest(int lane, bool first) const {
    Candidate<Cost> best{0, kSlack + kSide};
    FOVEA_UNROLL
    for (int k = 0; k < kBins + 2; ++k) {
      const int column = k < kBins    ? lane * kSide + k
                         : k == kBins ? kAuxiliary + lane
                                      : kSlack + lane;
      if (first ? reduced[k] < 0 && best.cost == 0 : reduced[k] < best.cost)
        best = Candidate<Cost>{reduced[k], column};
    }
    return best;
  }

  FOVEA_HD Limit<Mass> tightest(int lane, int entering) const {
    Limit<Mass> best{0, 0, -1};
    FOVEA_UNROLL
    for (int side = 0; side < 2; ++side) {
      const Limit<Mass> limit{value[side], basic[side], 2 * lane + side};
      if (row[side].entry(entering) > 0 && limit.before(best)) best = limit;
    }
    return best;
  }

  // `pivot` is the leaving row before the change; `at` and `moved` come from its limit.
  FOVEA_HD void update(int lane, const Candidate<Cost>& entering, int at, Mass moved,
                       const Row<kBins>& pivot) {
    FOVEA_UNROLL
    for (int side = 0; side < 2; ++side) {
      if (at == 2 * lane + side) {
        basic[side] = entering.column;
      } else {
        const int factor = row[side].entry(entering.column);
        row[side].subtract(pivot, factor);
        value[side] -= factor > 0 ? moved : factor < 0 ? -moved : 0;
      }
    }
    std::uint32_t plus = 0, minus = 0;
    FOVEA_UNROLL
    for (int w = 0; w < Row<kBins>::kCellWords; ++w) {
      plus = w == lane / 2 ? pivot.plus[w] : plus;
      minus = w == lane / 2 ? pivot.minus[w] : minus;
    }
    plus >>= lane % 2 * kSide;
    minus >>= lane % 2 * kSide;
    const auto lower = [&](Cost& cost, std::uint32_t up, std::uint32_t down, int bit) {
      if ((up >> bit & 1U) != 0) cost -= entering.cost;
      if ((down >> bit & 1U) != 0) cost += entering.cost;
    };
    FOVEA_UNROLL
    for (int j = 0; j < kBins; ++j) lower(reduced[j], plus, minus, j);
    constexpr int kLast = Row<kBins>::kCellWords;
    lower(reduced[kBins], pivot.plus[kLast], pivot.minus[kLast], lane);
    lower(reduced[kBins + 1], pivot.plus[kLast], pivot.minus[kLast], kSide + lane);
  }
};

}  // namespace fovea::emd::tableau
