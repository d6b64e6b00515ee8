// The verb on frames that the test program has.
#pragma once
#include "operations/operation.h"

namespace fovea::operations {

Operation changes();

}  // namespace fovea::operations
