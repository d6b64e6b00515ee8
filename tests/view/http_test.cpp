#include "view/http.h"

#include <gmock/gmock.h>

namespace fovea::view {
namespace {

using testing::ElementsAre;

TEST(Target, IsDecodedWithItsQuery) {
  const auto target = parse_target("/inputs/a%20b/tile?name=two%20words.jpg&x=1.5&flag");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/inputs/a b/tile");
  EXPECT_EQ(target->query.at("name"), "two words.jpg");
  EXPECT_EQ(target->query.at("x"), "1.5");
  EXPECT_EQ(target->query.at("flag"), "");
}

TEST(Target, IsRefusedWhereItCouldLeaveItsPlace) {
  for (const char* text :
       {"", "inputs", "/..", "/page/../secret", "/page/%2e%2e/secret", "/a\\b", "/page/%5c..",
        "/a%00b", "/a%0d%0aSet-Cookie", "/a%", "/a%2", "/a%zz", "/./a", "http://127.0.0.1/", "*"})
    EXPECT_FALSE(parse_target(text)) << text;
  EXPECT_FALSE(parse_target("/" + std::string(5000, 'a')));
  EXPECT_TRUE(parse_target("/page/a..b")) << "dots within a name lead nowhere";
}

TEST(Target, HasParts) {
  EXPECT_THAT(path_parts("/inputs/a/tile"), ElementsAre("inputs", "a", "tile"));
  EXPECT_THAT(path_parts("/"), ElementsAre(""));
}

TEST(Response, OfAnErrorIsJson) {
  EXPECT_EQ(failure(404, "no \"x\"").body, R"({"error": "no \"x\""})");
  EXPECT_EQ(failure(404, "x").reason, "") << "is not logged";
  EXPECT_EQ(refusal(403, "x").reason, "x");
}

}  // namespace
}  // namespace fovea::view
