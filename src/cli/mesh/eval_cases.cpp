// Finds the meshes and labels of an evaluation, and averages results.
#include <fovea/core/error.h>
#include <fovea/core/record.h>
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

// All measures, in their order.
std::vector<double*> measures_of(const mesh::SegmentationReport& report) {
  std::vector<double*> measures;
  for_each_field(record_ref(report), [&](const Field& field) {
    measures.push_back(std::get<double*>(std::get<ScalarRef>(field.value.ref)));
  });
  return measures;
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
  const std::vector<double*> sums = measures_of(mean);
  for (const MeshCase* each : cases) {
    const std::vector<double*> errors = measures_of(of_people ? each->among_people : each->errors);
    for (std::size_t i = 0; i < sums.size(); ++i) *sums[i] += share * *errors[i];
  }
  return mean;
}

void describe(FieldVisitor& visit, MeshCase& each) {
  visit("mesh", each.name, "the file's name without its extension");
  visit("category", each.category, "of the Princeton benchmark; empty where there is none");
  visit("parts_wanted", each.parts, "how many parts to make; 0 chooses the number");
  visit("parts", each.found, "how many parts there are");
  describe(visit, each.errors);
  visit("rand_of_people", each.among_people.rand, "the Rand error between people");
  visit("people", each.among_people, "each person compared with the others", {.printed = false});
  visit("seconds", each.seconds, "time to segment it", {.unit = "seconds", .timing = true});
}

namespace {

void describe(FieldVisitor& visit, MeshErrors& errors) {
  visit("errors", errors.errors, "the means over all meshes");
  visit("people", errors.people, "the same for each person compared with the others");
}

}  // namespace

void describe(FieldVisitor& visit, CategoryReport& report) {
  visit.record("CategoryReport", "the meshes of one category");
  visit("category", report.category, "of the Princeton benchmark; empty where there is none");
  visit("meshes", report.meshes, "how many were compared");
  describe(visit, report.errors);
}

void describe(FieldVisitor& visit, MeshEvalReport& report) {
  visit.record("MeshEvalReport", "how much segmentations differ from those that people made");
  visit("meshes", report.meshes, "how many were compared");
  visit("meshes_found", report.meshes_found, "how many there are");
  visit("meshes_without_labels", report.meshes_without_labels, "which are left out");
  visit("rand_error_mean", report.errors.errors.rand, "over all meshes");
  describe(visit, report.errors);
  visit("categories", report.categories, "in the order of their first mesh");
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
