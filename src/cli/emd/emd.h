// What the verbs of fovea emd share.
#pragma once
#include <fovea/emd/ground.h>
#include <fovea/io/json_writer.h>

#include "cli/program/command.h"

namespace fovea::cli {

// Opens a result's object with what every result of emd tells: version, command, device, options.
void begin_emd_result(io::JsonWriter& json, const Context& context);
// A member "ground": its size, form and unit.
void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground);

}  // namespace fovea::cli
