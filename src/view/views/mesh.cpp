// Meshes in the view: their parts, seen from four sides.
#include <fovea/core/version.h>
#include <fovea/io/json_writer.h>
#include <fovea/mesh/explain.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include "core/json_text.h"
#include "view/mesh_picture.h"
#include "view/stopwatch.h"
#include "view/system.h"

namespace fovea::view {
namespace {

std::string parts_members(const mesh::Segmentation& parts, const mesh::SegmentOptions& options) {
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  json.begin_object()
      .member("fovea", FOVEA_VERSION)
      .member("command", "mesh segment")
      .key("options")
      .raw(options_json(options))
      .member("parts", parts.count)
      .member("pieces", parts.piece_count)
      .member("cut_value", parts.cut_value)
      .key("labels")
      .values(parts.labels)
      .end_object()
      .finish();
  return text;
}

// The memory of what a page and an explanation are made from.
std::size_t held_by(const io::TriangleMesh& triangles, const mesh::SegmentExplanation& explained) {
  const mesh::Segmentation& parts = explained.segmentation;
  const std::size_t faces = parts.labels.size() + parts.pieces.size() + parts.membership.size() +
                            parts.memberships.size() + explained.doubt.size() +
                            explained.before.size();
  return bytes_of(triangles) + faces * sizeof(std::int32_t) +
         explained.edges.size() * sizeof(mesh::CutEdge) +
         explained.seams.size() * sizeof(mesh::Seam);
}

class MeshView final : public SystemView {
 public:
  std::string name() const override { return "mesh"; }
  std::string title() const override { return "Mesh parts"; }
  std::string text() const override {
    return "Divides a mesh into the parts that people would name.";
  }
  InputKind takes() const override { return InputKind::kMesh; }
  std::string controls() const override {
    mesh::SegmentOptions options;
    return controls_json(form_of(options));
  }

  Result run(const Run& run, const Exec& exec) override {
    Stopwatch watch;
    mesh::SegmentOptions options, defaults;
    Form form = form_of(options);
    fill_form(form, run.options);
    options.exec = exec;
    const std::shared_ptr<const io::TriangleMesh> triangles = run.inputs.front()->mesh();
    const std::shared_ptr<const Picture> plain = run_images(run, 1).front();
    watch.lap("read the mesh");
    const auto explained =
        std::make_shared<const mesh::SegmentExplanation>(mesh::explain(*triangles, options));
    const mesh::Segmentation& parts = explained->segmentation;
    watch.lap("find parts");

    Result result{.title = "Parts of " + run.inputs.front()->name(),
                  .image = plain,
                  .size = {plain->width(), plain->height()}};
    result.summary = fmt::format("The mesh of {} faces has {} part{}{}.", triangles->faces.size(),
                                 parts.count, parts.count == 1 ? "" : "s",
                                 parts.chosen ? ", a number that the program chose" : "");
    result.layers.push_back(
        {.name = "parts",
         .title = "Parts",
         .text = "Each part has a color; the mesh is seen from four sides.",
         .picture = std::make_shared<Picture>(mesh_picture(*triangles, parts.labels)),
         .opacity = 1});
    std::vector<float> sure = parts.membership;
    result.layers.push_back({.name = "membership",
                             .title = "Membership",
                             .text = "Bright where a face surely belongs to its part.",
                             .picture = std::make_shared<Picture>(value_picture(*triangles, sure)),
                             .shown = false,
                             .opacity = 1});
    result.facts = {{"faces", std::to_string(triangles->faces.size())},
                    {"vertices", std::to_string(triangles->vertices.size())},
                    {"parts", std::to_string(parts.count)},
                    {"cost of cuts", fmt::format("{:.4g}", parts.cut_value)}};
    result.json = parts_members(parts, options);
    result.page = [triangles, explained, title = result.title, text = result.summary] {
      const mesh::Segmentation& kept = explained->segmentation;
      return mesh::model_page(*triangles, kept.labels,
                              {.title = title, .text = text, .hierarchy = kept.hierarchy});
    };
    result.held_bytes = held_by(*triangles, *explained);
    const Form unchanged = form_of(defaults);
    const std::string& name = run.inputs.front()->name();
    result.command = fmt::format("fovea mesh segment {} -o parts.ply --picture parts.png{}",
                                 shell_word(name), changed_flags(form, unchanged));
    std::string keywords = changed_keywords(form, unchanged);
    if (!keywords.empty()) keywords.erase(0, 2);
    result.python =
        fmt::format("fovea.mesh.Segmenter({}).segment({})", keywords, detail::json_quote(name));
    result.why_hint = "Click the picture to see what the seams between parts cost.";
    result.explain = [explained](report::Point, const Exec&) { return mesh::present(*explained); };
    watch.lap("draw");
    result.timings = watch.laps();
    return result;
  }
};

}  // namespace

std::unique_ptr<SystemView> mesh_view() { return std::make_unique<MeshView>(); }

}  // namespace fovea::view
