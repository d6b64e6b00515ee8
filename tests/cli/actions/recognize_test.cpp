// Covers: eval_stream, eval_stream_mistakes
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <thread>

#include "cli/actions/eval_stream.h"
#include "cli/actions/verbs.h"
#include "support/sanitized.h"
#include "support/xml_check.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ActionsRecognize : public ActionsVerbs {};

TEST_F(ActionsRecognize, RecognizeReportsWhatHappensInOrder) {
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

TEST_F(ActionsRecognize, AStreamThatBreaksGivesWhatWasSeen) {
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

TEST_F(ActionsRecognize, EvalStreamMeasuresEvents) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const std::string clips = *folder_ / "clips";
  const Ended ended =
      run_here({"actions", "eval-stream", clips, "--model", model_, "--subjects", "s0", "--gap",
                "12", "--rejects", "0,1.1", "--motion", "none", "--overlaps", "0.2", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["frames"], 3 * 36 + 4 * 12);
  EXPECT_EQ(report["action_frames"], 3 * 36);
  ASSERT_EQ(report["points"].size(), 2);
  const json& counts = report["points"][1]["overlaps"][0];
  EXPECT_EQ(counts["true_events"], 3);
  EXPECT_GE(counts["correct"], 2) << report.dump();
  EXPECT_EQ(counts["classes"].size(), 3);
  const Ended folder = run_here({"actions", "eval-stream", clips, "--model", model_, "--subjects",
                                 "s0", "--gap", "12", "--rejects", "1.1,0.01", "--motion", "none",
                                 "--overlaps", "0.2,0.9", "-o", *folder_ / "streams"});
  ASSERT_EQ(folder.status, kDone) << folder.err;
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(*folder_ / "streams/evaluation.json"), "evaluation.json");
  EXPECT_EQ(evaluation.system, "actions");
  EXPECT_THAT(test::load(*folder_ / "streams/index.html"), HasSubstr("Precision over recall"));
  const report::EvaluationChart& chart = evaluation.charts.at(0);
  EXPECT_EQ(chart.option, "reject");
  ASSERT_EQ(chart.curves.size(), 2U);
  EXPECT_EQ(chart.curves[1].name, "overlap 0.9");
  EXPECT_EQ(chart.curves[0].points.at(0).threshold, 0.01);  // they ascend
  EXPECT_EQ(chart.curves[0].points.at(1).x, 100 * counts["recall"].get<double>());
  // With so small a factor nothing is found: each action is a mistake up to it.
  EXPECT_GE(std::ranges::count_if(evaluation.mistakes,
                                  [](const report::Mistake& mistake) {
                                    return mistake.curve == 0 && mistake.up_to == 0.01 &&
                                           mistake.kind == "Actions that were not found";
                                  }),
            3);
  EXPECT_THAT(evaluation.inputs.at(evaluation.mistakes.at(0).input).files.at(0),
              HasSubstr("clips"));
  const Ended text = run_here({"actions", "eval-stream", clips, "--model", model_, "--subjects",
                               "s0", "--gap", "0", "--rejects", "1"});
  EXPECT_THAT(text.out, HasSubstr("precision"));
  EXPECT_EQ(run_here({"actions", "eval-stream", clips, "--subjects", "s0"}).status, kUsage);
  EXPECT_THAT(run_here({"actions", "eval-stream", clips, "--unknown", "fly"}).err,
              HasSubstr("there is no action fly"));
}

TEST(StreamEvaluation, NamesEachKindOfMistake) {
  actions::EventReport counts{.overlap = 0.5, .all = {.truths = 3}, .classes = {}};
  counts.mistakes = {{.truth = 0, .path = "a.avi"},
                     {.truth = 0, .found = 1, .path = "a.avi"},
                     {.truth = 1, .found = 1, .path = "a.avi"},
                     {.truth = 0, .found = 1, .surplus = true, .path = "a.avi"},
                     {.found = 1, .path = "a.avi"},
                     {.found = 1, .between = true, .path = "a.avi"}};
  actions::StreamReport report;
  report.points = {{.reject = 1, .overlaps = {counts}}};
  const report::Evaluation evaluation = stream_evaluation(report, {"walk", "run"});
  std::vector<std::string> said;
  for (const report::Mistake& mistake : evaluation.mistakes)
    said.push_back(mistake.kind + ": " + mistake.text);
  EXPECT_THAT(said, testing::UnorderedElementsAre(
                        "Actions that were not found: walk was not found",
                        "Confused actions: walk was taken for run, score 0.00",
                        "Actions that were found at other frames: run was found with too few "
                        "common frames",
                        "Surplus events: run was found as well in a clip of walk, score 0.00",
                        "Events of unrelated motion: run was found in unrelated motion, score 0.00",
                        "Events of unrelated motion: run was found between clips, score 0.00"));
  EXPECT_EQ(evaluation.facts.at(0).second, "precision -, recall 0.0 %, F1 0.0 %");
}

TEST_F(ActionsRecognize, CountsOneFrameAsOne) {
  actions::write_swings(*folder_ / "one.y4m", {0}, 5, 1);
  const Ended ended = run_here({"actions", "recognize", *folder_ / "one.y4m", "--model", model_});
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("0 events in 1 frame, "));
}

// A pipe gives its frames once: they wait for their events in memory, or are written before them.
TEST_F(ActionsRecognize, APipeIsAnnotatedInOnePass) {
  const std::string day = *folder_ / "piped.y4m";
  actions::write_swings(day, {0, 2}, 5, 48);
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
  EXPECT_EQ(frames_in(*folder_ / "narrow.y4m"), 96);
}

// The stop comes while the program runs: after the first event, which a sink sees.
TEST_F(ActionsRecognize, AnInterruptKeepsVideoAndTimeline) {
  actions::write_swings(*folder_ / "long.y4m", {0, 2, 1, 0}, 5, 48);
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
  const int status =
      run({"actions", "recognize", *folder_ / "long.y4m", "--model", model_, "--reject", "1.1",
           "--annotated", *folder_ / "cut.y4m", "--timeline", *folder_ / "cut.svg"},
          {.out = out, .err = err, .stop = stop.get_token()});
  EXPECT_EQ(status, kInterrupted) << err.text;
  EXPECT_EQ(lines_of(out.text).at(0)["name"], "across");
  const int frames = frames_in(*folder_ / "cut.y4m");
  EXPECT_GT(frames, 20);
  EXPECT_LT(frames, 192);
  EXPECT_EQ(test::xml_problem(test::load(*folder_ / "cut.svg")), "");
}

}  // namespace
}  // namespace fovea::cli
