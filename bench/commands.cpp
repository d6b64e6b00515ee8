// The verbs of fovea-bench, in the order of the help.
#include "cli/beside/beside.h"

#include "bench/bench.h"

namespace fovea::cli {

std::vector<Command> bench_commands() {
  return {bench_ops_command(),  bench_people_command(), bench_pipeline_command(),
          bench_flow_command(), bench_emd_command(),    bench_scenes_command(),
          bench_mesh_command(), bench_actions_command()};
}

}  // namespace fovea::cli
