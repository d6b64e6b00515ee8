// Cameras and streams, of which servers in this process send some.
// Covers: ffmpeg_input
#include "io/video/live_source.h"

#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <numeric>

#include "support/files.h"
#include "support/server.h"
#include "support/waiting.h"

namespace fovea::io {
namespace {

using std::chrono::milliseconds;
using test::Connection;
using test::message_of;
using test::Server;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr int kWidth = 64, kHeight = 48;

class Live : public testing::Test {
 protected:
  void SetUp() override {
    if (!video_feature().usable) GTEST_SKIP() << video_feature().detail;
  }
};

struct Seen {
  std::vector<std::int64_t> frames;
  std::vector<int> brightness;
  std::int64_t dropped = 0;
  bool live = false;
  std::string error;
};

Seen watch(const std::string& source, const VideoReadOptions& options = {}) {
  Seen seen;
  try {
    VideoReader reader(source, options);
    seen.live = reader.info().live;
    try {
      for (Frame frame; reader.next(frame);) {
        seen.frames.push_back(frame.frame);
        seen.brightness.push_back(frame.image.at(0, 0));
        EXPECT_NEAR(frame.seconds, static_cast<double>(frame.frame) / 25, 1e-6);
      }
    } catch (const IoError& error) {
      seen.error = error.what();
    }
    seen.dropped = reader.dropped();
  } catch (const Error& error) {
    seen.error = error.what();
  }
  return seen;
}

void send_frames(const Connection& to, int frames, milliseconds pause = milliseconds(0)) {
  to.send(test::y4m_header(kWidth, kHeight));
  for (int i = 0; i < frames && to.send(test::y4m_frame(kWidth, kHeight, i)); ++i) to.pause(pause);
}

struct Numbered final : StoredPicture {
  void decode(Frame&, bool) const override {}
  double time_seconds() const override { return 0; }
  int number = -1;
};

// Twenty frames that come as fast as they are asked for. A frame is asked for once the one before
// it is kept, so that a test knows what has come to wait.
class Film final : public VideoSource {
 public:
  explicit Film(bool live) {
    info_.live = live;
    asked = 0;
  }
  const VideoInfo& info() const override { return info_; }
  bool advance() override { return ++asked <= kFrames; }
  void store(std::unique_ptr<StoredPicture>& picture) override {
    picture_as<Numbered>(picture).number = asked - 1;
  }
  std::uint64_t stored_bytes() const override { return 0; }

  static constexpr int kFrames = 20;
  static inline std::atomic<int> asked = 0;

