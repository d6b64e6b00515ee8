// The mesh of an input, and what a caller gives with it.
#pragma once
#include <fovea/io/mesh_io.h>

#include <memory>
#include <optional>
#include <vector>

#include "operations/operation.h"

namespace fovea::operations {

// The one that the caller has in memory, who keeps it, or the one of the file.
inline std::shared_ptr<const io::TriangleMesh> mesh_of(const Source& source,
                                                       const io::MeshReadOptions& options) {
  if (source.mesh != nullptr) return {std::shared_ptr<void>(), source.mesh};
  return std::make_shared<const io::TriangleMesh>(io::read_mesh(source.name, options));
}

// What steps between faces cost, one number per arc, where the caller has them in memory.
inline std::optional<std::vector<float>> given_costs(const Source& source) {
  const io::AnyView* costs = source.value_of("costs");
  if (costs == nullptr) return {};
  const auto& row = std::get<ImageView<const float>>(*costs);
  return std::vector<float>(row.data, row.data + row.row_elements());
}

}  // namespace fovea::operations
