// What fovea view shows of an evaluation of recognition in continuous video.
#pragma once
#include <fovea/actions/evaluate_stream.h>
#include <fovea/report/evaluation.h>

#include <string>
#include <vector>

namespace fovea::cli {

// Precision over recall for each factor of the reject levels, one curve per overlap, and the clips
// whose action was not found or taken for another one.
report::Evaluation stream_evaluation(const actions::StreamReport& report,
                                     const std::vector<std::string>& classes);

}  // namespace fovea::cli
