// Other libraries on the same inputs, for verbs that are no operations and for fovea-bench.
#pragma once
#include "operations/rivals/rivals.h"

namespace fovea::cli {

using operations::RivalCase;
using operations::RivalFiles;
using operations::Rivals;
using operations::RivalShape;

}  // namespace fovea::cli
