// Actions while they happen: a running time line of what people do in a video or live input.
#pragma once
#include <fovea/actions/recognize.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "view/stream/running.h"

namespace fovea::view {

// `hidden` names the options that the page does not show, and its lines do not have.
std::unique_ptr<Running> running_actions(const Run& run, const std::string& model,
                                         const actions::RecognizeOptions& options,
                                         const std::vector<std::string_view>& hidden);

}  // namespace fovea::view
