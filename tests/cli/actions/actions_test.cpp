// Covers: eval, eval_report, train
#include "cli/actions/actions.h"

#include <gmock/gmock.h>

#include "cli/actions/verbs.h"
#include "support/xml_check.h"

namespace fovea::cli {
namespace {

using actions::swing_names;
using nlohmann::json;
using testing::HasSubstr;

TEST(SourceFrames, ForgetsWhatNobodyAsksFor) {
  SourceFrames source;
  EXPECT_EQ(source.number(7), 7);
  EXPECT_FALSE(source.seconds(7));
  io::Frame frame;
  for (std::int64_t given = 0; given < 1000; ++given) {
    frame.frame = 3 * given;  // two of three were dropped
    frame.seconds = 0.12 * static_cast<double>(given);
    source.add(frame);
    EXPECT_EQ(source.number(given), 3 * given);
    EXPECT_DOUBLE_EQ(*source.seconds(std::max<std::int64_t>(0, given - 10)),
                     0.12 * static_cast<double>(std::max<std::int64_t>(0, given - 10)));
    source.forget_before(given - 10);
    EXPECT_LE(source.kept(), 11U);
  }
}

TEST_F(ActionsVerbs, TrainReportsWhatItMade) {
  ASSERT_EQ(trained_.status, kDone) << trained_.err;
  const json report = json::parse(trained_.out);
  EXPECT_EQ(report["clips"], 9);
  EXPECT_EQ(report["subjects"], 3);
  EXPECT_GT(report["prototypes"], 9);
  EXPECT_EQ(actions::Model::read(model_).classes, swing_names());
}

TEST_F(ActionsVerbs, EvalLeavesSubjectsOutBesideBaselines) {
  const Ended ended = run_here(small({"actions", "eval", *folder_ / "clips", "--json", "--windows",
                                      "5,10", "--draws", "1", "-o", *folder_ / "report"}));
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["folds"], 3);
  EXPECT_EQ(report["methods"].size(), 6);
  EXPECT_EQ(report["methods"][0]["tested"], 9);
  EXPECT_GE(report["methods"][0]["correct"], 7);
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
  EXPECT_THAT(words.out, HasSubstr("of    3 correct"));
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
         kUsage, "there is no subject bob; expected one of s0, s1, s2");
  expect(run_here({"actions", "eval", clips, "--windows", "a"}), kUsage, "windows");
  expect(run_here({"actions", "recognize", clips + "/up/s0_swing.y4m", "--annotated", "-"}), kUsage,
         "standard output");
  expect(run_here({"actions", "recognize", clips + "/up/s0_swing.y4m", "--model", "yolo"}),
         kBadInput, "actions/weizmann");
  test::save(*folder_ / "no.y4m", "YUV4MPEG2 W16 H16 F25:1 Cmono\n");
  expect(run_here({"actions", "match", clips + "/up/s0_swing.y4m", *folder_ / "no.y4m", "-o",
                   *folder_ / "x.png"}),
         kBadInput, "no.y4m");
}

TEST(ActionsPaper, HoldsUnlessAnOptionIsSet) {
  actions::TrainOptions given;
  given.cut.nodes = 12;
  const actions::TrainOptions options = paper_unless_set(given);
  EXPECT_EQ(options.cut.nodes, 12);
  EXPECT_FALSE(options.match.dummies);
  EXPECT_EQ(options.selection, actions::Selection::kFloating);
}

}  // namespace
}  // namespace fovea::cli
