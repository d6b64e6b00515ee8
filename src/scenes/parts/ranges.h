// The ranges of numbers, as an answer to RoundKind::kRanges holds them: the least of each number in
// one row and the greatest in another, or no rows where there are no samples.
#pragma once
#include <fovea/core/error.h>
#include <fovea/core/image.h>

#include <algorithm>

#include "scenes/words/standard.h"

namespace fovea::scenes {

inline Image<float> range_rows(const NumberRanges& ranges) {
  if (ranges.count == 0) return {};
  Image<float> rows(static_cast<int>(ranges.least.size()), 2);
  std::ranges::copy(ranges.least, rows.row(0));
  std::ranges::copy(ranges.greatest, rows.row(1));
  return rows;
}

// Throws InvalidArgument where the rows are not those of so many samples.
inline NumberRanges ranges_in(const Image<float>& rows, std::int64_t count) {
  if (count < 0 || rows.height() != (count > 0 ? 2 : 0))
    throw InvalidArgument("parts do not answer with the least and the greatest of each number");
  NumberRanges ranges{.count = count};
  if (count == 0) return ranges;
  ranges.least.assign(rows.row(0), rows.row(0) + rows.width());
  ranges.greatest.assign(rows.row(1), rows.row(1) + rows.width());
  return ranges;
}

}  // namespace fovea::scenes
