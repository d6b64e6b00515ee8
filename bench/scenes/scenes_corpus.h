// The row of fovea bench scenes that computes features of many photos.
#pragma once
#include "bench/bench.h"

namespace fovea::cli {

// Filters, words and histograms of 1491 photos, which take a CPU a minute per run.
BenchCase scenes_corpus_case();

}  // namespace fovea::cli
