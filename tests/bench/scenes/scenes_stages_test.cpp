// Covers: scenes_classifiers
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchScenesStages, HistogramsAndNeighborsAreTimedBesideThePaper) {
  const Ended ended = run_here({"bench", "scenes", "--stages", "--repeats", "1", "--device", "cpu",
                                "--threads", "2", "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  std::vector<std::string> names;
  for (const json& stage : report["stages"]) {
    names.push_back(stage["stage"]);
    EXPECT_GT(stage["one_thread_seconds"], 0);
    EXPECT_GT(stage["threads_speedup"], 0);
    EXPECT_TRUE(stage["gpu_seconds"].is_null());
  }
  EXPECT_THAT(
      names, testing::ElementsAre("filters", "sampling", "k-means iteration", "words", "histograms",
                                  "filters to words", "neighbors", "neighbors euclidean",
                                  "neighbors cosine", "svm", "logistic"));
  EXPECT_EQ(report["stages"][0]["paper_cuda_speedup"], 55.8);
  EXPECT_EQ(report["stages"][3]["paper_openmp_speedup"], 7.6);
}

TEST(BenchScenesStages, RefusesWhatDoesNotGoTogether) {
  const Ended both = run_here({"bench", "scenes", "--stages", "--corpus"});
  EXPECT_EQ(both.status, kUsage);
  EXPECT_THAT(both.err, HasSubstr("--corpus"));
}

}  // namespace
}  // namespace fovea::cli
