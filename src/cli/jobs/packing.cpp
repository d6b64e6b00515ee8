#include "cli/jobs/packing.h"

#include <fovea/core/error.h>

namespace fovea::cli {

std::string_view Unpacker::take(std::uint64_t count) {
  if (count > rest_.size())
    throw FormatError("a manifest's record of a result ends too early; begin the job anew");
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

}  // namespace fovea::cli
