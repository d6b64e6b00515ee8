// Runs any operation for the page: its form, its runs on images, frames, meshes and streams, what
// is shown and saved of a result, and the answers to why. Nothing here knows which operation it is.
#pragma once
#include <memory>
#include <string>

#include "operations/operation.h"
#include "view/system.h"

namespace fovea::view {

// `model` is a file or name that the command line adds to the models, or empty. The operation must
// outlive the view of it.
std::unique_ptr<SystemView> operation_view(const operations::Operation& operation,
                                           const std::string& model = {});

}  // namespace fovea::view
