#include "actions/stream/stream_health.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/fault_text.h>

namespace fovea::actions::detail {

void StreamHealth::require_whole() const {
  if (!failure_) return;
  try {
    std::rethrow_exception(failure_);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(fmt::format(
        "match: an earlier frame of this stream failed, so that later ones cannot be matched; "
        "begin a new stream (the reason was: {})",
        fault_text(error)));
  }
}

}  // namespace fovea::actions::detail
