#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchEmd, EveryKindOfGroundDistanceIsMeasured) {
  const Ended ended = run_here({"bench", "emd", "--repeats", "1", "--bins", "4,5", "--device",
                                "cpu", "--threads", "1", "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  std::string names;
  for (const json& row : report["rows"]) {
    names += row["name"].get<std::string>() + " " + row["size"].get<std::string>() + "; ";
    EXPECT_GT(row["seconds"].get<double>(), 0);
  }
  EXPECT_THAT(names, HasSubstr("emd_solver_threshold 4x1000; "));
  EXPECT_THAT(names, HasSubstr("emd_solver_random 5x1000; "));
  EXPECT_THAT(names, HasSubstr("emd_solver_threshold-auxiliary 5x1000; "));
}

TEST(BenchEmd, BinsAreNumbers) {
  const Ended ended = run_here({"bench", "emd", "--bins", "4,x"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("--bins is '4,x'; expected numbers of 2 to 64"));
}

}  // namespace
}  // namespace fovea::cli
