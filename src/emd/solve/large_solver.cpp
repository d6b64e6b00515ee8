// Problems of any number of bins on the CPU, and potentials of problems of any size: closed forms
// over vectors of masses, else the network simplex over the lines that have mass.
#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "emd/solve/batch_solver.h"
#include "emd/solve/closed_math.h"
#include "emd/solve/mass_math.h"
#include "emd/solve/network_simplex.h"

namespace fovea::emd::cpu {
namespace {

constexpr int kLargePivotsPerBin = 1024;
constexpr std::int64_t kCellsPerTask = std::int64_t{1} << 18;

// A pair in whole masses; one element behind the last can be read.
struct LargePair {
  std::vector<std::int64_t> first{}, second{};
  Wide first_total = 0, second_total = 0;
  Status status = Status::kOptimal;
  MovedMass mass{};
};

struct LargeFound {
  Wide cost = 0;
  Status status = Status::kOptimal;
  int pivots = 0;
  SolvedBy solver = SolvedBy::kClosedForm;
};

// Masses with fractions are rounded one by one, so that many of them have different sums although
// the histograms have the same: the difference goes to the first of the greatest masses.
void even_out(LargePair& pair) {
  const Wide more = pair.first_total - pair.second_total;
  const auto rows = std::ssize(pair.first) - 1, columns = std::ssize(pair.second) - 1;
  if (std::max(rows, columns) <= kMostFastBins || magnitude(more) > rows + columns) return;
  std::vector<std::int64_t>& lighter = more < 0 ? pair.first : pair.second;
  *std::max_element(lighter.begin(), lighter.end() - 1) +=
      static_cast<std::int64_t>(magnitude(more));
  pair.first_total = pair.second_total = std::max(pair.first_total, pair.second_total);
}

// What make_whole() does, with totals that more than 64 bins cannot overflow.
template <class Mass>
void make_large(MassPolicy policy, const Mass* first, const Mass* second, LargePair& pair) {
  const auto rows = static_cast<int>(pair.first.size() - 1);
  const auto columns = static_cast<int>(pair.second.size() - 1);
  const MassFacts one = mass_facts(first, rows), other = mass_facts(second, columns);
  pair.mass = {};
  pair.status = one.valid && other.valid ? Status::kOptimal : Status::kInvalidMass;
  if (pair.status == Status::kInvalidMass) return;
  const MassExponents exponents = mass_exponents(policy, one, other);
  const auto total_of = [](const Mass* masses, int bins, const MassScale& scale,
                           std::int64_t* whole) {
    Wide total = 0;
    for (int i = 0; i < bins; ++i) {
      const std::int64_t mass = scale.whole(masses[i]);
      if (whole != nullptr) whole[i] = mass;
      total += mass;
    }
    return total;
  };
  const bool apart = policy == MassPolicy::kPenalty && exponents.extra != exponents.first;
  Wide more = 0;
  if (apart) {
    const MassScale scale(exponents.extra);
    more = total_of(first, rows, scale, nullptr) - total_of(second, columns, scale, nullptr);
  }
  pair.first_total = total_of(first, rows, MassScale(exponents.first), pair.first.data());
  pair.second_total = total_of(second, columns, MassScale(exponents.second), pair.second.data());
  pair.mass.exponent = policy == MassPolicy::kNormalize ? 0 : exponents.first;
  pair.mass.extra_exponent = exponents.extra;
  if (pair.first_total == 0 || pair.second_total == 0) {
    pair.status = Status::kEmpty;
    pair.mass.extra = static_cast<std::int64_t>(pair.first_total + pair.second_total);
    return;
  }
  if (policy == MassPolicy::kNormalize) {
    const auto out = static_cast<std::int64_t>(pair.first_total);
    const auto in = static_cast<std::int64_t>(pair.second_total);
    const MassFactors factors = mass_factors(out, in);
    if (factors.first > 0) {
      multiply(pair.first.data(), rows, factors.first);
      multiply(pair.second.data(), columns, factors.second);
      pair.first_total *= factors.first;
    } else {
      normalize_to(pair.first.data(), rows, out);
      normalize_to(pair.second.data(), columns, in);
      pair.first_total = kNormalTotal;
    }
    pair.second_total = pair.first_total;
  } else if (!(one.whole && other.whole)) {
    even_out(pair);
  }
  if (!apart) more = pair.first_total - pair.second_total;
  pair.mass.moved = static_cast<std::int64_t>(std::min(pair.first_total, pair.second_total));
  if (policy == MassPolicy::kPenalty) pair.mass.extra = static_cast<std::int64_t>(magnitude(more));
}

// Where the flow of a problem is written, in the caller's masses.
struct LargeFlow {
  double* to = nullptr;
  int columns = 0;
  FlowScale scale{};
  void add(int i, int j, Wide mass) const {
    if (to != nullptr)
      to[static_cast<std::ptrdiff_t>(i) * columns + j] += scale(whole_to_double(mass));
  }
};

// Solves one problem after another, and keeps its memory.
class LargeWorker {
 public:
  LargeWorker(const GroundDistance& ground, const SolverOptions& options, const Exec& exec)
      : ground_(ground),
        form_(options.solver == SolverKind::kSimplex ? GroundForm::kGeneral : ground.form()),
        rule_{options.mass, ground.unit(), options.penalty.value_or(ground.greatest()),
              ground.greatest()},
        exec_(exec) {
    const std::int64_t most = std::int64_t{kLargePivotsPerBin} * (ground.rows() + ground.columns());
    max_pivots_ =
        options.max_pivots > 0
            ? options.max_pivots
            : static_cast<int>(std::min<std::int64_t>(most, std::numeric_limits<int>::max()));
    pair_.first.resize(static_cast<std::size_t>(ground.rows()) + 1);
    pair_.second.resize(static_cast<std::size_t>(ground.columns()) + 1);
  }

