// fovea actions classify, match and recognize with --explain
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <cmath>

#include "cli/actions/verbs.h"
#include "operations/actions/explain.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

double sum_of(const json& why) {
  double sum = why["rest"];
  for (const json& reason : why["reasons"]) sum += reason["value"].get<double>();
  return sum;
}

class ActionsExplain : public ActionsVerbs {
 protected:
  static std::string clip(const std::string& name) { return *folder_ / ("clips/" + name); }
};

TEST_F(ActionsExplain, ClassifySaysWhatEachMethodSays) {
  const std::string path = clip("up/s0_swing.y4m");
  const Ended ended = run_here({"actions", "classify", path, "--model", model_, "--explain",
                                "--json", "--explain-picture", *folder_ / "why.png"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["name"], "up");
  const json& why = report["explanation"];
  const Ended said = run_here({"actions", "classify", path, "--model", model_, "--json"});
  const json result = json::parse(said.out)["results"][0];
  EXPECT_EQ(why["total_name"], "log odds");
  EXPECT_NEAR(why["total"].get<double>(), result["margin"].get<double>(), 1e-9);
  EXPECT_NEAR(sum_of(why), why["total"].get<double>(), 1e-9);
  EXPECT_GT(io::image_info(*folder_ / "why.png").width, 90);
  const Ended text = run_here({"actions", "classify", path, "--model", model_, "--explain"});
  ASSERT_EQ(text.status, kDone) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Why up rather than"));
}

TEST_F(ActionsExplain, MatchSaysWhatNodesAndTrianglesAdd) {
  const std::vector<std::string> words{
      "actions",  "match", clip("up/s0_swing.y4m"), clip("up/s1_swing.y4m"),
      "--nodes",  "12",    "--harris-levels",       "1",
      "--explain"};
  std::vector<std::string> with_json = words;
  with_json.insert(with_json.end(), {"--json", "--explain-picture", *folder_ / "match_why.png"});
  const Ended ended = run_here(with_json);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  const double energy = report["energy"];
  EXPECT_NEAR(sum_of(report["explanation"]), energy, 1e-4 * (1 + energy));
  EXPECT_GT(io::image_info(*folder_ / "match_why.png").width, 90);
  const Ended text = run_here(words);
  ASSERT_EQ(text.status, kDone) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Why the example matches there"));
}

TEST_F(ActionsExplain, RecognizeExplainsEachEvent) {
  actions::write_swings(*folder_ / "explained.y4m", {0, 2}, 5, 48);
  const Ended ended = run_here({"actions", "recognize", *folder_ / "explained.y4m", "--model",
                                model_, "--reject", "1.1", "--explain"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const std::vector<json> lines = lines_of(ended.out);
  ASSERT_FALSE(lines.empty());
  for (const json& event : lines) {
    const json& why = event["explanation"];
    const double energy = why["total"];
    EXPECT_NEAR(sum_of(why), energy, 1e-4 * (1 + energy));
    // The distance is the energy per node of the prototype.
    const double nodes = energy / event["distance"].get<double>();
    EXPECT_NEAR(nodes, std::round(nodes), 1e-4);
    EXPECT_GE(nodes, 2);
    EXPECT_THAT(why["summary"].get<std::string>(), HasSubstr("reject level"));
  }
}

TEST_F(ActionsExplain, SaysWhatItCannotExplain) {
  const auto refused = [](const Ended& ended, const char* message) {
    EXPECT_EQ(ended.status, kUsage);
    EXPECT_THAT(ended.err, HasSubstr(message));
  };
  refused(run_here({"actions", "classify", clip("up"), "--model", model_, "--explain"}),
          "explains one clip");
  refused(run_here({"actions", "classify", clip("up/s0_swing.y4m"), "--model", model_,
                    "--explain-picture", "a.png"}),
          "needs --explain");
  refused(run_here({"actions", "recognize", clip("up/s0_swing.y4m"), "--model", model_, "--mode",
                    "blocks", "--explain"}),
          "use the mode stream");
}

}  // namespace
}  // namespace fovea::cli
