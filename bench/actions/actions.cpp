// fovea bench actions: times the parts of action recognition and compares them with published
// times.
#include "bench/actions/actions.h"

#include <fovea/core/error.h>

#include "bench/actions/actions_cameras.h"
#include "bench/actions/actions_paper.h"
#include "cli/beside/beside.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

std::vector<BenchCase> cases_of(bool on_cpu) {
  std::vector<BenchCase> cases;
  const auto add = [&](std::vector<BenchCase> some) {
    for (BenchCase& each : some) cases.push_back(std::move(each));
  };
  add(points_bench_cases());
  add(match_bench_cases(on_cpu));
  return cases;
}

struct ActionsBenchRequest {
  ActionsPaperOptions paper{};
  bool cameras = false;
};
void describe(OptionVisitor& visit, ActionsBenchRequest& request) {
  describe(visit, request.paper);
  visit("cameras", request.cameras,
        "measure how many cameras one core, or one GPU, serves with the shipped model");
}

int run_bench_actions(ActionsBenchRequest& request, Context& context) {
  ActionsPaperOptions& options = request.paper;
  if (options.paper && request.cameras)
    throw InvalidArgument("--paper and --cameras print different tables; give one of them");
  if (options.paper) return run_actions_paper(options, context);
  if (!options.corpus.empty() || options.cut_first)
    throw InvalidArgument("--corpus and --cut-first need --paper, whose table 4 has rates");
  if (request.cameras) return run_actions_cameras(options.bench, context);
  return run_bench(options.bench, context,
                   [&] { return cases_of(context.exec.device.kind != DeviceKind::kCuda); });
}

}  // namespace

Command bench_actions_command() {
  return {
      .system = "bench",
      .verb = "actions",
      .summary = beside_summary("bench", "actions"),
      .text =
          "Rows points_* find the interest points of 64 frames of a drawn street in which "
          "people walk. Rows match_* match models of 30 nodes with a scene. Their size is the "
          "number of "
          "points of the scene by the number of models; scenes have 60 points in 55 frames or "
          "754 points in 723 frames, and t10 stands for a window of 10 frames. The time "
          "includes the copies of the scene to the device and of the scores back. The paper "
          "(Lombardi et al., 2015, tables 2 and 3) reports, for one model and 754 points, 2900 "
          "ms on a CPU, 178 ms on a GTX 580 and 1853 ms there without a window; and 4 ms for "
          "60 points. match_stream is a hundred frames of a stream with about one point per "
          "frame. --paper prints these tables and table 4 instead: times of one and of 50 "
          "models; the paper's algorithm with and without each of its optimizations, on one "
          "thread, beside Fovea's matcher; and three points per frame, with recognition rates "
          "where --corpus names clips, each subject of which is left out in turn. --cameras "
          "recognizes actions in the street at two sizes with the shipped model, and prints how "
          "many cameras of 25 frames per second one core serves.",
      .examples = {{"fovea bench actions --device cpu --threads 1",
                    "time everything with one thread"},
                   {"fovea bench actions --device cuda --filter 754x50", "time 50 models on a GPU"},
                   {"fovea bench actions --paper --markdown", "print the paper's tables"},
                   {"fovea bench actions --cameras --repeats 5",
                    "count the cameras that one core serves"}},
      .request = make_request<ActionsBenchRequest, run_bench_actions>};
}

}  // namespace fovea::cli
