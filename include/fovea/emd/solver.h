#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>
#include <fovea/emd/ground.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fovea::emd {

// auto uses the closed form of a ground distance that has one; simplex always searches.
enum class SolverKind : unsigned char { kAuto, kSimplex };
FOVEA_API std::span<const Choice> choices(SolverKind);

// Where the simplex method starts. greedy fills the cheapest cells first. auxiliary puts all mass
// on one sink that costs more than any other and works on a tableau of bits (Shaffer, "Optimization
// of the Earth-Mover's Distance algorithm for a GPU-based real-time multispectral computer vision
// system", 2011).
enum class SimplexStart : unsigned char { kGreedy, kAuxiliary };
FOVEA_API std::span<const Choice> choices(SimplexStart);

// What the distance between histograms of unequal mass is. All three agree where masses are equal,
// up to a factor.
enum class MassPolicy : unsigned char {
  kPartial,    // the lighter histogram is moved into the heavier one; cost / mass moved (Rubner)
  kPenalty,    // cost + penalty * difference of masses (Pele and Werman), not divided by anything
  kNormalize,  // both histograms are scaled to mass 1
};
FOVEA_API std::span<const Choice> choices(MassPolicy);

struct SolverOptions {
  SolverKind solver = SolverKind::kAuto;
  SimplexStart start = SimplexStart::kGreedy;
  MassPolicy mass = MassPolicy::kPartial;
  std::optional<double> penalty{};  // cost per unit of surplus mass; absent: the greatest cost
  int max_pivots = 0;  // most pivots per problem; 0 allows 64 per bin (1024 where a side has more
                       // than 64 bins), far more than any problem has needed
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, SolverOptions& options);

enum class Status : unsigned char {
  kOptimal,      // the distance is proved to be optimal
  kEmpty,        // a histogram has no mass: the distance is 0 where both have none, else the
                 // greatest cost (for kPenalty the penalty of the mass that is there)
  kPivotLimit,   // max_pivots were not enough: the distance is an upper bound
  kInvalidMass,  // a mass is negative, NaN or infinite: the distance is 0
};
FOVEA_API const char* to_string(Status status);
FOVEA_API std::span<const Choice> choices(Status);

// What solved a problem. kNothing, kTableau, kWideTableau and kAuxiliarySimplex are the same on
// every device. Of the others, a GPU starts in another order, so that kGreedyStart and
// kGreedySimplex differ, and it searches where a CPU has a closed form but masses are real, unequal
// (unless they are normalized) or normalized to a total of 2^27 or more, or flows are requested.
enum class SolvedBy : unsigned char {
  kNothing,        // a histogram is empty or invalid
  kClosedForm,     // the closed form of the ground distance
  kGreedyStart,    // the greedy start, which was optimal without a pivot
  kGreedySimplex,  // pivots from the greedy start
  kTableau,        // the tableau of bits from the auxiliary sink, with masses of 32 bits: up to 16
                   // bins, and whole masses whose totals (for kNormalize the least common multiple
                   // of the totals) are below 2^27 and, in units of cost, cost below 2^62
  kWideTableau,    // the same with masses of 64 bits, for all other masses
  kAuxiliarySimplex,  // pivots over a tree from the auxiliary sink: more than 16 bins
  kNetworkSimplex  // the simplex for any number of bins: more than 64 bins, or potentials requested
};
inline constexpr int kSolvers = 8;
FOVEA_API const char* to_string(SolvedBy solver);  // such as "wide_tableau"
FOVEA_API std::span<const Choice> choices(SolvedBy);

// How many problems each solver took.
struct SolvedCounts {
  std::array<std::int64_t, kSolvers> counts{};

  std::int64_t& operator[](SolvedBy solver) { return counts[static_cast<std::size_t>(solver)]; }
  std::int64_t operator[](SolvedBy solver) const {
    return counts[static_cast<std::size_t>(solver)];
  }
  SolvedCounts& operator+=(const SolvedCounts& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    return *this;
  }
  bool operator==(const SolvedCounts&) const = default;
};
FOVEA_API void describe(FieldVisitor& visit, SolvedCounts& counts);

