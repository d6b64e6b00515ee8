#include <fovea/flow/explain.h>
#include <fovea/io/record_io.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fovea::flow {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ExplainFlowRecords, JsonHasFactorsAndTheSurface) {
  FlowExplanation why{.confidence = 0.5F};
  why.tensor.greater = 3;
  why.tensor.smaller = 1;
  why.factors = {{"texture", 0.25, "little of it"}};
  EXPECT_THAT(io::record_json(record_ref(why)), Not(HasSubstr("\"best_at\"")));
  why.surface = MatchSurface{.best_u = -2, .best_v = 1};
  const std::string json = io::record_json(record_ref(why));
  EXPECT_THAT(json, HasSubstr("\"confidence\": 0.5"));
  EXPECT_THAT(json, HasSubstr("\"eigenvalues\": [3, 1]"));
  EXPECT_THAT(json, HasSubstr("\"name\": \"texture\""));
  EXPECT_THAT(json, HasSubstr("\"best_at\": [-2, 1]"));
}

}  // namespace
}  // namespace fovea::flow
