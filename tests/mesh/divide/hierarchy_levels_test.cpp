#include <fovea/mesh/hierarchy.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fovea::mesh {
namespace {

// A body of parts 0, 1 and 3, of which 3 comes out of 1, and part 2, which is a component.
std::vector<HierarchyNode> tree() {
  return {{.children = {2, 3}, .part = 0, .representative = 4, .faces = 9, .apart = 2},
          {.part = 2, .faces = 5},
          {.parent = 0, .level = 1, .part = 0, .faces = 3},
          {.parent = 0, .level = 1, .children = {4, 5}, .part = 1, .faces = 6, .apart = 1},
          {.parent = 3, .level = 2, .part = 1, .faces = 4},
          {.parent = 3, .level = 2, .part = 3, .faces = 2}};
}

TEST(HierarchyLevels, PartsJoinUpwards) {
  EXPECT_EQ(hierarchy_levels(tree()), 3);
  EXPECT_EQ(parts_at_level(tree(), 0), (std::vector<std::int32_t>{0, 0, 2, 0}));
  EXPECT_EQ(parts_at_level(tree(), 1), (std::vector<std::int32_t>{0, 1, 2, 1}));
  EXPECT_EQ(parts_at_level(tree(), 2), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(parts_at_level(tree(), 9), (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(hierarchy_levels({}), 0);
  EXPECT_TRUE(parts_at_level({}, 0).empty());
}

TEST(HierarchyLevels, JsonHasEveryNode) {
  const auto json = nlohmann::json::parse(hierarchy_json(tree()));
  EXPECT_EQ(json["levels"], 3);
  ASSERT_EQ(json["nodes"].size(), 6U);
  EXPECT_EQ(json["nodes"][0]["children"], (nlohmann::json{2, 3}));
  EXPECT_EQ(json["nodes"][0]["parts"], (nlohmann::json{0, 1, 3}));
  EXPECT_EQ(json["nodes"][0]["apart"], 2);
  EXPECT_TRUE(json["nodes"][0]["part"].is_null());
  EXPECT_EQ(json["nodes"][5]["parent"], 3);
  EXPECT_EQ(json["nodes"][5]["part"], 3);
  EXPECT_TRUE(json["nodes"][5]["children"].empty());
  EXPECT_EQ(nlohmann::json::parse(hierarchy_json({}))["levels"], 0);
}

}  // namespace
}  // namespace fovea::mesh
