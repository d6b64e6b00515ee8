// The face of the solver: checks shapes, chooses the device, and copies histograms there.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/solver.h>

#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/parallel.h"
#include "core/placed.h"
#include "core/resident.h"
#include "emd/solve/batch_solver.h"

namespace fovea::emd {
namespace {

constexpr const char* kSolverName = "emd";

template <class Mass>
void require_shapes(const GroundDistance& ground, ImageView<const Mass> first,
                    ImageView<const Mass> second) {
  const auto bins = [](const char* name, int is, int expected, const char* of) {
    if (is != expected)
      throw InvalidArgument(fmt::format("{}: {} has {} bins, but the ground distance has {} {}",
                                        kSolverName, name, is, expected, of));
  };
  if (first.channels != 1 || second.channels != 1)
    throw InvalidArgument(
        fmt::format("emd: histograms of {} and {} channels, expected rows of one channel",
                    first.channels, second.channels));
  bins("first", first.row_elements(), ground.rows(), "rows");
  bins("second", second.row_elements(), ground.columns(), "columns");
  if (second.height != 1 && second.height != first.height)
    throw InvalidArgument(
        fmt::format("{}: second has {} histograms, expected 1 or {}, as many as first", kSolverName,
                    second.height, first.height));
}

// The cells of a row of flows.
int cells_of(const GroundDistance& ground) {
  const std::int64_t cells = std::int64_t{ground.rows()} * ground.columns();
  if (cells > std::numeric_limits<int>::max())
    throw InvalidArgument(fmt::format("{}: flows between {} and {} bins are too many", kSolverName,
                                      ground.rows(), ground.columns()));
  return static_cast<int>(cells);
}

void require_outputs(const GroundDistance& ground, int problems, Memory memory,
                     const SolutionsView& out) {
  if (out.distance == nullptr) throw InvalidArgument("emd: no memory was given for distances");
  if (out.potential.data != nullptr) {
    fovea::detail::require_shape(kSolverName, "potential", out.potential,
                                 ground.rows() + ground.columns(), problems, 1);
    fovea::detail::require_host(kSolverName, "potential", out.potential.memory);
  }
  if (out.flow.data == nullptr) return;
  fovea::detail::require_shape(kSolverName, "flow", out.flow, cells_of(ground), problems, 1);
  if (!fovea::detail::same_side(out.flow.memory, memory))
    throw InvalidArgument("emd: flow lies in another memory than first, expected the same");
}

Solutions make_solutions(const GroundDistance& ground, int problems, Memory memory, bool flow) {
  const auto count = static_cast<std::size_t>(problems);
  Solutions made{Array<double>(count, memory),
                 Array<Status>(count, memory),
                 Array<std::uint16_t>(count, memory),
                 {},
                 Array<SolvedBy>(count, memory)};
  if (flow) made.flow = Image<double>(cells_of(ground), problems, 1, memory);
  return made;
}
SolutionsView view_of(Solutions& made) {
  return {made.distance.data(), made.status.data(), made.pivots.data(), made.flow.view(),
          made.solved_by.data()};
}

// Histograms of one type where the twin needs them.
template <class Mass>
struct PlacedMasses {
  fovea::detail::Placed<Mass> first{}, second{};
};

// What a solver keeps on the device that it works on, so that a later call takes no new memory.
struct SolverWork {
  std::unique_ptr<BatchSolver> twin;
  std::tuple<PlacedMasses<std::uint8_t>, PlacedMasses<std::uint16_t>, PlacedMasses<float>,
             PlacedMasses<double>>
      masses{};
  fovea::detail::Placed<double> distance{}, flow{};
  fovea::detail::Placed<Status> status{};
  fovea::detail::Placed<std::uint16_t> pivots{};
  fovea::detail::Placed<SolvedBy> solved_by{};
};

}  // namespace

std::span<const Choice> choices(SolverKind) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"auto", static_cast<int>(SolverKind::kAuto)},
       {"simplex", static_cast<int>(SolverKind::kSimplex)}}};
  return kChoices;
}
std::span<const Choice> choices(SimplexStart) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"greedy", static_cast<int>(SimplexStart::kGreedy)},
       {"auxiliary", static_cast<int>(SimplexStart::kAuxiliary)}}};
  return kChoices;
}
std::span<const Choice> choices(MassPolicy) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"partial", static_cast<int>(MassPolicy::kPartial)},
       {"penalty", static_cast<int>(MassPolicy::kPenalty)},
       {"normalize", static_cast<int>(MassPolicy::kNormalize)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, SolverOptions& options) {
  visit("solver", options.solver,
        "auto uses the closed form of a ground distance that has one; simplex always searches");
  visit("start", options.start,
        "where the simplex method starts: greedy fills the cheapest cells, auxiliary puts all mass "
        "on an auxiliary sink and works on a tableau of bits");
  visit("mass", options.mass,
        "how unequal masses are compared: partial moves the lighter histogram into the heavier, "
        "penalty adds a cost for surplus mass, normalize scales both to mass 1");
  visit("penalty", options.penalty, "cost per unit of surplus mass with --mass penalty", 0, 1e12,
        {.absent = "the greatest cost"});
  visit("max-pivots", options.max_pivots,
        "most pivots per problem, after which its distance is an upper bound; 0 allows 64 per bin, "
        "or 1024 where there are more than 64 bins",
        0, 60000);
}

