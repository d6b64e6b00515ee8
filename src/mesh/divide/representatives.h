// Groups of points in few dimensions, each with a representative.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/divide/superfaces.h"

namespace fovea::mesh {

struct Points {
  std::vector<double> numbers;  // as many per point as there are dimensions
  std::vector<double> weights;
  int dimensions = 0;

  std::size_t count() const { return weights.size(); }
  const double* at(std::size_t point) const {
    return numbers.data() + point * static_cast<std::size_t>(dimensions);
  }
};

struct Groups {
  std::vector<std::int32_t> labels;  // one per point; every group has a point
  std::vector<double> centers;
  double spread = 0;  // the weighted sum of squared distances to the centers
};

struct GroupOptions {
  int groups = 2;  // no more than points
  int restarts = 20;
  std::uint64_t seed = 1234;
};
// Returns the grouping with the least spread of several. One starts by merging neighbors step by
// step where that costs least (Ward); the others start from centers that are drawn at random, with
// far points more likely. Each is then improved until nothing changes (Lloyd). `links` are pairs of
// neighboring points; groups that no link connects are merged last.
Groups group_points(const Points& points, std::span<const Conductance> links,
                    const GroupOptions& options);

double squared_distance(const double* a, const double* b, int dimensions);

}  // namespace fovea::mesh
