// The options by name, and the checks before anything is computed.
#include "actions/match/match_terms.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/dispatch.h"

namespace fovea::actions {
namespace {

constexpr Choice kClosenesses[] = {{"span", static_cast<int>(Closeness::kSpan)},
                                   {"pair", static_cast<int>(Closeness::kPair)}};
constexpr Choice kVariants[] = {{"single", static_cast<int>(Variant::kSingle)},
                                {"chains", static_cast<int>(Variant::kChains)},
                                {"greedy", static_cast<int>(Variant::kGreedy)}};

// Has no branch, so that the compiler vectorizes it.
bool all_finite(const float* values, int count) {
  constexpr std::uint32_t kExponent = 0x7f800000U;
  std::uint32_t bad = 0;
  for (int i = 0; i < count; ++i)
    bad |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(values[i]) & kExponent) ==
                                      kExponent);
  return bad == 0;
}

void check_features(const std::string& what, const Nodes& nodes, int features) {
  const Image<float>& rows = nodes.features;
  fovea::detail::require_host("match", what.c_str(), rows.view().memory);
  if (rows.height() != nodes.size() || rows.channels() != 1 ||
      (nodes.size() > 0 && features >= 0 && rows.width() != features))
    throw InvalidArgument(fmt::format(
        "match: {} has {} nodes and {} rows of {} features; expected one row per node{}", what,
        nodes.size(), rows.height(), rows.width() * rows.channels(),
        features >= 0 ? fmt::format(", of {} features", features) : ""));
  for (int y = 0; y < rows.height(); ++y) {
    if (all_finite(rows.row(y), rows.width())) continue;
    const float* const bad = std::find_if_not(rows.row(y), rows.row(y) + rows.width(),
                                              [](float value) { return std::isfinite(value); });
    throw InvalidArgument(
        fmt::format("match: feature {} of node {} of {} is {}; expected a finite number",
                    bad - rows.row(y), y, what, *bad));
  }
}

void check_places(const std::string& what, const Nodes& nodes, bool strictly) {
  for (int i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes.nodes[i];
    if (!std::isfinite(node.x) || !std::isfinite(node.y))
      throw InvalidArgument(
          fmt::format("match: node {} of {} lies at ({}, {}); expected finite "
                      "numbers",
                      i, what, node.x, node.y));
    if (node.frame < -detail::kMostFrame || node.frame > detail::kMostFrame)
      throw InvalidArgument(fmt::format("match: node {} of {} lies in frame {}; expected {} to {}",
                                        i, what, node.frame, -detail::kMostFrame,
                                        detail::kMostFrame));
    if (i == 0) continue;
    const std::int32_t last = nodes.nodes[i - 1].frame;
    if (node.frame < last || (strictly && node.frame == last))
      throw InvalidArgument(fmt::format(
          "match: node {} of {} lies in frame {} after one in frame {}; expected {}", i, what,
          node.frame, last, strictly ? "a later frame each" : "the order of frames"));
  }
}

}  // namespace

std::span<const Choice> choices(Closeness) { return kClosenesses; }
std::span<const Choice> choices(Variant) { return kVariants; }

void describe(OptionVisitor& visit, MatchOptions& options) {
  visit("appearance", options.appearance, "weight of the distance of descriptors (lambda 1)", 0,
        1e6);
  visit("geometry", options.geometry, "weight of differences in time and angle (lambda 2)", 0, 1e6);
  visit("angles", options.angles, "weight of angles relative to times (lambda 3)", 0, 1e6);
  visit("window", options.window,
        "frames within which neighboring nodes of a match lie (T); 0 sets no limit", 0, 1000000);
  visit(
      "closeness", options.closeness,
      "whether three consecutive nodes (span, eq. 14) or two (pair, eq. 8) lie within the window");
  visit("dummies", options.dummies, "allow nodes that are not seen",
        {.off_help = "require a point of the video for every node"});
  visit("dummy-cost", options.dummy_cost, "distance that counts for a node that is not seen (W_d)",
        0, 1e6);
}

namespace detail {

MatchTerms::MatchTerms(const MatchOptions& options)
    : appearance(static_cast<float>(options.appearance)),
      time(static_cast<float>(options.geometry)),
      angles(static_cast<float>(options.geometry * options.angles * 2 * std::numbers::pi)),
      dummy(static_cast<float>(options.appearance * options.dummy_cost)),
      dummies(options.dummies) {
  if (options.window == 0) {
    pair = triple = 4 * (kMostFrame / 2);
  } else if (options.closeness == Closeness::kSpan) {
    pair = options.window - 2;
    triple = options.window - 1;
  } else {
    pair = options.window - 1;
    triple = 2 * pair;
  }
}

void check_chain(const Chain& chain, int index, int features) {
  const std::string what = fmt::format("model {}", index);
  if (chain.size() < 3)
    throw InvalidArgument(
        fmt::format("match: {} has {} nodes; expected 3 or more", what, chain.size()));
  check_features(what, chain, features);
  check_places(what, chain, true);
}

void check_points(const char* what, const Nodes& points, int features) {
  check_features(what, points, features);
  check_places(what, points, false);
}

void check_scene(const Scene& scene, int features) {
  check_points("the scene", scene.points, features);
  const std::int64_t first = scene.first_frame, end = first + scene.frames;
  if (scene.frames < 0 || first < -kMostFrame || end > kMostFrame)
    throw InvalidArgument(
        fmt::format("match: the scene has {} frames from {} on; expected 0 or more within {} to {}",
                    scene.frames, first, -kMostFrame, kMostFrame));
  for (const Node& node : scene.points.nodes)
    if (node.frame < first || node.frame >= end)
      throw InvalidArgument(
          fmt::format("match: a point lies in frame {}; expected one of the scene's, {} to {}",
                      node.frame, first, end - 1));
}

}  // namespace detail
}  // namespace fovea::actions
