// emd distance: exact distances between the pairs of histograms in a file.
#include <fovea/core/error.h>
#include <fovea/emd/solver.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "core/words.h"
#include "operations/json_file.h"
#include "operations/make_operation.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_emd_distance {
namespace {

using nlohmann::json;

struct DistanceRequest {
  std::string problems{};
  std::string ground{};
  bool flow = false;
  emd::SolverOptions solver{};
};

void describe(OptionVisitor& visit, DistanceRequest& request) {
  visit.path("problems", request.problems, TextUse::kInput,
             "JSON file with a ground distance and pairs of histograms");
  visit("ground", request.ground,
        "ground distance to use instead of the one in the file: l1, l2 (euclidean), squared "
        "(sqeuclidean), threshold:T, circular, discrete or a file of costs",
        {.value_name = "NAME|FILE", .words = emd::ground_words()});
  visit("flow", request.flow,
        "report how much mass moves from each bin to each other; needs --json");
  describe(visit, request.solver);
}

using Histogram = std::vector<double>;

// A pair of histograms, or the reason why there is none.
struct Pair {
  Histogram first{}, second{};
  std::string error{};
};

// A value as messages quote it; nested values are named by their kind only.
std::string text_of(const json& value) {
  return value.is_structured() ? fmt::format("an {}", value.type_name())
                               : fovea::detail::shown(value.dump());
}

// Throws InvalidArgument for anything but a list of numbers.
Histogram histogram_of(const char* name, const json& list) {
  if (!list.is_array()) throw InvalidArgument(fmt::format("{} is not a list of masses", name));
  Histogram masses;
  for (const json& mass : list) {
    if (!mass.is_number())
      throw InvalidArgument(fmt::format("{} holds {} in bin {}, expected a number", name,
                                        text_of(mass), masses.size()));
    masses.push_back(mass.get<double>());
  }
  return masses;
}

Pair pair_of(const json& first, const json& second, const char* first_name,
             const char* second_name) {
  try {
    return {histogram_of(first_name, first), histogram_of(second_name, second)};
  } catch (const InvalidArgument& error) {
    return {{}, {}, error.what()};
  }
}

bool is_list_of_lists(const json& value) {
  return value.is_array() && !value.empty() && value.front().is_array();
}

std::vector<Pair> pairs_of(const json& file, const std::string& path) {
  std::vector<Pair> pairs;
  if (file.contains("problems") && file["problems"].is_array()) {
    for (const json& problem : file["problems"]) {
      if (problem.is_object() && problem.contains("p") && problem.contains("q"))
        pairs.push_back(pair_of(problem["p"], problem["q"], "p", "q"));
      else pairs.push_back({{}, {}, "is not an object with 'p' and 'q'"});
    }
    return pairs;
  }
  if (!file.contains("P") || !file.contains("Q") || !file["P"].is_array() || !file["Q"].is_array())
    throw FormatError(fmt::format(
        "{}: holds no pairs; expected \"problems\": [{{\"p\": [..], \"q\": [..]}}, ..], or lists "
        "\"P\" and \"Q\"",
        path));
  const json first = is_list_of_lists(file["P"]) ? file["P"] : json::array({file["P"]});
  const json second = is_list_of_lists(file["Q"]) ? file["Q"] : json::array({file["Q"]});
  if (second.size() != 1 && second.size() != first.size())
    throw FormatError(fmt::format("{}: P holds {} histograms and Q {}, expected 1 or as many", path,
                                  first.size(), second.size()));
  for (std::size_t k = 0; k < first.size(); ++k)
    pairs.push_back(pair_of(first[k], second[second.size() == 1 ? 0 : k], "P", "Q"));
  return pairs;
}

// A number of bins; one that is too large stays so.
int counted(std::size_t bins) {
  return static_cast<int>(std::min<std::size_t>(bins, emd::GroundDistance::kMostBins + 1));
}

emd::GroundDistance ground_of(const DistanceRequest& request, const json& file,
                              const std::vector<Pair>& pairs) {
  int bins = 0;
  for (const Pair& pair : pairs)
    if (bins == 0) bins = counted(pair.first.size());
  const std::string& path = request.problems;
  if (!request.ground.empty()) return emd::GroundDistance::named(request.ground, bins);
  if (!file.contains("ground"))
    throw FormatError(path + ": names no \"ground\" distance; give it there or with --ground");
  const json& ground = file["ground"];
  try {
    if (ground.is_string()) return emd::GroundDistance::named(ground.get<std::string>(), bins);
    std::vector<double> costs;
    std::size_t columns = 0;
    for (const json& row : ground) {
      const auto values = row.get<std::vector<double>>();
      if (columns != 0 && values.size() != columns)
        throw InvalidArgument(fmt::format("a row has {} costs, but the rows before it have {}",
                                          values.size(), columns));
      columns = values.size();
      costs.insert(costs.end(), values.begin(), values.end());
    }
    return {counted(ground.size()), counted(columns), costs};
  } catch (const json::exception&) {
    throw FormatError(path + ": \"ground\" is neither a name nor rows of numbers");
  } catch (const InvalidArgument& error) {
    throw FormatError(fmt::format("{}: ground: {}", path, error.what()));
  }
}

// The reason why a pair does not fit the ground distance; empty where it does.
std::string misfit(const Pair& pair, const emd::GroundDistance& ground) {
  if (!pair.error.empty()) return pair.error;
  const auto side = [](const char* name, const Histogram& masses, int bins) -> std::string {
    if (masses.size() != static_cast<std::size_t>(bins))
      return fmt::format("{} has {} bins, expected {}", name, masses.size(), bins);
    for (std::size_t i = 0; i < masses.size(); ++i)
      if (!(masses[i] >= 0))
        return fmt::format("{} has mass {} in bin {}, expected at least 0", name, masses[i], i);
    return {};
  };
  const std::string first = side("p", pair.first, ground.rows());
  return first.empty() ? side("q", pair.second, ground.columns()) : first;
}

// What the JSON has: one element per problem in each list, which is null where the problem is
// invalid.
struct DistanceReport {
  struct Error {
    std::int64_t problem = 0;
    std::string error{};
  };
  using Flow = std::vector<std::vector<double>>;
  emd::GroundFacts ground{};
  std::int64_t failed = 0;
  std::int64_t unequal = 0;
  std::optional<std::string> assumed{};
  emd::SolvedCounts solved_by{};
  std::vector<std::optional<double>> distances{};
  std::vector<std::optional<emd::Status>> statuses{};
  std::vector<std::optional<int>> pivots{};
  std::vector<std::optional<emd::SolvedBy>> solvers{};
  std::optional<std::vector<std::optional<Flow>>> flows{};
  std::vector<Error> errors{};
};
void describe(FieldVisitor& visit, DistanceReport::Error& error) {
  visit.record("ProblemError", "a problem that is invalid");
  visit("problem", error.problem, "its number, from 0");
  visit("error", error.error, "what is wrong");
}
void describe(FieldVisitor& visit, DistanceReport& report) {
  visit.record("Distances", "exact distances between pairs of histograms");
  visit("ground", report.ground, "the ground distance");
  visit("failed", report.failed, "how many problems are invalid");
  visit("unequal", report.unequal, "how many problems have histograms of different totals");
  visit("assumed", report.assumed, "what the distance of those problems is");
  visit("solved_by", report.solved_by, "how many problems each solver took");
  visit("distances", report.distances, "of each problem; null where it is invalid");
  visit("statuses", report.statuses, "of each problem");
  visit("pivots", report.pivots, "simplex pivots of each problem");
  visit("solvers", report.solvers, "what solved each problem");
  visit("flows", report.flows, "mass that moves from each bin to each other, of each problem");
  visit("errors", report.errors, "what is wrong with invalid problems");
}

// Whether the totals of a pair differ by more than the rounding of masses and of their sums.
bool is_unequal(const Pair& pair) {
  const auto total = [](const Histogram& masses) {
    return std::accumulate(masses.begin(), masses.end(), 0.0L);
  };
  const long double first = total(pair.first), second = total(pair.second);
  return std::abs(first - second) > 1e-12L * std::max(first, second);
}

std::string assumed_of(const emd::SolverOptions& options) {
  switch (options.mass) {
    case emd::MassPolicy::kPenalty:
      return "the cost of the mass that is moved, plus a penalty per unit of the rest "
             "(--mass penalty)";
    case emd::MassPolicy::kNormalize:
      return "that of the histograms scaled to mass 1 (--mass normalize)";
    case emd::MassPolicy::kPartial: break;
  }
  return "the cost of moving the lighter histogram into the heavier, divided by its mass "
         "(--mass partial)";
}

struct Solved {
  std::vector<Pair> pairs{};
  std::optional<emd::GroundDistance> ground{};
  DistanceReport report{};
  Faults faults{};
};

void settle(DistanceRequest& request, const Plan& plan) {
  if (request.problems.empty())
    throw InvalidArgument("emd distance needs --problems FILE, a JSON file of histograms");
  if (request.flow && !plan.json)
    throw InvalidArgument("--flow is reported in JSON only; add --json");
}

void read(const DistanceRequest& request, const Source&, Solved& item) {
  const json file = read_json(request.problems);
  if (!file.is_object())
    throw FormatError(request.problems + ": holds no object with \"ground\" and \"problems\"");
  item.pairs = pairs_of(file, request.problems);
  item.ground = ground_of(request, file, item.pairs);
}

DistanceReport::Flow flow_of(const emd::GroundDistance& ground, const double* flow) {
  DistanceReport::Flow rows;
  for (int i = 0; i < ground.rows(); ++i, flow += ground.columns())
    rows.emplace_back(flow, flow + ground.columns());
  return rows;
}

// The solutions of the pairs of these numbers, one row each.
emd::Solutions solve(const DistanceRequest& request, const Solved& item,
                     const std::vector<std::size_t>& which) {
  const auto rows = static_cast<int>(which.size());
  Image<double> first(item.ground->rows(), rows), second(item.ground->columns(), rows);
  for (int row = 0; row < rows; ++row) {
    const Pair& pair = item.pairs[which[static_cast<std::size_t>(row)]];
    std::ranges::copy(pair.first, first.row(row));
    std::ranges::copy(pair.second, second.row(row));
  }
  emd::Solver solver(*item.ground, request.solver);
  return rows == 0 ? emd::Solutions{}
                   : solver.solve<double>(first.view(), second.view(), request.flow);
}

// Takes the solution of a problem.
void take(const DistanceRequest& request, const emd::Solutions& found, std::size_t row,
          std::size_t problem, Solved& item) {
  DistanceReport& report = item.report;
  ++report.solved_by[found.solved_by[row]];
  report.unequal += is_unequal(item.pairs[problem]) ? 1 : 0;
  report.distances[problem] = found.distance[row];
  report.statuses[problem] = found.status[row];
  report.pivots[problem] = found.pivots[row];
  report.solvers[problem] = found.solved_by[row];
  if (request.flow)
    (*report.flows)[problem] = flow_of(*item.ground, found.flow.row(static_cast<int>(row)));
}

void run(const DistanceRequest& request, NoWorker&, Solved& item) {
  DistanceReport& report = item.report;
  const std::size_t problems = item.pairs.size();
  report.ground = facts_of(*item.ground);
  report.distances.resize(problems);
  report.statuses.resize(problems);
  report.pivots.resize(problems);
  report.solvers.resize(problems);
  if (request.flow) report.flows.emplace(problems);
  std::vector<std::size_t> good;
  for (std::size_t k = 0; k < problems; ++k)
    if (misfit(item.pairs[k], *item.ground).empty()) good.push_back(k);
  const emd::Solutions found = solve(request, item, good);
  for (std::size_t k = 0, row = 0; k < problems; ++k) {
    std::string error = misfit(item.pairs[k], *item.ground), fault = error;
    if (error.empty() && found.status[row++] == emd::Status::kInvalidMass)
      fault = error = "the sum of its masses is not finite";
    if (error.empty()) take(request, found, row - 1, k, item);
    else report.errors.push_back({static_cast<std::int64_t>(k), error});
    if (report.statuses[k] == emd::Status::kPivotLimit)
      fault = fmt::format("{} pivots were not enough; its distance is an upper bound",
                          *report.pivots[k]);
    if (!fault.empty())
      item.faults.messages.push_back(fmt::format("{}: problem {}: {}", request.problems, k, fault));
  }
  if (report.unequal > 0) report.assumed = assumed_of(request.solver);
  report.failed = std::ssize(report.errors);
  item.faults.all = report.errors.size() == problems;
}

// One line per problem.
std::string line(const DistanceRequest&, const Solved& item) {
  const DistanceReport& report = item.report;
  std::string text;
  for (std::size_t k = 0; k < report.distances.size(); ++k) {
    if (k > 0) text += '\n';
    if (!report.distances[k]) text += fmt::format("{} bad", k);
    else
      text += fmt::format("{} {:.17g} {} {}", k, *report.distances[k],
                          to_string(*report.statuses[k]), to_string(*report.solvers[k]));
  }
  return text;
}

}  // namespace
}  // namespace of_emd_distance

