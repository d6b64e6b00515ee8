#include "systems.h"
namespace fovea::python { void bind_actions(nanobind::module_&) {} }
