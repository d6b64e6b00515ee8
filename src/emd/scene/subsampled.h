// Every step-th pixel of every step-th row of a cube, where all of it would be too much to measure.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>

#include "core/parallel.h"

namespace fovea::emd {

struct Subsampling {
  int step = 1;
  std::int64_t most_values = 1 << 23;  // that are copied at the same time, but at least a row
  Exec exec{};
};

Extent subsampled_size(StackView<const float> bands, int step);

// Calls measure(part, first row of the subsampled cube) for some rows after the other. The cube
// lies in host memory; with a step of 1 it is the only part itself.
void for_subsampled(StackView<const float> bands, const Subsampling& subsampling,
                    FunctionRef<void(StackView<const float>, int)> measure);

}  // namespace fovea::emd
