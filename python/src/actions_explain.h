// Explanations of actions for Python.
#pragma once
#include <fovea/actions/explain.h>

#include "explain.h"

namespace fovea::python {

// What fovea._explanation.Explanation is made of.
nb::tuple explanation_of(const actions::ClipExplanation& why);
nb::tuple explanation_of(const actions::EventExplanation& why);
nb::tuple explanation_of(const actions::ExampleExplanation& why);

}  // namespace fovea::python
