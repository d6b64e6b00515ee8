#include <fovea/flow/summary.h>

#include <algorithm>
#include <cmath>

namespace fovea::flow {

MotionSummary summarize(const io::FlowFieldView& field) {
  MotionSummary summary;
  double confidence = 0;
  std::int64_t count = 0;
  for (int y = 0; y < field.u.height; ++y) {
    for (int x = 0; x < field.u.width; ++x) {
      if (!field.is_known(x, y)) continue;
      const double length = std::hypot(field.u.at(x, y), field.v.at(x, y));
      summary.mean_motion += length;
      summary.longest_motion = std::max(summary.longest_motion, length);
      if (!field.confidence.empty()) confidence += static_cast<double>(field.confidence.at(x, y));
      ++count;
    }
  }
  const auto known = static_cast<double>(std::max<std::int64_t>(1, count));
  summary.known_share =
      static_cast<double>(count) / (static_cast<double>(field.u.width) * field.u.height);
  summary.mean_motion /= known;
  if (!field.confidence.empty()) summary.mean_confidence = confidence / known;
  return summary;
}

}  // namespace fovea::flow
