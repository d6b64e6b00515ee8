#include "cli/mesh/explain.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/mesh/explain.h>

#include <fmt/format.h>

#include "cli/program/batch.h"
#include "cli/program/explain.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, ExplainMesh& request) {
  visit("explain", request.explain,
        "say what the seams between the parts of one mesh cost and why there are so many parts, "
        "instead of writing them");
  visit("explain-face", request.face,
        "say why this face belongs to its part; faces count from 0, and a polygon as its triangles",
        0, 2147483647, {.absent = "no face"});
  describe_explain_picture(visit, request.picture);
}

void check_explain_mesh(const ExplainMesh& request) {
  check_explain_picture(request.asked(), request.picture);
}

int explain_mesh(const ExplainMeshTask& task, const std::vector<std::string>& inputs,
                 Context& context) {
  if (inputs.size() != 1)
    throw InvalidArgument(
        fmt::format("--explain explains one mesh, but there are {} inputs", inputs.size()));
  const std::string& picture = task.request.picture;
  check_outputs(context, {{"--explain-picture", picture}}, inputs);
  const io::TriangleMesh mesh = io::read_mesh(inputs[0], task.read);
  if (task.request.face && *task.request.face >= std::ssize(mesh.faces))
    throw InvalidArgument(fmt::format("--explain-face {}: {} has {} faces", *task.request.face,
                                      inputs[0], mesh.faces.size()));
  mesh::SegmentOptions options = task.options;
  options.exec = context.exec_without_progress();
  const auto segmented = [&] {
    if (task.costs.file.empty()) return mesh::explain(mesh, options);
    const mesh::DualGraph graph = mesh::dual_graph(mesh, 0, options.exec);
    return mesh::explain(mesh, options, read_own_costs(task.costs, inputs[0], graph));
  };
  const mesh::SegmentExplanation why = segmented();
  const report::Explanation shown =
      task.request.face ? present(why, mesh::explain_face(why, *task.request.face)) : present(why);
  if (!picture.empty()) {
    mesh::RenderOptions render = task.render;
    render.exec = options.exec;
    render.parts = why.segmentation.labels;
    const report::FaceLayer& layer = shown.surface[0];
    io::write_image(
        picture,
        mesh::with_value_bar(
            mesh::render(mesh, mesh::value_colors(layer.values, report::ColorMap::kTide), render),
            layer.values, task.request.face ? "membership in " + layer.name : layer.name)
            .view());
  }
  return print_explanation(context, shown, {.members = [&](io::JsonWriter& json) {
                             json.member("input", inputs[0]);
                             if (!picture.empty()) json.member("picture", picture);
                           }});
}

}  // namespace fovea::cli
