// Costs of steps from a file, for the verbs that take them.
#pragma once
#include <fovea/mesh/arc_costs.h>

#include <optional>
#include <string>
#include <vector>

namespace fovea::operations {

struct OwnCosts {
  std::string file{};
  std::optional<double> others{};
};
void describe(OptionVisitor& visit, OwnCosts& costs);

// Throws InvalidArgument for costs of others without a file, and for one file and several inputs.
void check_own_costs(const OwnCosts& costs, std::size_t inputs);

// Throws InvalidArgument where a cost is chosen by name beside a file of costs.
void require_default_costs(const OwnCosts& costs, mesh::CostKind kind);

// The file of one input: {} in its name stands for the input's name without folder and extension.
std::string costs_file_of(const OwnCosts& costs, const std::string& input);

// Reads the costs of one input's arcs.
std::vector<float> read_own_costs(const OwnCosts& costs, const std::string& input,
                                  const mesh::DualGraph& graph);

}  // namespace fovea::operations
