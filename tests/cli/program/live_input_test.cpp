// Streams as inputs of the verbs that take video.
// Covers: image_input, output_paths
#include <fovea/io/video.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/program/program.h"
#include "support/rtsp.h"
#include "support/server.h"

namespace fovea::cli {
namespace {

using std::chrono::milliseconds;
using test::Connection;
using test::Server;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kWidth = 80, kHeight = 160;

class LiveInput : public testing::Test {
 protected:
  void SetUp() override {
    if (!io::video_feature().usable) GTEST_SKIP() << io::video_feature().detail;
  }
  test::TempFolder folder_;
};

// A bright square on a dark ground, which moves.
std::string square(int number) {
  std::string frame = test::y4m_frame(kWidth, kHeight, 40);
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 24; ++x)
      frame[6 + static_cast<std::size_t>((30 + y) * kWidth + 5 + number % 30 + x)] = '\xc8';
  return frame;
}

void send_squares(const Connection& to, int frames, milliseconds pause) {
  to.send(test::y4m_header(kWidth, kHeight));
  for (int i = 0; i < frames && to.send(square(i)); ++i) to.pause(pause);
}

TEST_F(LiveInput, EveryVerbCountsFramesAndDroppedOnes) {
  const Server server([](const Connection& to) { send_squares(to, 12, milliseconds(1)); });
  const std::vector<std::vector<std::string>> verbs{
      {"people", "detect", server.tcp()},
      {"actions", "points", server.tcp()},
      {"actions", "recognize", server.tcp()},
      {"flow", "lk", server.tcp(), "-o", folder_ / "fields"},
      {"flow", "bm", server.tcp(), "--picture", "wheel", folder_ / "wheel.y4m"},
      {"emd", "map", server.tcp(), "--target", "5,30,24,24", "-o", folder_ / "maps/"},
      {"emd", "track", server.tcp(), "--target", "5,30,24,24", "-o", folder_ / "t.txt"},
      {"people", "track", server.tcp(), "--mot", folder_ / "people.txt"}};
  for (std::vector<std::string> args : verbs) {
    args.insert(args.end(), {"--json", "--quiet"});
    const Ended ended = run_here(args);
    ASSERT_EQ(ended.status, kDone) << args[0] << " " << args[1] << ": " << ended.err;
    const std::size_t last = ended.out.rfind("\n{");
    nlohmann::json result = nlohmann::json::parse(
        args[1] == "recognize" && last != ended.out.npos ? ended.out.substr(last) : ended.out);
    if (result.contains("results")) result = result["results"][0];
    const std::int64_t frames = result["frames"].is_array()
                                    ? static_cast<std::int64_t>(result["frames"].size())
                                    : result["frames"].get<std::int64_t>();
    EXPECT_EQ(frames + result["dropped"].get<std::int64_t>(), 12) << args[0] << " " << args[1];
  }
}

TEST_F(LiveInput, AllFramesOfAStreamGiveWhatTheFileGives) {
  std::string video = test::y4m_header(kWidth, kHeight);
  for (int i = 0; i < 6; ++i) video += square(i);
  test::save(folder_ / "v.y4m", video);
  const Server server([&](const Connection& to) { to.send(video); });
  for (const std::string& input : {folder_ / "v.y4m", server.tcp()})
    ASSERT_EQ(run_here({"emd", "track", input, "--target", "5,30,24,24", "--live", "all", "-o",
                        folder_ / (input == server.tcp() ? "live.txt" : "file.txt"), "--quiet"})
                  .status,
              kDone);
  EXPECT_EQ(test::load(folder_ / "live.txt"), test::load(folder_ / "file.txt"));
}

TEST_F(LiveInput, WhatWasFoundBeforeAStallIsKept) {
  const Server server([](const Connection& to) {
    send_squares(to, 3, milliseconds(0));
    to.stay_silent();
  });
  const Ended ended =
      run_here({"people", "detect", server.tcp(), "--live", "all", "--timeout", "2", "--json",
                "--quiet", "-o", folder_ / "seen.mp4", "--csv", folder_ / "seen.csv"});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("nothing came for 2 s"));
  const nlohmann::json result = nlohmann::json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["frames"].size(), 3U);
  EXPECT_THAT(result["error"].get<std::string>(), HasSubstr("frame 3"));
  int frames = 0;
  io::VideoReader reader(folder_ / "seen.mp4");
  for (io::Frame frame; reader.next(frame);) ++frames;
  EXPECT_EQ(frames, 3);
}

TEST_F(LiveInput, AnInterruptKeepsWhatWasFound) {
  const Server server([](const Connection& to) { send_squares(to, 100000, milliseconds(40)); });
  Process detect({FOVEA_PROGRAM, "people", "detect", server.tcp(), "--json", "-o",
                  folder_ / "seen.mp4", "--progress", "json"});
  detect.wait_for([](const std::string& err) {
    const auto at = err.rfind("\"done\": ");
    return at != std::string::npos && err[at + 8] != '0';
  });
  detect.send(SIGINT);
  const Ended ended = detect.wait();  // not for the frames of an hour
  EXPECT_EQ(ended.status, kInterrupted);
  const nlohmann::json result = nlohmann::json::parse(ended.out);
  EXPECT_EQ(result["interrupted"], true);
  EXPECT_GE(result["results"][0]["frames"].size(), 1U);
  EXPECT_NO_THROW(io::VideoReader(folder_ / "seen.mp4"));
}

