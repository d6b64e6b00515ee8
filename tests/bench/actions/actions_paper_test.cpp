// Covers: actions_input
#include "bench/actions/actions_paper.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

Ended paper(std::vector<std::string> words) {
  words.insert(words.begin(), {"bench", "actions", "--paper", "--repeats", "1", "--device", "cpu",
                               "--threads", "1", "--quiet"});
  return run_here(words);
}

TEST(BenchActionsPaper, RowsHaveTheirTimesAndThePapers) {
  const Ended ended = paper({"--filter", "60x1", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const nlohmann::json rows = nlohmann::json::parse(ended.out)["rows"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_GT(rows[0]["seconds_1_thread"].get<double>(), 0);
  EXPECT_EQ(rows[0]["paper_seconds_gpu"].get<double>(), 0.004);
  EXPECT_TRUE(rows[0]["seconds_gpu"].is_null());
}

TEST(BenchActionsPaper, TablesAreMarkdownToo) {
  const Ended ended = paper({"--filter", "60x1", "--markdown"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Table 2"));
  EXPECT_THAT(ended.out, HasSubstr("| one model | 60 points in 55 frames |"));
}

TEST(BenchActionsPaper, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(paper({"--filter", "nothing"}).err, HasSubstr("which no row contains"));
  const Ended ended = run_here({"bench", "actions", "--corpus", "clips"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("need --paper"));
}

}  // namespace
}  // namespace fovea::cli
