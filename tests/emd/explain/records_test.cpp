#include <fovea/emd/explain.h>
#include <fovea/io/record_io.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fovea::emd {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ExplainMapRecords, JsonHasMovesAndColors) {
  MapExplanation why{.window = {1, 2, 3, 4}, .distance = 0.5};
  why.moves = {{0, 2, 0.25, 2, 0.5}};
  why.bins = {{"color 0", report::Color{255, 128, 0}}, {"dark", {}}};
  const std::string json = io::record_json(record_ref(why));
  EXPECT_THAT(json, HasSubstr("\"status\": \"optimal\""));
  EXPECT_THAT(json, HasSubstr("\"window\": [1, 2, 3, 4]"));
  EXPECT_THAT(json, HasSubstr("\"color\": [255, 128, 0]"));
  EXPECT_THAT(json, Not(HasSubstr("\"fused\"")));
}

TEST(ExplainTrackRecords, JsonHasBothPlaces) {
  TrackExplanation why;
  why.track.box = {1, 2, 3, 4};
  why.place.total = 0.75;
  why.stayed.response = 0.5;
  const std::string json = io::record_json(record_ref(why));
  EXPECT_THAT(json, HasSubstr("\"xywh\": [1, 2, 3, 4]"));
  EXPECT_THAT(json, HasSubstr("\"total\": 0.75"));
  EXPECT_THAT(json, HasSubstr("\"response\": 0.5"));
}

}  // namespace
}  // namespace fovea::emd