  template <class Mass>
  void solve(const MassBatch<Mass>& batch, const SolutionsView& out, int k) {
    make_large(rule_.policy, batch.first.row(k), batch.second.row(batch.second.height == 1 ? 0 : k),
               pair_);
    LargeFound found{.status = pair_.status, .solver = SolvedBy::kNothing};
    flow_ = {};
    if (!out.flow.empty()) {
      flow_ = {out.flow.row(k), ground_.columns(), flow_scale(rule_, pair_.mass)};
      std::fill_n(flow_.to, out.flow.width, 0.0);
    }
    potentials_ = out.potential.empty() ? nullptr : out.potential.row(k);
    if (potentials_ != nullptr) std::fill_n(potentials_, out.potential.width, 0.0);
    double distance = 0;
    if (pair_.status == Status::kEmpty) distance = empty_distance(rule_, pair_.mass);
    if (pair_.status == Status::kOptimal) {
      found = least_cost();
      distance = distance_of(rule_, found.cost, pair_.mass);
    }
    out.distance[k] = distance;
    if (out.status != nullptr) out.status[k] = found.status;
    if (out.pivots != nullptr)
      out.pivots[k] = static_cast<std::uint16_t>(std::min(found.pivots, 65535));
    if (out.solved_by != nullptr) out.solved_by[k] = found.solver;
  }

 private:
  LargeFound least_cost() {
    const bool equal = pair_.first_total == pair_.second_total;
    const std::int64_t *first = pair_.first.data(), *second = pair_.second.data();
    const int rows = ground_.rows(), columns = ground_.columns();
    if (potentials_ != nullptr) return search();
    const bool walks = form_ == GroundForm::kMonge || form_ == GroundForm::kLine;
    LargeFound found;
    if (walks && equal && (flow_.to != nullptr || form_ == GroundForm::kMonge)) {
      walk(first, second, rows, columns, [&](int i, int j, std::int64_t mass) {
        found.cost += static_cast<Wide>(mass) * ground_.units(i, j);
        flow_.add(i, j, mass);
      });
      return found;
    }
    if (flow_.to != nullptr) return search();
    if (form_ == GroundForm::kDiscrete) found.cost = discrete();
    else if (form_ == GroundForm::kLine && equal) found.cost = line();
    else if (form_ == GroundForm::kCircle && equal) found.cost = circle();
    else return search();
    return found;
  }

