#pragma once
#include <fovea/core/api.h>
#include <fovea/core/geometry.h>
#include <fovea/core/record_fwd.h>

#include <optional>

namespace fovea::people {

// A person that a detector found, in pixels of the image.
struct Detection {
  Rect<float> box;     // the person, who may reach beyond the image
  Rect<float> window;  // the window that was classified; the person stands in its middle
  float score = 0;     // higher means more certain; the model's threshold is the least that counts
  float scale = 1;     // how many pixels of the image one pixel of the pyramid level covers
  // The share of the detections with this score that are people, from 0 to 1, where the model has
  // a calibration.
  std::optional<float> confidence{};
};
FOVEA_API void describe(FieldVisitor& visit, Detection& person);

}  // namespace fovea::people
