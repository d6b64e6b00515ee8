#include <fovea/actions/classify.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/actions/verbs.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class ActionsClassify : public ActionsVerbs {
 protected:
  static Ended classify(std::vector<std::string> words) {
    words.insert(words.begin(), {"actions", "classify", "--model", model_});
    return run_here(words);
  }
  static std::string clip(const std::string& name) { return *folder_ / ("clips/" + name); }
};

TEST_F(ActionsClassify, GivesWhatTheLibraryGives) {
  const std::vector<std::string> paths{clip("up/s0_swing.y4m"), clip("grow/s1_swing.y4m")};
  const Ended ended = classify({paths[0], paths[1], "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  ASSERT_EQ(report["results"].size(), 2);
  actions::Classifier classifier(model_);
  for (std::size_t i = 0; i < 2; ++i) {
    const actions::ClipClass found = classifier.classify(paths[i]);
    const json& result = report["results"][i];
    EXPECT_EQ(result["input"], paths[i]);
    EXPECT_EQ(result["name"], found.name);
    EXPECT_EQ(result["label"], found.label);
    EXPECT_EQ(result["distance"], found.distance);
    EXPECT_EQ(result["margin"], found.margin);
    EXPECT_EQ(result["probability"], found.probability.value());
    EXPECT_EQ(result["runner_up"], classifier.classes()[static_cast<std::size_t>(found.runner_up)]);
    for (std::size_t c = 0; c < classifier.classes().size(); ++c)
      EXPECT_EQ(result["distances"][classifier.classes()[c]], found.distances[c]);
  }
  EXPECT_EQ(report["results"][0]["name"], "up");
  EXPECT_EQ(report["failed"], 0);
}

TEST_F(ActionsClassify, TakesPointsThatWereFoundAsTheModelNeedsThem) {
  const std::string video = clip("up/s0_swing.y4m"), points = *folder_ / "needed.txt";
  const auto found_by = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"actions", "points", video, "-o", points, "--quiet"});
    const Ended ended = run_here(more);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return classify({points, "--json"});
  };
  const Ended right = found_by({"--model", model_});
  ASSERT_EQ(right.status, kDone) << right.err;
  const json of_video = json::parse(classify({video, "--json"}).out)["results"][0];
  const json of_points = json::parse(right.out)["results"][0];
  for (const char* number : {"name", "score", "distance"})
    EXPECT_EQ(of_points[number], of_video[number]) << number;
  const Ended usual = found_by({});
  EXPECT_EQ(usual.status, kBadInput);
  EXPECT_THAT(usual.err, HasSubstr("votes count"));
  EXPECT_THAT(usual.err, HasSubstr("fovea actions points VIDEO -o FILE.txt --harris-threshold"));
  const Ended other = found_by({"--model", model_, "--harris-space-weight", "3"});
  EXPECT_EQ(other.status, kBadInput);
  EXPECT_THAT(other.err, HasSubstr("found with --harris-space-weight 3; expected"));
}

