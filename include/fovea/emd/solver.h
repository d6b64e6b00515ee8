#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/emd/ground.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace fovea::emd {

// auto takes the closed form of a ground distance that has one; simplex always searches.
enum class SolverKind : unsigned char { kAuto, kSimplex };
FOVEA_API std::span<const Choice> choices(SolverKind);

// Where the simplex starts. greedy: the cheapest cells first. auxiliary: all mass on one sink that
// costs more than any other (Shaffer, "Optimization of the Earth-Mover's Distance algorithm for a
// GPU-based real-time multispectral computer vision system", 2011), on a tableau of bits.
enum class SimplexStart : unsigned char { kGreedy, kAuxiliary };
FOVEA_API std::span<const Choice> choices(SimplexStart);

// What histograms of unequal mass mean. All three agree where masses are equal, up to the factor.
enum class MassPolicy : unsigned char {
  kPartial,    // the lighter one is moved into the heavier; cost / mass moved (Rubner)
  kPenalty,    // cost + penalty * difference of masses (Pele and Werman); not divided by anything
  kNormalize,  // both are scaled to mass 1
};
FOVEA_API std::span<const Choice> choices(MassPolicy);

struct SolverOptions {
  SolverKind solver = SolverKind::kAuto;
  SimplexStart start = SimplexStart::kGreedy;
  MassPolicy mass = MassPolicy::kPartial;
  double penalty = -1;  // for each unit of mass too many; < 0: the greatest cost
  int max_pivots = 0;   // of one problem; 0: 64 times its bins, far more than was ever needed
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, SolverOptions& options);

enum class Status : unsigned char {
  kOptimal,      // proved
  kEmpty,        // a histogram without mass: 0 where both have none, else the greatest cost
                 // (kPenalty: the penalty of the mass that is there)
  kPivotLimit,   // max_pivots were not enough: distance is an upper bound
  kInvalidMass,  // a mass is negative or not finite: distance 0
};
FOVEA_API const char* to_string(Status status);

// Of a batch, one entry a problem, in problems' order and memory. What is empty was not asked for.
struct Solutions {
  Array<double> distance;
  Array<Status> status;
  Array<std::uint16_t> pivots;  // 0 where a closed form or the start was optimal
  // A row a problem: mass moved from i to j at i * columns + j; kNormalize: its share of all mass.
  Image<double> flow;
};
struct SolutionsView {
  double* distance = nullptr;
  Status* status = nullptr;         // may be null
  std::uint16_t* pivots = nullptr;  // may be null
  ImageView<double> flow{};         // may be empty
};

// Exact Earth Mover's Distances of many pairs of histograms under one ground distance. Keeps its
// tables and memory from batch to batch; one object serves one thread at a time.
//
// Masses are 8- or 16-bit counts, float or double; each row is a histogram, `first` with as many
// columns as the ground distance has rows, `second` with as many as it has columns and either one
// row, which all are compared with, or as many rows as `first`. They lie in host or device memory;
// results lie in `first`'s. A bad problem is told by its status; the others are solved.
// InvalidArgument for shapes that do not fit.
//
// Masses are worked on as whole numbers: counts and whole reals as they are, other reals as
// multiples of a power of two, 2^-51 at most of the side's own total (kNormalize) or of the lighter
// total (kPartial, kPenalty; the difference of masses: of the heavier). So however many digits the
// totals lie apart, a distance is off by no more than rows + columns times 2^-50 of the greatest
// cost (kPenalty: of greatest cost * lighter total + penalty * heavier total). Costs are whole
// numbers too (GroundDistance::exact), so that distances of whole masses are exact but for the last
// rounding (kNormalize: where the least common multiple of their totals is below 2^52), and all
// distances the same on every device. Devices may find different flows of that cost and take
// different pivots to it; so where max_pivots is too low for one of them, its status and its upper
// bound are its own.
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
  struct State;
  std::unique_ptr<State> state_;
};

// One problem.
struct Solution {
  double distance = 0;
  Status status = Status::kOptimal;
  int pivots = 0;
  std::vector<double> flow{};  // rows * columns
};
FOVEA_API Solution distance(const GroundDistance& ground, std::span<const double> first,
                            std::span<const double> second, const SolverOptions& options = {});

}  // namespace fovea::emd
