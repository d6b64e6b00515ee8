// What the verbs of fovea emd share.
#pragma once
#include <fovea/emd/solver.h>

#include <optional>
#include <string>

#include "cli/program/command.h"
#include "cli/program/result.h"

namespace fovea::cli {

// A file that was written, or nothing where the command line names none.
inline std::optional<std::string> named_file(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional(path);
}

// The solvers that took problems, such as "tableau 812, wide_tableau 3".
std::string solved_by_text(const emd::SolvedCounts& counts);

}  // namespace fovea::cli
