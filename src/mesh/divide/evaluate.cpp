// The measures of the Princeton benchmark, by area. All but the cut discrepancy follow from a table
// of the areas that the segments of both segmentations share.
#include <fovea/mesh/evaluate.h>

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "mesh/divide/cut_discrepancy.h"
#include "mesh/graph/vector.h"

namespace fovea::mesh {
namespace {

using Labels = std::span<const std::int32_t>;

void require_labels(const io::TriangleMesh& mesh, Labels labels, const char* whose) {
  if (mesh.faces.empty()) throw InvalidArgument("evaluate: the mesh has no faces");
  if (labels.size() != mesh.faces.size())
    throw InvalidArgument(fmt::format("evaluate: {} labels {} for {} faces; expected one each",
                                      labels.size(), whose, mesh.faces.size()));
}

std::vector<double> face_shares(const io::TriangleMesh& mesh) {
  std::vector<double> shares(mesh.faces.size());
  double sum = 0;
  for (std::size_t face = 0; face < shares.size(); ++face) {
    const Vector a = corner(mesh, face, 0);
    shares[face] = length(cross(corner(mesh, face, 1) - a, corner(mesh, face, 2) - a));
    sum += shares[face];
  }
  // In a mesh without any area all faces count the same.
  for (double& share : shares)
    share = sum > 0 ? share / sum : 1 / static_cast<double>(shares.size());
  return shares;
}

struct Overlaps {
  std::map<std::int32_t, double> first, second;
  std::map<std::pair<std::int32_t, std::int32_t>, double> both;
  double squares = 0;  // sum over single faces
};
Overlaps overlaps(const std::vector<double>& shares, Labels a, Labels b) {
  Overlaps result;
  for (std::size_t face = 0; face < shares.size(); ++face) {
    result.both[{a[face], b[face]}] += shares[face];
    result.squares += shares[face] * shares[face];
  }
  for (const auto& [labels, share] : result.both) {
    result.first[labels.first] += share;
    result.second[labels.second] += share;
  }
  return result;
}

template <class Shares>
double sum_of_squares(const Shares& shares) {
  double sum = 0;
  for (const auto& [label, share] : shares) sum += share * share;
  return sum;
}

// Counts pairs of different faces, weighted by the product of their areas.
double rand_error(const Overlaps& overlap) {
  const double pairs = 1 - overlap.squares;
  if (!(pairs > 1e-12)) return 0;
  const double apart = sum_of_squares(overlap.first) + sum_of_squares(overlap.second) -
                       2 * sum_of_squares(overlap.both);
  return std::clamp(apart / pairs, 0.0, 1.0);
}

// Returns the area of the second segmentation that lies outside the best-fitting segment of the
// first, or the other way around.
double hamming(const Overlaps& overlap, bool of_second) {
  std::map<std::int32_t, double> best;
  for (const auto& [labels, share] : overlap.both) {
    double& most = best[of_second ? labels.second : labels.first];
    most = std::max(most, share);
  }
  double fits = 0;
  for (const auto& [label, share] : best) fits += share;
  return std::max(1 - fits, 0.0);
}

void consistency(const Overlaps& overlap, SegmentationReport& errors) {
  double by_first = 0;
  double by_second = 0;
  double by_less = 0;
  for (const auto& [labels, share] : overlap.both) {
    if (!(share > 0)) continue;
    const double first = std::max(1 - share / overlap.first.at(labels.first), 0.0);
    const double second = std::max(1 - share / overlap.second.at(labels.second), 0.0);
    by_first += share * first;
    by_second += share * second;
    by_less += share * std::min(first, second);
  }
  errors.global_consistency = std::min(by_first, by_second);
  errors.local_consistency = by_less;
}

SegmentationReport compare(const std::vector<double>& shares, Labels a, Labels b) {
  const Overlaps overlap = overlaps(shares, a, b);
  SegmentationReport errors;
  errors.rand = rand_error(overlap);
  errors.hamming_missing = hamming(overlap, true);
  errors.hamming_false = hamming(overlap, false);
  errors.hamming = (errors.hamming_missing + errors.hamming_false) / 2;
  consistency(overlap, errors);
  return errors;
}

// Adds the label files in a folder whose names begin with that of a mesh, or all for an empty name.
void add_label_files(const std::filesystem::path& folder, const std::string& name,
                     std::vector<std::string>& to) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string stem = entry->path().stem().string();
    const bool fits = name.empty() || stem == name || stem.starts_with(name + "_");
    if (fits && entry->path().extension() == ".seg") to.push_back(entry->path().string());
  }
}

}  // namespace

SegmentationReport compare_segmentations(const io::TriangleMesh& mesh,
                                         std::span<const std::int32_t> a,
                                         std::span<const std::int32_t> b) {
  const std::vector<std::int32_t> other(b.begin(), b.end());
  return evaluate_segmentation(mesh, a, {&other, 1});
}

SegmentationReport evaluate_segmentation(const io::TriangleMesh& mesh,
                                         std::span<const std::int32_t> labels,
                                         std::span<const std::vector<std::int32_t>> people) {
  require_labels(mesh, labels, "of the segmentation");
  if (people.empty()) throw InvalidArgument("evaluate: no segmentation to compare with");
  for (const std::vector<std::int32_t>& person : people)
    require_labels(mesh, person, "to compare with");
  const std::vector<double> shares = face_shares(mesh);
  const CutDiscrepancy cuts(mesh);
  const CutDiscrepancy::Cut ours = cuts.cut_of(labels);
  SegmentationReport mean;
  const double part = 1 / static_cast<double>(people.size());
  for (const std::vector<std::int32_t>& person : people) {
    const SegmentationReport one = compare(shares, labels, person);
    mean.rand += part * one.rand;
    mean.cut_discrepancy += part * cuts.between(ours, cuts.cut_of(person));
    mean.hamming += part * one.hamming;
    mean.hamming_missing += part * one.hamming_missing;
    mean.hamming_false += part * one.hamming_false;
    mean.global_consistency += part * one.global_consistency;
    mean.local_consistency += part * one.local_consistency;
  }
  return mean;
}

std::vector<std::string> label_files(const std::string& mesh_path, const std::string& folder) {
  const std::string name = std::filesystem::path(mesh_path).stem().string();
  std::vector<std::string> files;
  add_label_files(std::filesystem::path(folder) / name, "", files);
  add_label_files(folder, name, files);
  std::ranges::sort(files, io::natural_less);
  return files;
}

}  // namespace fovea::mesh
