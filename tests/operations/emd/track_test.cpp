// Covers: track_mistakes, track_report, track_rivals
#include "operations/emd/track.h"

#include <fcntl.h>
#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "emd/track_scene.h"

namespace fovea::cli {
namespace {

using emd::Square;
using nlohmann::json;
using testing::HasSubstr;

// A square that moves by (4, 1) a frame, and its truth as benchmarks write it.
class EmdTrackProgram : public testing::Test {
 protected:
  EmdTrackProgram() {
    std::filesystem::create_directories(folder_ / "img");
    std::string truth;
    for (int i = 0; i < 8; ++i) {
      const Square square{{20.0 + 4 * i, 20.0 + i, 20, 24}, {200, 40, 40}, {40, 60, 200}};
      io::write_image(folder_ / ("img/" + std::to_string(i) + ".png"),
                      emd::track_scene(100, 80, static_cast<std::uint64_t>(i), {square}).view());
      truth += std::to_string(21 + 4 * i) + "," + std::to_string(21 + i) + ",20,24\n";
    }
    test::save(folder_ / "truth.txt", truth);
    io::write_image(
        folder_ / "example.png",
        emd::track_scene(20, 24, 9, {{{0, 0, 20, 24}, {200, 40, 40}, {40, 60, 200}}}).view());
  }
  Ended track(std::vector<std::string> more) const {
    more.insert(more.begin(), {"emd", "track", folder_ / "img", "--quiet"});
    return run_here(more);
  }
  void expect_refusal(const std::vector<std::string>& more, int status, const char* words) const {
    const Ended ended = track(more);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }

