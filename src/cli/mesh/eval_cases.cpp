// Finds the meshes and labels of an evaluation, and averages results.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "cli/mesh/eval.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

std::optional<int> number_of(const std::string& name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return {};
  return number;
}

// The category in the Princeton benchmark (Chen, Golovinskiy and Funkhouser, 2009).
std::string category_of(const std::string& name) {
  static constexpr std::array<const char*, 20> kNames{
      "Human",     "Cup",   "Glasses", "Airplane", "Ant",  "Chair",  "Octopus",
      "Table",     "Teddy", "Hand",    "Plier",    "Fish", "Bird",   "Spring",
      "Armadillo", "Bust",  "Mech",    "Bearing",  "Vase", "Fourleg"};
  const std::optional<int> number = number_of(name);
  constexpr int kEach = 20;
  if (!number || *number < 1 || *number > kEach * static_cast<int>(kNames.size())) return {};
  return kNames[static_cast<std::size_t>((*number - 1) / kEach)];
}

}  // namespace

std::vector<MeshCase> find_mesh_cases(const std::string& meshes, const std::string& segmentations,
                                      std::size_t& meshes_found) {
  std::vector<MeshCase> cases;
  meshes_found = 0;
  for (const std::string& path : io::expand_inputs(std::span(&meshes, 1), io::mesh_files())) {
    MeshCase found{.path = path, .name = fs::path(path).stem().string(), .category = {}};
    ++meshes_found;
    found.category = category_of(found.name);
    found.people = mesh::label_files(path, segmentations);
    if (!found.people.empty()) cases.push_back(std::move(found));
  }
  if (cases.empty())
    throw IoError(
        fmt::format("{}: there are no labels for any mesh in {}; expected NAME.seg, "
                    "NAME_*.seg or NAME/*.seg",
                    segmentations, meshes));
  return cases;
}

mesh::SegmentationReport mean_errors(const std::vector<const MeshCase*>& cases, bool of_people) {
  mesh::SegmentationReport mean;
  const auto share = 1.0 / static_cast<double>(std::max<std::size_t>(1, cases.size()));
  for (const MeshCase* each : cases) {
    const mesh::SegmentationReport& errors = of_people ? each->among_people : each->errors;
    mean.rand += share * errors.rand;
    mean.cut_discrepancy += share * errors.cut_discrepancy;
    mean.hamming += share * errors.hamming;
    mean.hamming_missing += share * errors.hamming_missing;
    mean.hamming_false += share * errors.hamming_false;
    mean.global_consistency += share * errors.global_consistency;
    mean.local_consistency += share * errors.local_consistency;
  }
  return mean;
}

std::vector<std::pair<std::string, std::vector<const MeshCase*>>> by_category(
    const std::vector<MeshCase>& cases) {
  std::vector<std::pair<std::string, std::vector<const MeshCase*>>> categories;
  for (const MeshCase& each : cases) {
    auto at = std::ranges::find_if(
        categories, [&](const auto& category) { return category.first == each.category; });
    if (at == categories.end()) at = categories.insert(at, {each.category, {}});
    at->second.push_back(&each);
  }
  return categories;
}

}  // namespace fovea::cli
