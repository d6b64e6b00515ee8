#include <fovea/emd/map_result.h>
#include <fovea/io/record_io.h>
#include <gtest/gtest.h>

namespace fovea::emd {
namespace {

TEST(MapResult, ReadsBackFromItsJson) {
  MapResult result{.input = "a.png",
                   .size = {4, 3},
                   .frames = 1,
                   .mapper = {{1, 2}, 0.0F, 256.0F, facts_of(GroundDistance::l1(2))}};
  result.areas = Areas{3, 4, {.emd = 0.75, .angle = 0.5}};
  result.add_regions(7, {{{{1, 2, 3, 4}, 5, 0.5, {6, 7}, 0.25F, 0.75}}, 1.5, {}});
  const std::string json = io::record_json(record_ref(result));
  EXPECT_EQ(
      json,
      R"({"input": "a.png", "width": 4, "height": 3, "frames": 1, "dropped": 0, )"
      R"("interrupted": false, "target": [1, 2], "low": 0, "high": 256, "ground": {"rows": 2, )"
      R"("columns": 2, "form": "discrete", "metric": true, "greatest": 1, "unit": 1, )"
      R"("exact": true}, "positives": 3, "negatives": 4, "roc_auc": {"emd": 0.75, )"
      R"("spectral_angle": 0.5}, "detect_threshold": 1.5, "frame_stats": [{"frame": 7, )"
      R"("regions": [{"box": [1, 2, 3, 4], "area": 5, "score": 0.5, "peak": [6, 7], )"
      R"("distance": 0.25, "mean_distance": 0.75}]}]})");
  io::UnknownMembers unknown;
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<MapResult>(json, "a.json", &unknown))),
            json);
  EXPECT_TRUE(unknown.empty());
}

}  // namespace
}  // namespace fovea::emd
