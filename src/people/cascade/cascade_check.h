// Whether a cascade can be evaluated at all.
#pragma once
#include <fovea/people/cascade.h>

#include <string>

namespace fovea::people {

// What is wrong with the model, in one line without a full stop; empty where nothing is.
std::string cascade_fault(const CascadeModel& model);

// Throws InvalidArgument that says it.
void check_cascade(const CascadeModel& model);

}  // namespace fovea::people