  Wide line() const {
    Wide cost = 0;
    std::int64_t crosses = 0;
    const auto positions = ground_.positions();
    for (std::size_t i = 0; i + 1 < positions.size(); ++i) {
      crosses += pair_.first[i] - pair_.second[i];
      cost += static_cast<Wide>(magnitude(crosses)) * (positions[i + 1] - positions[i]);
    }
    return cost;
  }
  // See circle_cost(): only the median is looked for.
  Wide circle() {
    const auto bins = static_cast<std::size_t>(ground_.rows());
    crossings_.resize(bins);
    std::int64_t crosses = 0;
    for (std::size_t i = 0; i < bins; ++i)
      crossings_[i] = crosses += pair_.first[i] - pair_.second[i];
    const auto middle = crossings_.begin() + static_cast<std::ptrdiff_t>(bins / 2);
    std::nth_element(crossings_.begin(), middle, crossings_.end());
    Wide sum = 0;
    for (const std::int64_t crossing : crossings_) sum += magnitude(Wide{crossing} - *middle);
    return sum * ground_.units(0, 1);
  }
  Wide discrete() const {
    Wide first_more = 0, second_more = 0;
    for (std::size_t i = 0; i + 1 < pair_.first.size(); ++i) {
      const std::int64_t more = pair_.first[i] - pair_.second[i];
      (more > 0 ? first_more : second_more) += magnitude(more);
    }
    return std::min(first_more, second_more) * (ground_.rows() > 1 ? ground_.units(0, 1) : 0);
  }

  LargeFound search() {
    if (ground_.units().empty())
      throw InvalidArgument(fmt::format(
          "emd: {} bins have no table of costs, so that only a closed form solves them, {}; "
          "expected "
          "at most {} bins",
          ground_.rows(),
          form_ == ground_.form()
              ? "which needs equal or normalized masses and gives no potentials, and flows "
                "only along a line"
              : "which the solver simplex excludes",
          GroundDistance::kMostTableBins));
    // Potentials are those of all mass.
    if (ground_.metric() && potentials_ == nullptr) keep_common_mass();
    gather(pair_.first, ground_.rows(), rows_, first_);
    gather(pair_.second, ground_.columns(), columns_, second_);
    LargeFound found{.solver = SolvedBy::kNetworkSimplex};
    if (rows_.empty() || columns_.empty()) return found;
    NetworkProblem problem{first_, second_, ground_.units().data(), ground_.columns(),
                           pair_.first_total - pair_.second_total};
    if (std::ssize(rows_) < ground_.rows() || std::ssize(columns_) < ground_.columns()) {
      costs_.clear();
      for (const int i : rows_)
        for (const int j : columns_) costs_.push_back(ground_.units(i, j));
      problem.costs = costs_.data();
      problem.stride = std::ssize(columns_);
    }
    const Wide most = std::max(pair_.first_total, pair_.second_total) * (std::ssize(rows_) + 2);
    if (most < Wide{1} << 62) run(narrow_, problem, found);
    else run(wide_, problem, found);
    return found;
  }

  template <class Flow>
  void run(NetworkSimplex<Flow>& simplex, const NetworkProblem& problem, LargeFound& found) {
    if (!simplex.solve(problem, max_pivots_, exec_)) found.status = Status::kPivotLimit;
    found.pivots = simplex.pivots();
    simplex.for_each_flow([&](int i, int j, Wide mass) {
      const int row = rows_[static_cast<std::size_t>(i)];
      const int column = columns_[static_cast<std::size_t>(j)];
      found.cost += mass * ground_.units(row, column);
      flow_.add(row, column, mass);
    });
    if (potentials_ != nullptr) write_potentials(simplex, problem.surplus);
  }

