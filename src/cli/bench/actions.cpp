// fovea bench actions: recognition of activities part by part, beside published times.
#include "cli/bench/actions.h"

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

int run_bench_actions(BenchOptions& options, Context& context) {
  return run_bench(options, cases_of(context.exec.device.kind != DeviceKind::kCuda), context);
}

}  // namespace

Command bench_actions_command() {
  return {.system = "bench",
          .verb = "actions",
          .summary = "time points and matching of activities beside published times",
          .text =
              "Rows match_*: models of 30 nodes in a scene; the size is the scene's points by "
              "models, 60 points in 55 frames or 754 in 723, and t10 a window of 10 frames. A "
              "scene goes to the device and the scores come back within the time. The paper "
              "(Lombardi and others, 2015, tables 2 and 3) gives a model in 754 points 2900 ms on "
              "a CPU and 178 ms on a GTX 580, 1853 ms there without a window, and 4 ms in 60 "
              "points. match_stream is a hundred frames of a stream of about a point each.",
          .examples = {{"fovea bench actions --device cpu --threads 1", "one thread"},
                       {"fovea bench actions --device cuda --filter 754x50", "on a GPU"}},
          .request = make_request<BenchOptions, run_bench_actions>};
}

}  // namespace fovea::cli
