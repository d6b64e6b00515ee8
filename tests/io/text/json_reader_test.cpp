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
  EXPECT_THAT(refusal("x"), test::says("a.json: ", "line 1, column 1"));
  EXPECT_THAT(refusal("{\n  \"a\": x}"), test::says("a.json: ", "line 2, column 8"));
  EXPECT_THAT(refusal("[1,\n2"), test::says("a.json: ", "line 2, column 2", "truncated"));
  EXPECT_THAT(refusal(""), test::says("a.json: ", "line 1, column 1", "truncated"));
  EXPECT_THAT(refusal("1e999"), test::says("a.json: ", "JSON"));
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
