// What the verbs of fovea emd share.
#pragma once
#include <fovea/emd/ground.h>
#include <fovea/emd/solver.h>
#include <fovea/io/json_writer.h>

#include <string>

#include "cli/program/command.h"
#include "cli/program/result.h"

namespace fovea::cli {

// Adds a member "ground" with its size, form and unit.
void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground);

// Adds a member "solved_by": how many problems each solver took.
void write_solved_by(io::JsonWriter& json, const emd::SolvedCounts& counts);
// The solvers that took problems, such as "tableau 812, wide_tableau 3".
std::string solved_by_text(const emd::SolvedCounts& counts);

}  // namespace fovea::cli
