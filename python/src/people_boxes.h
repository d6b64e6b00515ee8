// People in arrays of Python.
#pragma once
#include <fovea/core/error.h>
#include <fovea/people/detection.h>

#include <vector>

#include "arrays.h"

namespace fovea::python {

// Boxes as rows of x, y, width and height, and their scores. The window of each is its box.
inline std::vector<people::Detection> people_of(nb::handle xywh, nb::handle confidence) {
  const std::vector<Rect<float>> boxes = rect_rows<float>(xywh, "xywh");
  const std::vector<float> scores = real_numbers<float>(confidence, "confidence");
  if (boxes.size() != scores.size())
    throw InvalidArgument("confidence has one number per row of xywh");
  std::vector<people::Detection> people;
  people.reserve(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    people.push_back({boxes[i], boxes[i], scores[i], 1});
  return people;
}

}  // namespace fovea::python
