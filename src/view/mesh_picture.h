// A picture of a mesh, for its thumbnail.
#pragma once
#include <fovea/core/image.h>
#include <fovea/io/mesh_io.h>

#include <cstdint>

namespace fovea::view {

Image<std::uint8_t> mesh_picture(const io::TriangleMesh& mesh);

}  // namespace fovea::view
