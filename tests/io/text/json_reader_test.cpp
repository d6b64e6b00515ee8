#include "io/text/json_reader.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/files.h"

namespace fovea::io {
namespace {

using test::message_of;

std::string refusal(const std::string& text) {
  return message_of<FormatError>([&] { parse_json(text, "a.json"); });
}

TEST(JsonReader, ReadsWhatIsJson) {
  EXPECT_EQ(parse_json(R"({"a": [1, 2]})", "a.json")["a"][1], 2);
  EXPECT_EQ(parse_json("7", "a.json"), 7);
}

TEST(JsonReader, LeavesOutValuesUnderAKeyAtEveryDepth) {
  const auto tree =
      parse_json(R"({"big": [1, 2], "b": [{"big": {"c": 1}, "d": 4}], "e": "big"})", "x", "big");
  EXPECT_EQ(tree.dump(), R"({"b":[{"d":4}],"e":"big"})");
}

TEST(JsonReader, NamesLineAndColumnOfWhatIsNot) {
  EXPECT_EQ(refusal("x"), "a.json: is not JSON at line 1, column 1");
  EXPECT_EQ(refusal("{\n  \"a\": x}"), "a.json: is not JSON at line 2, column 8");
  EXPECT_EQ(refusal("[1,\n2"),
            "a.json: is not JSON at line 2, column 2, its end; it may be truncated");
  EXPECT_EQ(refusal(""), "a.json: is not JSON at line 1, column 1, its end; it may be truncated");
  EXPECT_EQ(refusal("1e999"), "a.json: is not JSON that can be read");
}

TEST(JsonReader, RefusesWhatIsNestedTooDeep) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += bracket;
    EXPECT_THAT(refusal(text), testing::HasSubstr("a.json: JSON is nested more than 100 deep"));
  }
}

}  // namespace
}  // namespace fovea::io
