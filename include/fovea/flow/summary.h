#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/io/flow_io.h>

#include <optional>

namespace fovea::flow {

// Numbers that sum a field up, over the pixels that are known.
struct MotionSummary {
  double known_share = 0;                      // of all pixels
  double mean_motion = 0, longest_motion = 0;  // pixels
  std::optional<double> mean_confidence{};     // of a field that has one
};
FOVEA_API void describe(FieldVisitor& visit, MotionSummary& summary);

FOVEA_API MotionSummary summarize(const io::FlowFieldView& field);

}  // namespace fovea::flow
