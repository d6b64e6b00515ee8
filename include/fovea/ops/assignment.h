#pragma once
#include <fovea/core/image.h>

#include <vector>

namespace fovea {

// Rows paired with columns, each row and each column at most once.
struct Assignment {
  std::vector<int> column_of;  // the column of each row, or -1
  int pairs = 0;               // number of rows that have a column
  double cost = 0;             // the sum of the costs of all pairs, in the order of the rows
};

// Pairs rows with columns at the least cost. `costs` has one channel, any number of rows and
// columns, and lies in host memory. An infinite cost forbids a pair. As many rows as possible get a
// column, and among all such assignments the cost is the least; costs may be negative. Where
// several assignments are equally cheap, the same one is always returned. Throws InvalidArgument
// for a cost that is NaN or minus infinity.
//
// The time is that of one search for a shortest path per row, each at most rows x columns; where
// most rows have a column of their own that is cheapest, it is little more than reading the matrix.
FOVEA_API Assignment assign(ImageView<const double> costs);

// Takes the cheapest pair that is left, again and again, until every pair that is left is
// forbidden; of equally cheap pairs the first by row, then by column. It is here for comparison:
// neither is the cost always the least nor the number of pairs the greatest.
FOVEA_API Assignment assign_greedily(ImageView<const double> costs);

}  // namespace fovea
