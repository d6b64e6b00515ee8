#include <fovea/actions/points.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

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

// A sink that another thread can watch.
class WatchedSink final : public Sink {
 public:
  void write(std::string_view more) override {
    {
      const std::lock_guard lock(mutex_);
      text_ += more;
    }
    if (on_write) on_write(text());
    changed_.notify_all();
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  // Whether the text appears in time.
  bool wait_for(const std::string& wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60),
                             [&] { return text_.find(wanted) != std::string::npos; });
  }
  std::function<void(const std::string&)> on_write{};

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

TEST_F(ActionsPoints, TheTextOfAPipeAppearsWhileTheVideoRuns) {
  const std::string bytes = test::load(folder_ / "walk.y4m"), fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  WatchedSink out;
  TextSink err;
  bool early = false;
  std::thread writer([&] {
    std::ofstream pipe(fifo, std::ios::binary);
    pipe.write(bytes.data(), static_cast<std::streamsize>(bytes.size() - 8000)).flush();
    early = out.wait_for("# confidence");  // the last frames have not been written
    pipe.write(bytes.data() + bytes.size() - 8000, 8000);
  });
  const int status = run({"actions", "points", fifo, "--quiet", "--harris-border", "0",
                          "--descriptors=false", "--harris-threshold", "1e-11"},
                         {.out = out, .err = err});
  writer.join();
  EXPECT_EQ(status, kDone) << err.text;
  EXPECT_TRUE(early);
  const std::string text = out.text();
  EXPECT_THAT(text, HasSubstr("# fovea video 72 56 0 20\n"));  // not known beforehand
  const actions::PointSet set =
      actions::read_points(std::as_bytes(std::span(text.data(), text.size())), "pipe");
  EXPECT_EQ(set.frames, 30);
  EXPECT_EQ(set.size.width, 72);
  const Ended file = points({folder_ / "walk.y4m", "--harris-border", "0", "--descriptors=false",
                             "--harris-threshold", "1e-11", "--device", "cpu"});
  const actions::PointSet whole =
      actions::read_points(std::as_bytes(std::span(file.out.data(), file.out.size())), "file");
  ASSERT_EQ(set.points.size(), whole.points.size());
  for (std::size_t i = 0; i < set.points.size(); ++i) {
    EXPECT_EQ(set.points[i].frame, whole.points[i].frame);
    EXPECT_EQ(set.points[i].confidence, whole.points[i].confidence);
  }
}

TEST_F(ActionsPoints, AnInterruptKeepsWhatWasFound) {
  std::stop_source stop;
  WatchedSink out;
  out.on_write = [&](const std::string& text) {
    if (text.find("\"frame\"") != std::string::npos) stop.request_stop();
  };
  TextSink err;
  write("long.y4m", test::busy_clip({72, 56, 90}, 3));
  const int status =
      run({"actions", "points", folder_ / "long.y4m", "--quiet", "--harris-border", "0", "--json",
           "-o", folder_ / "part.txt", "--threads", "1", "--descriptors=false"},
          {.out = out, .err = err, .stop = stop.get_token()});
  EXPECT_EQ(status, kInterrupted) << err.text;
  const actions::PointSet part = actions::read_points(folder_ / "part.txt");
  EXPECT_GT(part.frames, 5);
  EXPECT_LT(part.frames, 90);
  ASSERT_FALSE(part.points.empty());
  EXPECT_LT(part.points.back().frame, part.frames);
  const json report = json::parse(out.text());
  EXPECT_EQ(report["frames"], part.frames);
  EXPECT_EQ(report["whole"], false);
  EXPECT_EQ(report["points"].size(), part.points.size());
}

TEST_F(ActionsPoints, BadWordsAreNamed) {
  EXPECT_THAT(points({folder_ / "walk.y4m", "--periodic-frequency", "0.7"}).err, HasSubstr("0.7"));
  EXPECT_THAT(points({folder_ / "none.avi"}).err, HasSubstr("none.avi"));
  EXPECT_THAT(points({folder_ / "walk.y4m", "-o", "x.y4m", "--annotated", "x.y4m"}).err,
              HasSubstr("written twice"));
}

}  // namespace
}  // namespace fovea::cli
