#include "operations/mesh/own_costs.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <filesystem>

namespace fovea::operations {

void describe(OptionVisitor& visit, OwnCosts& costs) {
  visit.path("costs", costs.file, TextUse::kInput,
             "take the cost of each step from a file instead: text or .npy with one number per arc "
             "or with face, face, cost, or a table with the columns vertex_a, vertex_b and cost; "
             "{} in its name stands for the name of the mesh");
  visit("costs-else", costs.others, "the cost of arcs that the file of --costs leaves out", 0, 1e30,
        {.absent = "every arc must be there"});
}

void check_own_costs(const OwnCosts& costs, std::size_t inputs) {
  if (costs.file.empty() && costs.others)
    throw InvalidArgument("--costs-else is for arcs that a file leaves out: give --costs FILE too");
  if (!costs.file.empty() && inputs > 1 && costs.file.find("{}") == std::string::npos)
    throw InvalidArgument(fmt::format(
        "--costs {} names one file, but there are {} inputs; give a pattern such as costs/{{}}.csv",
        costs.file, inputs));
}

void require_default_costs(const OwnCosts& costs, mesh::CostKind kind) {
  if (!costs.file.empty() && kind != mesh::CostKind::kKatzTal)
    throw InvalidArgument(
        fmt::format("--costs {} has the costs of all steps, so that --cost has no effect; give one "
                    "of the two",
                    costs.file));
}

std::string costs_file_of(const OwnCosts& costs, const std::string& input) {
  std::string file = costs.file;
  const std::string name = std::filesystem::path(input).stem().string();
  for (std::size_t at = file.find("{}"); at != std::string::npos;
       at = file.find("{}", at + name.size()))
    file.replace(at, 2, name);
  return file;
}

std::vector<float> read_own_costs(const OwnCosts& costs, const std::string& input,
                                  const mesh::DualGraph& graph) {
  return mesh::read_arc_costs(costs_file_of(costs, input), graph, costs.others);
}

}  // namespace fovea::operations
