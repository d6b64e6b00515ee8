// Explanations of actions in words, with the matched chain as shapes and its energies as a table.
#include <fovea/actions/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>

#include "core/words.h"

namespace fovea::actions {
namespace {

constexpr std::size_t kListed = 12;         // nodes and triangles
constexpr std::size_t kDrawnTriangles = 3;  // those with the greatest energies

struct Terms {
  double appearance = 0, dummies = 0, time = 0, angles = 0;
  int unseen = 0;
};
Terms terms_of(const ChainShares& chain) {
  Terms terms;
  for (const NodeShare& node : chain.nodes) {
    terms.appearance += node.appearance;
    terms.dummies += node.dummy;
    terms.unseen += node.seen ? 0 : 1;
  }
  for (const TriangleShare& one : chain.triangles) {
    terms.time += one.time;
    terms.angles += one.angles;
  }
  return terms;
}

std::string node_name(const ChainShares& chain, int node) {
  const NodeShare& one = chain.nodes[static_cast<std::size_t>(node)];
  return fmt::format("node {} (frame {})", node, one.frame);
}

// What a match consists of, as a sentence.
std::string energy_text(const ChainShares& chain) {
  const Terms terms = terms_of(chain);
  std::string text = fmt::format(
      "Its energy of {:.3f} is {:.3f} of appearance, {:.3f} of {} that {} not seen, {:.3f} of "
      "times and {:.3f} of angles.",
      chain.energy, terms.appearance, terms.dummies, fovea::detail::counted(terms.unseen, "node"),
      terms.unseen == 1 ? "was" : "were", terms.time, terms.angles);
  const auto worst = std::ranges::max_element(chain.triangles, {}, &TriangleShare::energy);
  if (worst != chain.triangles.end() && worst->energy() > 0)
    text +=
        fmt::format(" The triangle that fits worst adds {:.3f} in frames {} to {}.",
                    worst->energy(), chain.nodes[static_cast<std::size_t>(worst->nodes[0])].frame,
                    chain.nodes[static_cast<std::size_t>(worst->nodes[2])].frame);
  return text;
}

// Nodes and triangles as reasons: the energy is what separates the match from a perfect one.
void add_energies(const ChainShares& chain, report::Explanation& result) {
  result.total_name = "energy of the match";
  result.total = chain.energy;
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    const NodeShare& node = chain.nodes[i];
    report::Reason reason{.name = node_name(chain, static_cast<int>(i)),
                          .value = node.energy(),
                          .text = node.seen ? "appearance" : "not seen"};
    constexpr double kBox = 8;  // pixels from a point to the sides of its place
    const auto x = static_cast<double>(node.x), y = static_cast<double>(node.y);
    if (node.seen) reason.place = {x - kBox + 0.5, y - kBox + 0.5, 2 * kBox, 2 * kBox};
    result.reasons.push_back(std::move(reason));
  }
  for (const TriangleShare& one : chain.triangles)
    result.reasons.push_back(
        {.name = fmt::format("triangle of nodes {} to {}", one.nodes[0], one.nodes[2]),
         .value = one.energy(),
         .text = fmt::format("times {:.3f}, angles {:.3f}", one.time, one.angles)});
  report::keep_largest(result, kListed);
}

report::Point place_of(const NodeShare& node) {
  return {static_cast<double>(node.x) + 0.5, static_cast<double>(node.y) + 0.5};
}

// The chain as a line over all frames, the triangles that fit worst, and one dot per node in its
// own frame.
void add_shapes(const ChainShares& chain, report::Explanation& result) {
  int strands = 0;
  double most = 0;
  for (const NodeShare& node : chain.nodes) {
    strands = std::max(strands, node.strand + 1);
    most = std::max(most, node.energy());
  }
  for (int strand = 0; strand < strands; ++strand) {
    report::Shape line{.kind = report::ShapeKind::kLine, .color = report::palette(strand)};
    for (const NodeShare& node : chain.nodes)
      if (node.seen && node.strand == strand) line.points.push_back(place_of(node));
    if (line.points.size() > 1) result.shapes.push_back(std::move(line));
  }
  std::vector<const TriangleShare*> worst;
  for (const TriangleShare& one : chain.triangles)
    if (one.energy() > 0 && std::ranges::all_of(one.nodes, [&](int i) {
          return chain.nodes[static_cast<std::size_t>(i)].seen;
        }))
      worst.push_back(&one);
  std::ranges::stable_sort(worst, std::greater{},
                           [](const TriangleShare* one) { return one->energy(); });
  if (worst.size() > kDrawnTriangles) worst.resize(kDrawnTriangles);
  for (const TriangleShare* one : worst) {
    report::Shape triangle{.kind = report::ShapeKind::kPolygon,
                           .name = fmt::format("{:.2f}", one->energy()),
                           .weight = one->energy() / worst[0]->energy(),
                           .color = report::palette(1)};
    for (const int i : one->nodes)
      triangle.points.push_back(place_of(chain.nodes[static_cast<std::size_t>(i)]));
    result.shapes.push_back(std::move(triangle));
  }
  for (const NodeShare& node : chain.nodes)
    if (node.seen)
      result.shapes.push_back({.kind = report::ShapeKind::kDots,
                               .points = {place_of(node)},
                               .name = fmt::format("{:.2f}", node.energy()),
                               .weight = most > 0 ? node.energy() / most : 1,
                               .color = report::palette(node.strand),
                               .frame = node.frame});
}

void set_place(const ChainShares& chain, report::Explanation& result) {
  bool any = false;
  double left = 0, top = 0, right = 0, bottom = 0;
  for (const NodeShare& node : chain.nodes) {
    if (!node.seen) continue;
    const report::Point at = place_of(node);
    left = any ? std::min(left, at.x) : at.x;
    top = any ? std::min(top, at.y) : at.y;
    right = any ? std::max(right, at.x) : at.x;
    bottom = any ? std::max(bottom, at.y) : at.y;
    any = true;
  }
  if (any) result.place = {left - 0.5, top - 0.5, right - left + 1, bottom - top + 1};
}

report::Table node_table(const ChainShares& chain, const std::string& caption) {
  report::Table table{.caption = caption,
                      .columns = {{"node"},
                                  {"frame"},
                                  {"model frame"},
                                  {"x"},
                                  {"y"},
                                  {"appearance"},
                                  {"not seen"},
                                  {"time"},
                                  {"angles"}}};
  std::vector<const TriangleShare*> ends(chain.nodes.size(), nullptr);
  for (const TriangleShare& one : chain.triangles)
    ends[static_cast<std::size_t>(one.nodes[2])] = &one;
  const double none = std::nan("");
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    const NodeShare& node = chain.nodes[i];
    const TriangleShare* const end = ends[i];
    table.rows.push_back({static_cast<int>(i),
                          node.frame,
                          node.model.frame,
                          {node.seen ? static_cast<double>(node.x) : none, 4},
                          {node.seen ? static_cast<double>(node.y) : none, 4},
                          {node.appearance},
                          {node.dummy},
                          {end != nullptr ? end->time : none},
                          {end != nullptr ? end->angles : none}});
  }
  return table;
}

