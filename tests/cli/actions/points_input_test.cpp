#include "cli/actions/points_input.h"

#include <fovea/actions/points.h>
#include <fovea/io/image_io.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include "actions/synthetic.h"
#include "cli/actions/verbs.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class ActionsPointsInput : public testing::Test {
 protected:
  ActionsPointsInput() {
    for (const int subject : {0, 1}) {
      actions::PointSet set = actions::synthetic_points(1, subject, 20, 3);
      test::save(folder_ / ("p" + std::to_string(subject) + ".txt"), actions::points_text(set));
    }
  }
  test::TempFolder folder_;
};

TEST_F(ActionsPointsInput, PointsAreChosenAndWrittenAgain) {
  const std::string from = folder_ / "p0.txt", to = folder_ / "out.txt";
  const auto convert = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"actions", "points", from, "-o", to});
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return ended.out;
  };
  EXPECT_THAT(convert({}), HasSubstr("60 of 60 points in 20 frames"));
  EXPECT_EQ(test::load(to), test::load(from));
  EXPECT_THAT(convert({"--most-per-frame", "2"}), HasSubstr("40 of 60 points"));
  EXPECT_EQ(actions::read_points(to).descriptors.height(), 40);
  EXPECT_THAT(convert({"--least-confidence", "0.6", "--no-descriptors"}),
              HasSubstr("20 of 60 points"));
  EXPECT_TRUE(actions::read_points(to).descriptors.empty());
  EXPECT_EQ(actions::read_points(to).frames, 20);
}

TEST_F(ActionsPointsInput, PointsOfAFrameAreSortedByConfidence) {
  const std::string from = folder_ / "mixed.txt";
  test::save(from,
             "# confidence 1\n5 0 0 0 9 9 4 4 2\n# confidence 2\n5 0 0 0 1 1 4 4 2\n"
             "# confidence 3\n5 0 0 0 2 2 1 4 2\n");
  const Ended ended = run_here({"actions", "points", from, "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["points"][0]["frame"], 1);
  EXPECT_EQ(report["points"][1]["confidence"], 2);
  EXPECT_EQ(report["points"][2]["confidence"], 1);
  EXPECT_EQ(report["frames"], 5);
}

TEST_F(ActionsPointsInput, PointsAreWrittenAsATable) {
  const std::string to = folder_ / "p.csv";
  ASSERT_EQ(run_here({"actions", "points", folder_ / "p0.txt", "-o", to}).status, kDone);
  EXPECT_THAT(test::load(to), StartsWith("frame,x,y,sigma2,tau2,confidence,hog0,"));
  EXPECT_THAT(test::load(to), HasSubstr(",hog71,hof0,"));
  ASSERT_EQ(
      run_here({"actions", "points", folder_ / "p0.txt", "-o", to, "--no-descriptors"}).status,
      kDone);
  EXPECT_THAT(test::load(to), StartsWith("frame,x,y,sigma2,tau2,confidence\n0,"));
}

TEST_F(ActionsPointsInput, MatchTakesPointsAndDrawsThem) {
  const Ended ended = run_here({"actions", "match", folder_ / "p0.txt", folder_ / "p1.txt", "-o",
                                folder_ / "m.png", "--nodes", "8", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(json::parse(ended.out)["nodes"].size(), 8);
  EXPECT_GT(io::image_info(folder_ / "m.png").width, 160);
}

// Drawn as letters by FFmpeg, it gave thousands of points.
TEST_F(ActionsPointsInput, ADamagedFileOfPointsIsNoVideo) {
  const std::string from = folder_ / "p0.txt", to = folder_ / "out.txt";
  std::string text = test::load(from);
  const std::size_t first = text.find("\n5 ") + 1;
  text[first] = 'x';  // the first letter of the first point
  test::save(from, text);
  const auto expect = [&](const Ended& ended, const char* words) {
    EXPECT_EQ(ended.status, kBadInput) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  expect(run_here({"actions", "points", from, "-o", to}), "line 4: \"x\", expected a number");
  test::save(from, text.substr(first));  // without comments
  expect(run_here({"actions", "points", from, "-o", to}), "line 1: \"x\", expected a number");
  if (!io::video_feature().usable) return;  // and text is refused as every video is
  test::save(from, "Notes about the clips:\n1 and 2 are good.\n");
  expect(run_here({"actions", "points", from, "-o", to}), "p0.txt: is text and no video");
  expect(run_here({"flow", "lk", from, "-o", folder_ / "out.mp4"}), "p0.txt: is text and no video");
  expect(run_here({"actions", "match", from, folder_ / "p1.txt", "-o", folder_ / "m.png"}),
         "p0.txt: is text and no video");
  EXPECT_FALSE(std::filesystem::exists(to));
}

TEST_F(ActionsPointsInput, WhatFilesOfPointsCannotDoIsOneLine) {
  const auto expect = [](const Ended& ended, int status, const char* words) {
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
    EXPECT_EQ(ended.out, "");
  };
  const std::string points = folder_ / "p0.txt";
  expect(run_here({"actions", "points", points, "--annotated", folder_ / "a.mp4"}), kUsage,
         "has points and no frames to draw on");
  expect(run_here({"actions", "recognize", points, "--annotated", folder_ / "a.mp4"}), kUsage,
         "has points and no frames to draw on");
  expect(run_here({"actions", "points", points, "-o", points}), kUsage, "p0.txt");
  actions::PointSet set = actions::synthetic_points(0, 0, 12);
  set.detector = actions::PointDetector::kPeriodic;
  test::save(folder_ / "periodic.txt", actions::points_text(set));
  expect(run_here({"actions", "recognize", folder_ / "periodic.txt"}), kBadInput,
         "points of the periodic detector; expected those of harris");
  set.descriptors = {};
  test::save(folder_ / "plain.txt", actions::points_text(set));
  expect(run_here({"actions", "match", folder_ / "plain.txt", points, "-o", folder_ / "x.png"}),
         kBadInput, "plain.txt: the points have no descriptors");
  actions::write_swings(folder_ / "v.y4m", {0}, 0, 12);
  expect(run_here({"actions", "points", folder_ / "v.y4m", "--least-confidence", "1"}), kUsage,
         "it is for files of points");
}

}  // namespace
}  // namespace fovea::cli
