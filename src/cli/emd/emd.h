// What the verbs of fovea emd share.
#pragma once
#include <fovea/emd/ground.h>
#include <fovea/io/json_writer.h>

#include "cli/program/command.h"
#include "cli/program/result.h"

namespace fovea::cli {

// Adds a member "ground" with its size, form and unit.
void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground);

}  // namespace fovea::cli
