#pragma once
#include <fovea/core/api.h>

#include <algorithm>

namespace fovea::people {

// A rectangle in pixels of an image; (0, 0) is the outer corner of its left top pixel.
struct Box {
  float x = 0;
  float y = 0;
  float width = 0;
  float height = 0;

  float area() const { return width * height; }
  bool operator==(const Box&) const = default;
};

inline float intersection(const Box& a, const Box& b) {
  const float width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const float height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

// A person found.
struct Detection {
  Box box;          // the person, who may reach beyond the image
  Box window;       // the window that was classified; the person stands inside of it
  float score = 0;  // the larger the surer; what a model counts as a person begins at its threshold
  float scale = 1;  // pixels of the image a pixel of the level that the window was found in
};

}  // namespace fovea::people
