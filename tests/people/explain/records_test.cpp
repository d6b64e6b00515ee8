#include <fovea/io/record_io.h>
#include <fovea/people/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fovea::people {
namespace {

using testing::HasSubstr;

TEST(ExplainPeopleRecords, JsonHasEveryShare) {
  WindowExplanation why{.window = {{1, 2, 3, 4}, {0, 1, 5, 6}, 0.5F, 2},
                        .outcome = Outcome::kBelowThreshold};
  why.blocks = {{{8, 9, 10, 11}, 3, 0.25}};
  why.trees = {{0, 0.5, 1.5, -1, {{4, -1, {1, 2, 4, 4}, 30, 20}}}};
  why.stages = {{2, 3, 3, 7}, {1, 0.5, 1, 7}};
  const std::string json = io::record_json(record_ref(why));
  EXPECT_THAT(json, HasSubstr("\"outcome\": \"below_threshold\""));
  EXPECT_THAT(json, HasSubstr("\"xywh\": [1, 2, 3, 4]"));
  EXPECT_THAT(json, HasSubstr("\"stage\": 3"));
  EXPECT_THAT(json, HasSubstr("\"channel\": \"orientation 0\""));
  EXPECT_THAT(json, HasSubstr("\"passed\": true"));
  EXPECT_THAT(json, HasSubstr("\"passed\": false"));
}

}  // namespace
}  // namespace fovea::people
