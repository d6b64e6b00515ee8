// Drives an engine of k-means through starts and iterations.
#pragma once
#include <fovea/ops/kmeans.h>

#include "ops/kmeans/backend.h"

namespace fovea::detail {

// What kmeans() returns for the points of the engine. `survey` has no offending point, and the
// options are checked and resolved.
Kmeans run_kmeans(KmeansEngine& engine, const KmeansSurvey& survey, int points,
                  const KmeansOptions& options);

}  // namespace fovea::detail
