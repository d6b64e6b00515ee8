// Explains why a face belongs to its part, from what a segmentation left behind.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/mesh/explain.h>

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace fovea::mesh {

std::span<const Choice> choices(CountRule) {
  static constexpr std::array<Choice, 9> kChoices{
      {{"given", static_cast<int>(CountRule::kGiven)},
       {"share", static_cast<int>(CountRule::kShare)},
       {"small", static_cast<int>(CountRule::kSmall)},
       {"no-valley", static_cast<int>(CountRule::kNoValley)},
       {"no-neck", static_cast<int>(CountRule::kNoNeck)},
       {"surface-modes", static_cast<int>(CountRule::kSurfaceModes)},
       {"body-modes", static_cast<int>(CountRule::kBodyModes)},
       {"distances", static_cast<int>(CountRule::kDistances)},
       {"hierarchy", static_cast<int>(CountRule::kHierarchy)}}};
  return kChoices;
}

std::span<const Choice> choices(StopRule) {
  static constexpr std::array<Choice, 6> kChoices{
      {{"depth", static_cast<int>(StopRule::kDepth)},
       {"few-faces", static_cast<int>(StopRule::kFewFaces)},
       {"flat", static_cast<int>(StopRule::kFlat)},
       {"near", static_cast<int>(StopRule::kNear)},
       {"whole", static_cast<int>(StopRule::kWhole)},
       {"enough", static_cast<int>(StopRule::kEnough)}}};
  return kChoices;
}

SegmentExplanation explain(const io::TriangleMesh& mesh, const SegmentOptions& options) {
  return Segmenter(options).explain(mesh);
}

SegmentExplanation explain(const io::TriangleMesh& mesh, const SegmentOptions& options,
                           std::span<const float> arc_costs) {
  return Segmenter(options).explain(mesh, arc_costs);
}

FaceExplanation explain_face(const SegmentExplanation& explanation, std::int64_t face) {
  const Segmentation& found = explanation.segmentation;
  if (face < 0 || face >= std::ssize(found.labels))
    throw InvalidArgument(
        fmt::format("explain_face: there is no face {}; the mesh has faces 0 to "
                    "{}",
                    face, std::ssize(found.labels) - 1));
  const auto at = static_cast<std::size_t>(face);
  const auto count = static_cast<std::size_t>(found.count);
  FaceExplanation result;
  result.face = static_cast<std::int32_t>(face);
  result.part = found.labels[at];
  result.doubt = explanation.doubt[at];
  result.before = explanation.before[at];
  result.parts.reserve(count);
  for (std::size_t part = 0; part < count; ++part)
    result.parts.push_back(
        {.part = static_cast<std::int32_t>(part),
         .membership = static_cast<double>(found.memberships[at * count + part])});
  std::vector<double> to_part(count, 0.0);
  for (const CutEdge& edge : explanation.edges) {
    if (edge.face_a != result.face && edge.face_b != result.face) continue;
    const std::int32_t other = edge.face_a == result.face ? edge.face_b : edge.face_a;
    const auto part = static_cast<std::size_t>(found.labels[static_cast<std::size_t>(other)]);
    to_part[part] += edge.capacity;
    result.parts[part].touches = true;
    result.edges.push_back(edge);
  }
  const auto own = static_cast<std::size_t>(result.part);
  for (std::size_t part = 0; part < count; ++part) {
    if (part == own) continue;
    FacePart& one = result.parts[part];
    one.cost = to_part[own] - to_part[part];
    if (result.runner_up < 0 ||
        one.membership > result.parts[static_cast<std::size_t>(result.runner_up)].membership)
      result.runner_up = one.part;
  }
  result.margin = result.parts[own].membership;
  if (result.runner_up >= 0)
    result.margin -= result.parts[static_cast<std::size_t>(result.runner_up)].membership;
  return result;
}

}  // namespace fovea::mesh
