// What users are told of an exception that is not one of ours.
#pragma once
#include <exception>
#include <string>

namespace fovea::detail {

// An Error's own words. Those of the standard library's exceptions, such as
// "vector::_M_default_append", mean nothing to users and are replaced.
std::string fault_text(const std::exception& error);
// Whether it says that there is too little memory: also a length that no container can have.
bool is_out_of_memory(const std::exception& error);

}  // namespace fovea::detail
