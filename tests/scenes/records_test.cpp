#include <fovea/io/record_io.h>
#include <fovea/scenes/evaluate.h>
#include <gtest/gtest.h>

namespace fovea::scenes {
namespace {

template <class Record>
void expect_read_back(const std::string& json) {
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<Record>(json, "a.json"))), json);
}

TEST(ScenesRecords, PlacesReadBackFromTheirJson) {
  const ClassifyResult place{"beach", 1, 0.75F, {0.25F, 0.75F}};
  const std::string json = io::record_json(record_ref(place));
  EXPECT_EQ(json, R"({"name": "beach", "label": 1, "score": 0.75, "scores": [0.25, 0.75]})");
  expect_read_back<ClassifyResult>(json);
}

TEST(ScenesRecords, PassesAreToldWhereThereAreSome) {
  const WordLearning some{.iterations = 3, .inertia = 1.5, .converged = true, .samples = 20};
  const std::string json = io::record_json(record_ref(some));
  EXPECT_EQ(json, R"({"iterations": 3, "inertia": 1.5, "converged": true, "samples": 20})");
  expect_read_back<WordLearning>(json);
  const WordLearning all{.iterations = 3, .passes = 2, .batches = 5};
  EXPECT_EQ(io::record_json(record_ref(all)),
            R"({"iterations": 3, "inertia": 0, "converged": false, "samples": 0, "passes": 2, )"
            R"("batches": 5})");
}

TEST(ScenesRecords, ASummaryHasAnIntervalForASingleSplit) {
  EvaluateReport report;
  report.total = Confusion(2);
  report.total.at(0, 0) = 3;
  report.total.at(1, 0) = 1;
  report.splits = {report.total};
  report.accuracy_mean = 0.75;
  report.neighbors = {1};
  report.neighbors_accuracy = {0.75};
  const EvaluationSummary one = summarize(report, 5, {"beach", "city"});
  EXPECT_TRUE(one.accuracy_interval.has_value());
  const std::string json = io::record_json(record_ref(one));
  EXPECT_NE(
      json.find(R"("accuracies": [0.75], "accuracy_against_k": [{"k": 1, "accuracy": 0.75}], )"
                R"("kmeans": [], "classes": ["beach", "city"], )"
                R"("confusion_matrix": [[3, 0], [1, 0]]})"),
      std::string::npos)
      << json;
  expect_read_back<EvaluationSummary>(json);
  report.splits.push_back(report.total);
  EXPECT_FALSE(summarize(report, 5, {"beach", "city"}).accuracy_interval.has_value());
}

TEST(ScenesRecords, SplitsReadBackFromTheirBytes) {
  SplitReport split{
      .right_by_neighbors = {1, 2}, .learning = {{.iterations = 4}}, .predictions = {{7, 1}}};
  split.confusion = Confusion(2);
  split.confusion.at(1, 1) = 9;
  const std::string bytes = io::pack_record(record_ref(split));
  std::string_view rest = bytes;
  SplitReport again;
  io::unpack_record(rest, record_ref(again));
  EXPECT_EQ(again.confusion, split.confusion);
  EXPECT_EQ(io::pack_record(record_ref(again)), bytes);
}

}  // namespace
}  // namespace fovea::scenes
