// What an evaluation of segmentations compares.
#pragma once
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/segment.h>
#include <fovea/report/evaluation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fovea::cli {

// A mesh, the segmentations that people made of it, and how ours compares.
struct MeshCase {
  std::string path;
  std::string name;                   // the file's name without its extension
  std::string category;               // empty where there is none
  std::vector<std::string> people{};  // the files with people's labels
  int parts = 0;                      // how many parts to make; 0 chooses the number
  int found = 0;                      // how many parts there are
  mesh::SegmentationReport errors{};
  mesh::SegmentationReport among_people{};  // each person compared with the others
  double seconds = 0;
};
// What is recorded of a case, and its row in tables.
void describe(FieldVisitor& visit, MeshCase& each);

// What the JSON has: the mean errors of some meshes, and those of people among each other.
struct MeshErrors {
  mesh::SegmentationReport errors{};
  std::optional<mesh::SegmentationReport> people{};
};
struct CategoryReport {
  std::string category{};
  std::int64_t meshes = 0;
  MeshErrors errors{};
};
struct MeshEvalReport {
  std::int64_t meshes = 0, meshes_found = 0, meshes_without_labels = 0;
  MeshErrors errors{};
  std::vector<CategoryReport> categories{};
};
void describe(FieldVisitor& visit, CategoryReport& report);
void describe(FieldVisitor& visit, MeshEvalReport& report);

// Finds the meshes of a folder with their label files: NAME.seg, NAME_*.seg and NAME/*.seg in the
// other folder. The meshes of the Princeton benchmark are numbered from 1 to 400, and every twenty
// of them form a category. Meshes without labels are left out, but counted in `meshes_found`.
// Throws IoError where none has labels.
std::vector<MeshCase> find_mesh_cases(const std::string& meshes, const std::string& segmentations,
                                      std::size_t& meshes_found);

// The mean of the errors of all cases.
mesh::SegmentationReport mean_errors(const std::vector<const MeshCase*>& cases, bool of_people);

// The categories in the order of their first mesh, each with its cases.
std::vector<std::pair<std::string, std::vector<const MeshCase*>>> by_category(
    const std::vector<MeshCase>& cases);

// What fovea view shows: how many meshes have which Rand error, and the worst of them first.
report::Evaluation mesh_evaluation(const std::vector<MeshCase>& cases);

}  // namespace fovea::cli
