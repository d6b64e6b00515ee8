#include "cli/flow/flow.h"

namespace fovea::cli {

io::FlowField field_of(const float* vectors, Extent size) {
  io::FlowField field{Image<float>(size.width, size.height), Image<float>(size.width, size.height),
                      Image<std::uint8_t>(size.width, size.height)};
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x, vectors += 2) {
      field.u.at(x, y) = vectors[0];
      field.v.at(x, y) = vectors[1];
      field.known.at(x, y) = 255;
    }
  }
  return field;
}

}  // namespace fovea::cli
