// Views of the tree of divisions by level.
#include <fovea/io/json_writer.h>
#include <fovea/mesh/hierarchy.h>

#include <algorithm>

namespace fovea::mesh {

int hierarchy_levels(std::span<const HierarchyNode> nodes) {
  int most = -1;
  for (const HierarchyNode& node : nodes) most = std::max(most, static_cast<int>(node.level));
  return most + 1;
}

std::vector<std::int32_t> parts_at_level(std::span<const HierarchyNode> nodes, int level) {
  std::vector<std::int32_t> result;
  for (const HierarchyNode& node : nodes)
    if (node.is_part())
      result.resize(std::max(result.size(), static_cast<std::size_t>(node.part) + 1));
  for (const HierarchyNode& node : nodes) {
    if (!node.is_part()) continue;
    const HierarchyNode* at = &node;
    while (at->level > level && at->parent >= 0) at = &nodes[static_cast<std::size_t>(at->parent)];
    result[static_cast<std::size_t>(node.part)] = at->part;
  }
  return result;
}

std::string hierarchy_json(std::span<const HierarchyNode> nodes) {
  std::vector<std::vector<std::int32_t>> parts(nodes.size());
  for (const HierarchyNode& node : nodes) {
    if (!node.is_part()) continue;
    auto above = static_cast<std::int32_t>(&node - nodes.data());
    for (; above >= 0; above = nodes[static_cast<std::size_t>(above)].parent)
      parts[static_cast<std::size_t>(above)].push_back(node.part);
  }
  std::string text;
  io::JsonWriter json(io::string_sink(text));
  const auto or_null = [&](const char* key, bool is_there, std::int32_t number) {
    if (is_there) json.member(key, number);
    else json.member(key, nullptr);
  };
  json.begin_object().member("levels", hierarchy_levels(nodes)).key("nodes").begin_array();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const HierarchyNode& node = nodes[i];
    json.begin_object().member("node", i);
    or_null("parent", node.parent >= 0, node.parent);
    json.member("level", node.level).key("children");
    json.values(std::span<const std::int32_t>(node.children.data(), node.is_part() ? 0 : 2));
    or_null("part", node.is_part(), node.part);
    std::sort(parts[i].begin(), parts[i].end());
    json.key("parts").values(parts[i]);
    json.member("faces", node.faces).member("area", node.area);
    json.member("representative", node.representative).member("apart", node.apart).end_object();
  }
  json.end_array().end_object().finish();
  return text;
}

}  // namespace fovea::mesh