TEST_F(ActionsClassify, PrintsAndWritesCsv) {
  const Ended ended = classify({clip("up"), "--threads", "2"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out,
              StartsWith("file,first_frame,class,nearest,runner_up,score,distance,margin,"
                         "probability,distance_across,distance_grow,distance_up\n"));
  EXPECT_THAT(ended.out, HasSubstr(clip("up/s2_swing.y4m") + ",0,up,up,"));
  EXPECT_THAT(ended.err, HasSubstr("3 clips in"));
  const std::string file = *folder_ / "classes.csv";
  const Ended written = classify({clip("up"), "-o", file, "--threads", "1"});
  ASSERT_EQ(written.status, kDone) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(test::load(file), ended.out);
  const Ended as_json = classify({clip("up"), "-o", *folder_ / "classes.json"});
  ASSERT_EQ(as_json.status, kDone) << as_json.err;
  EXPECT_EQ(json::parse(test::load(*folder_ / "classes.json"))["results"].size(), 3);
}

TEST_F(ActionsClassify, CountsCorrectClipsOfAListWithParts) {
  test::save(*folder_ / "list.txt",
             "clips/up/s0_swing.y4m up s0 1-30\nclips/grow/s0_swing.y4m grow s0 3-36\n"
             "clips/across/s1_swing.y4m grow s1\n");
  const Ended ended = classify({"--clips", *folder_ / "list.txt", "--reject", "0", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("2 of 3 correct"));
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["results"][1]["first_frame"], 2);
  EXPECT_EQ(report["results"][2]["truth"], "grow");
  EXPECT_EQ(report["results"][2]["name"], "across");
  const Ended part = classify(
      {clip("grow/s0_swing.y4m"), "--first", "3", "--frames", "34", "--reject", "0", "--json"});
  ASSERT_EQ(part.status, kDone) << part.err;
  EXPECT_EQ(json::parse(part.out)["results"][0]["distances"], report["results"][1]["distances"]);
}

TEST_F(ActionsClassify, TakesFilesOfPoints) {
  const std::string video = clip("up/s1_swing.y4m"), file = *folder_ / "p.txt";
  ASSERT_EQ(run_here({"actions", "points", video, "-o", file, "--harris-levels", "2",
                      "--harris-scales", "1", "--harris-threshold", "1e-13",
                      "--harris-space-weight", "1", "--votes", "magnitude"})
                .status,
            kDone);
  const json from_video = json::parse(classify({video, "--json"}).out)["results"][0];
  const json from_points = json::parse(classify({file, "--json"}).out)["results"][0];
  EXPECT_EQ(from_points["distances"], from_video["distances"]);
  EXPECT_EQ(from_points["name"], "up");
  // Its events are those of the video as well.
  const auto events = [&](const std::string& input) {
    std::vector<json> lines = lines_of(
        run_here({"actions", "recognize", input, "--model", model_, "--reject", "1.2", "--quiet"})
            .out);
    for (json& line : lines) line.erase("latency_frames");
    return lines;
  };
  EXPECT_EQ(events(file), events(video));
  EXPECT_GE(events(file).size(), 1U);
}

TEST_F(ActionsClassify, ClipsThatFailAreNamedAndOthersDone) {
  test::save(*folder_ / "broken.y4m", "YUV4MPEG2 W16 H16 F25:1 Cmono\nFRAME\nxx");
  const Ended some = classify({clip("up/s0_swing.y4m"), *folder_ / "broken.y4m"});
  EXPECT_EQ(some.status, kSomeFailed);
  EXPECT_THAT(some.err, HasSubstr("broken.y4m"));
  EXPECT_THAT(some.out, HasSubstr("s0_swing.y4m,0,up"));
  EXPECT_EQ(classify({*folder_ / "broken.y4m"}).status, kBadInput);
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(ended.out, "");
  };
  expect(classify({}), kUsage, "needs a VIDEO, or --clips");
  expect(classify({clip("up"), "-o", "x.txt"}), kUsage,
         "x.txt: the list of results is written as .csv");
  expect(classify({clip("up"), "--clips", clip("")}), kUsage, "give no VIDEO");
  expect(classify({"--first", "0", clip("up")}), kUsage, "first");
  std::filesystem::create_directory(*folder_ / "notes");
  test::save(*folder_ / "notes/a.txt", "no points\n");
  test::save(*folder_ / "list.txt", *folder_ / "notes/a.txt");
  expect(classify({*folder_ / "notes"}), kUsage, "holds no video and no file of points");
  EXPECT_EQ(classify({*folder_ / "notes/a.txt"}).status, kBadInput);
  EXPECT_EQ(classify({"@" + (*folder_ / "list.txt")}).status, kBadInput);
  EXPECT_EQ(classify({*folder_ / "notes/*.txt"}).status, kBadInput);
  expect(run_here({"actions", "classify", clip("up"), "--model", "yolo"}), kBadInput,
         "actions/weizmann");
  const Ended late = classify({clip("up/s0_swing.y4m"), "--first", "999"});
  EXPECT_EQ(late.status, kBadInput);
  EXPECT_THAT(late.err, HasSubstr("begins at frame 999, but the video has only 36"));
}

}  // namespace
}  // namespace fovea::cli
