// Pictures of meshes, from four sides.
#pragma once
#include <fovea/core/image.h>
#include <fovea/io/mesh_io.h>

#include <cstdint>
#include <span>

namespace fovea::view {

// Colored by labels, one per face; in one color where there are none.
Image<std::uint8_t> mesh_picture(const io::TriangleMesh& mesh,
                                 std::span<const std::int32_t> labels);
// Colored by values, one per face.
Image<std::uint8_t> value_picture(const io::TriangleMesh& mesh, std::span<const float> values);

}  // namespace fovea::view
