// Other libraries' flow on the sequences of an evaluation, through the module of rivals.
#include <fovea/core/error.h>

#include <algorithm>
#include <memory>

#include "cli/flow/eval.h"
#include "cli/rivals/rivals.h"

namespace fovea::cli {
namespace {

// Converts an image to gray bytes, which the rivals require.
std::shared_ptr<Image<std::uint8_t>> gray_bytes(const io::AnyImage& image) {
  return std::make_shared<Image<std::uint8_t>>(io::to_gray(io::to_bytes(image).view()));
}

}  // namespace

std::vector<MethodResult> measure_flow_rivals(const std::vector<FlowSequence>& sequences,
                                              const FlowEvalRequest& request, Context& context) {
  const Rivals rivals;
  if (!rivals.absence().empty()) {
    context.console.note("no rivals: " + rivals.absence());
    return {};
  }
  const int threads = context.exec.threads > 0 ? context.exec.threads : devices().front().units;
  std::vector<MethodResult> results;
  for (const FlowSequence& sequence : sequences) {
    throw_if_stopped(context.exec);
    const ImagePair pair =
        read_pair(pair_source(sequence.first, sequence.second, {.max_pixels = context.max_pixels}));
    const io::FlowField truth = io::read_flow(sequence.truth, {.max_pixels = context.max_pixels});
    RivalCase contest;
    contest.name = "flow";
    contest.shape = {.width = pair.first.width(), .height = pair.first.height()};
    contest.image = gray_bytes(pair.first);
    contest.second = gray_bytes(pair.second);
    for (const Rivals::Work& work : rivals.prepare(contest, threads)) {
      if (!work.result) continue;
      const double start = steady_seconds();
      work.work();
      SequenceResult each;
      each.sequence = sequence;
      each.seconds = steady_seconds() - start;
      each.report = flow::evaluate_flow(field_of(work.result(), {truth.width(), truth.height()}),
                                        {}, truth, request.measure);
      auto at = std::find_if(results.begin(), results.end(),
                             [&](const MethodResult& result) { return result.name == work.rival; });
      if (at == results.end()) at = results.insert(results.end(), MethodResult{work.rival});
      at->sequences.push_back(std::move(each));
    }
  }
  return results;
}

}  // namespace fovea::cli
