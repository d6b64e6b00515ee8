// The loops over costs of the network simplex.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fovea::emd {

struct NetworkCell {
  std::int64_t difference = 0;
  int column = -1;  // -1 if there is none
};
// Returns the first column whose cost minus worth is least, if that is below `bound`; else the
// bound and no column. No difference overflows.
NetworkCell least_difference(const std::int64_t* costs, const std::int64_t* worth, int columns,
                             std::int64_t bound);
// Writes the least cost of each column.
void least_of_columns(const std::int64_t* costs, std::ptrdiff_t stride, int rows, int columns,
                      std::int64_t* least);

}  // namespace fovea::emd
