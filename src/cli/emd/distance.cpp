// fovea emd distance: exact distances between the pairs of histograms in a file.
#include <fovea/core/error.h>
#include <fovea/emd/solver.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/emd/emd.h"
#include "cli/program/batch.h"
#include "cli/program/json_file.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
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
        "ground distance to use instead of the one in the file: l1, l2, squared, threshold:T, "
        "circular, discrete or a file of costs",
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

emd::GroundDistance ground_of(const DistanceRequest& request, const json& file,
                              const std::vector<Pair>& pairs) {
  int bins = 0;
  for (const Pair& pair : pairs)
    if (bins == 0) bins = static_cast<int>(std::min<std::size_t>(pair.first.size(), 65));
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
    return {static_cast<int>(std::min<std::size_t>(ground.size(), 65)),
            static_cast<int>(std::min<std::size_t>(columns, 65)), costs};
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

struct Answers {
  std::vector<std::string> errors;  // one per problem; empty where the problem is solved
  std::vector<std::size_t> row_of;  // per problem, its row in `found` where it is solved
  emd::Solutions found{};
};

Answers solve_pairs(const DistanceRequest& request, const emd::GroundDistance& ground,
                    const std::vector<Pair>& pairs) {
  Answers answers{std::vector<std::string>(pairs.size()), std::vector<std::size_t>(pairs.size())};
  std::size_t good = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    answers.errors[k] = misfit(pairs[k], ground);
    answers.row_of[k] = good;
    if (answers.errors[k].empty()) ++good;
  }
  const auto rows = static_cast<int>(good);
  Image<double> first(ground.rows(), rows), second(ground.columns(), rows);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!answers.errors[k].empty()) continue;
    const auto row = static_cast<int>(answers.row_of[k]);
    std::copy(pairs[k].first.begin(), pairs[k].first.end(), first.row(row));
    std::copy(pairs[k].second.begin(), pairs[k].second.end(), second.row(row));
  }
  emd::Solver solver(ground, request.solver);
  if (good > 0) answers.found = solver.solve<double>(first.view(), second.view(), request.flow);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!answers.errors[k].empty()) continue;
    const emd::Status status = answers.found.status[answers.row_of[k]];
    if (status == emd::Status::kInvalidMass)
      answers.errors[k] = "the sum of its masses is not finite";
  }
  return answers;
}

// What is printed: one element per problem in each list, which is null where the problem is
// invalid.
struct DistanceReport {
  struct Error {
    std::int64_t problem = 0;
    std::string error{};
  };
  using Flow = std::vector<std::vector<double>>;
  emd::GroundFacts ground{};
  std::int64_t failed = 0;
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
  visit("solved_by", report.solved_by, "how many problems each solver took");
  visit("distances", report.distances, "of each problem; null where it is invalid");
  visit("statuses", report.statuses, "of each problem");
  visit("pivots", report.pivots, "simplex pivots of each problem");
  visit("solvers", report.solvers, "what solved each problem");
  visit("flows", report.flows, "mass that moves from each bin to each other, of each problem");
  visit("errors", report.errors, "what is wrong with invalid problems");
}

DistanceReport::Flow flow_of(const emd::GroundDistance& ground, const double* flow) {
  DistanceReport::Flow rows;
  for (int i = 0; i < ground.rows(); ++i, flow += ground.columns())
    rows.emplace_back(flow, flow + ground.columns());
  return rows;
}

