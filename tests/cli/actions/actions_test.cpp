#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <thread>

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

int frames_in(const std::string& path) {
  io::VideoReader reader(path);
  int frames = 0;
  for (io::Frame frame; reader.next(frame);) ++frames;
  return frames;
}

TEST_F(ActionsVerbs, TrainReportsWhatItMade) {
  ASSERT_EQ(trained_.status, kDone) << trained_.err;
  const json report = json::parse(trained_.out);
  EXPECT_EQ(report["clips"], 9);
  EXPECT_EQ(report["subjects"], 3);
  EXPECT_GT(report["prototypes"], 9);
  EXPECT_EQ(actions::Model::read(model_).classes, swing_names());
}

TEST_F(ActionsVerbs, RecognizeReportsWhatHappensInOrder) {
  actions::write_swings(*folder_ / "day.y4m", {0, 2, 1}, 5, 48);
  const Ended ended = run_here({"actions", "recognize", *folder_ / "day.y4m", "--model", model_,
                                "--json", "--timeline", *folder_ / "t.svg", "--annotated",
                                *folder_ / "seen.y4m", "--reject", "1.1"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const std::vector<json> lines = lines_of(ended.out);
  ASSERT_GE(lines.size(), 4U) << ended.out;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const auto part = (lines[i]["first_frame"].get<int>() + lines[i]["last_frame"].get<int>()) / 96;
    static const std::vector<std::string> kTruth{"across", "up", "grow"};
    EXPECT_EQ(lines[i]["name"], kTruth[static_cast<std::size_t>(part)]) << lines[i].dump();
    EXPECT_EQ(lines[i]["box"].size(), 4);
  }
  EXPECT_EQ(lines.back()["frames"], 144);
  EXPECT_EQ(test::xml_problem(test::load(*folder_ / "t.svg")), "");
  EXPECT_EQ(frames_in(*folder_ / "seen.y4m"), 144);
}

TEST_F(ActionsVerbs, AStreamThatBreaksGivesWhatWasSeen) {
  actions::write_swings(*folder_ / "whole.y4m", {0, 2}, 5, 48);
  const std::string bytes = test::load(*folder_ / "whole.y4m");
  test::save(*folder_ / "broken.y4m", std::string_view(bytes).substr(0, bytes.size() * 6 / 10));
  const Ended ended =
      run_here({"actions", "recognize", *folder_ / "broken.y4m", "--model", model_, "--reject",
                "1.1", "--annotated", *folder_ / "part.y4m", "--timeline", *folder_ / "part.svg"});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("broken.y4m"));
  const std::vector<json> lines = lines_of(ended.out);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0]["name"], "across");
  EXPECT_EQ(frames_in(*folder_ / "part.y4m"), 57);
  EXPECT_EQ(test::xml_problem(test::load(*folder_ / "part.svg")), "");
}

// A pipe gives its frames once: they wait for their events in memory, or are written before them.
TEST_F(ActionsVerbs, APipeIsAnnotatedInOnePass) {
  const std::string day = *folder_ / "piped.y4m";
  actions::write_swings(day, {0, 2, 1}, 5, 48);
  const auto annotated = [&](const std::string& source, const std::string& to,
                             const std::string& memory) {
    return run_here({"actions", "recognize", source, "--model", model_, "--reject", "1.1",
                     "--annotated", to, "--memory", memory});
  };
  const auto piped = [&](const std::string& to, const std::string& memory) {
    const std::string fifo = *folder_ / ("fifo" + memory);
    EXPECT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    const std::string bytes = test::load(day);
    std::thread writer([&] { test::save(fifo, bytes); });
    const Ended ended = annotated(fifo, to, memory);
    writer.join();
    return ended;
  };
  const Ended file = annotated(day, *folder_ / "file.y4m", "1G");
  ASSERT_EQ(file.status, kDone) << file.err;
  const Ended pipe = piped(*folder_ / "pipe.y4m", "1G");
  ASSERT_EQ(pipe.status, kDone) << pipe.err;
  EXPECT_EQ(pipe.out, file.out);
  EXPECT_TRUE(test::load(*folder_ / "pipe.y4m") == test::load(*folder_ / "file.y4m"));
  const Ended narrow = piped(*folder_ / "narrow.y4m", "100K");
  ASSERT_EQ(narrow.status, kDone) << narrow.err;
  EXPECT_THAT(narrow.err, HasSubstr("a greater --memory keeps more"));
  EXPECT_EQ(frames_in(*folder_ / "narrow.y4m"), 144);
}

// The stop comes while the program runs: after the first event, which a sink sees.
TEST_F(ActionsVerbs, AnInterruptKeepsVideoAndTimeline) {
  actions::write_swings(*folder_ / "long.y4m", {0, 2, 1, 0, 2, 1, 0, 2, 1, 0}, 5, 48);
  std::stop_source stop;
  class StopAfterFirst final : public Sink {
   public:
    explicit StopAfterFirst(std::stop_source& stop) : stop_(stop) {}
    void write(std::string_view more) override {
      text += more;
      stop_.request_stop();
    }
    std::string text;

   private:
    std::stop_source& stop_;
  };
  StopAfterFirst out(stop);
  TextSink err;
  hide_gpus();
  const int status =
      run({"actions", "recognize", *folder_ / "long.y4m", "--model", model_, "--reject", "1.1",
           "--annotated", *folder_ / "cut.y4m", "--timeline", *folder_ / "cut.svg"},
          {.out = out, .err = err, .stop = stop.get_token()});
  EXPECT_EQ(status, kInterrupted) << err.text;
  EXPECT_EQ(lines_of(out.text).at(0)["name"], "across");
  const int frames = frames_in(*folder_ / "cut.y4m");
  EXPECT_GT(frames, 20);
  EXPECT_LT(frames, 480);
  EXPECT_EQ(test::xml_problem(test::load(*folder_ / "cut.svg")), "");
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