const char* to_string(Status status) {
  switch (status) {
    case Status::kOptimal: return "optimal";
    case Status::kEmpty: return "empty";
    case Status::kPivotLimit: return "pivot limit";
    case Status::kInvalidMass: break;
  }
  return "invalid mass";
}

const char* to_string(SolvedBy solver) {
  switch (solver) {
    case SolvedBy::kNothing: return "nothing";
    case SolvedBy::kClosedForm: return "closed_form";
    case SolvedBy::kGreedyStart: return "greedy_start";
    case SolvedBy::kGreedySimplex: return "greedy_simplex";
    case SolvedBy::kTableau: return "tableau";
    case SolvedBy::kWideTableau: return "wide_tableau";
    case SolvedBy::kAuxiliarySimplex: return "auxiliary_simplex";
    case SolvedBy::kNetworkSimplex: break;
  }
  return "network_simplex";
}

struct Solver::Impl {
  GroundDistance ground;
  SolverOptions options;
  fovea::detail::Resident<SolverWork> work{};

  SolverWork& work_on(const Exec& exec) {
    return work.on(exec.device, [&] {
      return std::make_unique<SolverWork>(
          SolverWork{fovea::detail::on_cuda(exec) ? cuda::make_batch_solver(ground, options)
                                                  : cpu::make_batch_solver(ground, options)});
    });
  }
  // Large problems and potentials are work for the CPU, and nothing is brought there unasked.
  Exec exec_for(const fovea::detail::Placement& first, const fovea::detail::Placement& second,
                bool with_potentials) const {
    Exec exec = options.exec;
    if (is_large(ground) || with_potentials) {
      const char* what = with_potentials ? "potentials are" : "more than 64 bins are";
      if (exec.device.kind == DeviceKind::kCuda)
        throw InvalidArgument(fmt::format("{}: {} work for the CPU, but the device is {}; pass cpu",
                                          kSolverName, what, to_string(exec.device)));
      for (const Memory memory : {first.memory, second.memory})
        if (memory == Memory::kCuda)
          throw InvalidArgument(
              fmt::format("{}: {} work for the CPU, but histograms lie in GPU "
                          "memory; bring them to the host first",
                          kSolverName, what));
      exec.device = Device::cpu();
    }
    return fovea::detail::resolve_exec(kSolverName, exec, {first, second});
  }
  template <class Mass>
  void run(const MassBatch<Mass>& batch, const SolutionsView& out, const Exec& exec);
};

// Takes memory on the current device.
template <class Mass>
void Solver::Impl::run(const MassBatch<Mass>& batch, const SolutionsView& out, const Exec& exec) {
  const Memory side = fovea::detail::memory_of(exec.device);
  SolverWork& kept = work_on(exec);
  auto& masses = std::get<PlacedMasses<Mass>>(kept.masses);
  const MassBatch<Mass> there{masses.first.bring(batch.first, side, exec),
                              masses.second.bring(batch.second, side, exec)};
  const auto row = [&]<class T>(T* values) {
    return packed_view(values, batch.first.height, 1, 1, batch.first.memory);
  };
  const SolutionsView found{kept.distance.prepare(row(out.distance), side).data,
                            kept.status.prepare(row(out.status), side).data,
                            kept.pivots.prepare(row(out.pivots), side).data,
                            kept.flow.prepare(out.flow, side),
                            kept.solved_by.prepare(row(out.solved_by), side).data,
                            out.potential};
  kept.twin->solve(there, found, exec);
  kept.distance.give_back(exec);
  kept.status.give_back(exec);
  kept.pivots.give_back(exec);
  kept.flow.give_back(exec);
  kept.solved_by.give_back(exec);
}

Solver::Solver(GroundDistance ground, const SolverOptions& options)
    : impl_(std::make_unique<Impl>(Impl{std::move(ground), options})) {
  check_options(options);
}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

const GroundDistance& Solver::ground() const { return impl_->ground; }
const SolverOptions& Solver::options() const { return impl_->options; }

