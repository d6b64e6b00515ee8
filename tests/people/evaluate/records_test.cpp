#include <fovea/io/record_io.h>
#include <fovea/people/evaluate_tracks.h>
#include <fovea/people/kernels.h>
#include <fovea/people/measure.h>
#include <fovea/people/study.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace fovea::people {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(MeasuredRecords, FindingsComeBackFromTheirBytes) {
  const ImageFindings findings{.people = {{{1, 2, 3, 4}, {5, 6, 7, 8}, 1.5F, 2}},
                               .counts = {10, 20, 1},
                               .stages = {{3, 100, 50}, {4, 50, 5}}};
  const std::string bytes = io::pack_record(record_ref(findings));
  std::string_view rest = bytes;
  ImageFindings read;
  io::unpack_record(rest, record_ref(read));
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(io::pack_record(record_ref(read)), bytes);
  EXPECT_EQ(read.people[0].window, (Rect<float>{5, 6, 7, 8}));
  EXPECT_EQ(read.stages[1].passed, 5);
}

TEST(MeasuredRecords, ImagesHaveWhatFollowsFromOtherFields) {
  ImageMeasurement measured;
  measured.report.curve = {{2, 0, 1, 1}, {1, 0.5, 0.25, 0.5}};
  measured.counts = {4, 10, 0};
  const json all = json::parse(io::record_json(record_ref(measured)));
  EXPECT_EQ(all["curve_ends_at"], 0.5);
  EXPECT_EQ(all["evaluations_per_window"], 2.5);
  EXPECT_EQ(all["miss_rates"].size(), 9U);
  EXPECT_NEAR(all["miss_rates"][0]["false_positives_per_image"].get<double>(), 0.01, 1e-12);
  for (const char* name : {"curve", "drawn", "stages", "search_seconds"})
    EXPECT_FALSE(all.contains(name)) << name;
  measured.stages = {{3, 100, 50}};
  measured.seconds = 2;
  EXPECT_THAT(io::record_json(record_ref(measured)),
              HasSubstr(R"("stages": [{"blocks": 3, "reached": 100, "passed": 50}], )"
                        R"("search_seconds": 2})"));
}

TEST(MeasuredRecords, WindowsHaveTheirMissRates) {
  WindowMeasurement measured;
  measured.report = {.curve = {{1, 1e-4, 0.25, 1}}, .positives = 4, .negatives = 100};
  measured.counts = {100, 250, 0};
  EXPECT_THAT(io::record_json(record_ref(measured)),
              HasSubstr(R"({"miss_rate_at_fppw_1e-4": 0.25, )"));
  EXPECT_THAT(io::record_json(record_ref(measured)),
              HasSubstr(R"("crops": 4, "blocks_per_window": 2.5, "windows": 100, )"));
}

TEST(MeasuredRecords, AStudyBeginsWithItsDefault) {
  StudyReport report{.false_rate = 0.5, .base = {.label = "default"}};
  report.variants.push_back({.parameter = "mask", .label = "mask sobel", .seconds = 1});
  const std::string text = io::record_json(record_ref(report));
  EXPECT_THAT(text, HasSubstr(R"("variants": [{"parameter": "", "value": "default", )"));
  EXPECT_THAT(text, HasSubstr(R"({"parameter": "mask", "value": "mask sobel", )"));
  EXPECT_THAT(text, HasSubstr("\"hog\": " + options_json(HogOptions{})));
  EXPECT_THAT(text, Not(HasSubstr("curve")));
}

TEST(MeasuredRecords, TrialsOfKernelsReadBack) {
  const std::string text = io::record_json(record_ref(KernelTrial{1, 0.5, 0.25}));
  EXPECT_EQ(text, R"({"cost": 1, "gamma": 0.5, "miss_rate": 0.25})");
  EXPECT_EQ(io::parse_record<KernelTrial>(text, "a").gamma, 0.5);
}

TEST(MeasuredRecords, TracksAreMeasuredAtEveryThreshold) {
  TrackReport report{.frames = 3, .mota = 0.5};
  report.thresholds[1] = {.overlap = 0.1, .hits = 7, .hota = 0.75};
  const json all = json::parse(io::record_json(record_ref(report)));
  EXPECT_EQ(all["mota"], 0.5);
  EXPECT_EQ(all["thresholds"].size(), 19U);
  EXPECT_EQ(all["thresholds"][1],
            json::parse(R"({"overlap": 0.1, "hota": 0.75, "deta": 0, "assa": 0, "loca": 0})"));
  EXPECT_EQ(io::parse_record<TrackReport>(all.dump(), "a").thresholds[1].hota, 0.75);
}

}  // namespace
}  // namespace fovea::people
