// A field together with what was seen at one pixel while it was estimated.
#pragma once
#include <fovea/flow/explain.h>

#include "flow/witness.h"

namespace fovea::flow {

struct Witnessed {
  Flow flow{};
  Image<float> first{}, second{};  // in gray, 0 to 255
  Witness witness{};
};
// Estimates the flow of a pair in host memory on the CPU, in one piece. Throws InvalidArgument as
// explain() says.
template <class T>
Witnessed witnessed_flow(const FlowOptions& options, ImageView<const T> first,
                         ImageView<const T> second, FlowPixel pixel);

}  // namespace fovea::flow