template <class Mass>
void Solver::solve(ImageView<const Mass> first, ImageView<const Mass> second,
                   const SolutionsView& out) {
  if (first.height == 0) return;
  require_shapes(impl_->ground, first, second);
  require_outputs(impl_->ground, first.height, first.memory, out);
  const Exec exec = impl_->exec_for(first, second, out.potential.data != nullptr);
  const fovea::cuda::ScopedDevice here(exec.device);
  impl_->run(MassBatch<Mass>{first, second}, out, exec);
}

template <class Mass>
Solutions Solver::solve(ImageView<const Mass> first, ImageView<const Mass> second, bool with_flow) {
  if (first.height > 0) require_shapes(impl_->ground, first, second);
  const Exec exec = impl_->exec_for(first, second, false);
  const fovea::cuda::ScopedDevice here(exec.device);  // results lie where `first` does
  Solutions made = make_solutions(impl_->ground, first.height,
                                  fovea::detail::memory_beside(first.memory), with_flow);
  if (first.height > 0) impl_->run(MassBatch<Mass>{first, second}, view_of(made), exec);
  return made;
}

#define FOVEA_EMD_SOLVE(Mass)                                                         \
  template FOVEA_API void Solver::solve(ImageView<const Mass>, ImageView<const Mass>, \
                                        const SolutionsView&);                        \
  template FOVEA_API Solutions Solver::solve(ImageView<const Mass>, ImageView<const Mass>, bool);
FOVEA_EMD_SOLVE(std::uint8_t)
FOVEA_EMD_SOLVE(std::uint16_t)
FOVEA_EMD_SOLVE(float)
FOVEA_EMD_SOLVE(double)
#undef FOVEA_EMD_SOLVE

Solutions solve_each(ImageView<const double> first, ImageView<const double> second,
                     ImageView<const double> costs, const SolverOptions& options, bool with_flow) {
  check_options(options);
  const int problems = first.height, rows = first.width, columns = second.width;
  if (rows < 1 || columns < 1 || costs.width != std::int64_t{rows} * columns ||
      second.height != problems || costs.height != problems)
    throw InvalidArgument(fmt::format(
        "{}: {} histograms of {} bins and {} of {} with {} rows of {} costs; expected as many "
        "rows, "
        "and a cost for each pair of bins",
        kSolverName, problems, rows, second.height, columns, costs.height, costs.width));
  const Exec exec = fovea::detail::resolve_exec(kSolverName, options.exec, {first, second, costs});
  if (fovea::detail::on_cuda(exec) && options.exec.device.kind != DeviceKind::kAuto)
    throw InvalidArgument(fmt::format(
        "{}: costs of each problem are work for the CPU, but the device is {}; pass cpu",
        kSolverName, to_string(options.exec.device)));
  for (const Memory memory : {first.memory, second.memory, costs.memory})
    fovea::detail::require_host(kSolverName, "a table", memory);
  const auto count = static_cast<std::size_t>(problems);
  Solutions made{Array<double>(count),
                 Array<Status>(count),
                 Array<std::uint16_t>(count),
                 {},
                 Array<SolvedBy>(count)};
  if (with_flow) made.flow = Image<double>(costs.width, problems);
  const SolutionsView out = view_of(made);
  SolverOptions alone = options;
  alone.exec.device = Device::cpu();
  alone.exec.threads = 1;
  alone.exec.progress = {};
  Exec everywhere = exec;
  everywhere.device = Device::cpu();
  parallel_for(everywhere, problems, 1, [&](std::int64_t from, std::int64_t to) {
    for (auto k = static_cast<int>(from); k < to; ++k) {
      Solver solver(GroundDistance(rows, columns, {costs.row(k), std::size_t(costs.width)}), alone);
      solver.solve<double>(
          first.crop(0, k, rows, 1), second.crop(0, k, columns, 1),
          {out.distance + k, out.status + k, out.pivots + k,
           with_flow ? out.flow.crop(0, k, costs.width, 1) : out.flow, out.solved_by + k});
    }
  });
  return made;
}

Solution distance(const GroundDistance& ground, std::span<const double> first,
                  std::span<const double> second, const SolverOptions& options) {
  Solver solver(ground, options);
  const auto view = [](std::span<const double> masses) {
    return packed_view(masses.data(), static_cast<int>(masses.size()), 1);
  };
  const Solutions found = solver.solve<double>(view(first), view(second), true);
  const double* flow = found.flow.row(0);
  return {found.distance[0], found.status[0], found.pivots[0],
          std::vector<double>(flow, flow + found.flow.width()), found.solved_by[0]};
}

}  // namespace fovea::emd
