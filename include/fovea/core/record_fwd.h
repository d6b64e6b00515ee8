#pragma once
#include <fovea/core/api.h>

// The name that a result needs for its own declaration of describe(). What works on results stands
// in <fovea/core/record.h> and <fovea/io/record_io.h>.
namespace fovea {

class FieldVisitor;

}  // namespace fovea
