#include <fovea/emd/detect.h>
#include <fovea/emd/map.h>
#include <fovea/emd/regions.h>
#include <fovea/emd/track.h>
#include <fovea/io/record_io.h>
#include <gtest/gtest.h>

namespace fovea::emd {
namespace {

// The JSON of a record, which is the same after it was read back.
template <class Record>
std::string json_of(const Record& record) {
  const std::string json = io::record_json(record_ref(record));
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<Record>(json, "a.json"))), json);
  return json;
}

TEST(EmdRecords, GroundDistancesAndReportsReadBackFromTheirJson) {
  EXPECT_EQ(json_of(facts_of(GroundDistance::l1(3))),
            R"({"rows": 3, "columns": 3, "form": "line", "metric": true, "greatest": 2, )"
            R"("unit": 1, "exact": true})");
  const std::string threshold = json_of(facts_of(GroundDistance::thresholded(5, 2.5)));
  EXPECT_NE(threshold.find(R"("form": "general")"), threshold.npos);
  EXPECT_NE(threshold.find(R"("unit": 0.5)"), threshold.npos);
  MapReport report{.pixels = 8, .cached = 2, .duplicate = 2, .solved = 4};
  report.solved_by[SolvedBy::kTableau] = 4;
  EXPECT_EQ(json_of(report),
            R"({"pixels": 8, "cached": 2, "duplicate": 2, "skipped": 0, "solved": 4, "pivots": 0, )"
            R"("unproved": 0, "cache_resets": 0, "cache_entries": 0, "cache_bytes": 0, )"
            R"("hit_rate": 0.5, "solved_by": {"nothing": 0, "closed_form": 0, "greedy_start": 0, )"
            R"("greedy_simplex": 0, "tableau": 4, "wide_tableau": 0, "auxiliary_simplex": 0, )"
            R"("network_simplex": 0}})");
}

TEST(EmdRecords, RegionsReadBackFromTheirJson) {
  const RegionSet found{{{{1, 2, 3, 4}, 5, 0.5, {6, 7}, 0.25F, 0.75}}, 1.5, {}};
  EXPECT_EQ(json_of(found),
            R"({"regions": [{"box": [1, 2, 3, 4], "area": 5, "score": 0.5, "peak": [6, 7], )"
            R"("distance": 0.25, "mean_distance": 0.75}], "threshold": 1.5})");
  const RegionSet none{.threshold = std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(json_of(none), R"({"regions": [], "threshold": null})");
}

TEST(EmdRecords, TracksReadBackFromTheirJson) {
  EXPECT_EQ(json_of(Track{2, {1, 2, 3.5, 4}, 0.5, 0.25, true}),
            R"({"id": 2, "box": [1, 2, 3.5, 4], "score": 0.5, "confidence": 0.25, "lost": true})");
  EXPECT_EQ(json_of(TrackReport{7, 0.5, 0.25, 0.125, 1, 2, 3}),
            R"({"mean_overlap": 0.5, "precision_20px": 0.25, "success_50": 0.125, )"
            R"("success_area": 1, "mean_center_distance": 2, "missed_frames": 3, )"
            R"("evaluated_frames": 7})");
  const Roc roc{{{0.5F, 0, 0.25}}, 0.75, 3, 4};
  EXPECT_EQ(json_of(roc),
            R"({"curve": [{"threshold": 0.5, "false_rate": 0, "true_rate": 0.25}], "area": 0.75, )"
            R"("positives": 3, "negatives": 4})");
}

}  // namespace
}  // namespace fovea::emd
