// Reads the images of verbs, which may be no larger than --max-pixels allows.
#pragma once
#include <fovea/io/image_io.h>

#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// Reads an image file, or standard input for "-".
io::AnyImage read_input(const Context& context, const std::string& path,
                        io::Orientation orientation = io::Orientation::kIgnore);

}  // namespace fovea::cli
