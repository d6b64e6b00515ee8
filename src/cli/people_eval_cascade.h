// The page's section of a cascade.
#pragma once
#include <fovea/page.h>

#include "cli/people_eval.h"

namespace fovea::cli {

// Nothing for models of another kind.
void add_cascade(report::Page& page, const EvalResult& result);

}  // namespace fovea::cli