report::Table class_table(std::span<const ClassShare> classes) {
  report::Table table{
      .caption = "Classes, the nearest first.",
      .columns = {{"class"}, {"distance"}, {"prototype"}, {"distance of prototype"}}};
  for (const ClassShare& one : classes)
    table.rows.push_back({one.name,
                          {std::isfinite(one.distance) ? one.distance : std::nan("")},
                          one.prototype < 0 ? report::Cell("-") : report::Cell(one.prototype),
                          {std::isfinite(one.nearest) ? one.nearest : std::nan("")}});
  return table;
}

void add_chains(const ChainShares& match, const ChainShares& runner_up,
                std::span<const std::string> names, report::Explanation& result) {
  const auto caption = [&](const char* what, const ChainShares& chain) {
    return fmt::format(
        "{}: prototype {} of {}{}; times and angles are those of the triangle that ends with the "
        "node.",
        what, chain.prototype, names[static_cast<std::size_t>(chain.label)],
        chain.mirrored ? ", mirrored" : "");
  };
  if (match.found) {
    add_shapes(match, result);
    set_place(match, result);
    result.tables.push_back(node_table(match, caption("The match", match)));
  }
  if (runner_up.found)
    result.tables.push_back(node_table(runner_up, caption("The runner-up", runner_up)));
}

std::string reject_text(const RejectExplanation& reject) {
  if (reject.by_rule) {
    std::string text = fmt::format(" The reject rule's sum is {:.3f}, and its limit {:.3f}. ",
                                   reject.sum, reject.limit);
    return text + (reject.allowance >= 1
                       ? fmt::format("The clip would be rejected if its distances were more than "
                                     "{:.2f} times greater.",
                                     reject.allowance)
                       : fmt::format("The clip would be accepted if its distances were {:.2f} "
                                     "times smaller.",
                                     1 / std::max(reject.allowance, 1e-6)));
  }
  if (!std::isfinite(reject.level)) return " No level rejects it.";
  if (!(reject.level > 0)) return "";
  return fmt::format(" The distance {:.3f} is {} the reject level {:.3f}.", reject.distance,
                     reject.distance <= reject.level ? "below" : "above", reject.level);
}