// The solutions of a batch: one entry per problem, in the order of the problems and in their
// memory. What was not requested is empty.
struct Solutions {
  Array<double> distance;
  Array<Status> status;
  Array<std::uint16_t> pivots;  // 0 where a closed form or the start was optimal; at most 65535
  // One row per problem: the mass moved from bin i to bin j stands at i * columns + j. For
  // kNormalize it is a share of the whole mass.
  Image<double> flow;
  Array<SolvedBy> solved_by;
};
struct SolutionsView {
  double* distance = nullptr;
  Status* status = nullptr;         // may be null
  std::uint16_t* pivots = nullptr;  // may be null
  ImageView<double> flow{};         // may be empty
  SolvedBy* solved_by = nullptr;    // may be null
  // May be empty. One row per problem: a value per bin of the first histogram, then one per bin of
  // the second. No two of them add up to more than the cost between their bins, and the products of
  // masses and values add up to the cost of the flow, which proves that it is least: they are the
  // derivatives of that cost by the masses. They lie in host memory and are computed on the CPU.
  ImageView<double> potential{};
};

// Computes exact Earth Mover's Distances of many pairs of histograms under one ground distance. It
// keeps its tables and memory from batch to batch. One object serves one thread at a time.
//
// Masses are 8- or 16-bit counts, float or double. Each row is a histogram: `first` has as many
// columns as the ground distance has rows, and `second` has as many as the ground distance has
// columns. `second` has either one row, with which all are compared, or as many rows as `first`.
// They lie in host or device memory; results lie in the memory of `first`. A bad problem is
// reported by its status, and the others are solved. Shapes that do not fit throw InvalidArgument.
//
// Precision: masses are treated as whole numbers. Counts and whole reals are taken as they are.
// Other reals are rounded to multiples of a power of two, which is at most 2^-51 of the histogram's
// own total (kNormalize) or of the lighter total (kPartial, kPenalty; for the difference of masses,
// of the heavier total). So the error of a distance is at most rows + columns times 2^-50 of the
// greatest cost (for kPenalty, of greatest cost * lighter total + penalty * heavier total), however
// different the totals are. Costs are whole numbers too (GroundDistance::exact()). Therefore
// distances of whole masses are exact up to the last rounding (for kNormalize, where the least
// common multiple of the totals is below 2^52), and all distances are the same on every device.
// Devices may find different flows of that cost and need different numbers of pivots; so where
// max_pivots is too low, status and upper bound may differ between devices.
//
// Problems with more than 64 bins on a side are solved on the CPU only, which is then the device
// `auto`. Where options name a GPU, or histograms lie in its memory, an InvalidArgument is thrown.
class FOVEA_API Solver {
 public:
  explicit Solver(GroundDistance ground, const SolverOptions& options = {});
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  template <class Mass>
  void solve(ImageView<const Mass> first, ImageView<const Mass> second, const SolutionsView& out);
  template <class Mass>
  Solutions solve(ImageView<const Mass> first, ImageView<const Mass> second,
                  bool with_flow = false);

  const GroundDistance& ground() const;
  const SolverOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Solves each problem under costs of its own, on the CPU. Row k of `costs` holds the costs of
// problem k as GroundDistance takes them, row after row; all views have as many rows.
FOVEA_API Solutions solve_each(ImageView<const double> first, ImageView<const double> second,
                               ImageView<const double> costs, const SolverOptions& options = {},
                               bool with_flow = false);

// The solution of one problem.
struct Solution {
  double distance = 0;
  Status status = Status::kOptimal;
  int pivots = 0;
  std::vector<double> flow{};  // rows * columns
  SolvedBy solved_by = SolvedBy::kNothing;
};
// Solves one problem; for many, a Solver is faster.
FOVEA_API Solution distance(const GroundDistance& ground, std::span<const double> first,
                            std::span<const double> second, const SolverOptions& options = {});

}  // namespace fovea::emd
