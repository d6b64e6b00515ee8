// How a lane gets its pair of histograms, and how it hands in what it found. As the rest of a
// lane's work it runs on the host too.
#pragma once
#include <cstring>

#include "emd/solve/lane_solver_batch.h"
#include "emd/solve/lane_solver_math.h"

namespace fovea::emd::lane {

// Totals of masses of 32 bits stay below, so that their costs fit 64 bits.
inline constexpr double kMostCount = 0x1p20;

// What becomes of a problem after its masses are read.
enum class Next : unsigned char { kSolve, kUneven, kEmpty, kInvalid };

// Of a pair in whole masses: totals are equal, by the extra bin where they were not.
template <class S>
struct Pair {
  typename S::Mass first[S::kBins];
  typename S::Mass second[S::kBins];
  MovedMass mass;
  double flow_scale;  // of the caller's masses, kNormalise: of 1
};

// Of memory that no kernel writes meanwhile.
template <class T>
FOVEA_LANE T read_only(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldg(from);
#else
  return *from;
#endif
}

// 16 bytes at once.
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

// What one side has more goes to the extra bin behind the other's last.
template <class S>
FOVEA_LANE void balance(const Batch& batch, typename S::Mass first_total,
                        typename S::Mass second_total, Pair<S>& pair) {
  using Mass = typename S::Mass;
  const Mass more = first_total - second_total;
  pair.mass.moved = more < 0 ? first_total : second_total;
  pair.mass.extra = more < 0 ? -more : more;
  FOVEA_UNROLL
  for (int k = 0; k < S::kBins; ++k) {
    if (k == batch.first.bins) pair.first[k] = more < 0 ? -more : Mass{0};
    if (k == batch.second.bins) pair.second[k] = more > 0 ? more : Mass{0};
  }
}

// Masses of 32 bits: counts, and reals that are counts. Whatever else there is, is uneven.
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
        whole[k] = masses[k] < kMostCount ? static_cast<std::int32_t>(masses[k]) : 0;
      }
      if (!valid || !(total <= 1.7976931348623157e308)) return Next::kInvalid;
      return is_whole && total < kMostCount ? Next::kSolve : Next::kUneven;
    };
    double first_total, second_total;
    const Next one = convert(batch.first, pair.first, first_total);
    const Next other = convert(batch.second, pair.second, second_total);
    if (one == Next::kInvalid || other == Next::kInvalid) return Next::kInvalid;
    if (one == Next::kUneven || other == Next::kUneven) return Next::kUneven;
  }
  const std::int32_t first_total = total_of(pair.first), second_total = total_of(pair.second);
  pair.mass = {first_total, 0, 0};
  pair.flow_scale = batch.rule.policy == MassPolicy::kNormalise ? 1.0 / first_total : 1.0;
  if (first_total == 0 || second_total == 0) {
    pair.mass.extra = first_total + second_total;
    return Next::kEmpty;
  }
  if (first_total == second_total) return Next::kSolve;
  if (!extra || batch.rule.policy == MassPolicy::kNormalise) return Next::kUneven;
  balance<S>(batch, first_total, second_total, pair);
  return Next::kSolve;
}

// Masses of 64 bits, of every type and policy.
template <class S>
FOVEA_LANE Next load_any(const Batch& batch, int problem, Pair<S>& pair) {
  int exponent = 0;
  if (counts(batch.first)) {
    read_row(batch.first, problem, pair.first);
    read_row(batch.second, problem, pair.second);
  } else {
    double first[S::kBins], second[S::kBins];
    read_row(batch.first, problem, first);
    read_row(batch.second, problem, second);
    const MassFacts one = mass_facts(first, S::kBins), other = mass_facts(second, S::kBins);
    if (!one.valid || !other.valid) return Next::kInvalid;
    exponent = mass_exponent(one, other);
    FOVEA_UNROLL
    for (int k = 0; k < S::kBins; ++k) {
      pair.first[k] = whole_mass(first[k], exponent);
      pair.second[k] = whole_mass(second[k], exponent);
    }
  }
  std::int64_t first_total = total_of(pair.first), second_total = total_of(pair.second);
  pair.mass = {first_total, first_total + second_total, exponent};
  if (first_total == 0 || second_total == 0) return Next::kEmpty;
  pair.flow_scale = exponent == 0 ? 1.0 : scalbn(1.0, exponent);
  if (batch.rule.policy == MassPolicy::kNormalise) {
    const MassFactors factors = mass_factors(first_total, second_total);
    if (factors.first > 0) {
      FOVEA_UNROLL
      for (int k = 0; k < S::kBins; ++k) {
        pair.first[k] *= factors.first;
        pair.second[k] *= factors.second;
      }
      first_total *= factors.first;
    } else {
      normalise_to(pair.first, batch.first.bins, first_total);
      normalise_to(pair.second, batch.second.bins, second_total);
      first_total = kNormalTotal;
    }
    second_total = first_total;
    pair.flow_scale = 1.0 / static_cast<double>(first_total);
  }
  balance<S>(batch, first_total, second_total, pair);
  return Next::kSolve;
}

template <class S>
FOVEA_LANE Next load_pair(const Batch& batch, int problem, bool extra, Pair<S>& pair) {
  if constexpr (sizeof(typename S::Mass) == 4) return load_counts<S>(batch, problem, extra, pair);
  else return load_any<S>(batch, problem, pair);
}

FOVEA_LANE void hand_in(const Batch& batch, int problem, double distance, Status status,
                        int pivots) {
  batch.distance[problem] = distance;
  if (batch.status != nullptr) batch.status[problem] = status;
  if (batch.pivots != nullptr)
    batch.pivots[problem] = static_cast<std::uint16_t>(pivots < 65535 ? pivots : 65535);
}

// Of a pair that is not to be solved. Its flow is 0.
FOVEA_LANE void hand_in_unsolved(const Batch& batch, int problem, Next next,
                                 const MovedMass& mass) {
  if (next == Next::kEmpty)
    hand_in(batch, problem, empty_distance(batch.rule, mass.extra, mass.exponent), Status::kEmpty,
            0);
  else hand_in(batch, problem, 0, Status::kInvalidMass, 0);
}

// A row of flow; what stays in its bin is there from the start.
template <class S>
FOVEA_LANE void begin_flow(const Batch& batch, int problem, bool solve, const Pair<S>& pair) {
  const int rows = batch.first.bins, columns = batch.second.bins;
  double* flow = batch.flow + problem * batch.flow_stride;
  for (int k = 0; k < rows * columns; ++k) flow[k] = 0;
  if (!solve) return;
  if constexpr (S::kNet) {
    FOVEA_UNROLL
    for (int k = 0; k < S::kBins; ++k) {
      const auto stays = pair.first[k] < pair.second[k] ? pair.first[k] : pair.second[k];
      if (k < rows) flow[k * columns + k] = static_cast<double>(stays) * pair.flow_scale;
    }
  }
}

// Along one edge of the tree.
template <class S>
FOVEA_LANE void add_flow(const Batch& batch, int problem, Sides sides, int node, int other,
                         double mass) {
  const int source = has(sides.sources, node) ? node : other;
  const int sink = (source == node ? other : node) - (S::kNet ? 0 : S::kBins);
  if (source < batch.first.bins && sink < batch.second.bins)
    batch.flow[problem * batch.flow_stride + source * batch.second.bins + sink] += mass;
}

// Lanes with `wanted` append their problems, on the device all lanes of a warp together.
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
