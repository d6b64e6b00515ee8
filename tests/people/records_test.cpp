#include <fovea/io/record_io.h>
#include <fovea/people/detector.h>
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

}  // namespace
}  // namespace fovea::people
