// What fovea info and fovea version print.
#include "cli/program/info.h"

#include <fovea/core/version.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/program/program.h"

namespace fovea::cli {
namespace {

TEST(Info, TellsAndParses) {
  const Ended text = run_here({"info"});
  EXPECT_EQ(text.status, kDone);
  EXPECT_THAT(text.out, testing::HasSubstr("fovea " FOVEA_VERSION));
  EXPECT_THAT(text.out, testing::HasSubstr("\n  cpu "));
  const auto info = nlohmann::json::parse(run_here({"info", "--json"}).out);
  EXPECT_EQ(info["fovea"], FOVEA_VERSION);
  EXPECT_EQ(info["command"], "info");
  EXPECT_EQ(info["device"], "cpu");
  for (const char* key : {"seed", "options", "seconds"}) EXPECT_TRUE(info.contains(key)) << key;
  EXPECT_TRUE(info["devices"][0]["capability"].is_null());
  EXPECT_EQ(info["devices"][0]["device"], "cpu");
  EXPECT_GT(info["devices"][0]["memory_bytes"].get<double>(), 1e6);
  EXPECT_FALSE(info["simd_usable"].empty());
  bool cuda = false;
  for (const auto& feature : info["features"]) {
    EXPECT_FALSE(feature["detail"].get<std::string>().empty()) << feature["name"];
    cuda = cuda || feature["name"] == "cuda";
  }
  EXPECT_TRUE(cuda);
}

TEST(Info, ListsEveryKindOfFile) {
  const std::string text = run_here({"info"}).out;
  std::set<std::string> names;
  const auto info = nlohmann::json::parse(run_here({"info", "--json"}).out);
  for (const auto& file : info["files"]) {
    names.insert(file["name"].get<std::string>());
    EXPECT_FALSE(file["detail"].get<std::string>().empty()) << file["name"];
    EXPECT_THAT(text, testing::HasSubstr("\n  " + file["name"].get<std::string>()));
  }
  EXPECT_EQ(names, (std::set<std::string>{"bmp", "jpeg", "npy", "pfm", "png", "pnm", "tiff",
                                          "video", "webp"}));
}

TEST(Info, TextFitsATerminal) {
  std::istringstream lines(run_here({"info"}).out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Version, ThreeWays) {
  EXPECT_EQ(run_here({"version"}).out, "fovea " FOVEA_VERSION "\n");
  EXPECT_EQ(run_here({"--version"}).out, "fovea " FOVEA_VERSION "\n");
  EXPECT_EQ(nlohmann::json::parse(run_here({"version", "--json"}).out)["fovea"], FOVEA_VERSION);
}

}  // namespace
}  // namespace fovea::cli
