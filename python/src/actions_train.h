// Options of training as keywords give them.
#pragma once
#include <fovea/actions/train.h>

#include <nanobind/nanobind.h>

namespace fovea::python {

// The options of training from keywords, with the device that a call would use. `function` names
// the caller in messages.
actions::TrainOptions train_options(const nanobind::dict& keywords, bool paper,
                                    const char* function);

}  // namespace fovea::python
