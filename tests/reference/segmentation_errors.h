// The Princeton benchmark's measures from their definitions, by loops over faces and pairs of them.
#pragma once
#include <fovea/io/mesh_io.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace fovea::reference {

struct SegmentationErrors {
  double rand = 0, hamming_missing = 0, hamming_false = 0;
  double global_consistency = 0, local_consistency = 0;
};

inline std::vector<double> face_areas(const io::TriangleMesh& mesh) {
  std::vector<double> areas;
  for (const io::Triangle& face : mesh.faces) {
    double e[2][3];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        e[j][i] = static_cast<double>(mesh.vertices[static_cast<std::size_t>(face[j + 1])][i]) -
                  static_cast<double>(mesh.vertices[static_cast<std::size_t>(face[0])][i]);
    areas.push_back(0.5 * std::sqrt(std::pow(e[0][1] * e[1][2] - e[0][2] * e[1][1], 2) +
                                    std::pow(e[0][2] * e[1][0] - e[0][0] * e[1][2], 2) +
                                    std::pow(e[0][0] * e[1][1] - e[0][1] * e[1][0], 2)));
  }
  return areas;
}

inline SegmentationErrors segmentation_errors(const io::TriangleMesh& mesh,
                                              const std::vector<std::int32_t>& a,
                                              const std::vector<std::int32_t>& b) {
  const std::vector<double> area = face_areas(mesh);
  const std::size_t faces = area.size();
  SegmentationErrors errors;
  double all = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < faces; ++i) {
    all += area[i];
    for (std::size_t j = 0; j < i; ++j) {
      pairs += area[i] * area[j];
      if ((a[i] == a[j]) != (b[i] == b[j])) errors.rand += area[i] * area[j];
    }
  }
  errors.rand /= pairs;
  double one = 0;
  double other = 0;
  for (std::size_t i = 0; i < faces; ++i) {
    double in_a = 0, in_b = 0, in_both = 0;
    for (std::size_t j = 0; j < faces; ++j) {
      if (a[i] == a[j]) in_a += area[j];
      if (b[i] == b[j]) in_b += area[j];
      if (a[i] == a[j] && b[i] == b[j]) in_both += area[j];
    }
    one += area[i] / all * (1 - in_both / in_a);
    other += area[i] / all * (1 - in_both / in_b);
    errors.local_consistency += area[i] / all * std::min(1 - in_both / in_a, 1 - in_both / in_b);
  }
  errors.global_consistency = std::min(one, other);
  const auto misses = [&](const std::vector<std::int32_t>& fit,
                          const std::vector<std::int32_t>& to) {
    double outside = 0;
    for (const std::int32_t segment : std::set<std::int32_t>(to.begin(), to.end())) {
      double best = 0;
      double size = 0;
      for (const std::int32_t candidate : std::set<std::int32_t>(fit.begin(), fit.end())) {
        double shared = 0;
        for (std::size_t i = 0; i < faces; ++i)
          if (to[i] == segment && fit[i] == candidate) shared += area[i];
        best = std::max(best, shared);
        size += shared;
      }
      outside += size - best;
    }
    return outside / all;
  };
  errors.hamming_missing = misses(a, b);
  errors.hamming_false = misses(b, a);
  return errors;
}

}  // namespace fovea::reference