  test::TempFolder folder_;
};

TEST_F(EmdTrackProgram, ExplainsAFrame) {
  const Ended ended = track(
      {"--target", "20,20,20,24", "--explain", "3", "--explain-picture", folder_ / "why.png"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Target 1 moves by +4,+1 pixels"));
  EXPECT_GT(io::read_image(folder_ / "why.png").width(), 100);
  const Ended as_json = track({"--target", "20,20,20,24", "--explain", "3,1", "--json"});
  const json report = json::parse(as_json.out);
  EXPECT_EQ(report["frame"], 3);
  EXPECT_EQ(report["explanation"]["total_name"], "score");
  expect_refusal({"--target", "20,20,20,24", "--explain", "0"}, kUsage, "give a later one");
  expect_refusal({"--target", "20,20,20,24", "--explain", "99"}, kUsage, "no more than 8 frames");
  expect_refusal({"--target", "20,20,20,24", "--explain", "2,7"}, kUsage, "there is no target 7");
}

TEST_F(EmdTrackProgram, WritesMotTextVideosAndJson) {
  const Ended ended = track({"--target", "20,20,20,24", "-o", folder_ / "tracks.txt", "--video",
                             folder_ / "drawn/", "--map-video", folder_ / "map/", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const std::string text = test::load(folder_ / "tracks.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_TRUE(text.starts_with("1,1,21,21,20,24,1.0000,-1,-1,-1\n2,1,")) << text;
  const auto boxes = emd::read_boxes(folder_ / "tracks.txt", 1);
  ASSERT_EQ(boxes.size(), 8U);
  EXPECT_GT(overlap(boxes[7], {48, 27, 20, 24}), 0.7);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "drawn/000007.png"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "map/000007.png"));
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["command"], "emd track");
  EXPECT_EQ(result["frames"], 8);
  EXPECT_EQ(result["tracks"].size(), 8U);
  EXPECT_EQ(result["tracks"][0]["box"], json::parse("[20, 20, 20, 24]"));
  EXPECT_EQ(result["targets"][0]["parts"], false);
  EXPECT_EQ(result["map"]["windows"].get<int>(), result["map"]["cached"].get<int>() +
                                                     result["map"]["duplicate"].get<int>() +
                                                     result["map"]["solved"].get<int>());
  EXPECT_TRUE(result["map"]["solved_by"].contains("greedy_start"));
}

TEST_F(EmdTrackProgram, MeasuresAgainstTruthBesideOthers) {
  const Ended ended = track({"--truth", folder_ / "truth.txt", "--rivals", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  const json target = result["targets"][0];
  EXPECT_GT(target["mean_overlap"].get<double>(), 0.7);
  EXPECT_EQ(result["mean_overlap"], target["mean_overlap"]);
  EXPECT_EQ(target["precision_20px"], 1);
  EXPECT_EQ(target["rivals"][0]["name"], "a box that stays");
  EXPECT_EQ(target["rivals"][1]["name"], "same search, Bhattacharyya");
  EXPECT_LT(target["rivals"][0]["mean_overlap"].get<double>(), 0.6);
  EXPECT_GE(target["bar_overlap"].get<double>(), target["rivals"][0]["mean_overlap"].get<double>());
}

// Others see each frame beside ours, so that a source is read once.
TEST_F(EmdTrackProgram, RivalsFollowThroughAPipe) {
  constexpr int kFrames = 4;  // less than a pipe holds
  io::VideoWriter writer(folder_ / "a.y4m", {.frame_rate = 10});
  for (int i = 0; i < kFrames; ++i)
    writer.write(io::to_bytes(io::read_image(folder_ / ("img/" + std::to_string(i) + ".png"))));
  writer.finish();
  const std::string pipe = folder_ / "pipe.y4m", video = test::load(folder_ / "a.y4m");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int end = open(pipe.c_str(), O_RDWR);
  ASSERT_EQ(write(end, video.data(), video.size()), static_cast<ssize_t>(video.size()));
  const Ended ended = run_here({"emd", "track", pipe, "--truth", folder_ / "truth.txt", "--rivals",
                                "--frames", std::to_string(kFrames), "--json", "--quiet"});
  close(end);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json target = json::parse(ended.out)["targets"][0];
  EXPECT_EQ(target["rivals"][0]["name"], "a box that stays");
  EXPECT_LT(target["rivals"][0]["mean_overlap"], target["mean_overlap"]);
}

TEST_F(EmdTrackProgram, AnEvaluationOpensInTheView) {
  const Ended ended = track({"--truth", folder_ / "truth.txt", "--evaluation", folder_ / "e.json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(folder_ / "e.json"), "e.json");
  EXPECT_EQ(evaluation.system, "track");
  const report::EvaluationCurve& curve = evaluation.charts.at(0).curves.at(0);
  EXPECT_EQ(curve.points.size(), 21U);
  EXPECT_EQ(curve.points.front().y, 100);  // all frames overlap
  EXPECT_EQ(curve.points.back().y, 0);
  // The curve and the report count the same frames, the first one as well.
  EXPECT_EQ(curve.points.back().figures.at(0), 8);
  EXPECT_THAT(evaluation.facts.at(0).second, HasSubstr("of 8 frames"));
  EXPECT_THAT(evaluation.summary, HasSubstr("the first one as well"));
  for (const report::Mistake& mistake : evaluation.mistakes)
    EXPECT_LT(mistake.above.value_or(0), 1) << "the first frame fits: " << mistake.text;
  ASSERT_FALSE(evaluation.mistakes.empty());
  const report::Mistake& worst = evaluation.mistakes[0];
  EXPECT_TRUE(worst.above);
  const report::EvaluatedInput& input = evaluation.inputs.at(worst.input);
  EXPECT_THAT(input.files.at(0), HasSubstr("img/"));  // the image of the frame
  EXPECT_EQ(input.frame, 0);
  ASSERT_EQ(input.boxes.size(), 2U);
  EXPECT_FALSE(input.boxes[0].score);
  EXPECT_EQ(input.boxes[1].score, *worst.above);
  EXPECT_EQ(input.boxes[1].label, "target 1");
  expect_refusal({"--target", "20,20,20,24", "--evaluation", folder_ / "e.json", "--json"}, kUsage,
                 "--evaluation needs --truth");
}

// Time in the tracker alone, for ours as for others: less than the whole, and said so.
TEST_F(EmdTrackProgram, TimesTheTrackerAlone) {
  const json result =
      json::parse(track({"--truth", folder_ / "truth.txt", "--rivals", "--json"}).out);
  const json target = result["targets"][0];
  EXPECT_GT(target["seconds_per_frame"].get<double>(), 0);
  EXPECT_LT(7 * target["seconds_per_frame"].get<double>(), result["seconds"].get<double>());
  EXPECT_GT(target["rivals"][1]["seconds_per_frame"].get<double>(), 0);
  EXPECT_THAT(track({"--truth", folder_ / "truth.txt"}).out,
              HasSubstr("ms/frame: in the tracker alone"));
}

TEST_F(EmdTrackProgram, StartsLaterAndFollowsSeveral) {
  const Ended ended = track(
      {"--frame", "3", "--target", "32,23,20,24", "--target", folder_ / "example.png", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["frames"], 5);
  EXPECT_EQ(result["tracks"][0]["frame"], 3);
  EXPECT_EQ(result["tracks"][1]["id"], 2);
  const auto box = result["tracks"][9]["box"].get<std::vector<double>>();
  EXPECT_GT(overlap(Rect<double>{box[0], box[1], box[2], box[3]}, {48, 27, 20, 24}), 0.5);
}

// Data on standard output stands there alone: the summary is a note, and nothing with --quiet.
TEST_F(EmdTrackProgram, WritesTextAloneToStandardOutput) {
  const std::vector<std::string> args{"emd", "track", folder_ / "img", "--target", "20,20,20,24",
                                      "-o",  "-"};
  const Ended ended = run_program(args);
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 8) << ended.out;
  EXPECT_THAT(ended.out, testing::EndsWith(",-1,-1,-1\n"));
  EXPECT_THAT(ended.err, HasSubstr("1 target in 8 frames"));
  auto quiet = args;
  quiet.emplace_back("--quiet");
  const Ended silent = run_program(quiet);
  EXPECT_EQ(silent.out, ended.out);
  EXPECT_EQ(silent.err, "");
  expect_refusal({"--target", "20,20,20,24", "-o", "-", "--json"}, kUsage, "standard output");
}

// A source that breaks off keeps the boxes before.
TEST_F(EmdTrackProgram, KeepsTheBoxesBeforeABreak) {
  io::VideoWriter writer(folder_ / "a.y4m", {.frame_rate = 10});
  for (int i = 0; i < 5; ++i)
    writer.write(emd::track_scene(100, 80, 0, {{{20, 20, 20, 24}, {200, 40, 40}, {40, 60, 200}}}));
  writer.finish();
  const std::string video = test::load(folder_ / "a.y4m");
  test::save(folder_ / "cut.y4m", video.substr(0, video.size() - 100));
  const Ended ended = run_here({"emd", "track", folder_ / "cut.y4m", "--quiet", "--target",
                                "20,20,20,24", "-o", folder_ / "t.txt", "--json"});
  EXPECT_EQ(ended.status, kBadInput) << ended.err;
  const std::string text = test::load(folder_ / "t.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_EQ(json::parse(ended.out)["interrupted"], true);
}

TEST_F(EmdTrackProgram, SaysWhatIsWrongInOneLine) {
  const std::string out = folder_ / "out.txt";
  expect_refusal({"-o", out}, kUsage, "needs --target");
  expect_refusal({"--target", "20,20,20,24"}, kUsage, "nothing to write");
  expect_refusal({"--target", "20,20,20", "-o", out}, kUsage, "'20,20,20'; expected x,y,width");
  expect_refusal({"--target", "500,20,20,24", "-o", out}, kUsage, "0x0 pixels within the frame");
  expect_refusal({"--target", "20,20,2,24", "-o", out}, kUsage, "at least 4x4");
  expect_refusal({"--target", "20,20,20,24", "--frame", "99", "-o", out}, kUsage, "--frame is 99");
  expect_refusal({"--target", folder_ / "absent.png", "-o", out}, kBadInput, "absent.png");
  test::save(folder_ / "empty.png", "");
  expect_refusal({"--target", folder_ / "empty.png", "-o", out}, kBadInput, "empty.png");
  test::save(folder_ / "bad.txt", "1,2,3\n");
  expect_refusal({"--truth", folder_ / "bad.txt"}, kBadInput, "line 1");
  expect_refusal({"--target", "20,20,20,24", "--rivals", "-o", out}, kUsage, "needs --truth");
  expect_refusal({"--target", "20,20,20,24", "-o", out, "--video", out}, kUsage,
                 "would be written twice");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace fovea::cli
