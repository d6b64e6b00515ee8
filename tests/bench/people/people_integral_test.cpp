#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchPeopleIntegral, TimesThreeKindsOfPixelsAndDrawsFourFigures) {
  const test::TempFolder folder;
  const std::string charts = folder / "charts";
  const Ended ended =
      run_here({"bench", "people", "--integral", "--sizes", "64x64,96x64", "--repeats", "1",
                "--device", "cpu", "--threads", "2", "--charts", charts, "--json", "--quiet"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["integrals"].size(), 6U);
  EXPECT_EQ(report["integrals"][0]["pixels"], "float");
  EXPECT_EQ(report["integrals"][2]["pixels"], "float4");
  EXPECT_EQ(report["integrals"][5]["pixels"], "double");
  EXPECT_EQ(report["integrals"][5]["width"], 96);
  for (const json& each : report["integrals"]) {
    EXPECT_GT(each["one_thread_seconds"], 0);
    EXPECT_GT(each["threads_seconds"], 0);
    EXPECT_TRUE(each["gpu_speedup"].is_null());
  }
  for (const char* name :
       {"integral-float", "integral-float4", "integral-precision", "integral-double"})
    EXPECT_TRUE(
        std::filesystem::exists(std::filesystem::path(charts) / (std::string(name) + ".svg")))
        << name;
}

TEST(BenchPeopleIntegral, AFilterThatMatchesNothingIsNamed) {
  const Ended ended = run_here({"bench", "people", "--integral", "--filter", "zzz", "--quiet"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("float4"));
}

}  // namespace
}  // namespace fovea::cli
