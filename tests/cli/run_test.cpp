// Words and exit statuses as a shell sees them.
#include "cli/run.h"

#include <fovea/device.h>
#include <fovea/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.h"

namespace fovea::cli {
namespace {

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
      {{"gradient", "a.pgm"}, "fovea: 'gradient' is a verb of ops; write fovea ops gradient\n"},
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
      {{"ops", "gradient", "a.pgm"},
       "fovea: ops gradient needs -o OUT, a file or a folder to write to\n"},
      {{"ops", "gradient", "a.pgm", "-o", "b.pgm", "--kernel", "sobel"},
       "fovea: --kernel goes with --show dx or dy; magnitude and orientation take the centred "
       "difference\n"},
      {{"bench", "ops", "--json", "--csv"},
       "fovea: --json, --csv and --markdown exclude each other; give one of them\n"},
  };
  for (const auto& [args, message] : lines) {
    const Ended ended = run_here(args);
    EXPECT_EQ(ended.status, kUsage) << message;
    EXPECT_EQ(ended.err, message);
    EXPECT_EQ(ended.out, "");
  }
}

TEST(Gradient, WritesWhatTheClosedFormSays) {
  const Folder folder;
  write_ramp(folder / "a.pgm");
  const Ended ended = run_program({"ops", "gradient", folder / "a.pgm", "-o", folder / "b.pgm"});
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, folder / "b.pgm\n");
  EXPECT_EQ(ended.err, "");
  const std::string row("\x0a\x14\x14\x14\x14\x14\x14\x0a");  // 10, then 20 as of a slope of 10
  EXPECT_EQ(slurp(folder / "b.pgm"), "P5\n8 4\n255\n" + row + row + row + row);
  EXPECT_EQ(run_program({"ops", "gradient", folder / "a.pgm", "-o", folder / "c.pgm", "--show",
                         "dx", "--kernel", "sobel"})
                .status,
            kDone);
  EXPECT_EQ(slurp(folder / "c.pgm")[12], static_cast<char>(138));  // 128 + 20 / 2
}