  void keep_common_mass() {
    for (int i = 0; i < ground_.rows(); ++i) {
      std::int64_t& one = pair_.first[static_cast<std::size_t>(i)];
      std::int64_t& other = pair_.second[static_cast<std::size_t>(i)];
      const std::int64_t kept = std::min(one, other);
      if (kept == 0) continue;
      one -= kept;
      other -= kept;
      flow_.add(i, i, kept);
    }
  }
  static void gather(const std::vector<std::int64_t>& masses, int bins, std::vector<int>& lines,
                     std::vector<std::int64_t>& used) {
    lines.clear();
    used.clear();
    for (int i = 0; i < bins; ++i) {
      if (masses[static_cast<std::size_t>(i)] == 0) continue;
      lines.push_back(i);
      used.push_back(masses[static_cast<std::size_t>(i)]);
    }
  }

  // Lines without mass get the greatest potentials that fit those of the others.
  template <class Flow>
  void write_potentials(const NetworkSimplex<Flow>& simplex, Wide surplus) const {
    const int rows = ground_.rows(), columns = ground_.columns();
    constexpr std::int64_t kUnset = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> row(static_cast<std::size_t>(rows), kUnset);
    std::vector<std::int64_t> column(static_cast<std::size_t>(columns), kUnset);
    for (std::size_t k = 0; k < rows_.size(); ++k)
      row[static_cast<std::size_t>(rows_[k])] = simplex.row_potential(static_cast<int>(k));
    for (std::size_t k = 0; k < columns_.size(); ++k)
      column[static_cast<std::size_t>(columns_[k])] = simplex.column_potential(static_cast<int>(k));
    for (int j = 0; j < columns; ++j) {
      std::int64_t& here = column[static_cast<std::size_t>(j)];
      if (here != kUnset) continue;
      if (surplus < 0) here = 0;
      for (const int i : rows_)
        here = std::min(here, ground_.units(i, j) - row[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < rows; ++i) {
      std::int64_t& here = row[static_cast<std::size_t>(i)];
      if (here != kUnset) continue;
      if (surplus > 0) here = 0;
      for (int j = 0; j < columns; ++j)
        here = std::min(here, ground_.units(i, j) - column[static_cast<std::size_t>(j)]);
    }
    const auto value = [&](std::int64_t units) { return static_cast<double>(units) * rule_.unit; };
    std::transform(row.begin(), row.end(), potentials_, value);
    std::transform(column.begin(), column.end(), potentials_ + rows, value);
  }

  const GroundDistance& ground_;
  GroundForm form_;
  ValueRule rule_;
  int max_pivots_ = 0;
  Exec exec_;
  LargePair pair_{};
  LargeFlow flow_{};
  double* potentials_ = nullptr;
  std::vector<int> rows_{}, columns_{};  // the lines with mass
  std::vector<std::int64_t> first_{}, second_{}, costs_{}, crossings_{};
  NetworkSimplex<std::int64_t> narrow_{};
  NetworkSimplex<Wide> wide_{};
};

class LargeSolver final : public BatchSolver {
 public:
  LargeSolver(const GroundDistance& ground, const SolverOptions& options)
      : ground_(ground), options_(options) {}

  void solve(const AnyMassBatch& batch, const SolutionsView& out, const Exec& exec) override {
    const double cells = static_cast<double>(ground_.rows()) * ground_.columns();
    const auto grain = static_cast<std::int64_t>(std::max(1.0, kCellsPerTask / cells));
    std::visit(
        [&](const auto& masses) {
          parallel_for(exec, masses.first.height, grain, [&](std::int64_t from, std::int64_t to) {
            LargeWorker worker(ground_, options_, exec);
            for (std::int64_t k = from; k < to; ++k) worker.solve(masses, out, static_cast<int>(k));
          });
        },
        batch);
  }

 private:
  const GroundDistance& ground_;
  SolverOptions options_;
};

}  // namespace

std::unique_ptr<BatchSolver> make_large_solver(const GroundDistance& ground,
                                               const SolverOptions& options) {
  if (options.start == SimplexStart::kAuxiliary && is_large(ground))
    throw InvalidArgument(fmt::format(
        "emd: start is auxiliary, which takes up to {} bins; there are {}; expected greedy",
        kMostFastBins, std::max(ground.rows(), ground.columns())));
  return std::make_unique<LargeSolver>(ground, options);
}

}  // namespace fovea::emd::cpu
