// Covers: distances, eval, eval_mistakes, eval_report, eval_units, train
#include "cli/actions/actions.h"

#include <fmt/format.h>
#include <fovea/core/options.h>
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>

#include "cli/actions/verbs.h"
#include "support/sanitized.h"
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
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
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
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(*folder_ / "report/evaluation.json"), "evaluation.json");
  EXPECT_EQ(evaluation.charts.size(), 2U);  // against the window, and against training subjects
  EXPECT_EQ(evaluation.classes, swing_names());
  EXPECT_EQ(static_cast<int>(evaluation.mistakes.size()),
            9 - report["methods"][0]["correct"].get<int>());
}

TEST_F(ActionsVerbs, EvalOfASplitAndOfThePaper) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
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

// Drawn clips that carry KTH's names: two actions by people of all three parts of its split.
TEST_F(ActionsVerbs, EvalOfAPartOfKth) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const std::string kth = *folder_ / "kth";
  std::string list = "Training: person11, 12\nValidation: person19\nTest: person22, 02\n";
  for (const char* action : {"boxing", "walking"}) {
    std::filesystem::create_directories(kth + "/" + action);
    for (const char* person : {"11", "12", "19", "22", "02"}) {
      const std::string name = fmt::format("person{}_{}_d1", person, action);
      list += name + " frames 1-30\n";
      if (name == "person02_walking_d1") continue;
      actions::write_swings(kth + "/a.y4m", {action[0] == 'b' ? 0 : 2}, person[1] - '0', 30);
      std::filesystem::rename(kth + "/a.y4m",
                              fmt::format("{}/{}/{}_uncomp.avi", kth, action, name));
    }
  }
  test::save(kth + "/s.txt", list);
  for (const char* how : {"--choose", "--paper"}) {
    const Ended ended = run_here(small({"actions", "eval", kth, "--kth", kth + "/s.txt",
                                        "--partial", "--no-baselines", "--json", how}));
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const json report = json::parse(ended.out);
    EXPECT_EQ(report["split"]["training_clips"], 4);
    EXPECT_EQ(report["split"]["validation_clips"], 2);
    EXPECT_EQ(report["split"]["test_clips"], 3);
    EXPECT_EQ(report["methods"][0]["tested"], 3);
    EXPECT_EQ(report["left_out"]["videos"][0], "person02_walking_d1");
    EXPECT_EQ(report["left_out"]["parts"][2]["videos"], 1);
    EXPECT_EQ(report["left_out"]["parts"][2]["of_clips"], 4);
    EXPECT_THAT(ended.err, HasSubstr("1 of 4 test videos (1 of 4 clips): person02_walking_d1"));
  }
  const Ended whole = run_here({"actions", "eval", kth, "--kth", kth + "/s.txt"});
  EXPECT_EQ(whole.status, kBadInput);
  EXPECT_THAT(whole.err, HasSubstr("the whole set has"));
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
  expect(run_here({"actions", "eval", clips, "--partial"}), kUsage, "--kth");
  expect(run_here({"actions", "eval", clips, "--validation-subjects", "s0"}), kUsage,
         "--test-subjects");
  expect(run_here({"actions", "eval", clips, "--kth", "s.txt", "--test-subjects", "s0"}), kUsage,
         "--kth has its own split");
  expect(run_here({"actions", "eval-stream", clips, "--model-points", "2", "--variant", "chains"}),
         kUsage, "streams are matched with one point per frame");
  expect(run_here({"actions", "points", clips + "/up/s0_swing.y4m", "-o", "p.csv"}), kUsage,
         "write a .txt file");
  expect(run_here({"actions", "eval", clips, "--test-subjects", "s0,s1,s2"}), kUsage,
         "0 clips to train on");
  expect(
      run_here({"actions", "eval", clips, "--test-subjects", "s0", "--validation-subjects", "s0"}),
      kUsage, "s0 is also tested");
  expect(run_here({"actions", "recognize", clips + "/up/s0_swing.y4m", "--annotated", "-"}), kUsage,
         "standard output");
  expect(run_here({"actions", "recognize", clips + "/up/s0_swing.y4m", "--model", "yolo"}),
         kBadInput, "actions/weizmann");
  test::save(*folder_ / "no.y4m", "YUV4MPEG2 W16 H16 F25:1 Cmono\n");
  expect(run_here({"actions", "match", clips + "/up/s0_swing.y4m", *folder_ / "no.y4m", "-o",
                   *folder_ / "x.png"}),
         kBadInput, "no.y4m");
}

// The options of a verb as --print-config shows them.
nlohmann::json options_after(std::vector<std::string> words) {
  words.insert(words.begin(), "actions");
  words.emplace_back("--print-config");
  const Ended ended = run_here(words);
  EXPECT_EQ(ended.status, kDone) << ended.err;
  return nlohmann::json::parse(ended.out)["options"];
}

std::map<std::string, std::string> texts_of(actions::TrainOptions options) {
  std::map<std::string, std::string> texts;
  for_each_option(options, [&](const OptionField& field) {
    texts[std::string(field.name)] = option_text(field);
  });
  return texts;
}

TEST(ActionsPaper, SetsEveryOptionOfThePaper) {
  const auto paper = texts_of(actions::paper_options());
  for (const std::string verb : {"train", "eval"}) {
    const nlohmann::json plain = options_after({verb, "clips"});
    const nlohmann::json set = options_after({verb, "clips", "--paper"});
    int differ = 0;
    for (const auto& [name, text] : paper) {
      std::vector<std::string> words{verb, "clips", "--set", name + "=" + text};
      EXPECT_EQ(set[name], options_after(words)[name]) << name;
      differ += set[name] == plain[name] ? 0 : 1;
    }
    EXPECT_GE(differ, 10);
  }
  EXPECT_EQ(options_after({"eval", "clips", "--paper"})["choose"], false);
  EXPECT_EQ(options_after({"eval", "clips", "--paper", "--choose"})["choose"], true);
  EXPECT_EQ(options_after({"train", "clips", "--no-paper"}), options_after({"train", "clips"}));
}

TEST(ActionsPaper, GivesWayToWhatIsGivenBesideIt) {
  const auto usual = texts_of({});
  for (const std::string verb : {"train", "eval"}) {
    const nlohmann::json plain = options_after({verb, "clips"});
    const nlohmann::json paper = options_after({verb, "clips", "--paper"});
    for (const auto& [name, text] : usual) {
      if (paper[name] == plain[name]) continue;
      // The usual value, given before --paper or behind it, counts; the others stay the paper's.
      const std::string given = name + "=" + text;
      nlohmann::json expected = paper;
      expected[name] = plain[name];
      EXPECT_EQ(options_after({verb, "clips", "--paper", "--set", given}), expected) << name;
      EXPECT_EQ(options_after({verb, "clips", "--set", given, "--set", "paper=true"}), expected)
          << name;
      if (plain[name].is_boolean())
        EXPECT_EQ(
            options_after(
                {verb, "clips", plain[name].get<bool>() ? "--" + name : "--no-" + name, "--paper"}),
            expected)
            << name;
      else
        EXPECT_EQ(options_after({verb, "clips", "--" + name + "=" + text, "--paper"}), expected)
            << name;
    }
  }
}

TEST(ActionsPaper, IsRepeatedByAConfiguration) {
  const test::TempFolder folder;
  const nlohmann::json options = options_after({"train", "clips", "--paper", "--nodes", "20"});
  test::save(folder / "c.json", options.dump());
  EXPECT_EQ(options_after({"train", "clips", "--config", folder / "c.json"}), options);
}

}  // namespace
}  // namespace fovea::cli
