// Actions while they happen: a running time line of what people do in a video or live input.
#pragma once
#include <fovea/actions/recognize.h>

#include <memory>

#include "view/system.h"

namespace fovea::view {

using ActionsTask = TaskOf<actions::RecognizeOptions>;

std::unique_ptr<Running> running_actions(const ActionsTask& task);

}  // namespace fovea::view
