#include "io/video/pipe_stream.h"

#include <fcntl.h>
#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/files.h"
#include "support/waiting.h"

namespace fovea::io {
namespace {

// A named pipe that stays open for writing: its reader never meets an end.
class OpenPipe {
 public:
  OpenPipe() {
    mkfifo(path().c_str(), 0600);
    descriptor_ = open(path().c_str(), O_RDWR | O_CLOEXEC);
  }
  ~OpenPipe() { close(descriptor_); }
  OpenPipe(const OpenPipe&) = delete;
  OpenPipe& operator=(const OpenPipe&) = delete;

  std::string path() const { return folder_ / "pipe"; }
  void send(const std::string& text) const {
    ASSERT_EQ(write(descriptor_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

 private:
  test::TempFolder folder_;
  int descriptor_ = -1;
};

TEST(PipeStream, AStopEndsTheWaitForTheNextFrame) {
  const OpenPipe pipe;
  pipe.send("YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcd");
  std::stop_source stop;
  VideoReadOptions options;
  options.stop = stop.get_token();
  VideoReader reader(pipe.path(), options);
  Frame frame;
  ASSERT_TRUE(reader.next(frame));
  EXPECT_EQ(frame.image.width(), 2);
  const std::jthread stopper = test::stop_once_asleep(stop);
  EXPECT_THROW(reader.next(frame), Cancelled);
}

TEST(PipeStream, AStopEndsTheWaitForAWriter) {
  const test::TempFolder folder;
  const std::string path = folder / "pipe";
  mkfifo(path.c_str(), 0600);
  std::stop_source stop;
  VideoReadOptions options;
  options.stop = stop.get_token();
  const std::jthread stopper = test::stop_once_asleep(stop);
  EXPECT_THROW(VideoReader(path, options), Cancelled);
}

TEST(PipeStream, ReadsToTheEnd) {
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "abc", 3), 3);
  close(ends[1]);
  const FilePointer stream = pipe_stream(ends[0], {});
  char text[8] = {};
  EXPECT_EQ(std::fread(text, 1, sizeof(text), stream.get()), 3U);
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(std::ferror(stream.get()), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace fovea::io
