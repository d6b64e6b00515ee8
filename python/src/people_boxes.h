// People in arrays of Python.
#pragma once
#include <fovea/core/error.h>
#include <fovea/people/detection.h>

#include <vector>

#include "arrays.h"

namespace fovea::python {

// Boxes as rows of x, y, width and height, and their scores. The window of each is its box.
inline std::vector<people::Detection> people_of(nb::handle xywh, nb::handle confidence) {
  const AnyArray boxes = dense_array<float>(xywh, "xywh", {2});
  const AnyArray scores = dense_array<float>(confidence, "confidence", {1});
  if (boxes.shape(1) != 4 || boxes.shape(0) != scores.shape(0))
    throw InvalidArgument("xywh has 4 columns, and confidence one number per row of it");
  const auto* box = static_cast<const float*>(boxes.data());
  const auto* score = static_cast<const float*>(scores.data());
  std::vector<people::Detection> people(boxes.shape(0));
  for (std::size_t i = 0; i < people.size(); ++i, box += 4) {
    const Rect<float> rect{box[0], box[1], box[2], box[3]};
    people[i] = {rect, rect, score[i], 1};
  }
  return people;
}

}  // namespace fovea::python