TEST_F(LiveInput, LengthsEndALiveSource) {
  const Server server([](const Connection& to) { send_squares(to, 100000, milliseconds(1)); });
  for (const char* option : {"--frames", "--seconds"}) {
    const Ended ended = run_here(
        {"people", "detect", server.tcp(), option, "2", "--json", "--quiet", "--live", "newest"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const nlohmann::json frames = nlohmann::json::parse(ended.out)["results"][0]["frames"];
    if (option == std::string("--frames")) {
      EXPECT_EQ(frames.size(), 2U);
    } else {
      // A busy machine may read a later frame than the stream's first as its own first.
      EXPECT_LT(frames.back()["time_seconds"].get<double>() -
                    frames.front()["time_seconds"].get<double>(),
                2);
    }
  }
  EXPECT_THAT(
      run_here({"actions", "match", server.tcp(), server.tcp(), "-o", folder_ / "m.png"}).err,
      AllOf(HasSubstr("may never end"), HasSubstr("--frames or --seconds")));
}

TEST_F(LiveInput, PasswordsAppearNowhere) {
  const Server server([](const Connection& to) {
    to.request();
    to.send(test::http_answer("", "video/x-yuv", false));
    send_squares(to, 2, milliseconds(0));
  });
  const std::string address =
      "http://me:secret@127.0.0.1:" + std::to_string(server.port()) + "/door?key=hidden";
  const Ended ended =
      run_here({"people", "detect", address, "--json", "--csv", folder_ / "seen.csv", "--coco",
                folder_ / "seen.json", "--yolo", folder_ / "yolo", "-o", folder_ / "video/"});
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("http://***@127.0.0.1:"));
  std::string all =
      ended.out + ended.err + test::load(folder_ / "seen.csv") + test::load(folder_ / "seen.json");
  for (const char* made : {"yolo", "video"})
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / made))
      all += entry.path().filename().string();
  EXPECT_THAT(all, AllOf(HasSubstr("_door"), HasSubstr(".mp4")));
  all += run_here({"ops", "blur", address, "-o", folder_ / "b.png"}).err;
  all += run_here({"emd", "track", address, address, "-o", folder_ / "t.txt"}).err;
  all += run_here({"people", "detect", "ftp://me:secret@host/?hidden"}).err;
  EXPECT_THAT(all, AllOf(Not(HasSubstr("secret")), Not(HasSubstr("hidden"))));
}

// The frames of an RTSP camera that is as large as a person, and what follows them.
std::function<void(const Connection&)> rtsp_frames(int frames, bool silent) {
  return test::rtsp_camera({.width = kWidth, .height = kHeight},
                           [frames, silent](test::RtspSession& session) {
                             for (int i = 0; i < frames && session.send_frame(i); ++i) {
                             }
                             if (silent) session.stay_silent();
                           });
}

TEST_F(LiveInput, AnRtspCameraIsWorkedOnUntilItEnds) {
  const Server server(rtsp_frames(12, false));
  for (const char* live : {"all", "newest"}) {
    const Ended ended = run_here({"people", "detect", server.rtsp("/door"), "--live", live,
                                  "--json", "--quiet", "--csv", folder_ / "seen.csv"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    EXPECT_EQ(ended.err, "");
    const nlohmann::json result = nlohmann::json::parse(ended.out)["results"][0];
    EXPECT_EQ(result["frames"].size() + result["dropped"].get<std::size_t>(), 12U);
    EXPECT_EQ(result["frames"].back()["frame"], 11);
    EXPECT_NEAR(result["frames"].back()["time_seconds"].get<double>(), 11 / 25.0, 1e-6);
  }
}

TEST_F(LiveInput, AnRtspCameraThatFailsEndsAsOthersDo) {
  const std::string user = "rtsp://me:secret@127.0.0.1:";
  const Server silent(rtsp_frames(3, true));
  const Ended stalled =
      run_here({"people", "detect", user + std::to_string(silent.port()) + "/door", "--live", "all",
                "--timeout", "3", "--json", "--quiet", "-o", folder_ / "seen.mp4"});
  EXPECT_EQ(stalled.status, kBadInput);
  EXPECT_THAT(stalled.err, HasSubstr("/door: frame 3: nothing came for 3 s"));
  EXPECT_EQ(nlohmann::json::parse(stalled.out)["results"][0]["frames"].size(), 3U);
  EXPECT_NO_THROW(io::VideoReader(folder_ / "seen.mp4"));
  const Server closed(test::rtsp_camera({.authorization = "Basic other"}, {}));
  const Ended refused =
      run_here({"people", "detect", user + std::to_string(closed.port()) + "/door"});
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.err, HasSubstr("/door: cannot open: Server returned 401"));
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  EXPECT_THAT(stalled.out + stalled.err + refused.out + refused.err, Not(HasSubstr("secret")));
}

TEST_F(LiveInput, OnlyTheInputItselfMayBeLive) {
  const Server server([](const Connection&) {});
  test::save(folder_ / "list.txt", server.tcp() + "\n");
  const Ended ended = run_here({"people", "detect", "@" + (folder_ / "list.txt")});
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("only where they are given as the input itself"));
  EXPECT_EQ(server.connections(), 0);
  EXPECT_EQ(run_here({"people", "detect", "camera:99"}).status, kBadInput);
  EXPECT_EQ(run_here({"people", "detect", "camera:x"}).status, kUsage);
  EXPECT_EQ(run_here({"emd", "track", "camera:x", "--target", "1,1,2,2", "-o", "-"}).status,
            kUsage);
}

}  // namespace
}  // namespace fovea::cli
