// Reading JSON files; included by .cpp files only.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fovea::operations {

// Throws an IoError that names the path where it cannot be read, and a FormatError with the line
// and column where it is not JSON or nested too deep.
nlohmann::json read_json(const std::string& path);

}  // namespace fovea::operations
