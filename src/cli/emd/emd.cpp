#include "cli/emd/emd.h"

#include <fmt/format.h>

namespace fovea::cli {

std::string solved_by_text(const emd::SolvedCounts& counts) {
  std::string text;
  for (int i = 0; i < emd::kSolvers; ++i) {
    const auto solver = static_cast<emd::SolvedBy>(i);
    if (counts[solver] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(solver), counts[solver]);
  }
  return text;
}

}  // namespace fovea::cli
