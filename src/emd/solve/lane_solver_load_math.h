// How a lane reads its pair of histograms and writes its results. Like all of a lane's work, this
// runs on the host too.
#pragma once
#include <cstring>

#include "emd/solve/lane_solver_batch.h"
#include "emd/solve/lane_solver_math.h"
#include "emd/solve/mass_math.h"

namespace fovea::emd::lane {

// What is done with a problem after its masses have been read.
enum class Next : unsigned char { kSolve, kUneven, kEmpty, kInvalid };

// A pair in whole masses. The totals are equal; if they were not, the extra bin makes up for it.
template <class S>
struct Pair {
  typename S::Mass first[S::kBins];
  typename S::Mass second[S::kBins];
  MovedMass mass;
};

// Reads from memory that no kernel writes at the same time.
template <class T>
FOVEA_LANE T read_only(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldg(from);
#else
  return *from;
#endif
}

// Elements that are read together, 16 bytes in all.
template <class T>
struct Piece {
  static constexpr int kItems = 16 / sizeof(T);
  T item[kItems];
};
template <class T>
FOVEA_LANE Piece<T> read_piece(const T* from) {
#ifdef __CUDA_ARCH__
  union {
    uint4 all;
    Piece<T> piece;
  } bits;
  bits.all = __ldg(reinterpret_cast<const uint4*>(from));
  return bits.piece;
#else
  Piece<T> piece;
  std::memcpy(&piece, from, sizeof(piece));
  return piece;
#endif
}

template <class Value, class T, int kBins>
FOVEA_LANE void read_bins(const MassRows& rows, const T* row, Value (&values)[kBins]) {
  constexpr int kItems = Piece<T>::kItems;
  if (rows.aligned) {
    FOVEA_UNROLL
    for (int at = 0; at < kBins; at += kItems) {
      Piece<T> piece{};
      if (at < rows.bins) piece = read_piece(row + at);
      FOVEA_UNROLL
      for (int k = 0; k < kItems; ++k) {
        const int bin = at + k;
        if (bin < kBins)
          values[bin] = bin < rows.bins ? static_cast<Value>(piece.item[k]) : Value{0};
      }
    }
  } else {
    FOVEA_UNROLL
    for (int bin = 0; bin < kBins; ++bin)
      values[bin] = bin < rows.bins ? static_cast<Value>(read_only(row + bin)) : Value{0};
  }
}

template <class Value, int kBins>
FOVEA_LANE void read_row(const MassRows& rows, int problem, Value (&values)[kBins]) {
  const std::ptrdiff_t at = problem * rows.stride;
  if (rows.type == MassType::kUint8)
    read_bins(rows, static_cast<const std::uint8_t*>(rows.data) + at, values);
  else if (rows.type == MassType::kUint16)
    read_bins(rows, static_cast<const std::uint16_t*>(rows.data) + at, values);
  else if (rows.type == MassType::kFloat)
    read_bins(rows, static_cast<const float*>(rows.data) + at, values);
  else read_bins(rows, static_cast<const double*>(rows.data) + at, values);
}

FOVEA_LANE bool counts(const MassRows& rows) { return rows.type <= MassType::kUint16; }

template <class Mass, int kBins>
FOVEA_LANE Mass total_of(const Mass (&masses)[kBins]) {
  Mass total = 0;
  FOVEA_UNROLL
  for (int k = 0; k < kBins; ++k) total += masses[k];
  return total;
}

// Puts the surplus of one side into the extra bin behind the last bin of the other.
template <class S>
FOVEA_LANE void fill_extra(const Batch& batch, const Balance<typename S::Mass>& balance,
                           Pair<S>& pair) {
  FOVEA_UNROLL
  for (int k = 0; k < S::kBins; ++k) {
    if (k == batch.first.bins) pair.first[k] = balance.first;
    if (k == batch.second.bins) pair.second[k] = balance.second;
  }
}

// Multiplies both sides to the least total that they can have in common; returns false if this is
// too large.
template <class S>
FOVEA_LANE bool normalize_counts(const Batch& batch, std::int32_t first_total,
                                 std::int32_t second_total, Pair<S>& pair) {
  const CountFactors factors = count_factors(first_total, second_total, batch.most_total);
  if (factors.first == 0) return false;
  FOVEA_UNROLL
  for (int k = 0; k < S::kBins; ++k) {
    pair.first[k] *= factors.first;
    pair.second[k] *= factors.second;
  }
  pair.mass.moved = std::int64_t{first_total} * factors.first;
  return true;
}

// Loads masses of 32 bits: counts, and real numbers that are whole. All other pairs are kUneven.
template <class S>
FOVEA_LANE Next load_counts(const Batch& batch, int problem, bool extra, Pair<S>& pair) {
  if (counts(batch.first)) {
    read_row(batch.first, problem, pair.first);
    read_row(batch.second, problem, pair.second);
  } else {
    double masses[S::kBins];
    const auto convert = [&](const MassRows& rows, std::int32_t(&whole)[S::kBins], double& total) {
      read_row(rows, problem, masses);
      bool valid = true, is_whole = true;
      total = 0;
      FOVEA_UNROLL
      for (int k = 0; k < S::kBins; ++k) {
        valid &= masses[k] >= 0;
        is_whole &= masses[k] == trunc(masses[k]);
        total += masses[k];
        whole[k] = masses[k] <= batch.most_total ? static_cast<std::int32_t>(masses[k]) : 0;
      }
      if (!valid || !(total <= 1.7976931348623157e308)) return Next::kInvalid;
      return is_whole && total <= batch.most_total ? Next::kSolve : Next::kUneven;
    };
    double first_total, second_total;
    const Next one = convert(batch.first, pair.first, first_total);
    const Next other = convert(batch.second, pair.second, second_total);
    if (one == Next::kInvalid || other == Next::kInvalid) return Next::kInvalid;
    if (one == Next::kUneven || other == Next::kUneven) return Next::kUneven;
  }
  const std::int32_t first_total = total_of(pair.first), second_total = total_of(pair.second);
  pair.mass = {first_total};
  if (first_total == 0 || second_total == 0) {
    pair.mass.extra = first_total + second_total;
    return Next::kEmpty;
  }
  if (first_total == second_total) return Next::kSolve;
  if (batch.rule.policy == MassPolicy::kNormalize)
    return normalize_counts<S>(batch, first_total, second_total, pair) ? Next::kSolve
                                                                       : Next::kUneven;
  if (!extra) return Next::kUneven;
  const auto balance = balance_of(first_total, second_total);
  pair.mass = {balance.moved, balance.first + balance.second};
  fill_extra<S>(batch, balance, pair);
  return Next::kSolve;
}

// Loads masses of 64 bits, for every type and policy.
template <class S>
FOVEA_LANE Next load_any(const Batch& batch, int problem, Pair<S>& pair) {
  using Masses = double[S::kBins];
  Masses first, second;
  read_row(batch.first, problem, first);
  read_row(batch.second, problem, second);
  const WholePair whole =
      make_whole(batch.rule.policy, MassSide<Masses>{first, S::kBins, pair.first},
                 MassSide<Masses>{second, S::kBins, pair.second});
  pair.mass = whole.mass;
  if (whole.status == Status::kInvalidMass) return Next::kInvalid;
  if (whole.status == Status::kEmpty) return Next::kEmpty;
  fill_extra<S>(batch, balance_of(whole.first_total, whole.second_total), pair);
  return Next::kSolve;
}

template <class S>
FOVEA_LANE Next load_pair(const Batch& batch, int problem, bool extra, Pair<S>& pair) {
  if constexpr (sizeof(typename S::Mass) == 4) return load_counts<S>(batch, problem, extra, pair);
  else return load_any<S>(batch, problem, pair);
}

FOVEA_LANE void hand_in(const Batch& batch, int problem, double distance, Status status, int pivots,
                        SolvedBy solver) {
  batch.distance[problem] = distance;
  if (batch.status != nullptr) batch.status[problem] = status;
  if (batch.pivots != nullptr)
    batch.pivots[problem] = static_cast<std::uint16_t>(pivots < 65535 ? pivots : 65535);
  if (batch.solved_by != nullptr) batch.solved_by[problem] = solver;
}

// Writes the result of a pair that is not solved. Its flow is 0.
FOVEA_LANE void hand_in_unsolved(const Batch& batch, int problem, Next next,
                                 const MovedMass& mass) {
  if (next == Next::kEmpty)
    hand_in(batch, problem, empty_distance(batch.rule, mass), Status::kEmpty, 0,
            SolvedBy::kNothing);
  else hand_in(batch, problem, 0, Status::kInvalidMass, 0, SolvedBy::kNothing);
}

// Clears a row of flow and enters the mass that stays in its bin.
template <class S>
FOVEA_LANE void begin_flow(const Batch& batch, int problem, bool solve, const Pair<S>& pair) {
  const int rows = batch.first.bins, columns = batch.second.bins;
  double* flow = batch.flow + problem * batch.flow_stride;
  for (int k = 0; k < rows * columns; ++k) flow[k] = 0;
  if (!solve) return;
  if constexpr (S::kNet) {
    const FlowScale scale = flow_scale(batch.rule, pair.mass);
    FOVEA_UNROLL
    for (int k = 0; k < S::kBins; ++k) {
      const auto stays = pair.first[k] < pair.second[k] ? pair.first[k] : pair.second[k];
      if (k < rows) flow[k * columns + k] = scale(static_cast<double>(stays));
    }
  }
}

// Adds the flow along one edge of the tree.
template <class S>
FOVEA_LANE void add_flow(const Batch& batch, int problem, Sides sides, int node, int other,
                         double mass) {
  const int source = has(sides.sources, node) ? node : other;
  const int sink = (source == node ? other : node) - (S::kNet ? 0 : S::kBins);
  if (source < batch.first.bins && sink < batch.second.bins)
    batch.flow[problem * batch.flow_stride + source * batch.second.bins + sink] += mass;
}

// Lanes with `wanted` append their problems to the queue; on the device, all lanes of a warp do so
// with one atomic operation.
FOVEA_LANE void enqueue(const Queue& queue, bool wanted, int problem) {
#ifdef __CUDA_ARCH__
  const unsigned active = __activemask();
  const unsigned want = __ballot_sync(active, wanted);
  if (!wanted) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int leader = __ffs(static_cast<int>(want)) - 1;
  int at = 0;
  if (lane == leader) at = atomicAdd(queue.count, __popc(want));
  at = __shfl_sync(want, at, leader) + __popc(want & ((1U << lane) - 1));
  queue.problems[at] = problem;
#else
  if (wanted) queue.problems[(*queue.count)++] = problem;
#endif
}

}  // namespace fovea::emd::lane
