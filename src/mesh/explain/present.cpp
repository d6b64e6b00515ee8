// Explanations of meshes in words, with values per face and tables.
#include <fovea/mesh/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>

#include "core/words.h"

namespace fovea::mesh {
namespace {

constexpr std::size_t kListedSeams = 12;
constexpr std::size_t kListedStops = 20;

// Why a component has its parts, as the end of a sentence.
std::string rule_text(CountRule rule) {
  switch (rule) {
    case CountRule::kGiven: return "that number was given";
    case CountRule::kShare: return "components share the given number of parts by their area";
    case CountRule::kSmall: return "the component has too little area to be divided";
    case CountRule::kNoValley: return "its surface has no valley";
    case CountRule::kNoNeck: return "its slowest mode is as fast as that of a body without a neck";
    case CountRule::kSurfaceModes:
      return "there the gap between the eigenvalues of the surface's modes counts most";
    case CountRule::kBodyModes:
      return "there the gap between the eigenvalues of the body's modes counts most";
    case CountRule::kDistances:
      return "after so many representatives the distance of the next one decreases most";
    case CountRule::kHierarchy: break;
  }
  return "the rules of the hierarchy stop there";
}

const char* stop_text(StopRule rule) {
  switch (rule) {
    case StopRule::kDepth: return "divisions above it";
    case StopRule::kFewFaces: return "few faces";
    case StopRule::kFlat: return "bends little";
    case StopRule::kNear: return "halves are near";
    case StopRule::kEnough: return "enough parts";
    case StopRule::kWhole: break;
  }
  return "cannot be divided";
}

std::string count_text(const CountChoice& choice, bool several) {
  std::string text = fmt::format(
      "{} {} because {}.",
      several ? fmt::format("Component {} has", choice.component) : std::string("There"),
      several ? fovea::detail::counted(choice.count, "part")
              : fmt::format("{} {}", choice.count == 1 ? "is" : "are",
                            fovea::detail::counted(choice.count, "part")),
      rule_text(choice.rule));
  std::vector<CountScore> others;
  const CountScore* chosen = nullptr;
  for (const CountScore& score : choice.scores) {
    if (score.count == choice.count) chosen = &score;
    else others.push_back(score);
  }
  if (chosen != nullptr && !others.empty()) {
    const auto next = std::ranges::max_element(others, {}, &CountScore::score);
    text += fmt::format(" That number scores {:.3g}, and {} parts, the next best, {:.3g}.",
                        chosen->score, next->count, next->score);
  }
  return text;
}

std::string counts_text(const SegmentExplanation& explanation) {
  if (explanation.counts.size() == 1) return count_text(explanation.counts[0], false);
  std::string text = fmt::format("The mesh has {} in {}.",
                                 fovea::detail::counted(explanation.segmentation.count, "part"),
                                 fovea::detail::counted(explanation.counts.size(), "component"));
  constexpr std::size_t kMost = 3;
  for (std::size_t i = 0; i < std::min(kMost, explanation.counts.size()); ++i)
    text += fmt::format(" {}", count_text(explanation.counts[i], true));
  return text;
}

double per_length(const Seam& seam) { return seam.length > 0 ? seam.capacity / seam.length : 0; }

report::Table seam_table(const SegmentExplanation& explanation) {
  report::Table table{.caption = "Seams: what cutting the mesh there costs.",
                      .columns = {{"parts"},
                                  {"capacity"},
                                  {"edges"},
                                  {"length"},
                                  {"in valleys"},
                                  {"weakest edge"},
                                  {"strongest edge"}}};
  std::vector<const Seam*> order;
  order.reserve(explanation.seams.size());
  for (const Seam& seam : explanation.seams) order.push_back(&seam);
  std::ranges::stable_sort(order, std::greater{}, &Seam::capacity);
  if (order.size() > kListedSeams) order.resize(kListedSeams);
  for (const Seam* seam : order)
    table.rows.push_back({fmt::format("{} and {}", seam->part_a, seam->part_b),
                          {seam->capacity},
                          seam->edges,
                          {seam->length},
                          {seam->concave_length},
                          {seam->weakest.capacity},
                          {seam->strongest.capacity}});
  return table;
}

void add_count_tables(const SegmentExplanation& explanation, report::Explanation& result) {
  if (explanation.counts.empty()) return;
  const CountChoice& choice =
      *std::ranges::max_element(explanation.counts, {}, &CountChoice::count);
  if (!choice.scores.empty()) {
    report::Table table{.caption = "Numbers of parts that were compared.",
                        .columns = {{"parts"}, {"score"}}};
    for (const CountScore& score : choice.scores)
      table.rows.push_back({score.count, {score.score}});
    result.tables.push_back(std::move(table));
  }
  if (choice.stops.empty()) return;
  report::Table table{.caption = "Why parts were not divided further.",
                      .columns = {{"part"}, {"reason"}, {"value"}, {"limit"}}};
  for (std::size_t i = 0; i < std::min(choice.stops.size(), kListedStops); ++i) {
    const PartStop& stop = choice.stops[i];
    table.rows.push_back({stop.part, stop_text(stop.rule), {stop.value}, {stop.limit}});
  }
  result.tables.push_back(std::move(table));
}

std::string summary_of(const SegmentExplanation& explanation) {
  std::string text = counts_text(explanation);
  if (explanation.seams.empty()) return text + " No edge lies between two parts.";
  text +=
      fmt::format(" The total capacity of the {} is {:.4g}.",
                  fovea::detail::counted(explanation.seams.size(), "seam"), explanation.capacity);
  const auto [cheap, dear] = std::ranges::minmax_element(
      explanation.seams, {}, [](const Seam& s) { return per_length(s); });
  text += fmt::format(
      " Per length the cheapest seam is that of parts {} and {} ({:.3g} over a length of {:.3g}, "
      "{:.0f} % of it in valleys)",
      cheap->part_a, cheap->part_b, cheap->capacity, cheap->length,
      cheap->length > 0 ? 100 * cheap->concave_length / cheap->length : 0);
  if (explanation.seams.size() > 1)
    text += fmt::format(", the most expensive that of parts {} and {} ({:.3g} over {:.3g})",
                        dear->part_a, dear->part_b, dear->capacity, dear->length);
  text += ".";
  const auto moved = std::ranges::count_if(explanation.before,
                                           [&, at = std::size_t{0}](std::int32_t before) mutable {
                                             return before != explanation.segmentation.labels[at++];
                                           });
  if (explanation.cut)
    text += fmt::format(
        " The minimum cuts (total value {:.4g}) and the removal of islands reassigned {}.",
        explanation.segmentation.cut_value, fovea::detail::counted(moved, "face"));
  return text;
}

// What cut edges of each face cost.
std::vector<float> cut_layer(const SegmentExplanation& explanation) {
  const std::vector<std::int32_t>& labels = explanation.segmentation.labels;
  std::vector<float> values(labels.size(), 0.0F);
  for (const CutEdge& edge : explanation.edges) {
    const auto a = static_cast<std::size_t>(edge.face_a), b = static_cast<std::size_t>(edge.face_b);
    if (labels[a] == labels[b]) continue;
    values[a] += static_cast<float>(edge.capacity);
    values[b] += static_cast<float>(edge.capacity);
  }
  return values;
}

std::vector<float> membership_layer(const Segmentation& found, std::int32_t part) {
  const auto count = static_cast<std::size_t>(found.count);
  std::vector<float> values;
  values.reserve(found.labels.size());
  for (std::size_t face = 0; face < found.labels.size(); ++face)
    values.push_back(found.memberships[face * count + static_cast<std::size_t>(part)]);
  return values;
}

std::string face_summary(const FaceExplanation& face, bool cut) {
  const auto of = [&](std::int32_t part) { return face.parts[static_cast<std::size_t>(part)]; };
  std::string text =
      fmt::format("Face {} belongs to part {}, in which it has the membership {:.3f}.", face.face,
                  face.part, of(face.part).membership);
  if (face.runner_up < 0) return text + " There is no other part.";
  text += fmt::format(" The runner-up is part {} with {:.3f}.", face.runner_up,
                      of(face.runner_up).membership);
  if (face.before != face.part && cut && face.part == face.doubt)
    text += fmt::format(
        " It was in the uncertain region between parts {0} and {1}, and the minimum cut moved it "
        "from part {0} to part {1}.",
        face.before, face.doubt);
  else if (face.before != face.part)
    text += fmt::format(" Clustering had given it to part {}; {} moved it.", face.before,
                        face.doubt >= 0 && cut ? "a minimum cut" : "the cleaning of islands");
  else if (face.doubt >= 0)
    text += fmt::format(
        " It was in the uncertain region between parts {0} and {1}, and the minimum cut kept it in "
        "part {0}.",
        face.before, face.doubt);
  else if (cut) text += " It was in no uncertain region, so that no cut could move it.";
  for (const FacePart& part : face.parts)
    if (part.touches && part.part != face.part)
      text += fmt::format(
          " To give it to its neighbor part {} would {} the capacity of all seams by {:.3g}.",
          part.part, part.cost >= 0 ? "raise" : "lower", std::abs(part.cost));
  return text;
}

report::Table edge_table(const SegmentExplanation& explanation, const FaceExplanation& face) {
  report::Table table{
      .caption = "Edges of the face.",
      .columns = {
          {"neighbor"}, {"its part"}, {"capacity"}, {"length"}, {"angle", "degrees"}, {"valley"}}};
  constexpr double kDegrees = 57.29577951308232;
  for (const CutEdge& edge : face.edges) {
    const std::int32_t other = edge.face_a == face.face ? edge.face_b : edge.face_a;
    table.rows.push_back({other,
                          explanation.segmentation.labels[static_cast<std::size_t>(other)],
                          {edge.capacity},
                          {edge.length},
                          {edge.angle * kDegrees},
                          edge.concave ? "yes" : "no"});
  }
  return table;
}

}  // namespace

report::Explanation present(const SegmentExplanation& explanation) {
  report::Explanation result;
  result.title = fmt::format("Why the mesh has {}",
                             fovea::detail::counted(explanation.segmentation.count, "part"));
  result.summary = summary_of(explanation);
  result.total_name = "capacity of all seams";
  result.total = explanation.capacity;
  result.reasons.reserve(explanation.seams.size());
  for (const Seam& seam : explanation.seams)
    result.reasons.push_back(
        {.name = fmt::format("parts {} and {}", seam.part_a, seam.part_b),
         .value = seam.capacity,
         .text = fmt::format("{}, length {:.3g}", fovea::detail::counted(seam.edges, "edge"),
                             seam.length)});
  report::keep_largest(result, kListedSeams);
  result.surface.push_back({.name = "membership",
                            .text = "How surely each face belongs to its part.",
                            .values = explanation.segmentation.membership});
  result.surface.push_back({.name = "seams",
                            .text = "The capacity of each face's edges to other parts.",
                            .values = cut_layer(explanation)});
  result.tables.push_back(seam_table(explanation));
  add_count_tables(explanation, result);
  return result;
}

report::Explanation present(const SegmentExplanation& explanation, const FaceExplanation& face) {
  report::Explanation result;
  result.title = fmt::format("Why face {} belongs to part {}", face.face, face.part);
  result.summary = face_summary(face, explanation.cut);
  result.total_name = "membership in all parts";
  for (const FacePart& part : face.parts) {
    result.total += part.membership;
    std::string text = part.part == face.part ? "its own part" : "";
    if (part.touches && part.part != face.part)
      text = fmt::format("a neighbor; the seams would cost {:+.3g}", part.cost);
    result.reasons.push_back({.name = fmt::format("part {}", part.part),
                              .value = part.membership,
                              .text = std::move(text)});
  }
  report::keep_largest(result, kListedSeams);
  result.surface.push_back({.name = fmt::format("part {}", face.part),
                            .text = "The membership of all faces in the part of this one.",
                            .values = membership_layer(explanation.segmentation, face.part)});
  if (face.runner_up >= 0)
    result.surface.push_back(
        {.name = fmt::format("part {}", face.runner_up),
         .text = "The membership of all faces in the runner-up.",
         .values = membership_layer(explanation.segmentation, face.runner_up)});
  result.tables.push_back(edge_table(explanation, face));
  return result;
}

}  // namespace fovea::mesh
