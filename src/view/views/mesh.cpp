// Meshes in the view: their parts, on a mesh that is turned by hand.
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/explain.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include "view/system.h"

namespace fovea::view {
namespace {

// What the program prints, and the labels, which it writes into files.
struct SavedParts {
  const mesh::Segmentation& parts;
};
void describe(FieldVisitor& visit, SavedParts& saved) {
  auto& parts = const_cast<mesh::Segmentation&>(saved.parts);
  describe(visit, parts);
  visit("labels", parts.labels, "one per face: the part that it belongs to, from 0");
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

class MeshView final : public OptionsView<mesh::SegmentOptions> {
 public:
  MeshView()
      : OptionsView({.name = "mesh",
                     .title = "Mesh parts",
                     .text = "Divides a mesh into the parts that people would name.",
                     .headline = "Parts of",
                     .takes = InputKind::kMesh}) {}

 private:
  void work(const TaskOf<mesh::SegmentOptions>& task, Result& result, Stopwatch& watch) override {
    Input& input = *task.run.inputs.front();
    const std::shared_ptr<const io::TriangleMesh> triangles = input.mesh();
    watch.lap("read the mesh");
    const auto explained =
        std::make_shared<const mesh::SegmentExplanation>(mesh::explain(*triangles, task.with));
    const mesh::Segmentation& parts = explained->segmentation;
    watch.lap("find parts");
    result.summary = fmt::format("The mesh of {} faces has {} part{}{}.", triangles->faces.size(),
                                 parts.count, parts.count == 1 ? "" : "s",
                                 parts.chosen ? ", a number that the program chose" : "");
    result.parts = mesh::parts_json(*triangles, parts.labels, parts.hierarchy);
    result.surfaces.push_back(
        {.name = "membership",
         .title = "Membership",
         .text = "Bright where a face surely belongs to its part.",
         .colors = mesh::value_colors(parts.membership, report::ColorMap::kTide)});
    result.facts = {{"faces", std::to_string(triangles->faces.size())},
                    {"vertices", std::to_string(triangles->vertices.size())},
                    {"parts", std::to_string(parts.count)},
                    {"cost of cuts", fmt::format("{:.4g}", parts.cut_value)}};
    add_truth(result, task.run, [&](const Truth& truth) {
      compare_with_people(result, *triangles, parts.labels,
                          truth.parts(input, triangles->faces.size()));
      watch.lap("compare with the truth");
    });
    result.json = task.saved({.command = "mesh segment"}, record_ref(SavedParts{parts}));
    result.command = fmt::format("fovea mesh segment {} -o parts.ply --picture parts.png{}",
                                 task.shell_inputs(), task.flags);
    result.python = fmt::format("fovea.mesh.Segmenter({}).segment({})", task.first_keywords(),
                                task.python_input());
    add_reasons(result, triangles, explained);
    result.held_bytes = held_by(*triangles, *explained);
  }

  static void compare_with_people(Result& result, const io::TriangleMesh& mesh,
                                  std::span<const std::int32_t> labels,
                                  const std::vector<std::vector<std::int32_t>>& people) {
    if (people.empty()) return;
    for (std::size_t i = 0; i < people.size(); ++i)
      result.surfaces.push_back({.name = fmt::format("truth-{}", i),
                                 .title = people.size() == 1
                                              ? "Truth"
                                              : fmt::format("Truth {} of {}", i + 1, people.size()),
                                 .text = "The parts that a person has made.",
                                 .colors = mesh::part_colors(people[i])});
    const mesh::SegmentationReport errors = mesh::evaluate_segmentation(mesh, labels, people);
    result.facts.emplace_back("Rand error", fmt::format("{:.3f}", errors.rand));
    result.facts.emplace_back("cut discrepancy", fmt::format("{:.3f}", errors.cut_discrepancy));
    result.summary += fmt::format(
        " It differs from the truth by a Rand error of {:.3f}{}.", errors.rand,
        people.size() == 1 ? "" : fmt::format(", the mean over {} people", people.size()));
  }

  static void add_reasons(Result& result, const std::shared_ptr<const io::TriangleMesh>& mesh,
                          const std::shared_ptr<const mesh::SegmentExplanation>& explained) {
    result.why_hint =
        "Click a face to see why it belongs to its part, or beside the mesh to see what the seams "
        "between parts cost.";
    result.explain_face = [explained](std::int64_t face) {
      return face < 0 ? mesh::present(*explained)
                      : mesh::present(*explained, mesh::explain_face(*explained, face));
    };
    result.page = [mesh, explained, title = result.title,
                   text = result.summary](const report::Explanation* why) {
      const mesh::Segmentation& parts = explained->segmentation;
      return mesh::model_page(
          *mesh, parts.labels,
          {.title = title,
           .text = why == nullptr ? text : fmt::format("{} {}", text, why->summary),
           .hierarchy = parts.hierarchy});
    };
  }
};

}  // namespace

std::unique_ptr<SystemView> mesh_view() { return std::make_unique<MeshView>(); }

}  // namespace fovea::view
