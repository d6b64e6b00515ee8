// fovea mesh segment --explain: what seams cost, why there are so many parts, and why a face
// belongs to its part.
#pragma once
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/mesh/own_costs.h"
#include "cli/program/command.h"

namespace fovea::cli {

struct ExplainMesh {
  bool explain = false;
  std::optional<int> face{};
  std::string picture{};

  bool asked() const { return explain || face.has_value(); }
};
void describe(OptionVisitor& visit, ExplainMesh& request);
void check_explain_mesh(const ExplainMesh& request);

// Explains the segmentation of one mesh instead of writing it.
struct ExplainMeshTask {
  const ExplainMesh& request;
  const mesh::SegmentOptions& options;
  const mesh::RenderOptions& render;
  const OwnCosts& costs;
  const io::MeshReadOptions& read;
};
int explain_mesh(const ExplainMeshTask& task, const std::vector<std::string>& inputs,
                 Context& context);

}  // namespace fovea::cli
