// Covers: scene, crowd, eval_tracks, eval_tracks_mistakes
#include <fovea/io/video.h>
#include <fovea/people/mot.h>
#include <fovea/report/evaluation.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/crowd.h"
#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// A small drawn crowd, as files.
class PeopleTrack : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    files_ = new test::TempFolder;
    const Ended ended =
        run_here({"people", "scene", "-o", *files_ / "crowd", "--video", "video.y4m", "--size",
                  "160x120", "--frames", "40", "--people", "3", "--seed", "2", "--quiet"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
  }
  static void TearDownTestSuite() { delete files_; }

  static std::string video() { return *files_ / "crowd/video.y4m"; }
  static std::string truth() { return *files_ / "crowd/gt.txt"; }
  static std::string found() { return *files_ / "crowd/det.txt"; }
  Ended track(const std::vector<std::string>& more) const {
    std::vector<std::string> args{"people", "track", "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run_here(args);
  }
  static void expect_refusal(const Ended& ended, int status, const std::string& words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
  std::string write(const std::string& name, const std::string& text) const {
    test::save(folder_ / name, text);
    return folder_ / name;
  }

  static test::TempFolder* files_;
  test::TempFolder folder_;
};
test::TempFolder* PeopleTrack::files_ = nullptr;

TEST_F(PeopleTrack, FollowsGivenDetectionsAndIsMeasured) {
  const Ended ended =
      track({video(), "--detections", found(), "--certain", "0.5", "--mot", folder_ / "tracks.txt",
             "--csv", folder_ / "tracks.csv", "-o", folder_ / "followed.y4m", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["command"], "people track");
  const json& result = report["results"][0];
  EXPECT_EQ(result["frames"].size(), 40U);
  EXPECT_EQ(result["frame_count"], 40);
  std::size_t boxes = 0;
  for (const json& frame : result["frames"]) boxes += frame["people"].size();
  const auto tracks = people::read_mot(folder_ / "tracks.txt");
  EXPECT_EQ(tracks.size(), boxes);
  EXPECT_GT(boxes, 20U);
  const std::string csv = test::load(folder_ / "tracks.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), static_cast<std::ptrdiff_t>(boxes) + 1);
  io::VideoReader reader(folder_ / "followed.y4m");
  EXPECT_EQ(reader.info().size, (Extent{160, 120}));

  const Ended measured = run_here({"people", "eval-tracks", folder_ / "tracks.txt", "--truth",
                                   truth(), "--least-visibility", "0.3", "--json"});
  ASSERT_EQ(measured.status, kDone) << measured.err;
  const json all = json::parse(measured.out)["all"];
  EXPECT_GT(all["mota"].get<double>(), 0.4);
  EXPECT_GT(all["idf1"].get<double>(), 0.4);
  EXPECT_EQ(all["thresholds"].size(), 19U);
  const Ended table =
      run_here({"people", "eval-tracks", truth(), truth(), "--truth", truth(), "--truth", truth()});
  EXPECT_THAT(table.out, HasSubstr("HOTA"));
  EXPECT_THAT(table.out, HasSubstr("\nall"));
  EXPECT_THAT(table.out, HasSubstr("100.0"));
}

TEST_F(PeopleTrack, BoxesFromAFileNeedNoPictures) {
  const std::vector<std::string> how{"--detections", found(), "--certain", "0.5",
                                     "--no-appearance"};
  const auto followed = [&](std::vector<std::string> more) {
    more.insert(more.end(), how.begin(), how.end());
    return track(more);
  };
  ASSERT_EQ(followed({video(), "--mot", folder_ / "seen.txt"}).status, kDone);
  const Ended ended = followed({"--mot", folder_ / "blind.txt", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(test::load(folder_ / "blind.txt"), test::load(folder_ / "seen.txt"));
  const json result = json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["input"], found());
  EXPECT_EQ(result["frames"].size(), result["frame_count"]);
  expect_refusal(track({"--detections", found(), "--mot", folder_ / "t.txt"}), kUsage,
                 "--no-appearance");
  expect_refusal(followed({"-o", folder_ / "t.mp4"}), kUsage, "draws on pictures");
  expect_refusal(track({"--no-appearance", "--mot", folder_ / "t.txt"}), kUsage, "needs a VIDEO");
}

TEST_F(PeopleTrack, AnEvaluationOpensInTheView) {
  const std::string gt =
      write("gt.txt", "1,1,11,11,10,20\n2,1,11,11,10,20\n3,1,11,11,10,20\n4,1,11,11,10,20\n");
  const std::string got = write("t.txt",
                                "1,5,11,11,10,20,0.9,-1,-1,-1\n2,5,11,11,10,20,0.8,-1,-1,-1\n"
                                "3,6,11,11,10,20,0.3,-1,-1,-1\n2,9,91,11,10,20,0.2,-1,-1,-1\n");
  const Ended before = run_here({"people", "eval-tracks", got, "--truth", gt});
  const Ended ended = run_here(
      {"people", "eval-tracks", got, "--truth", gt, "--video", video(), "-o", folder_ / "report"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, before.out);
  const report::Evaluation evaluation =
      report::parse_evaluation(test::load(folder_ / "report/evaluation.json"), "evaluation.json");
  EXPECT_EQ(evaluation.system, "people");
  EXPECT_THAT(test::load(folder_ / "report/index.html"), HasSubstr("Tracks of nobody"));
  EXPECT_THAT(test::load(folder_ / "report/hota.svg"), HasSubstr("HOTA"));
  const report::EvaluationChart& chart = evaluation.charts.at(0);
  EXPECT_EQ(chart.option, "threshold");
  EXPECT_EQ(chart.curves.at(0).points.size(), 4U);  // one per score
  EXPECT_EQ(chart.curves[0].points[0].threshold, 0.2);
  EXPECT_EQ(chart.curves[0].points[0].x, 0.25);  // one false box in four frames
  EXPECT_EQ(chart.curves[0].points[3].y, 75);    // three of four boxes are missed
  const auto named = [&](const std::string& kind) {
    return *std::ranges::find(evaluation.mistakes, kind, &report::Mistake::kind);
  };
  const report::Mistake nobody = named("Tracks of nobody");
  EXPECT_EQ(nobody.up_to, 0.2);  // above this score it is gone
  EXPECT_EQ(evaluation.inputs.at(nobody.input).frame, 1);
  EXPECT_EQ(evaluation.inputs[nobody.input].files.at(0), video());
  EXPECT_EQ(evaluation.inputs[nobody.input].boxes.size(), 3U);
  EXPECT_EQ(named("Switched identities").up_to, 0.3);
  EXPECT_THAT(named("Switched identities").text, HasSubstr("person 1 was 5 and is 6"));
  const auto missed = std::ranges::find(evaluation.mistakes, "person 1 is not found in frame 3",
                                        &report::Mistake::text);
  ASSERT_NE(missed, evaluation.mistakes.end());
  EXPECT_EQ(missed->up_to, 0.3);  // above this score more frames are missed
  EXPECT_EQ(evaluation.inputs.at(missed->input).frame, 3);
  EXPECT_THAT(run_here({"people", "eval-tracks", got, "--truth", gt, "-o", folder_ / "report"}).err,
              HasSubstr("without --video"));
  const report::Evaluation alone =
      report::parse_evaluation(test::load(folder_ / "report/evaluation.json"), "evaluation.json");
  EXPECT_EQ(alone.mistakes.size(), evaluation.mistakes.size());
  for (const report::EvaluatedInput& input : alone.inputs) EXPECT_TRUE(input.files.empty());
  // True boxes that are hidden do not count, and are not drawn.
  const std::string hidden =
      write("hidden.txt", "1,1,11,11,10,20,1,1,0.9\n2,1,11,11,10,20,1,1,0.1\n");
  ASSERT_EQ(run_here({"people", "eval-tracks", got, "--truth", hidden, "--least-visibility", "0.5",
                      "-o", folder_ / "report"})
                .status,
            kDone);
  const report::Evaluation seen =
      report::parse_evaluation(test::load(folder_ / "report/evaluation.json"), "evaluation.json");
  const auto second = std::ranges::find(seen.inputs, 1, &report::EvaluatedInput::frame);
  ASSERT_NE(second, seen.inputs.end());
  for (const report::EvaluationBox& box : second->boxes) EXPECT_TRUE(box.score);
  expect_refusal(run_here({"people", "eval-tracks", got, "--truth", gt, "--video", video(),
                           "--video", video(), "-o", folder_ / "report"}),
                 kUsage, "--video names 2 videos for 1 file");
  expect_refusal(run_here({"people", "eval-tracks", got, "--truth", gt, "--video", "none.mp4", "-o",
                           folder_ / "never"}),
                 kBadInput, "none.mp4");
}

TEST_F(PeopleTrack, TheNumberOfThreadsDoesNotMatter) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  std::vector<std::string> texts;
  for (const char* threads : {"1", "3"}) {
    const Ended ended = track({video(), "--model", "cascade", "--enlarge", "2", "--mot", "-",
                               "--threads", threads, "--device", "cpu"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    texts.push_back(ended.out);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(PeopleTrack, AVideoOfOneFrameAndOneWithoutPeopleHaveNoTracks) {
  io::VideoWriter writer(folder_ / "one.y4m");
  writer.write(street(160, 176, 3).view());
  writer.finish();
  const Ended ended =
      track({folder_ / "one.y4m", "--model", "cascade", "--mot", folder_ / "none.txt", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["results"][0]["identities"], 0);
  EXPECT_EQ(test::load(folder_ / "none.txt"), "");
  const Ended measured =
      run_here({"people", "eval-tracks", folder_ / "none.txt", "--truth", truth(), "--json"});
  ASSERT_EQ(measured.status, kDone) << measured.err;
  EXPECT_EQ(json::parse(measured.out)["all"]["mota"], 0);
  const std::string empty = write("empty.txt", "");
  EXPECT_EQ(track({folder_ / "one.y4m", "--detections", empty}).status, kDone);
}

TEST_F(PeopleTrack, BadFilesAreRefusedInOneLine) {
  const auto refuse = [&](const std::string& text, const std::string& words) {
    expect_refusal(
        track({video(), "--detections", write("bad.txt", text), "--mot", folder_ / "never.txt"}),
        kBadInput, words);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "never.txt"));
  };
  refuse("1,-1,5\n", "line 1 is '1,-1,5'; expected frame, id, x, y, width and height");
  refuse("1,-1,nan,5,5,5,1\n", "a box of finite numbers");
  refuse("0,-1,5,5,5,5,1\n", "a whole frame from 1 on");
  const std::string twice = write("twice.txt", "1,1,5,5,5,5\n1,1,5,5,5,5\n");
  expect_refusal(run_here({"people", "eval-tracks", twice, "--truth", truth()}), kBadInput,
                 "lines 1 and 2 both have id 1 in frame 1");
  expect_refusal(run_here({"people", "eval-tracks", twice}), kUsage, "--truth names 0 files");
  expect_refusal(run_here({"people", "eval-tracks", truth(), "--truth", write("no.txt", "")}),
                 kBadInput, "holds no true box");
  expect_refusal(track({video(), video(), "--detections", found()}), kUsage, "--detections");
  expect_refusal(track({"nowhere.mp4"}), kBadInput, "nowhere.mp4");
}

TEST_F(PeopleTrack, FramesOutOfOrderAreSorted) {
  const std::string text = test::load(found());
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  // Frames come last to first, each with its lines in their order.
  std::stable_sort(lines.begin(), lines.end(), [](const std::string& a, const std::string& b) {
    return std::stoi(a) > std::stoi(b);
  });
  std::string reversed;
  for (const std::string& line : lines) reversed += line;
  EXPECT_EQ(track({video(), "--detections", write("r.txt", reversed), "--mot", "-"}).out,
            track({video(), "--detections", found(), "--mot", "-"}).out);
}

TEST(PeopleCrowd, TruthSaysWhoIsHidden) {
  const Crowd crowd({.size = {320, 180}, .people = 6, .seed = 3});
  bool hidden = false, seen = false;
  for (int number = 0; number < 60; ++number) {
    for (const people::MotBox& box : crowd.truth(number)) {
      EXPECT_GE(box.id, 1);
      EXPECT_LE(box.id, 6);
      hidden = hidden || box.visibility < 0.5;
      seen = seen || box.visibility > 0.99;
    }
  }
  EXPECT_TRUE(hidden);
  EXPECT_TRUE(seen);
  EXPECT_EQ(Crowd({.size = {320, 180}, .people = 6, .seed = 3}).truth(7), crowd.truth(7));
}

TEST(PeopleScene, RefusesWhatCannotBeDrawn) {
  EXPECT_EQ(run_here({"people", "scene"}).status, kUsage);
  EXPECT_EQ(run_here({"people", "scene", "-o", "x", "--size", "8x8"}).status, kUsage);
}

}  // namespace
}  // namespace fovea::cli