 private:
  VideoInfo info_;
};

std::unique_ptr<VideoSource> open_film(const std::string& name, const VideoReadOptions&) {
  return std::make_unique<Film>(name == "live");
}

// The numbers of all frames that are still given.
std::vector<int> rest_of(LiveSource& source) {
  std::vector<int> numbers;
  for (std::unique_ptr<StoredPicture> picture; source.advance();) {
    source.store(picture);
    numbers.push_back(dynamic_cast<const Numbered&>(*picture).number);
  }
  return numbers;
}

TEST(LiveSource, OfFramesThatWaitTheNewestIsGiven) {
  LiveSource source("live", {}, open_film);
  EXPECT_TRUE(source.drops_frames());
  ASSERT_TRUE(test::eventually([] { return Film::asked > Film::kFrames; }));
  EXPECT_THAT(rest_of(source), ElementsAre(Film::kFrames - 1));
  EXPECT_EQ(source.passed_over(), Film::kFrames - 1);
}

TEST(LiveSource, NoFrameIsLostWhereAskedAndOfRecordings) {
  std::vector<int> all(Film::kFrames);
  std::iota(all.begin(), all.end(), 0);
  for (const auto& [name, live] :
       {std::pair{"live", LiveFrames::kAll}, std::pair{"recording", LiveFrames::kAuto}}) {
    LiveSource source(name, {.live = live}, open_film);
    EXPECT_FALSE(source.drops_frames()) << name;
    // Four wait, and the fifth for a place among them.
    ASSERT_TRUE(test::eventually([] { return Film::asked == 5; }));
    EXPECT_EQ(rest_of(source), all) << name;
    EXPECT_EQ(source.passed_over(), 0) << name;
  }
}

TEST_F(Live, FramesKeepTheirNumbersAndOthersAreCounted) {
  const Server server([](const Connection& to) { send_frames(to, 60); });
  const Seen seen = watch(server.tcp());
  EXPECT_TRUE(seen.live);
  EXPECT_EQ(seen.error, "");
  ASSERT_FALSE(seen.frames.empty());
  EXPECT_EQ(seen.frames.back(), 59);
  EXPECT_EQ(seen.dropped + static_cast<std::int64_t>(seen.frames.size()), 60);
  for (std::size_t i = 0; i < seen.frames.size(); ++i)
    EXPECT_EQ(seen.brightness[i], seen.frames[i]);
}

TEST_F(Live, AllFramesAreGivenWhereAsked) {
  const Server server([](const Connection& to) { send_frames(to, 20); });
  const Seen seen = watch(server.tcp(), {.live = LiveFrames::kAll});
  EXPECT_TRUE(seen.live);
  EXPECT_EQ(seen.frames.size(), 20U);
  EXPECT_EQ(seen.dropped, 0);
  EXPECT_EQ(seen.error, "");
}

TEST_F(Live, ARecordingByHttpLosesNoFrame) {
  const std::string video = test::y4m_video(kWidth, kHeight, 30);
  const Server server([&](const Connection& to) {
    to.request();
    to.send(test::http_answer(video, "video/x-yuv", true));
  });
  const Seen seen = watch(server.http("/v.y4m"));
  EXPECT_FALSE(seen.live);
  EXPECT_EQ(seen.frames.size(), 30U);
  EXPECT_EQ(seen.dropped, 0);
  EXPECT_EQ(seen.error, "");
}

TEST_F(Live, AnHttpAnswerWithoutLengthIsLive) {
  const Server server([](const Connection& to) {
    to.request();
    to.send(test::http_answer("", "video/x-yuv", false));
    send_frames(to, 10);
  });
  const Seen seen = watch(server.http("/live"));
  EXPECT_TRUE(seen.live);
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.frames.back(), 9);
  EXPECT_EQ(seen.dropped + static_cast<std::int64_t>(seen.frames.size()), 10);
}

TEST_F(Live, CompressedVideoComesAsItWasMade) {
  const test::TempFolder folder;
  VideoWriter writer(folder / "v.mkv");
  for (int i = 0; i < 12; ++i) {
    Image<std::uint8_t> image(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
      std::fill_n(image.row(y), kWidth, static_cast<std::uint8_t>(10 * i));
    writer.write(image);
  }
  writer.finish();
  const std::string video = test::load(folder / "v.mkv");
  const Server server([&](const Connection& to) { to.send(video); });
  VideoReader reader(server.tcp(), {.color = VideoColor::kGray, .live = LiveFrames::kAll});
  int count = 0;
  for (Frame frame; reader.next(frame); ++count) EXPECT_EQ(frame.image.at(3, 3), 10 * count);
  EXPECT_EQ(count, 12);
}

TEST_F(Live, SilenceEndsItAfterTheFramesBefore) {
  const Server server([](const Connection& to) {
    send_frames(to, 3);
    to.stay_silent();
  });
  const Seen seen = watch(server.tcp(), {.live = LiveFrames::kAll, .timeout_seconds = 2});
  EXPECT_THAT(seen.frames, ElementsAre(0, 1, 2));
  EXPECT_THAT(seen.error, AllOf(HasSubstr(server.tcp() + ": frame 3: "),
                                HasSubstr("nothing came for 2 s"), HasSubstr("--timeout")));
}

TEST_F(Live, SilenceFromTheStartIsReported) {
  const Server server([](const Connection& to) { to.stay_silent(); });
  const VideoReadOptions options{.timeout_seconds = 0.2};
  for (const std::string& source : {server.tcp(), server.http("/a")})
    EXPECT_THAT(message_of<IoError>([&] { VideoReader(source, options); }),
                AllOf(HasSubstr(source), HasSubstr("nothing came for 0.2 s")));
}

// A stream that states no length is at its end wherever it ends; half a frame is none.
TEST_F(Live, AConnectionThatIsCutKeepsTheFramesBefore) {
  const std::string video = test::y4m_video(kWidth, kHeight, 5);
  const std::string_view cut = std::string_view(video).substr(0, video.size() - 100);
  const Server raw([&](const Connection& to) { to.send(cut); });
  const Seen seen = watch(raw.tcp(), {.live = LiveFrames::kAll});
  EXPECT_THAT(seen.frames, ElementsAre(0, 1, 2, 3));
  const Server web([&](const Connection& to) {
    to.request();
    to.send(std::string_view(test::http_answer(video, "video/x-yuv", true))
                .substr(0, video.size() - 2 * kWidth * kHeight));
  });
  const Seen recording = watch(web.http("/v.y4m"));
  EXPECT_GE(recording.frames.size(), 2U);
  EXPECT_THAT(recording.error, HasSubstr(web.http("/v.y4m") + ": frame "));
}

TEST_F(Live, AStopEndsTheWaitAtOnce) {
  const Server server([](const Connection& to) {
    send_frames(to, 1);
    to.stay_silent();
  });
  std::stop_source stop;
  VideoReadOptions options{.timeout_seconds = 600};
  options.stop = stop.get_token();
  VideoReader reader(server.tcp(), options);
  Frame frame;
  ASSERT_TRUE(reader.next(frame));
  const std::jthread stopper = test::stop_once_asleep(stop);
  EXPECT_THROW(reader.next(frame), Cancelled);
}

TEST_F(Live, AStopEndsTheWaitForTheFirstFrame) {
  const Server server([](const Connection& to) { to.stay_silent(); });
  std::stop_source stop;
  VideoReadOptions options{.timeout_seconds = 600};
  options.stop = stop.get_token();
  const std::jthread stopper = test::stop_once_asleep(stop);
  EXPECT_THROW(VideoReader(server.tcp(), options), Cancelled);
}

TEST_F(Live, PlaylistsAreRefusedAndNothingIsOpenedForThem) {
  const Server other([](const Connection&) {});
  for (const std::string& target : {std::string("file:///etc/passwd"), other.http("/a.ts")}) {
    const std::string list =
        "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:0\n"
        "#EXTINF:10,\n" +
        target + "\n#EXT-X-ENDLIST\n";
    const Server server([&](const Connection& to) {
      to.request();
      to.send(test::http_answer(list, "application/vnd.apple.mpegurl", true));
    });
    EXPECT_THAT(message_of<FormatError>([&] { VideoReader(server.http("/list.m3u8")); }),
                AllOf(HasSubstr("'hls'"), HasSubstr("not a playlist")));
    const test::TempFolder folder;
    test::save(folder / "list.m3u8", list);
    EXPECT_THROW(VideoReader(folder / "list.m3u8"), FormatError);
    test::save(folder / "list.txt", "ffconcat version 1.0\nfile '" + target + "'\n");
    EXPECT_THROW(VideoReader(folder / "list.txt"), FormatError);
  }
  EXPECT_EQ(other.connections(), 0);
}

TEST_F(Live, ARedirectIsFollowedWhereItMayBe) {
  const Server film([](const Connection& to) {
    to.request();
    std::string body = test::y4m_header(kWidth, kHeight);
    for (int i = 0; i < 3; ++i) body += test::y4m_frame(kWidth, kHeight, i);
    to.send(test::http_answer(body, "video/x-yuv4mpeg", true));
  });
  const Server server([&](const Connection& to) {
    to.request();
    to.send("HTTP/1.1 302 Found\r\nLocation: " + film.http("/film") +
            "\r\nContent-Length: 0\r\n\r\n");
  });
  const Seen seen = watch(server.http("/"));
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.frames.size(), 3U);
}

TEST_F(Live, ARedirectDoesNotLeaveTheProtocol) {
  const Server other([](const Connection&) {});
  for (const std::string& target : {std::string("file:///etc/passwd"), other.tcp(),
                                    "https://127.0.0.1:" + std::to_string(other.port()) + "/"}) {
    const Server server([&](const Connection& to) {
      to.request();
      to.send("HTTP/1.1 302 Found\r\nLocation: " + target + "\r\nContent-Length: 0\r\n\r\n");
    });
    EXPECT_THROW(VideoReader(server.http("/"), {.timeout_seconds = 2}), Error) << target;
  }
  EXPECT_EQ(other.connections(), 0);
}

TEST_F(Live, WhatCannotBeOpenedSaysWhy) {
  std::string closed;
  {
    const Server gone([](const Connection&) {});
    closed = gone.tcp();
  }
  EXPECT_THAT(message_of<IoError>([&] { VideoReader reader(closed); }),
              AllOf(HasSubstr(closed), HasSubstr("Connection refused")));
  const Server web([](const Connection& to) {
    to.request();
    to.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  });
  const std::string port = std::to_string(web.port());
  EXPECT_THAT(message_of<IoError>(
                  [&] { VideoReader("http://me:secret@127.0.0.1:" + port + "/a?key=hidden"); }),
              AllOf(HasSubstr("http://***@127.0.0.1:" + port + "/a?***: cannot open: "),
                    HasSubstr("404"), Not(HasSubstr("secret")), Not(HasSubstr("hidden"))));
  EXPECT_THAT(message_of<IoError>([] { VideoReader("gopher://host/a"); }),
              AllOf(HasSubstr("gopher://host/a"), HasSubstr("expected rtsp:// http://")));
  const Server nonsense([](const Connection& to) { to.send(std::string(5000, 'x')); });
  EXPECT_THAT(message_of<FormatError>([&] { VideoReader reader(nonsense.tcp()); }),
              HasSubstr("sends nothing that is known as video"));
}

TEST_F(Live, AStreamFromAListIsRefused) {
  const Server server([](const Connection&) {});
  for (const std::string& source : {server.tcp(), std::string("camera:0")})
    EXPECT_THAT(message_of<IoError>([&] { VideoReader(source, {.files_only = true}); }),
                HasSubstr("only where they are given as the input itself"));
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(Live, ACameraThatIsNotThereIsNamed) {
  EXPECT_THAT(message_of<IoError>([] { VideoReader("camera:99"); }),
              AllOf(test::says("camera:99", "/dev/video99")));
  EXPECT_THAT(message_of<InvalidArgument>([] { VideoReader("camera:x"); }),
              HasSubstr("such as camera:0"));
}

TEST(VideoLength, SecondsCountFromTheFirstFrameGiven) {
  const test::TempFolder folder;
  test::save(folder / "v.y4m", test::y4m_video(kWidth, kHeight, 30));
  EXPECT_EQ(watch(folder / "v.y4m", {.seconds = 0.4}).frames.size(), 10U);
  const Seen later = watch(folder / "v.y4m", {.start = 5, .seconds = 0.2, .step = 2});
  EXPECT_THAT(later.frames, ElementsAre(5, 7, 9));
  EXPECT_EQ(watch(folder / "v.y4m", {.count = 3, .seconds = 1}).frames.size(), 3U);
}

TEST_F(Live, ALengthEndsALiveSource) {
  const Server server([](const Connection& to) { send_frames(to, 1000000, milliseconds(1)); });
  EXPECT_EQ(watch(server.tcp(), {.count = 3}).frames.size(), 3U);
  const Seen seen = watch(server.tcp(), {.seconds = 0.4});
  EXPECT_EQ(seen.error, "");
  // A busy machine may give a later frame than the first as its own first.
  EXPECT_LT(seen.frames.back() - seen.frames.front(), 10);
}

TEST(VideoLength, AStoredFrameKnowsItsPlace) {
  const test::TempFolder folder;
  test::save(folder / "v.y4m", test::y4m_video(kWidth, kHeight, 3));
  VideoReader reader(folder / "v.y4m");
  StoredFrame stored;
  EXPECT_EQ(stored.frame(), -1);
  ASSERT_TRUE(reader.fetch(stored) && reader.fetch(stored));
  EXPECT_EQ(stored.frame(), 1);
  EXPECT_EQ(stored.seconds(), 0.04);
  EXPECT_EQ(reader.dropped(), 0);
}

}  // namespace
}  // namespace fovea::io
