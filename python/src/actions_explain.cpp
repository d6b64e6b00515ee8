#include "actions_explain.h"

#include <nanobind/stl/string.h>

namespace fovea::python {
namespace {

nb::object chain_of(const actions::ChainShares& chain) {
  if (!chain.found) return nb::none();
  nb::dict values;
  values["prototype"] = chain.prototype;
  values["label"] = chain.label;
  values["mirrored"] = chain.mirrored;
  values["energy"] = chain.energy;
  values["distance"] = chain.distance;
  nb::list nodes, triangles;
  for (const actions::NodeShare& node : chain.nodes) {
    nb::dict one;
    one["strand"] = node.strand;
    one["frame"] = node.frame;
    one["model_frame"] = node.model.frame;
    one["seen"] = node.seen;
    one["place"] = node.seen ? nb::object(nb::make_tuple(node.x, node.y)) : nb::none();
    one["appearance"] = node.appearance;
    one["dummy"] = node.dummy;
    nodes.append(one);
  }
  for (const actions::TriangleShare& triangle : chain.triangles) {
    nb::dict one;
    one["strand"] = triangle.strand;
    one["nodes"] = nb::make_tuple(triangle.nodes[0], triangle.nodes[1], triangle.nodes[2]);
    one["time"] = triangle.time;
    one["angles"] = triangle.angles;
    triangles.append(one);
  }
  values["nodes"] = nodes;
  values["triangles"] = triangles;
  return values;
}

nb::list classes_of(std::span<const actions::ClassShare> classes) {
  nb::list list;
  for (const actions::ClassShare& one : classes)
    list.append(nb::make_tuple(one.name, one.distance, one.prototype));
  return list;
}

nb::dict reject_of(const actions::RejectExplanation& reject) {
  nb::dict values;
  values["by_rule"] = reject.by_rule;
  values["distance"] = reject.distance;
  values["level"] = reject.level;
  values["sum"] = reject.sum;
  values["limit"] = reject.limit;
  values["allowance"] = reject.allowance;
  values["accepted"] = reject.accepted;
  nb::list features;
  for (const actions::RejectShare& share : reject.features)
    features.append(nb::make_tuple(share.name, share.weight, share.feature, share.value));
  values["features"] = features;
  return values;
}

}  // namespace

nb::tuple explanation_of(const actions::ClipExplanation& why) {
  nb::dict numbers;
  numbers["name"] = why.result.name;
  numbers["classes"] = classes_of(why.classes);
  numbers["match"] = chain_of(why.match);
  numbers["runner_up"] = chain_of(why.runner_up);
  nb::list fusion;
  for (const actions::FusionShare& share : why.fusion)
    fusion.append(nb::make_tuple(share.name, share.weight, share.first, share.second, share.value));
  numbers["fusion"] = fusion;
  numbers["reject"] = reject_of(why.reject);
  return explanation_of(present(why), numbers);
}

nb::tuple explanation_of(const actions::EventExplanation& why) {
  nb::dict numbers;
  numbers["name"] = why.event.name;
  numbers["classes"] = classes_of(why.classes);
  numbers["match"] = chain_of(why.match);
  numbers["runner_up"] = chain_of(why.runner_up);
  numbers["reject"] = reject_of(why.reject);
  return explanation_of(present(why), numbers);
}

nb::tuple explanation_of(const actions::ExampleExplanation& why) {
  nb::dict numbers;
  numbers["match"] = chain_of(why.match);
  return explanation_of(present(why), numbers);
}

}  // namespace fovea::python
