// Checks whether a cascade can be evaluated.
#pragma once
#include <fovea/people/cascade.h>

#include <string>

namespace fovea::people {

// What is wrong with the model, in one line without a full stop; empty where nothing is wrong.
std::string cascade_fault(const CascadeModel& model);

// Throws InvalidArgument with that text.
void check_cascade(const CascadeModel& model);

}  // namespace fovea::people
