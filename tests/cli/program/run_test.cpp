// Covers: console, process, signals
// Words and exit statuses as a shell sees them.
#include "cli/program/run.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program/program.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Status, OneForEachKindOfError) {
  EXPECT_EQ(status_of(InvalidArgument("")), 2);
  EXPECT_EQ(status_of(IoError("")), 3);
  EXPECT_EQ(status_of(FormatError("")), 3);
  EXPECT_EQ(status_of(ModelError("")), 3);
  EXPECT_EQ(status_of(DeviceError("")), 4);
  EXPECT_EQ(status_of(Cancelled("")), 130);
  EXPECT_EQ(status_of(OutputError("")), 1);
  EXPECT_EQ(status_of(Error("")), 1);
  EXPECT_EQ(status_of(std::bad_alloc()), 1);
}

TEST(Usage, OneLineAndStatusTwo) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> lines{
      {{"op"}, "fovea: there is no system or command 'op'; did you mean ops?\n"},
      {{"frobnicate"}, "fovea: there is no system or command 'frobnicate'; see fovea help\n"},
      {{"inof"}, "fovea: there is no system or command 'inof'; did you mean info?\n"},
      {{"gradient", "a.png"}, "fovea: 'gradient' is a verb of ops; write fovea ops gradient\n"},
      {{"ops", "gradeint"}, "fovea: ops has no verb 'gradeint'; did you mean gradient?\n"},
      {{"ops", "zzz"}, "fovea: ops has no verb 'zzz'; see fovea help ops\n"},
      {{"help", "opps"}, "fovea: there is no system 'opps'; did you mean ops?\n"},
      {{"help", "ops", "gradeint"}, "fovea: ops has no verb 'gradeint'; did you mean gradient?\n"},
      {{"--json", "info"},
       "fovea: --json stands before a system; write fovea SYSTEM VERB INPUT... [options]\n"},
      {{"info", "extra"},
       "fovea: info: 'extra' is one argument too many; write fovea info "
       "[options]\n"},
      {{"completion", "zhs"},
       "fovea: shell 'zhs' is not known; expected bash, zsh or fish; did "
       "you mean zsh?\n"},
      {{"ops", "gradient", "a.png"},
       "fovea: ops gradient needs -o OUT, a file or a folder to write to\n"},
      {{"ops", "gradient", "a.png", "-o", "b.png", "--kernel", "sobel"},
       "fovea: --kernel goes with --show dx or dy; magnitude and orientation take the centered "
       "difference\n"},
  };
  for (const auto& [args, message] : lines) {
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, kUsage) << message;
    EXPECT_EQ(ended.err, message);
    EXPECT_EQ(ended.out, "");
  }
}

TEST(Messages, AreOneShortLineWithoutControlCharacters) {
  const std::string hostile = "\x1b[31m\n" + std::string(100000, 'x');
  const std::vector<std::vector<std::string>> lines{
      {hostile},
      {"ops", hostile},
      {"ops", "blur", hostile, "-o", "out.png"},
      {"ops", "blur", "a.png", "-o", "out.png", "--" + hostile},
      {"ops", "blur", "a.png", "-o", "out.png", "--sigma", hostile},
      {"ops", "blur", "a.png", "-o", "out.png", "--set", hostile},
      {"bench", "ops", "--filter", hostile}};
  for (const auto& args : lines) {
    const Ended ended = run_here(args);
    EXPECT_NE(ended.status, kDone);
    EXPECT_LT(ended.err.size(), 1500U) << ended.err;
    EXPECT_EQ(ended.err.find('\x1b'), std::string::npos);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST(Output, AFullDiskIsReported) {
  const Ended ended = run_program({"help"}, "/dev/full");
  EXPECT_EQ(ended.status, kFailed);
  EXPECT_EQ(ended.err, "fovea: standard output: cannot write: No space left on device\n");
}

TEST(Output, AClosedStreamIsReported) {
  const Ended ended = Process({"sh", "-c", FOVEA_PROGRAM " info >&-"}).wait();
  EXPECT_EQ(ended.status, kFailed);
  EXPECT_EQ(ended.err, "fovea: standard output: cannot write: Bad file descriptor\n");
}

TEST(Output, AReaderThatHasGoneEndsItQuietly) {
  const test::TempFolder folder;
  const std::string gone = folder / "gone";
  ASSERT_EQ(mkfifo(gone.c_str(), 0600), 0);
  // The program starts once the reader has closed its end.
  const Ended ended = Process({"bash", "-c",
                               "set -o pipefail; { read -r <\"$0\"; " FOVEA_PROGRAM
                               " help; } | { exec <&-; echo >\"$0\"; }",
                               gone})
                          .wait();
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.status, kReaderGone);
}

// Waits until the program says something, then sends the signal.
Ended interrupted(int signal) {
  Process bench(program({"bench", "emd", "--bins", "4", "--filter", "emd_solver_l1 ", "--repeats",
                         "100000", "--device", "cpu", "--threads", "1", "--json", "--verbose"}));
  bench.wait_for([](const std::string& err) { return !err.empty(); });
  bench.send(signal);
  return bench.wait();
}

TEST(Signals, InterruptKeepsPartialResults) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ended ended = interrupted(signal);
    EXPECT_EQ(ended.status, kInterrupted);
    EXPECT_THAT(ended.err, HasSubstr("fovea: interrupted; what was finished is kept\n"));
    EXPECT_EQ(nlohmann::json::parse(ended.out)["interrupted"], true);
  }
}

