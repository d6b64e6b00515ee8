// Images that verbs read, no larger than --max-pixels allows.
#pragma once
#include <fovea/io/image_io.h>

#include <cstdint>
#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// An image file, or standard input for "-".
io::AnyImage read_input(const Context& context, const std::string& path,
                        io::Orientation orientation = io::Orientation::kIgnore);

// How much memory the decoded image takes, from its header; 0 where that cannot be found out.
std::uint64_t image_bytes(const std::string& path);

}  // namespace fovea::cli
