// What the verbs of fovea emd share.
#pragma once
#include <fovea/emd/ground.h>
#include <fovea/io/json_writer.h>

#include <initializer_list>
#include <string_view>

#include "cli/program/command.h"
#include "cli/program/result.h"

namespace fovea::cli {

// Adds a member "ground" with its size, form and unit.
void write_ground(io::JsonWriter& json, const emd::GroundDistance& ground);

// Prints the lines for people about a result: on standard output, or, where an output already goes
// there ("-"), as notes on standard error.
void print_summary(Context& context, std::string_view lines,
                   std::initializer_list<std::string_view> outputs);
// Throws InvalidArgument where two outputs have one name, or JSON and an output would both go to
// standard output.
void check_outputs(const Context& context, std::initializer_list<std::string_view> outputs);

}  // namespace fovea::cli
