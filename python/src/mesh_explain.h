// Explanations of meshes for Python.
#pragma once
#include <fovea/mesh/explain.h>

#include <cstdint>

#include "explain.h"

namespace fovea::python {

// What fovea._explanation.Explanation is made of: of the whole mesh, and of one face.
nb::tuple explanation_of(const mesh::SegmentExplanation& why);
nb::tuple face_explanation_of(const mesh::SegmentExplanation& why, std::int64_t face);

}  // namespace fovea::python
