#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program/command.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Schema, EveryVerbOfTheListHasOne) {
  std::istringstream list(run_here({"schema"}).out);
  int count = 0;
  for (std::string system, verb; list >> system >> verb; ++count) {
    const Ended ended = run_here({"schema", system, verb});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json schema = json::parse(ended.out);
    EXPECT_EQ(schema["title"], "fovea " + system + " " + verb + " --json");
    EXPECT_TRUE(schema["properties"].contains("options"));
  }
  EXPECT_GE(count, 1);
}

TEST(Schema, DescribesDetectedPeople) {
  const json schema = json::parse(run_here({"schema", "people", "detect"}).out);
  const json& item = schema["properties"]["results"]["items"];
  const json& person = item["anyOf"][0]["properties"]["people"]["items"];
  EXPECT_THAT(person["properties"]["box"]["description"].get<std::string>(), HasSubstr("pixels"));
  EXPECT_EQ(item["properties"]["frames"]["items"]["properties"]["frame"]["type"], "integer");
  EXPECT_THAT(run_here({"schema", "people", "detect", "--format", "markdown"}).out,
              HasSubstr("| `score` | number |"));
}

TEST(Schema, UnknownVerbsAreNamed) {
  const Ended ended = run_here({"schema", "people", "detcet"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("people detcet"));
  EXPECT_THAT(ended.err, HasSubstr("people detect"));
}

}  // namespace
}  // namespace fovea::cli
