#pragma once
#include <fovea/core/api.h>

#include <exception>
#include <string>

namespace fovea {

// What users are told of an exception: an Error's own words. Those of the standard library's
// exceptions, such as "vector::_M_default_append", mean nothing to them and are replaced.
FOVEA_API std::string fault_text(const std::exception& error);
// Whether it says that there is too little memory: also a length that no container can have.
FOVEA_API bool is_out_of_memory(const std::exception& error);

}  // namespace fovea
