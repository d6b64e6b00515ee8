#include "cli/operations/report.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include "cli/program/result.h"

namespace fovea::cli {

operations::Ended ended_of(const Job& job) {
  operations::Ended ended{.plan = job.plan};
  ended.named = job.plan.inputs.front();
  for (const operations::Output& output : job.outputs()) {
    const auto files = job.plan.files.find(output.name);
    if (files == job.plan.files.end()) continue;
    ended.named = files->second.front();
    break;
  }
  return ended;
}

void print_report(const Job& job, const operations::Ended& ended) {
  if (job.context.json) print_result(job.context, job.call.report(ended));
  else job.context.console.print(job.call.report_text(ended));
}

void throw_without_results(const Job& job) {
  const std::string& input = job.plan.inputs[0];
  if (job.operation.pairs.empty()) throw FormatError(fmt::format("{}: has no frame", input));
  throw FormatError(
      fmt::format("{}: one frame was read; {} needs two", input, job.operation.pairs));
}

}  // namespace fovea::cli
