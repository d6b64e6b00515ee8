#pragma once
#include <fovea/core/api.h>

#include <span>

// The names that an options struct needs for its own declarations. What works on options
// (check_options(), options_json(), visitors) stands in <fovea/core/options_fwd.h>, which takes
// long to compile.
namespace fovea {

struct Choice;
class OptionVisitor;

}  // namespace fovea