// A camera that has nothing to send must not keep the results that there are.
TEST(Signals, AnInterruptEndsTheWaitForAPipe) {
  const test::TempFolder folder;
  const std::string pipe = folder / "pipe", boxes = folder / "boxes.csv";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int writer = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  const std::string stream =
      "YUV4MPEG2 W64 H128 Cmono\nFRAME\n" + std::string(std::size_t{64} * 128, 'a');
  ASSERT_EQ(write(writer, stream.data(), stream.size()), static_cast<ssize_t>(stream.size()));
  Process detect(program({"people", "detect", pipe, "--csv", boxes}));
  int unread = 1;  // bytes; when there are none, the program waits for the next frame
  while (ioctl(writer, FIONREAD, &unread) == 0 && unread > 0) std::this_thread::yield();
  detect.send(SIGINT);
  const Ended ended = detect.wait();
  close(writer);
  EXPECT_EQ(ended.status, kInterrupted);
  EXPECT_THAT(ended.err, HasSubstr("what was finished is kept"));
  EXPECT_THAT(test::load(boxes), HasSubstr("score"));
  EXPECT_EQ(folder.files(), 2U);  // the pipe and the boxes
}

TEST(Signals, AnIgnoredInterruptStaysIgnored) {
  Process bench({"sh", "-c",
                 "trap '' INT; exec " FOVEA_PROGRAM
                 " bench ops --device cpu --threads 1 --repeats 3 --filter 'sobel_u8 640' --csv "
                 "--verbose"});
  bench.wait_for([](const std::string& err) { return !err.empty(); });
  bench.send(SIGINT);
  const Ended ended = bench.wait();
  EXPECT_EQ(ended.status, kDone);
  EXPECT_THAT(ended.out, HasSubstr("gradient_sobel_u8,cpu,1,640x480,"));
}

// Processor time: other programs on the machine take none of it, but they empty the caches, hence
// the best of several starts.
double best_start(const std::vector<std::string>& words) {
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const Ended ended = Process(words).wait();
    EXPECT_EQ(ended.status, kDone);
    best = std::min(best, ended.processor_seconds);
  }
  return best;
}

// On any machine: compared with a program that does nothing.
TEST(Start, IsQuick) {
  FOVEA_SKIP_WHERE_SANITIZED("a start is slow");
  EXPECT_LT(best_start(program({"--version"})), 60 * best_start({"true"}));
}

// FFmpeg is loaded when a video is opened. The loader searches LD_LIBRARY_PATH first and finds
// broken files there, of whatever version this build was made for.
TEST(Start, NeedsNoFfmpeg) {
  if (!io::video_feature().usable) GTEST_SKIP() << io::video_feature().detail;
  const test::TempFolder folder;
  for (int version = 50; version < 80; ++version)
    std::ofstream(folder / fmt::format("libavutil.so.{}", version)) << "no library";
  std::ofstream(folder / "v.mp4") << "no video";
  write_ramp(folder / "ramp.png");
  const std::string without = "LD_LIBRARY_PATH=" + folder.path();
  const Ended video =
      Process({"env", without, FOVEA_PROGRAM, "people", "detect", folder / "v.mp4"}).wait();
  EXPECT_EQ(video.status, kBadInput);
  EXPECT_THAT(video.err, AllOf(HasSubstr("v.mp4: cannot read video: FFmpeg is not installed here"),
                               HasSubstr("y4m and folders of images work without it")));
  EXPECT_EQ(Process({"env", without, FOVEA_PROGRAM, "info"}).wait().status, kDone);
  const Ended image = Process({"env", without, FOVEA_PROGRAM, "ops", "gradient",
                               folder / "ramp.png", "-o", folder / "gradient.png"})
                          .wait();
  EXPECT_EQ(image.status, kDone) << image.err;
}

}  // namespace
}  // namespace fovea::cli
