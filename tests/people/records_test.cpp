#include <fovea/io/record_io.h>
#include <fovea/people/detector.h>
#include <fovea/people/mine.h>
#include <fovea/people/track.h>
#include <gtest/gtest.h>

namespace fovea::people {
namespace {

TEST(PeopleRecords, DetectedPeopleReadBackFromTheirJson) {
  const DetectResult result{
      .size = {64, 128},
      .counts = {10, 200, 1},
      .people = {{{1, 2, 3.5F, 4}, {0, 0, 8, 16}, 1.25F, 2}, {{5, 6, 7, 8}, {}, 0.1F, 1}}};
  const std::string json = io::record_json(record_ref(result));
  EXPECT_EQ(json,
            R"({"width": 64, "height": 128, "windows": 10, "evaluations": 200, "weightless": 1, )"
            R"("people": [{"box": [1, 2, 3.5, 4], "score": 1.25, "scale": 2}, )"
            R"({"box": [5, 6, 7, 8], "score": 0.1, "scale": 1}]})");
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<DetectResult>(json, "a.json"))), json);
}

TEST(PeopleRecords, ConfidenceStandsBesideTheScoreWhereThereIsOne) {
  const DetectResult result{
      .people = {{{1, 2, 3, 4}, {}, 1.5F, 1, 0.75F}, {{5, 6, 7, 8}, {}, 0, 1}}};
  const std::string json = io::record_json(record_ref(result));
  EXPECT_NE(json.find(R"("score": 1.5, "confidence": 0.75, "scale": 1})"), std::string::npos);
  EXPECT_NE(json.find(R"("score": 0, "scale": 1})"), std::string::npos);
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<DetectResult>(json, "a.json"))), json);
  const std::string bytes = io::pack_record(record_ref(result));
  std::string_view rest = bytes;
  DetectResult read;
  io::unpack_record(rest, record_ref(read));
  EXPECT_EQ(read.people[0].confidence, 0.75F);
  EXPECT_EQ(read.people[1].confidence, std::nullopt);
}

TEST(PeopleRecords, TracksReadBackFromJsonAndBytes) {
  const TrackResult result{{{.id = 2, .box = {1, 2, 3, 4}, .score = 1.5F, .detection = 1, .age = 7},
                            {.id = 3, .missed = 4, .refound = true}}};
  const std::string json = io::record_json(record_ref(result));
  EXPECT_EQ(json, R"({"people": [{"id": 2, "box": [1, 2, 3, 4], "score": 1.5, "missed": 0}, )"
                  R"({"id": 3, "box": [0, 0, 0, 0], "score": 0, "missed": 4}]})");
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<TrackResult>(json, "a.json"))), json);
  const std::string bytes = io::pack_record(record_ref(result));
  std::string_view rest = bytes;
  TrackResult read;
  io::unpack_record(rest, record_ref(read));
  EXPECT_EQ(read.people, result.people);
}

TEST(PeopleRecords, MinedImagesComeBackFromTheirBytes) {
  const MinedImage image{.image = 7,
                         .windows = 100,
                         .passed = 3,
                         .evaluations = 900,
                         .found = {{{7, 1, 2, 3}, 0.5F}, {{7, 2, 0, 1}, 0.25F}}};
  const std::string bytes = io::pack_record(record_ref(image));
  std::string_view rest = bytes;
  MinedImage read;
  io::unpack_record(rest, record_ref(read));
  EXPECT_EQ(read, image);
}

TEST(PeopleRecords, ModelsListTheirFacts) {
  Model model;
  model.facts = {{"crops", "3"}, {"data", "a"}};
  const std::string json = io::record_json(record_ref(model));
  EXPECT_TRUE(json.starts_with(R"({"kind": "hog", "threshold": 0, "window": [64, 128], )")) << json;
  EXPECT_TRUE(json.ends_with(R"("facts": {"crops": "3", "data": "a"}})")) << json;
}

}  // namespace
}  // namespace fovea::people
