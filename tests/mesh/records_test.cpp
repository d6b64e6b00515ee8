#include <fovea/io/record_io.h>
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/segment.h>
#include <gtest/gtest.h>

namespace fovea::mesh {
namespace {

TEST(MeshRecords, PartsReadBackFromTheirJson) {
  Segmentation result{.faces = 12, .labels = {0, 1}};
  result.count = 3;
  result.piece_count = 4;
  result.chosen = true;
  result.cut_value = 0.25;
  result.engine = "dijkstra";
  const std::string json = io::record_json(record_ref(result), {.times = false});
  EXPECT_EQ(json, R"({"faces": 12, "parts": 3, "pieces": 4, "chosen": true, "cut_value": 0.25, )"
                  R"("engine": "dijkstra"})");
  EXPECT_EQ(
      io::record_json(record_ref(io::parse_record<Segmentation>(json, "a")), {.times = false}),
      json);
}

TEST(MeshRecords, BytesKeepAllOfASegmentation) {
  Segmentation result{.faces = 2, .labels = {0, 1}};
  result.memberships = {0.5F, 0.5F, 0.25F, 0.75F};
  result.hierarchy = {{.level = 3, .children = {1, 2}, .area = 0.5}};
  const std::string bytes = io::pack_record(record_ref(result));
  std::string_view rest = bytes;
  Segmentation again;
  io::unpack_record(rest, record_ref(again));
  EXPECT_EQ(again.memberships, result.memberships);
  ASSERT_EQ(again.hierarchy.size(), 1U);
  EXPECT_EQ(again.hierarchy[0].children, result.hierarchy[0].children);
}

TEST(MeshRecords, MeasuresAndFactsReadBackFromTheirJson) {
  const SegmentationReport report{.rand = 0.125, .hamming_false = 0.5};
  const std::string errors = io::record_json(record_ref(report));
  EXPECT_EQ(errors, R"({"rand": 0.125, "cut_discrepancy": 0, "hamming": 0, "hamming_missing": 0, )"
                    R"("hamming_false": 0.5, "global_consistency": 0, "local_consistency": 0})");
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<SegmentationReport>(errors, "a"))), errors);
  const MeshInfo info{.format = "OFF", .vertices = 8, .faces = 12, .low = {-1, 0, 0.5F}};
  const std::string facts = io::record_json(record_ref(info));
  const auto again = io::parse_record<MeshInfo>(facts, "a");
  EXPECT_EQ(again.low, info.low);
  EXPECT_EQ(io::record_json(record_ref(again)), facts);
}

}  // namespace
}  // namespace fovea::mesh
