// Groups of points in few dimensions, each with a representative.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/divide/superfaces.h"

namespace fovea::mesh {

struct Points {
  std::vector<double> numbers;  // dimensions each
  std::vector<double> weights;
  int dimensions = 0;

  std::size_t count() const { return weights.size(); }
  const double* at(std::size_t point) const {
    return numbers.data() + point * static_cast<std::size_t>(dimensions);
  }
};

struct Groups {
  std::vector<std::int32_t> labels;  // of each point; every group has one
  std::vector<double> centers;
  double spread = 0;  // weighted sum of squared distances to the centers
};

struct GroupOptions {
  int groups = 2;  // no more than points
  int restarts = 20;
  std::uint64_t seed = 1234;
};
// Least spread of several tries: neighbors merged step by step where it costs the least (Ward),
// and centers drawn by chance, far points likelier; each moved until nothing changes (Lloyd).
// `links` say which points are neighbors; groups that no link connects are merged last.
Groups group_points(const Points& points, std::span<const Conductance> links,
                    const GroupOptions& options);

double squared_distance(const double* a, const double* b, int dimensions);

}  // namespace fovea::mesh
