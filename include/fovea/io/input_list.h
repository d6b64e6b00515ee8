// A list of inputs in a text file, which commands take as @FILE.
#pragma once
#include <fovea/core/api.h>

#include <string>
#include <vector>

namespace fovea::io {

// The lines of the file, one name each, relative to its folder; blank lines and those that begin
// with # are left out. Folders and globs are not opened: see expand_inputs(). Throws IoError where
// it cannot be read, or names another list or the standard input, and FormatError where it is not
// text.
FOVEA_API std::vector<std::string> read_input_list(const std::string& path);

}  // namespace fovea::io
