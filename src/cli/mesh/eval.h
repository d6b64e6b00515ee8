// How an evaluation of segmentations is asked for and told.
#pragma once
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/segment.h>

#include <string>
#include <vector>

namespace fovea::cli {

// A mesh, what people made of it, and what we did.
struct MeshCase {
  std::string path;
  std::string name;      // of the file, without its ending
  std::string category;  // empty: none
  std::vector<std::string> people{};
  int segments = 0;  // asked for; 0: chosen
  int found = 0;
  mesh::SegmentationErrors errors{};
  mesh::SegmentationErrors among_people{};  // of each of them to the others
  double seconds = 0;
};

// Meshes of a folder and the label files of each: N.seg, N_*.seg, or N/*.seg in the other folder.
// Of the Princeton benchmark, whose meshes are numbered from 1 to 400, twenty make a category.
// Meshes without labels are left out; IoError where none is left.
std::vector<MeshCase> find_mesh_cases(const std::string& meshes, const std::string& segmentations);

// The mean of cases' errors.
mesh::SegmentationErrors mean_errors(const std::vector<const MeshCase*>& cases, bool of_people);

// Categories in the order of their first mesh, with their cases.
std::vector<std::pair<std::string, std::vector<const MeshCase*>>> by_category(
    const std::vector<MeshCase>& cases);

}  // namespace fovea::cli
