// The page's section on a cascade.
#pragma once
#include <fovea/report/page.h>

#include <filesystem>

#include "cli/people/eval.h"

namespace fovea::cli {

// Where the section's charts are also written, as blocks_NAME.svg and rejected_NAME.svg.
struct CascadePlace {
  std::filesystem::path folder;
  std::string name;
};

// Adds nothing for models of another kind.
void add_cascade(report::Page& page, const EvalResult& result, const CascadePlace& place);

}  // namespace fovea::cli
