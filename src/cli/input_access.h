// Which files a user means.
#pragma once
#include <string>
#include <vector>

namespace fovea::cli {

// Every file named by `words`, in the order given: a file, the images of a folder by name, a glob,
// @list (a file of names, one a line), or - for standard input. Throws IoError for what is not
// there.
std::vector<std::string> expand_inputs(const std::vector<std::string>& words);

}  // namespace fovea::cli
