#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "actions/videos.h"
#include "cli/actions/actions.h"
#include "cli/program/program.h"
#include "support/xml_check.h"

namespace fovea::cli {
namespace {

using actions::swing_names;
using nlohmann::json;
using testing::HasSubstr;

// Options that make clips of some dozens of small frames enough.
std::vector<std::string> small(std::vector<std::string> words) {
  words.insert(words.end(), {"--nodes", "12", "--step", "6"});
  return words;
}

class ActionsVerbs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TempFolder;
    actions::write_swing_folder(*folder_ / "clips", 3);
    model_ = *folder_ / "m.safetensors";
    trained_ = run_here(small({"actions", "train", *folder_ / "clips", "-o", model_, "--json"}));
  }
  static void TearDownTestSuite() { delete folder_; }

  static inline test::TempFolder* folder_ = nullptr;
  static inline std::string model_;
  static inline Ended trained_;
};

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST_F(ActionsVerbs, TrainTellsWhatItMade) {
  ASSERT_EQ(trained_.status, kDone) << trained_.err;
  const json report = json::parse(trained_.out);
  EXPECT_EQ(report["clips"], 9);
  EXPECT_EQ(report["subjects"], 3);
  EXPECT_GT(report["prototypes"], 9);
  EXPECT_EQ(actions::Model::read(model_).classes, swing_names());
}

TEST_F(ActionsVerbs, RecognizeTellsWhatHappensInOrder) {
  actions::write_swings(*folder_ / "day.y4m", {0, 2, 1}, 5, 48);
  const Ended ended =
      run_here({"actions", "recognize", model_, *folder_ / "day.y4m", "--json", "--timeline",
                *folder_ / "t.svg", "--annotated", *folder_ / "seen.y4m", "--reject", "1.1"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const std::vector<json> lines = lines_of(ended.out);
  ASSERT_GE(lines.size(), 4U) << ended.out;
  std::vector<std::string> told;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const auto part = (lines[i]["first_frame"].get<int>() + lines[i]["last_frame"].get<int>()) / 96;
    static const std::vector<std::string> kTruth{"across", "up", "grow"};
    EXPECT_EQ(lines[i]["label"], kTruth[static_cast<std::size_t>(part)]) << lines[i].dump();
    EXPECT_EQ(lines[i]["box"].size(), 4);
  }
  EXPECT_EQ(lines.back()["frames"], 144);
  EXPECT_EQ(test::xml_problem(test::load(*folder_ / "t.svg")), "");
  EXPECT_TRUE(std::filesystem::exists(*folder_ / "seen.y4m"));
}

TEST_F(ActionsVerbs, AStreamThatBreaksGivesWhatWasSeen) {
  actions::write_swings(*folder_ / "whole.y4m", {0, 2}, 5, 48);
  const std::string bytes = test::load(*folder_ / "whole.y4m");
  test::save(*folder_ / "broken.y4m", std::string_view(bytes).substr(0, bytes.size() * 6 / 10));
  const Ended ended =
      run_here({"actions", "recognize", model_, *folder_ / "broken.y4m", "--reject", "1.1"});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("broken.y4m"));
  const std::vector<json> lines = lines_of(ended.out);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0]["label"], "across");
}

TEST_F(ActionsVerbs, EvalLeavesSubjectsOutBesideBaselines) {
  const Ended ended = run_here(small({"actions", "eval", *folder_ / "clips", "--json", "--windows",
                                      "5,10", "--draws", "1", "-o", *folder_ / "report"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["folds"], 3);
  EXPECT_EQ(report["methods"].size(), 6);
  EXPECT_EQ(report["methods"][0]["tested"], 9);
  EXPECT_GE(report["methods"][0]["right"], 7);
  EXPECT_EQ(report["accuracy_against_window"].size(), 2);
  EXPECT_EQ(report["accuracy_against_subjects"][0]["subjects"], 1);
  EXPECT_THAT(test::load(*folder_ / "report/index.html"), HasSubstr("Confusion"));
  EXPECT_EQ(test::xml_problem(test::load(*folder_ / "report/confusion.svg")), "");
  EXPECT_THAT(test::load(*folder_ / "report/confusion.csv"), HasSubstr("across"));
}

TEST_F(ActionsVerbs, EvalOfASplitAndOfThePaper) {
  const Ended split =
      run_here(small({"actions", "eval", *folder_ / "clips", "--protocol", "split",
                      "--test-subjects", "s1", "--no-choose", "--no-baselines", "--json"}));
  ASSERT_EQ(split.status, kDone) << split.err;
  EXPECT_EQ(json::parse(split.out)["methods"][0]["tested"], 3);
  const Ended words = run_here(small({"actions", "eval", *folder_ / "clips", "--protocol", "split",
                                      "--test-subjects", "s1", "--paper", "--no-baselines"}));
  ASSERT_EQ(words.status, kDone) << words.err;
  EXPECT_THAT(words.out, HasSubstr("of    3 right"));
}

TEST_F(ActionsVerbs, MatchDrawsAPicture) {
  const Ended ended =
      run_here(small({"actions", "match", *folder_ / "clips/up/s0_swing.y4m",
                      *folder_ / "clips/up/s1_swing.y4m", "-o", *folder_ / "match.png", "--json"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["nodes"].size(), 12);
  EXPECT_GT(io::image_info(*folder_ / "match.png").width, 500);
}

TEST_F(ActionsVerbs, BadInputIsOneLineWithItsStatus) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(ended.out, "");
  };
  const std::string clips = *folder_ / "clips";
  expect(run_here({"actions", "train", clips}), kUsage, "-o MODEL");
  expect(run_here({"actions", "train", clips, "-o", "m.txt"}), kUsage, ".safetensors");
  expect(run_here({"actions", "train", *folder_ / "none", "-o", *folder_ / "x.safetensors"}),
         kBadInput, "none");
  expect(run_here({"actions", "eval", clips, "--protocol", "split"}), kUsage, "--test-subjects");
  expect(run_here({"actions", "eval", clips, "--protocol", "split", "--test-subjects", "bob"}),
         kUsage, "bob is none of s0, s1, s2");
  expect(run_here({"actions", "eval", clips, "--windows", "a"}), kUsage, "--windows a");
  expect(run_here({"actions", "recognize", model_, "-", "--annotated", "a.mp4"}), kUsage,
         "second time");
  test::save(*folder_ / "no.y4m", "YUV4MPEG2 W16 H16 F25:1 Cmono\n");
  expect(run_here({"actions", "match", clips + "/up/s0_swing.y4m", *folder_ / "no.y4m", "-o",
                   *folder_ / "x.png"}),
         kBadInput, "no.y4m");
}

TEST(ActionsPaper, HoldsUnlessSomethingElseIsAskedFor) {
  actions::TrainOptions asked;
  asked.cut.nodes = 12;
  const actions::TrainOptions options = paper_unless_asked(asked);
  EXPECT_EQ(options.cut.nodes, 12);
  EXPECT_FALSE(options.match.dummies);
  EXPECT_EQ(options.selection, actions::Selection::kFloating);
}

}  // namespace
}  // namespace fovea::cli
