#include "mesh_explain.h"

#include <fovea/core/options.h>

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

namespace fovea::python {
namespace {

template <class Enum>
std::string word_of(Enum value) {
  for (const Choice& choice : mesh::choices(value))
    if (choice.value == static_cast<int>(value)) return std::string(choice.word);
  return {};
}

nb::dict edge_of(const mesh::CutEdge& edge) {
  nb::dict values;
  values["faces"] = nb::make_tuple(edge.face_a, edge.face_b);
  values["vertices"] = nb::make_tuple(edge.vertex_a, edge.vertex_b);
  values["capacity"] = edge.capacity;
  values["length"] = edge.length;
  values["angle"] = edge.angle;
  values["concave"] = edge.concave;
  return values;
}

nb::dict count_of(const mesh::CountChoice& choice) {
  nb::dict values;
  values["component"] = choice.component;
  values["count"] = choice.count;
  values["rule"] = word_of(choice.rule);
  nb::list scores, stops;
  for (const mesh::CountScore& score : choice.scores)
    scores.append(nb::make_tuple(score.count, score.score));
  for (const mesh::PartStop& stop : choice.stops)
    stops.append(nb::make_tuple(stop.part, word_of(stop.rule), stop.value, stop.limit));
  values["scores"] = scores;
  values["stops"] = stops;
  return values;
}

nb::dict numbers_of(const mesh::SegmentExplanation& why) {
  nb::dict numbers;
  nb::list seams, cuts, counts;
  for (const mesh::Seam& seam : why.seams) {
    nb::dict values;
    values["parts"] = nb::make_tuple(seam.part_a, seam.part_b);
    values["capacity"] = seam.capacity;
    values["length"] = seam.length;
    values["concave_length"] = seam.concave_length;
    values["edges"] = seam.edges;
    values["weakest"] = edge_of(seam.weakest);
    values["strongest"] = edge_of(seam.strongest);
    seams.append(values);
  }
  for (const mesh::SeamCut& cut : why.cuts)
    cuts.append(nb::make_tuple(nb::make_tuple(cut.part_a, cut.part_b), cut.faces, cut.value));
  for (const mesh::CountChoice& choice : why.counts) counts.append(count_of(choice));
  numbers["seams"] = seams;
  numbers["cuts"] = cuts;
  numbers["counts"] = counts;
  numbers["capacity"] = why.capacity;
  numbers["doubt"] = to_numpy(why.doubt);
  numbers["before"] = to_numpy(why.before);
  return numbers;
}

nb::dict numbers_of(const mesh::FaceExplanation& face) {
  nb::dict numbers;
  numbers["face"] = face.face;
  numbers["part"] = face.part;
  numbers["runner_up"] = face.runner_up;
  numbers["doubt"] = face.doubt;
  numbers["before"] = face.before;
  numbers["margin"] = face.margin;
  std::vector<double> memberships, costs;
  nb::list touches, edges;
  for (const mesh::FacePart& part : face.parts) {
    memberships.push_back(part.membership);
    costs.push_back(part.cost);
    touches.append(part.touches);
  }
  for (const mesh::CutEdge& edge : face.edges) edges.append(edge_of(edge));
  numbers["memberships"] = to_numpy(memberships);
  numbers["costs"] = to_numpy(costs);
  numbers["touches"] = touches;
  numbers["edges"] = edges;
  return numbers;
}

}  // namespace

nb::tuple explanation_of(const mesh::SegmentExplanation& why) {
  return explanation_of(mesh::present(why), numbers_of(why));
}

nb::tuple face_explanation_of(const mesh::SegmentExplanation& why, std::int64_t face) {
  const mesh::FaceExplanation one = mesh::explain_face(why, face);
  return explanation_of(mesh::present(why, one), numbers_of(one));
}

}  // namespace fovea::python
