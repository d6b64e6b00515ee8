// Table 1 of Chen: how many times as fast as one thread each stage is with many threads and on a
// GPU.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::cli {

// One stage, and the speed-ups that the paper reports for it.
struct SceneStage {
  std::string name;
  BenchCase work;
  std::optional<double> paper_threads{};  // OpenMP on 6 cores with 12 threads
  std::optional<double> paper_gpu{};
  bool on_gpu = true;  // whether the stage by itself has a twin for the GPU
};

// The stages that have no row of this size among the cases of fovea bench scenes: drawing samples
// of photos, counting the words of maps, and scoring histograms by each kind of classifier.
SceneStage sampling_stage();
SceneStage histogram_stage();
std::vector<SceneStage> classification_stages();

// Measures every stage with one thread, with all threads and on a GPU, in turns where they use the
// same processor, and prints times and speed-ups. Returns the exit status.
int run_scene_stages(const BenchOptions& options, Context& context,
                     const std::vector<SceneStage>& stages);

}  // namespace fovea::cli
