#pragma once
#include <fovea/core/api.h>

#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

// The path of a model: the shipped model of that name, or else `name` itself where it is a file
// that is named by its path or with an extension: a file that is called "channels" is "./channels",
// so that none in the current folder can take a shipped model's place. Names are "system/name",
// such as "people/channels"; with `system` given the first part may be left out. Shipped models lie
// in share/fovea/models beside the folder of the library or program, in the folder models beside
// the library itself, as in the Python package, or in the source tree that the library was built
// from. Throws IoError that lists the shipped models where there is neither such a file nor such a
// model.
FOVEA_API std::string find_model(std::string_view name, std::string_view system = {});

// The names of all shipped models, or of one system's, sorted: "people/cascade", ...
FOVEA_API std::vector<std::string> shipped_models(std::string_view system = {});

// The SHA-256 of a model's file in hexadecimal, as results record it and sha256sum prints it.
// Throws IoError where the file cannot be read.
FOVEA_API std::string model_hash(const std::string& path);

}  // namespace fovea::io
