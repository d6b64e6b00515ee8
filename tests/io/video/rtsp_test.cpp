// Streams by RTSP, of which a camera in this process sends some.
// Covers: ffmpeg_input
#include "support/rtsp.h"

#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "support/messages.h"

namespace fovea::io {
namespace {

using namespace std::chrono_literals;
using test::Connection;
using test::message_of;
using test::rtsp_camera;
using test::RtspSession;
using test::Server;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Rtsp : public testing::Test {
 protected:
  void SetUp() override {
    if (!video_feature().usable) GTEST_SKIP() << video_feature().detail;
  }
};

struct Watched {
  std::vector<std::int64_t> frames;
  std::int64_t dropped = 0;
  std::string error;
};

// All frames, each as bright as it was sent.
Watched watch_rtsp(const std::string& source, VideoReadOptions options = {}) {
  options.color = VideoColor::kGray;
  Watched seen;
  VideoReader reader(source, options);
  EXPECT_TRUE(reader.info().live);
  EXPECT_EQ(reader.info().size, (Extent{64, 48}));
  EXPECT_EQ(reader.info().rate.value(), 25);
  try {
    for (Frame frame; reader.next(frame);) {
      seen.frames.push_back(frame.frame);
      for (const auto& [x, y] : {std::pair{0, 0}, std::pair{63, 47}, std::pair{31, 20}})
        EXPECT_NEAR(frame.image.at(x, y), test::rtsp_brightness(frame.frame), 1) << x << " " << y;
      EXPECT_NEAR(frame.seconds, static_cast<double>(frame.frame) / 25, 1e-6);
    }
  } catch (const IoError& error) {
    seen.error = error.what();
  }
  seen.dropped = reader.dropped();
  return seen;
}

void send_frames(RtspSession& session, int frames) {
  for (int i = 0; i < frames && session.send_frame(i); ++i) {
  }
}

// Frames until the other side leaves.
void send_on(RtspSession& session) {
  for (int i = 0; session.send_frame(i); ++i) session.pause(5ms);
}

TEST_F(Rtsp, AllFramesComeAsTheyWereSent) {
  const Server server(rtsp_camera({}, [](RtspSession& session) { send_frames(session, 40); }));
  const Watched seen = watch_rtsp(server.rtsp("/door"), {.live = LiveFrames::kAll});
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.dropped, 0);
  ASSERT_EQ(seen.frames.size(), 40U);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(seen.frames[static_cast<std::size_t>(i)], i);
}

TEST_F(Rtsp, NewestFramesKeepTheirNumbers) {
  const Server server(rtsp_camera({}, [](RtspSession& session) { send_frames(session, 60); }));
  const Watched seen = watch_rtsp(server.rtsp("/door"));
  EXPECT_EQ(seen.error, "");
  ASSERT_FALSE(seen.frames.empty());
  EXPECT_EQ(seen.frames.back(), 59);
  EXPECT_EQ(seen.dropped + static_cast<std::int64_t>(seen.frames.size()), 60);
}

TEST_F(Rtsp, SilenceEndsItAfterTheFramesBefore) {
  for (const bool half : {false, true}) {
    const Server server(rtsp_camera({}, [&](RtspSession& session) {
      send_frames(session, 30);
      if (half) session.send_half_frame(30);
      session.stay_silent();
    }));
    const Watched seen =
        watch_rtsp(server.rtsp("/door"), {.live = LiveFrames::kAll, .timeout_seconds = 2});
    EXPECT_EQ(seen.frames.size(), 30U);
    EXPECT_EQ(seen.error, server.rtsp("/door") +
                              ": frame 30: nothing came for 2 s; a longer timeout (--timeout) "
                              "waits on");
  }
}

TEST_F(Rtsp, ACameraThatNeverSendsIsReported) {
  const Server mute([](const Connection& to) { to.stay_silent(); });
  const Server idle(rtsp_camera({}, [](RtspSession& session) { session.stay_silent(); }));
  for (const Server* server : {&mute, &idle})
    EXPECT_THAT(
        message_of<IoError>([&] { VideoReader(server->rtsp("/door"), {.timeout_seconds = 0.3}); }),
        AllOf(testing::StartsWith(server->rtsp("/door") + ": "), test::says("0.3", "--timeout")));
}

TEST_F(Rtsp, WhatCannotBeOpenedSaysWhyInOneLine) {
  const auto why = [](const test::RtspCamera& camera) {
    const Server server(rtsp_camera(camera, [](RtspSession& session) { session.stay_silent(); }));
    const std::string address =
        "rtsp://me:secret@127.0.0.1:" + std::to_string(server.port()) + "/door?key=hidden";
    const std::string message =
        message_of<Error>([&] { VideoReader(address, {.timeout_seconds = 30}); });
    const std::string name = "rtsp://***@127.0.0.1:" + std::to_string(server.port()) + "/door?***";
    EXPECT_THAT(message, AllOf(testing::StartsWith(name + ": "), Not(HasSubstr("\n")),
                               Not(HasSubstr("secret")), Not(HasSubstr("hidden"))));
    return message;
  };
  EXPECT_THAT(why({.describe_status = "404 Not Found"}), HasSubstr("404"));
  EXPECT_THAT(why({.authorization = "Basic other"}), HasSubstr("401"));
  EXPECT_THAT(why({.describe_status = "500 Internal Server Error"}), HasSubstr("5"));
  for (const char* sdp :
       {"no description", "v=0\r\nm=", "v=0\r\nm=audio 0 RTP/AVP 0\r\na=control:track0\r\n"})
    EXPECT_THAT(why({.sdp = sdp}), HasSubstr("offers no video")) << sdp;
}

TEST_F(Rtsp, WhoIsAskedForAPasswordGivesIt) {
  const Server server(rtsp_camera({.authorization = "Basic bWU6c2VjcmV0"},  // me:secret
                                  [](RtspSession& session) { send_frames(session, 30); }));
  const std::string address = "rtsp://me:secret@127.0.0.1:" + std::to_string(server.port()) + "/a";
  EXPECT_EQ(watch_rtsp(address, {.live = LiveFrames::kAll}).frames.size(), 30U);
}

TEST_F(Rtsp, AConnectionThatIsCutKeepsTheFramesBefore) {
  const Server server(rtsp_camera({}, [](RtspSession& session) {
    send_frames(session, 30);
    session.send_half_frame(30);
  }));
  const Watched seen = watch_rtsp(server.rtsp("/door"), {.live = LiveFrames::kAll});
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.frames.size(), 30U);
}