void print_json(const DistanceRequest& request, Context& context, const emd::GroundDistance& ground,
                const Answers& answers, std::size_t failed) {
  const std::size_t problems = answers.errors.size();
  DistanceReport report{.ground = facts_of(ground), .failed = static_cast<std::int64_t>(failed)};
  report.distances.resize(problems);
  report.statuses.resize(problems);
  report.pivots.resize(problems);
  report.solvers.resize(problems);
  if (request.flow) report.flows.emplace(problems);
  for (std::size_t k = 0; k < problems; ++k) {
    if (!answers.errors[k].empty()) {
      report.errors.push_back({static_cast<std::int64_t>(k), answers.errors[k]});
      continue;
    }
    const emd::Solutions& found = answers.found;
    const std::size_t row = answers.row_of[k];
    ++report.solved_by[found.solved_by[row]];
    report.distances[k] = found.distance[row];
    report.statuses[k] = found.status[row];
    report.pivots[k] = found.pivots[row];
    report.solvers[k] = found.solved_by[row];
    if (request.flow) (*report.flows)[k] = flow_of(ground, found.flow.row(static_cast<int>(row)));
  }
  print_result(context, record_ref(report));
}

int run_distance(DistanceRequest& request, Context& context) {
  if (request.problems.empty())
    throw InvalidArgument("emd distance needs --problems FILE, a JSON file of histograms");
  if (request.flow && !context.json)
    throw InvalidArgument("--flow is reported in JSON only; add --json");
  resolve_device(context);
  request.solver.exec = context.exec;
  const json file = read_json(request.problems);
  if (!file.is_object())
    throw FormatError(request.problems + ": holds no object with \"ground\" and \"problems\"");
  const std::vector<Pair> pairs = pairs_of(file, request.problems);
  const emd::GroundDistance ground = ground_of(request, file, pairs);
  const Answers answers = solve_pairs(request, ground, pairs);
  std::size_t failed = 0, unproved = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const std::string& error = answers.errors[k];
    const bool limit =
        error.empty() && answers.found.status[answers.row_of[k]] == emd::Status::kPivotLimit;
    if (!error.empty())
      context.console.complain(fmt::format("{}: problem {}: {}", request.problems, k, error));
    else if (limit)
      context.console.complain(
          fmt::format("{}: problem {}: {} pivots were not enough; its distance is an upper bound",
                      request.problems, k, answers.found.pivots[answers.row_of[k]]));
    failed += error.empty() ? 0 : 1;
    unproved += limit ? 1 : 0;
  }
  context.console.end_progress();
  if (context.json) {
    print_json(request, context, ground, answers, failed);
  } else {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (!answers.errors[k].empty()) {
        context.console.print(fmt::format("{} bad\n", k));
        continue;
      }
      const std::size_t row = answers.row_of[k];
      context.console.print(fmt::format("{} {:.17g} {} {}\n", k, answers.found.distance[row],
                                        to_string(answers.found.status[row]),
                                        to_string(answers.found.solved_by[row])));
    }
  }
  if (failed + unproved == 0) return kDone;
  return failed == pairs.size() ? kBadInput : kSomeFailed;
}

}  // namespace

Command emd_distance_command() {
  return {.system = "emd",
          .verb = "distance",
          .summary = "compute exact Earth Mover's Distances between histograms",
          .text =
              "Reads a JSON object. Its \"ground\" is l1, l2, squared, threshold:T, circular, "
              "discrete, a file of costs or rows of costs. Its \"problems\" is a list of objects "
              "with histograms \"p\" and \"q\". Instead of \"problems\" the object may have a list "
              "of histograms \"P\", and as \"Q\" one histogram for all of them or a list of the "
              "same length. Histograms have up to 64 bins, and masses are whole or real numbers. "
              "Prints one line per problem: its number, its distance, its status and the solver "
              "that took it. A problem "
              "with invalid masses is reported as such, and the others are solved.",
          .arguments = {},
          .examples = {{"fovea emd distance --problems pairs.json --json",
                        "also report the pivots of each problem and how many each solver took"},
                       {"fovea emd distance --problems p.json --ground threshold:3 --flow --json",
                        "use another ground distance and report the flows"},
                       {"fovea emd distance --problems p.json --solver simplex --start auxiliary",
                        "solve by the simplex method from an auxiliary sink"}},
          .request = make_request<DistanceRequest, run_distance>,
          .result = {sample_record<DistanceReport>}};
}

}  // namespace fovea::cli