std::string clip_summary(const ClipExplanation& why, const std::string& first,
                         const std::string& second) {
  const ClipClass& result = why.result;
  if (result.nearest < 0)
    return "No prototype of the model fits into the clip, and no other method says anything.";
  std::string text;
  const auto class_distance = [&](std::int32_t label) {
    return result.distances[static_cast<std::size_t>(label)];
  };
  if (result.probability)
    text = fmt::format("{} has the probability {:.3f}", first, *result.probability);
  else text = fmt::format("{} has the distance {:.3f}", first, class_distance(result.nearest));
  if (result.runner_up >= 0)
    text += result.probability ? fmt::format(", and the runner-up {} {:.3f}", second,
                                             std::exp(-class_distance(result.runner_up)))
                               : fmt::format(", and the runner-up {} {:.3f}", second,
                                             class_distance(result.runner_up));
  text += ".";
  if (!why.fusion.empty()) {
    double sum = 0;
    for (const FusionShare& share : why.fusion) sum += share.value;
    text += result.probability ? fmt::format(" The log odds of {:.3f} consist of", sum)
                               : fmt::format(" The difference of {:.3f} consists of", sum);
    for (std::size_t i = 0; i < why.fusion.size(); ++i) {
      const FusionShare& share = why.fusion[i];
      text += fmt::format("{} {} {}",
                          i == 0                       ? ""
                          : i + 1 == why.fusion.size() ? " and"
                                                       : ",",
                          share.name,
                          share.speaks ? fmt::format("{:+.3f}", share.value) : "(says nothing)");
    }
    text += ".";
  }
  if (why.match.found)
    text +=
        fmt::format(" The nearest prototype of {} is number {}, at the distance {:.3f} per node. ",
                    first, why.match.prototype, why.match.distance) +
        energy_text(why.match);
  if (why.runner_up.found)
    text +=
        fmt::format(" The nearest prototype of {} is at {:.3f}.", second, why.runner_up.distance);
  text += reject_text(why.reject);
  if (result.label < 0) text += " So the clip counts as none of the actions.";
  return text;
}

}  // namespace

report::Explanation present(const ClipExplanation& why) {
  const ClipClass& result = why.result;
  const auto name = [&](std::int32_t label) {
    return label < 0 ? std::string("none") : why.names[static_cast<std::size_t>(label)];
  };
  const std::string first = name(result.nearest), second = name(result.runner_up);
  report::Explanation shown;
  shown.title = result.label < 0
                    ? fmt::format("Why none of the actions, although {} is nearest", first)
                : result.runner_up < 0 ? fmt::format("Why {}", first)
                                       : fmt::format("Why {} rather than {}", first, second);
  shown.summary = clip_summary(why, first, second);
  if (why.fusion.empty()) {
    add_energies(why.match, shown);
  } else {
    shown.total_name = result.probability ? "log odds" : "difference of distances";
    for (const FusionShare& share : why.fusion) {
      shown.total += share.value;
      shown.reasons.push_back({.name = share.name,
                               .value = share.value,
                               .text = share.speaks ? fmt::format("weight {:.3g}", share.weight)
                                                    : "says nothing about this clip"});
    }
    report::keep_largest(shown, kListed);
  }
  add_chains(why.match, why.runner_up, why.names, shown);
  shown.tables.push_back(class_table(why.classes));
  if (!why.reject.features.empty()) {
    report::Table table{.caption = "The rule that rejects clips: the values add up to its sum.",
                        .columns = {{"feature"}, {"weight"}, {"feature's value"}, {"value"}}};
    for (const RejectShare& share : why.reject.features)
      table.rows.push_back({share.name, {share.weight}, {share.feature}, {share.value}});
    shown.tables.push_back(std::move(table));
  }
  return shown;
}

report::Explanation present(const EventExplanation& why) {
  report::Explanation shown;
  shown.title = fmt::format("Why {} in frames {} to {}", why.event.name, why.event.first_frame,
                            why.event.last_frame);
  shown.summary =
      fmt::format("Prototype {} of {} matches frames {} to {} at the distance {:.3f} per node. ",
                  why.match.prototype, why.names[static_cast<std::size_t>(why.match.label)],
                  why.event.first_frame, why.event.last_frame, why.match.distance);
  shown.summary += energy_text(why.match);
  if (why.event.label != why.match.label)
    shown.summary += fmt::format(" Its frames, classified as a clip, are {}.", why.event.name);
  const auto other = std::ranges::find_if(
      why.classes, [&](const ClassShare& one) { return one.label != why.match.label; });
  if (other != why.classes.end() && std::isfinite(other->distance))
    shown.summary +=
        fmt::format(" The nearest other class was {} at {:.3f}.", other->name, other->distance);
  shown.summary += reject_text(why.reject);
  add_energies(why.match, shown);
  add_chains(why.match, why.runner_up, why.names, shown);
  shown.tables.push_back(class_table(why.classes));
  return shown;
}

report::Explanation present(const ExampleExplanation& why) {
  report::Explanation shown;
  shown.title = "Why the example matches there";
  if (!why.match.found) {
    shown.summary = "There is no match.";
    return shown;
  }
  shown.summary = fmt::format("{} of the example {} found at the distance {:.3f} per frame{}. ",
                              fovea::detail::counted(why.match.frames, "frame"),
                              why.match.frames == 1 ? "was" : "were", why.match.distance,
                              why.match.mirrored ? ", seen in a mirror" : "") +
                  energy_text(why.match);
  add_energies(why.match, shown);
  add_shapes(why.match, shown);
  set_place(why.match, shown);
  shown.tables.push_back(node_table(
      why.match, "The match; times and angles are those of the triangle that ends with the node."));
  return shown;
}

}  // namespace fovea::actions
