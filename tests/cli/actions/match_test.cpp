#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include "cli/actions/verbs.h"
#include "support/files.h"
#include "support/xml_check.h"

namespace fovea::cli {
namespace {

using nlohmann::json;

class ActionsMatch : public ActionsVerbs {};

TEST_F(ActionsMatch, MatchDrawsAPicture) {
  const Ended ended = run_here({"actions", "match", *folder_ / "clips/up/s0_swing.y4m",
                                *folder_ / "clips/up/s1_swing.y4m", "-o", *folder_ / "match.png",
                                "--json", "--nodes", "12", "--harris-levels", "1"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["nodes"].size(), 12);
  EXPECT_GT(io::image_info(*folder_ / "match.png").width, 500);
}

std::vector<std::string> match_swings(const test::TempFolder& folder,
                                      std::vector<std::string> words) {
  words.insert(words.begin(),
               {"actions", "match", folder / "clips/up/s0_swing.y4m",
                folder / "clips/up/s1_swing.y4m", "--nodes", "12", "--harris-levels", "1"});
  return words;
}

// Every node has its time and place in both videos, and costs that add up to the match's.
TEST_F(ActionsMatch, NodesHaveTimesPlacesAndCosts) {
  for (const std::string variant : {"single", "chains", "greedy"}) {
    const std::string points = variant == "single" ? "1" : "2";
    const Ended ended = run_here(
        match_swings(*folder_, {"--json", "--graph", *folder_ / "graph.svg", "--variant", variant,
                                "--model-points", points, "--scene-points", points}));
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json report = json::parse(ended.out);
    ASSERT_GE(report["nodes"].size(), 12U) << variant;
    double sum = 0;
    for (const json& node : report["nodes"]) {
      EXPECT_EQ(node["dummy"].get<bool>(), node["scene_x"].is_null());
      EXPECT_EQ(node["dummy"].get<bool>(), node["distance"].is_null());
      EXPECT_GE(node["scene_seconds"].get<double>(), 0);
      EXPECT_GE(node["model_x"].get<double>(), 0);
      for (const char* part : {"appearance", "dummies", "time", "angles"})
        sum += node[part].get<double>();
    }
    if (variant == "single") {
      EXPECT_NEAR(sum, report["energy"].get<double>(), 1e-3);
    }
    EXPECT_EQ(test::xml_problem(test::load(*folder_ / "graph.svg")), "");
  }
}

TEST_F(ActionsMatch, RefusesWhatDoesNotFit) {
  const auto refused = [&](std::vector<std::string> words) {
    const Ended ended = run_here(match_swings(*folder_, std::move(words)));
    EXPECT_EQ(ended.status, kUsage);
    return ended.err;
  };
  EXPECT_THAT(refused({}), testing::HasSubstr("-o PICTURE, --graph FILE, --explain or --json"));
  EXPECT_THAT(refused({"--graph", *folder_ / "graph.png"}), testing::HasSubstr("end in .svg"));
  EXPECT_THAT(refused({"--json", "--model-points", "2"}),
              testing::HasSubstr("choose the variant chains or greedy"));
}

}  // namespace
}  // namespace fovea::cli
