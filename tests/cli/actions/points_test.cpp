#include <fovea/actions/points.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "actions/clips.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ActionsPoints : public testing::Test {
 protected:
  ActionsPoints() { write("walk.y4m", test::busy_clip({72, 56, 30}, 3)); }
  void write(const std::string& name, const test::Clip& clip) const {
    io::VideoWriter writer(folder_ / name, {.frame_rate = 20});
    for (const auto& frame : clip) writer.write(frame.view());
    writer.finish();
  }
  Ended points(std::vector<std::string> more, const std::stop_token& stop = {}) const {
    more.insert(more.begin(), {"actions", "points", "--quiet"});
    return run_here(more, stop);
  }

  test::TempFolder folder_;
};

TEST_F(ActionsPoints, WritesWhatTheLibraryFinds) {
  const test::Clip clip = test::busy_clip({72, 56, 30}, 3);
  const Ended ended = points({folder_ / "walk.y4m", "-o", folder_ / "p.txt", "--annotated",
                              folder_ / "seen.y4m", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const actions::PointSet set = actions::find_points(test::views_of(clip));
  const actions::PointSet read = actions::read_points(folder_ / "p.txt");
  ASSERT_GT(set.points.size(), 3U);
  ASSERT_EQ(read.points.size(), set.points.size());
  EXPECT_EQ(read.frames, 30);
  EXPECT_EQ(read.size.width, 72);
  EXPECT_EQ(read.frame_rate, 20);
  for (std::size_t i = 0; i < set.points.size(); ++i) {
    EXPECT_EQ(read.points[i].x, set.points[i].x);
    EXPECT_EQ(read.points[i].frame, set.points[i].frame);
    EXPECT_EQ(read.points[i].confidence, set.points[i].confidence);
    EXPECT_EQ(read.descriptors.at(100, static_cast<int>(i)),
              set.descriptors.at(100, static_cast<int>(i)));
  }
  const json report = json::parse(ended.out);
  EXPECT_EQ(report["frames"], 30);
  EXPECT_EQ(report["points"].size(), set.points.size());
  EXPECT_EQ(report["options"]["detector"], "harris");
  io::VideoReader seen(folder_ / "seen.y4m");
  int frames = 0;
  for (io::Frame frame; seen.next(frame);) ++frames;
  EXPECT_EQ(frames, 30);
}

TEST_F(ActionsPoints, TheFileIsTheSameForAnyNumberOfThreads) {
  const auto text = [&](const std::string& threads) {
    const Ended ended = points({folder_ / "walk.y4m", "-o", folder_ / "p.txt", "--threads", threads,
                                "--harris-border", "0", "--device", "cpu"});
    EXPECT_EQ(ended.status, kDone) << ended.err;
    std::ifstream file(folder_ / "p.txt");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string one = text("1");
  EXPECT_THAT(one, HasSubstr("# confidence"));
  EXPECT_EQ(text("2"), one);
  EXPECT_EQ(text("5"), one);
  const Ended printed =
      points({folder_ / "walk.y4m", "--threads", "5", "--harris-border", "0", "--device", "cpu"});
  EXPECT_EQ(printed.out, one);
}

TEST_F(ActionsPoints, PrintsThemWithoutAFile) {
  const Ended ended =
      points({folder_ / "walk.y4m", "--detector", "periodic", "--descriptors=false"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("# point-type"));
  EXPECT_THAT(ended.out, HasSubstr("# confidence"));
}

TEST_F(ActionsPoints, NoPointsIsNoError) {
  write("still.y4m", test::drawn_clip({40, 30, 5}, [](int x, int, int) { return x; }));
  const Ended ended =
      run_here({"actions", "points", folder_ / "still.y4m", "-o", folder_ / "s.txt"});
  EXPECT_EQ(ended.status, kDone);
  EXPECT_THAT(ended.err, HasSubstr("no interest point in 5 frames"));
  EXPECT_TRUE(actions::read_points(folder_ / "s.txt").points.empty());
}

TEST_F(ActionsPoints, ATruncatedVideoGivesWhatCameBefore) {
  const auto size = std::filesystem::file_size(folder_ / "walk.y4m");
  std::filesystem::resize_file(folder_ / "walk.y4m", size - 1000);
  const Ended ended = points({folder_ / "walk.y4m", "-o", folder_ / "p.txt"});
  EXPECT_EQ(ended.status, kBadInput) << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_EQ(actions::read_points(folder_ / "p.txt").frames, 29);
}

TEST_F(ActionsPoints, StopsAsAsked) {
  EXPECT_EQ(points({folder_ / "walk.y4m", "-o", folder_ / "p.txt"}, fired()).status, kInterrupted);
}

TEST_F(ActionsPoints, BadWordsAreNamed) {
  EXPECT_THAT(points({folder_ / "walk.y4m", "--periodic-frequency", "0.7"}).err, HasSubstr("0.7"));
  EXPECT_THAT(points({folder_ / "none.avi"}).err, HasSubstr("none.avi"));
  EXPECT_THAT(points({folder_ / "walk.y4m", "-o", "x.y4m", "--annotated", "x.y4m"}).err,
              HasSubstr("written twice"));
}

}  // namespace
}  // namespace fovea::cli
