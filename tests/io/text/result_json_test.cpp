#include <fovea/core/version.h>
#include <fovea/io/result_json.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fovea::io {
namespace {

using nlohmann::json;

const ResultOrigin kOrigin{
    .command = "people detect", .device = "cpu", .seed = 3, .options = R"({"model": "hog"})"};

TEST(ResultJson, OneResultHasWhatMadeItAndHowItEnded) {
  const json tree = json::parse(
      single_result_json(kOrigin, "a \"b\".png", "\"width\": 3", {.failed = 1, .seconds = 0.5}));
  EXPECT_EQ(tree["fovea"], FOVEA_VERSION);
  EXPECT_EQ(tree["command"], "people detect");
  EXPECT_EQ(tree["seed"], 3);
  EXPECT_EQ(tree["options"]["model"], "hog");
  EXPECT_EQ(tree["results"], json::parse(R"([{"input": "a \"b\".png", "width": 3}])"));
  EXPECT_EQ(tree["failed"], 1);
  EXPECT_EQ(tree["seconds"], 0.5);
}

TEST(ResultJson, PiecesJoinToAList) {
  const std::string text = begin_results(kOrigin) + begin_result_element("a", true) + "}" +
                           begin_result_element("b", false) + "}" +
                           end_results({.interrupted = true});
  const json tree = json::parse(text);
  EXPECT_EQ(tree["results"].size(), 2U);
  EXPECT_EQ(tree["interrupted"], true);
  EXPECT_FALSE(tree.contains("seconds"));
  EXPECT_EQ(json::parse("{" + origin_members({}) + "}")["options"], json::object());
}

}  // namespace
}  // namespace fovea::io