TEST(Gradient, NamesWhatFailedAndDoesTheRest) {
  const Folder folder;
  std::filesystem::create_directory(folder / "in");
  write_ramp(folder / "in/a.pgm");
  write_ramp(folder / "in/c.pgm");
  spill(folder / "in/b.pgm", "P5\n8 4\n255\nshort");
  const Ended ended =
      run_program({"ops", "gradient", folder / "in", "-o", folder / "out", "--json"});
  EXPECT_EQ(ended.status, kSomeFailed);
  EXPECT_EQ(ended.err, "fovea: " + (folder / "in/b.pgm") + ": ends in row 0 of 4\n");
  const auto result = nlohmann::json::parse(ended.out);
  EXPECT_EQ(result["command"], "ops gradient");
  EXPECT_EQ(result["failed"], 1);
  EXPECT_EQ(result["options"]["bins"], 9);
  EXPECT_EQ(result["results"].size(), 3U);
  EXPECT_THAT(result["results"][1]["error"].get<std::string>(), HasSubstr("ends in row 0"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/a.pgm"));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/c.pgm"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/b.pgm"));
}

TEST(Gradient, FolderGlobListAndPattern) {
  const Folder folder;
  write_ramp(folder / "a.pgm");
  write_ramp(folder / "b.pgm");
  spill(folder / "list", folder / "a.pgm\n" + (folder / "b.pgm") + "\n");
  for (const std::string& input :
       {folder.path(), folder / "?.pgm", std::string("@").append(folder / "list")}) {
    const Ended ended = run_here({"ops", "gradient", input, "-o", folder / "out/{}-edges.pgm"});
    EXPECT_EQ(ended.out, folder / "out/a-edges.pgm\n" + (folder / "out/b-edges.pgm") + "\n")
        << ended.err;
    std::filesystem::remove_all(folder / "out");
  }
  EXPECT_EQ(run_here({"ops", "gradient", folder / "x*.pgm", "-o", folder / "o"}).status, kBadInput);
  EXPECT_EQ(
      run_here({"ops", "gradient", std::string("@").append(folder / "no"), "-o", folder / "o"})
          .status,
      kBadInput);
}

TEST(Gradient, OutputsMustNotCollide) {
  const Folder folder;
  const Ended one = run_here({"ops", "gradient", "a.pgm", "b.pgm", "-o", folder / "c.pgm"});
  EXPECT_EQ(one.status, kUsage);
  EXPECT_EQ(one.err, "fovea: -o " + (folder / "c.pgm") +
                         " names one file, but there are 2 inputs; give a folder, or a pattern "
                         "such as out/{}.pgm\n");
  const Ended two = run_here({"ops", "gradient", "x/a.pgm", "y/a.pgm", "-o", folder.path()});
  EXPECT_EQ(two.status, kUsage);
  EXPECT_THAT(two.err, HasSubstr("x/a.pgm and y/a.pgm would both be written to"));
}

TEST(Gradient, ABadInputAloneIsStatusThree) {
  const Folder folder;
  const std::string path = folder / "bad.pgm";
  for (const char* text : {"", "P", "P5", "P5\n", "P5 -3 4 255 ", "P5\n99999999999 1\n255\n",
                           "P7\n", "P5\n2 2\n65535\nxxxxxxxx", "P6\n60000 60000\n255\nabc"}) {
    spill(path, text);
    const Ended ended = run_here({"ops", "gradient", path, "-o", folder / "out.pgm"});
    EXPECT_EQ(ended.status, kBadInput) << text;
    EXPECT_TRUE(ended.err.starts_with("fovea: " + path + ": ")) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
    EXPECT_FALSE(std::filesystem::exists(folder / "out.pgm"));
  }
}

TEST(Gradient, AnAbsentDeviceIsStatusFour) {
  if (cuda_absence().empty()) GTEST_SKIP() << "there is a GPU here";
  const Folder folder;
  write_ramp(folder / "a.pgm");
  const Ended ended = run_program(
      {"ops", "gradient", folder / "a.pgm", "-o", folder / "b.pgm", "--device", "cuda"});
  EXPECT_EQ(ended.status, kNoDevice);
  EXPECT_THAT(ended.err, HasSubstr("fovea: device cuda:0 is not usable: "));
}

TEST(Gradient, StopsBetweenInputsAndKeepsWhatIsDone) {
  const Folder folder;
  write_ramp(folder / "a.pgm");
  const Ended ended =
      run_here({"ops", "gradient", folder / "a.pgm", "-o", folder / "b.pgm", "--json"}, fired());
  EXPECT_EQ(ended.status, kInterrupted);
  EXPECT_EQ(ended.err, "fovea: interrupted; what was finished is kept\n");
  EXPECT_EQ(nlohmann::json::parse(ended.out)["interrupted"], true);
}

TEST(Gradient, ProgressAsAsked) {
  const Folder folder;
  write_ramp(folder / "a.pgm");
  write_ramp(folder / "b.pgm");
  const std::vector<std::string> base{"ops", "gradient",     folder.path(),
                                      "-o",  folder / "out", "--progress"};
  const auto told = [&](const char* style, const char* more = "--json") {
    auto args = base;
    args.insert(args.end(), {style, more});
    return run_program(args).err;
  };
  EXPECT_THAT(told("plain"), HasSubstr("fovea: gradient: 50 %\nfovea: gradient: 100 %\n"));
  EXPECT_THAT(told("json"), HasSubstr("{\"stage\": \"gradient\", \"done\": 2, \"total\": 2, "));
  EXPECT_THAT(told("bar"), HasSubstr("\rgradient ["));
  EXPECT_EQ(told("none"), "");
  EXPECT_EQ(told("plain", "--quiet"), "");
  EXPECT_EQ(told("auto"), "");  // over before anyone would ask
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
  const Ended ended =
      Process({"bash", "-c", "set -o pipefail; " FOVEA_PROGRAM " help | (exec <&-; sleep 0.2)"})
          .wait();
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.status, testing::AnyOf(kReaderGone, kDone));
}

// Waits until the program says something, then sends the signal.
Ended interrupted(int signal) {
  Process bench(program({"bench", "ops", "--repeats", "100000", "--device", "cpu", "--threads", "1",
                         "--json", "--verbose"}));
  for (int i = 0; i < 200 && bench.err_so_far().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
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

TEST(Signals, AnIgnoredInterruptStaysIgnored) {
  const Ended ended = Process({"sh", "-c",
                               "trap '' INT; " FOVEA_PROGRAM
                               " bench ops --device cpu --threads 1 --repeats 3 --filter "
                               "'sobel_u8 640' --csv & sleep 0.1; kill -INT $!; wait $!"})
                          .wait();
  EXPECT_EQ(ended.status, kDone);
  EXPECT_THAT(ended.out, HasSubstr("gradient_sobel_u8,cpu,1,640x480,"));
}

TEST(Start, InfoIsQuick) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr double kMostSeconds = 2;
#else
  constexpr double kMostSeconds = 0.05;
#endif
  double best = 1e9;
  for (int i = 0; i < 50 && best >= kMostSeconds; ++i) {  // a busy machine may take a few tries
    const double start = steady_seconds();
    ASSERT_EQ(run_program({"info"}).status, kDone);
    best = std::min(best, steady_seconds() - start);
  }
  EXPECT_LT(best, kMostSeconds);
}

}  // namespace
}  // namespace fovea::cli
