#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchActions, MatchingIsMeasured) {
  const Ended ended = run_here({"bench", "actions", "--repeats", "1", "--filter", "t10 60x",
                                "--device", "cpu", "--threads", "1", "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  std::string names;
  for (const json& row : report["rows"]) {
    names += row["name"].get<std::string>() + " " + row["size"].get<std::string>() + "; ";
    EXPECT_GT(row["seconds"].get<double>(), 0);
  }
  EXPECT_THAT(names, HasSubstr("match_t10 60x1; "));
  EXPECT_THAT(names, HasSubstr("match_t10 60x50; "));
  EXPECT_THAT(names, HasSubstr("match_dummies_t10 60x16; "));
}

}  // namespace
}  // namespace fovea::cli
