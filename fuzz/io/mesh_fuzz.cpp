// Any bytes as a mesh: refused with one line, or faces whose corners are there and finite.
#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const fovea::io::TriangleMesh mesh =
        fovea::io::read_mesh({reinterpret_cast<const std::byte*>(data), size}, "fuzz");
    if (mesh.faces.empty() || (!mesh.polygons.empty() && mesh.polygons.size() != mesh.faces.size()))
      std::abort();
    for (const auto& face : mesh.faces)
      for (const std::int32_t corner : face)
        for (const float x : mesh.vertices.at(static_cast<std::size_t>(corner)))
          if (!std::isfinite(x)) std::abort();
  } catch (const fovea::FormatError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