Operation emd_distance() {
  using namespace of_emd_distance;
  return make_operation<DistanceRequest, Solved>(
      {.words =
           {.system = "emd",
            .verb = "distance",
            .summary = "compute exact Earth Mover's Distances between histograms",
            .text =
                "Reads a JSON object. Its \"ground\" is l1, l2, squared, threshold:T, circular, "
                "discrete, a file of costs or rows of costs. Its \"problems\" is a list of objects "
                "with histograms \"p\" and \"q\". Instead of \"problems\" the object may have a "
                "list "
                "of histograms \"P\", and as \"Q\" one histogram for all of them or a list of the "
                "same length. Masses are whole or real numbers; costs are given for up to 4096 "
                "bins. "
                "Prints one line per problem: its number, its distance, its status and the solver "
                "that took it. A problem with invalid masses is reported as such, and the others "
                "are solved.",
            .examples = {{"fovea emd distance --problems pairs.json --json",
                          "also report the pivots of each problem and how many each solver took"},
                         {"fovea emd distance --problems p.json --ground threshold:3 --flow --json",
                          "use another ground distance and report the flows"},
                         {"fovea emd distance --problems p.json --solver simplex --start auxiliary",
                          "solve by the simplex method from an auxiliary sink"}}},
       .input = InputKind::kOther,
       .alone = true,
       .settle = settle,
       .begin = [](DistanceRequest& request, const Exec& exec,
                   const Plan&) { request.solver.exec = exec; },
       .read = read,
       .run = run,
       .result = [](const Solved& item) { return record_ref(item.report); },
       .line = line,
       .faults = [](const Solved& item) { return item.faults; }},
      sample_record<DistanceReport>);
}

}  // namespace fovea::operations