TEST_F(Rtsp, FramesComeByUdpWhereTheConnectionIsRefused) {
  const Server server(rtsp_camera({.width = 16, .height = 4, .refuses_tcp = true}, send_on));
  VideoReader reader(server.rtsp("/door"), {.color = VideoColor::kGray});
  Frame frame;
  std::int64_t last = -1;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(reader.next(frame));
    EXPECT_GT(frame.frame, last);
    last = frame.frame;
    EXPECT_EQ(frame.image.at(15, 3), frame.image.at(0, 0));
  }
}

TEST_F(Rtsp, ALongSessionIsKeptAlive) {
  std::atomic<bool> kept = false;
  const Server server(rtsp_camera({.session = "1;timeout=2"}, [&](RtspSession& session) {
    for (int i = 0; session.keep_alives() == 0 && session.send_frame(i); ++i) session.pause(5ms);
    kept = session.keep_alives() > 0;
  }));
  VideoReader reader(server.rtsp("/door"));
  for (Frame frame; reader.next(frame);) {
  }
  EXPECT_TRUE(kept);
}

// Says when a session has ended, and whether the other side said so.
class SessionEnd {
 public:
  void note(const RtspSession& session) {
    const std::lock_guard lock(mutex_);
    torn_down_ = session.torn_down();
    changed_.notify_all();
  }
  bool torn_down() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return torn_down_.has_value(); });
    return *torn_down_;
  }

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::optional<bool> torn_down_{};
};

// A camera that does not hear of it would send on by UDP, or keep a place for who has left.
bool camera_hears_who_leaves(bool udp) {
  SessionEnd end;
  const Server server(
      rtsp_camera({.width = 16, .height = 4, .refuses_tcp = udp}, [&](RtspSession& session) {
        send_on(session);
        end.note(session);
      }));
  {
    VideoReader reader(server.rtsp("/door"));
    Frame frame;
    EXPECT_TRUE(reader.next(frame));
  }
  return end.torn_down();
}

TEST_F(Rtsp, TheCameraHearsWhoLeaves) {
  for (const bool udp : {false, true}) {
    // Nobody waits long for its answer, so that on a busy machine it may not hear at once.
    bool heard = false;
    for (int i = 0; i < 20 && !heard; ++i) heard = camera_hears_who_leaves(udp);
    EXPECT_TRUE(heard) << (udp ? "udp" : "tcp");
  }
}

TEST_F(Rtsp, LeavingDoesNotWait) {
  const Server server(rtsp_camera({}, [&](RtspSession& session) {
    send_frames(session, 30);
    session.stay_silent();
  }));
  std::stop_source stop;
  VideoReadOptions options{.timeout_seconds = 600};
  options.stop = stop.get_token();
  VideoReader reader(server.rtsp("/door"), options);
  Frame frame;
  ASSERT_TRUE(reader.next(frame));
  const std::jthread stopper([&] { stop.request_stop(); });
  // A frame may be there already; the wait for the one after the last ends in any case.
  EXPECT_THROW(while (reader.next(frame)){}, Cancelled);
}

TEST_F(Rtsp, AStopEndsTheWaitForAnAnswer) {
  std::stop_source stop;
  const Server server([&](const Connection& to) {
    to.request();
    stop.request_stop();
    to.stay_silent();
  });
  VideoReadOptions options{.timeout_seconds = 600};
  options.stop = stop.get_token();
  EXPECT_THROW(VideoReader(server.rtsp("/door"), options), Cancelled);
}

}  // namespace
}  // namespace fovea::io
