#include <fovea/flow/evaluate.h>
#include <fovea/flow/segment.h>
#include <fovea/flow/stereo.h>
#include <fovea/flow/summary.h>
#include <fovea/io/record_io.h>
#include <gtest/gtest.h>

namespace fovea::flow {
namespace {

// The JSON of a record, which is the same after it was read back.
template <class Record>
std::string json_of(const Record& record) {
  const std::string json = io::record_json(record_ref(record));
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<Record>(json, "a.json"))), json);
  return json;
}

TEST(FlowRecords, ErrorsReadBackFromTheirJson) {
  const FlowErrors errors{10, 0.5, 2, 0.25, 0.125, 0.1, 0.05};
  const std::string all =
      R"({"pixels": 10, "endpoint_error": 0.5, "angular_error": 2, "r0.5": 0.25, "r1": 0.125, )"
      R"("r2": 0.1, "fl": 0.05})";
  EXPECT_EQ(json_of(errors), all);
  const FlowReport report{.all = errors, .density = 0.75, .curve = {{0, 1, 0.5}}};
  EXPECT_NE(json_of(report).find(R"("curve": [{"removed": 0, "endpoint_error": 1, "oracle": 0.5)"),
            std::string::npos);
  std::string_view bytes;
  const std::string packed = io::pack_record(record_ref(report));
  bytes = packed;
  FlowReport again;
  io::unpack_record(bytes, record_ref(again));
  EXPECT_EQ(io::pack_record(record_ref(again)), packed);
  EXPECT_EQ(again.curve[0].oracle, 0.5);
  EXPECT_EQ(json_of(StereoReport{{4, 1, 2, 3, 4, 5, 6}, {}}).substr(0, 47),
            R"({"all": {"pixels": 4, "mean_error": 1, "bad0.5")");
}

TEST(FlowRecords, RegionsReadBackFromTheirJson) {
  const MotionSegments segments{
      .labels = Image<std::uint16_t>(2, 1),
      .regions = {{1, 0, {1, 2, 3, 4}, 12, 0.5, 1, -1, 0.25, {{1, 2, 3, 4, 5, 6}}}},
      .layers = 1,
      .tolerance = 0.3};
  EXPECT_EQ(json_of(segments),
            R"({"layers": 1, "tolerance_used": 0.3, "regions": [{"label": 1, "layer": 0, )"
            R"("box": [1, 2, 3, 4], "pixels": 12, "share": 0.5, "u": 1, "v": -1, )"
            R"("residual": 0.25, "motion": [1, 2, 3, 4, 5, 6]}]})");
  EXPECT_EQ(json_of(SegmentReport{5, 0.5, 0.25, 1}),
            R"({"rand_index": 0.5, "adjusted_rand_index": 0.25, "covering": 1})");
  EXPECT_EQ(json_of(MotionSummary{1, 2, 3, {}}),
            R"({"known_share": 1, "mean_motion": 2, "longest_motion": 3})");
}

}  // namespace
}  // namespace fovea::flow
