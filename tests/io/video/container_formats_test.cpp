// Covers: ffmpeg_input
#include "io/video/container_formats.h"

#include <fovea/core/error.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include "support/files.h"
#include "support/messages.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

TEST(ContainerFormats, AreThoseThatHoldTheirOwnFrames) {
  for (const bool file : {false, true}) {
    EXPECT_TRUE(is_container_format("mov,mp4,m4a,3gp,3g2,mj2", file));
    EXPECT_TRUE(is_container_format("matroska,webm", file));
    EXPECT_EQ(is_container_format("gif", file), file);
    for (const char* other : {"tty", "hls", "concat", "dash", "sdp", "rtsp", "image2", "png_pipe",
                              "lavfi", "webm_dash_manifest", "ass", "srt", ""})
      EXPECT_FALSE(is_container_format(other, file)) << other;
  }
}

TEST(ContainerFormats, TextIsNone) {
  EXPECT_EQ(why_no_container(""), "is empty");
  EXPECT_THAT(why_no_container("Some notes,\r\n\tin \xc3\xbc"), HasSubstr("is text"));
  EXPECT_THAT(why_no_container("#EXTM3U\n"), HasSubstr("is a playlist"));
  EXPECT_EQ(why_no_container(std::string("\x1a\x45\xdf\xa3", 4)), "");
  EXPECT_EQ(why_no_container(std::string("RIFF\0AVI ", 9)), "");
}

class VideoFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!video_feature().usable) GTEST_SKIP() << video_feature().detail;
  }

  // A film of this format.
  void write_film(const std::string& name) {
    VideoWriter writer(folder_ / name);
    Image<std::uint8_t> frame(32, 24, 3);
    for (int y = 0; y < 24; ++y) std::fill_n(frame.row(y), 3 * 32, std::uint8_t{90});
    for (int i = 0; i < 3; ++i) writer.write(frame);
    writer.finish();
  }
  std::string refusal_of(const std::string& name, std::string_view bytes) {
    test::save(folder_ / name, bytes);
    return message_of<FormatError>([&] { VideoReader(folder_ / name); });
  }

  test::TempFolder folder_;
};

TEST_F(VideoFiles, ContainersAreReadWhateverTheirNames) {
  for (const char* name : {"a.mp4", "a.mov", "a.avi", "a.mkv"}) {
    write_film(name);
    for (const char* other : {"b.txt", "b.m3u8", "b.nfo", "b"}) {
      test::save(folder_ / other, test::load(folder_ / name));
      VideoReader reader(folder_ / other);
      Frame frame;
      EXPECT_TRUE(reader.next(frame)) << name << " as " << other;
    }
  }
}

TEST_F(VideoFiles, TextIsRefusedWhateverItsName) {
  const std::string notes = "Meeting at nine.\nBring the camera and the cables.\n";
  for (const char* name : {"notes.txt", "notes.mp4", "notes.nfo", "notes.ans", "notes"})
    EXPECT_THAT(refusal_of(name, notes), AllOf(HasSubstr(name), HasSubstr("is text")));
  EXPECT_THAT(refusal_of("long.txt", std::string(200'000, 'x')), HasSubstr("is text"));
  EXPECT_THAT(refusal_of("empty.mp4", ""), HasSubstr("empty.mp4: is empty"));
}

TEST_F(VideoFiles, WhatFfmpegTakesForDrawnTextIsRefusedToo) {
  // With an escape sequence of a terminal in it, which no plain text has.
  EXPECT_THAT(refusal_of("art.ans", "\x1b[2J\x1b[1;31mHello\x1b[0m\n" + std::string(900, '#')),
              HasSubstr("art.ans"));
}

// FFmpeg calls it a video that is complete, but for its last frame.
TEST_F(VideoFiles, AFilmThatEndsWithinItsLastFrameIsNotWhole) {
  write_film("whole.mkv");
  const std::string whole = test::load(folder_ / "whole.mkv");
  EXPECT_EQ(stated_matroska_end(whole), whole.size());
  EXPECT_EQ(stated_matroska_end(std::string_view(whole).substr(0, 20)), 0U);
  const auto fault_of = [&](std::size_t bytes) {
    test::save(folder_ / "cut.mkv", std::string_view(whole).substr(0, bytes));
    return message_of<FormatError>([&] {
      VideoReader reader(folder_ / "cut.mkv");
      for (Frame frame; reader.next(frame);) {
      }
    });
  };
  EXPECT_EQ(fault_of(whole.size()), "");
  for (std::size_t bytes = whole.size() / 2; bytes < whole.size(); bytes += 41)
    EXPECT_THAT(fault_of(bytes), HasSubstr("cut.mkv")) << bytes << " of " << whole.size();
  EXPECT_THAT(fault_of(whole.size() - 1), HasSubstr("truncated"));
}

// A film that a file names must not be read in its place, whatever the file's name and whatever
// stands behind the first bytes.
TEST_F(VideoFiles, FilesThatNameOtherFilesAreRefused) {
  write_film("secret.mp4");
  write_film("frame.mkv");
  const std::string hls =
      "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:0\n"
      "#EXTINF:10,\nsecret.mp4\n#EXT-X-ENDLIST\n";
  const std::string concat = "ffconcat version 1.0\nfile 'secret.mp4'\nduration 1\n";
  const std::string sdp =
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"
      "a=rtpmap:96 H264/90000\n";
  const std::string dash =
      "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\">"
      "<Period><AdaptationSet><Representation><BaseURL>secret.mp4</BaseURL></Representation>"
      "</AdaptationSet></Period></MPD>\n";
  for (const std::string& bytes : {hls, concat, sdp, dash})
    for (const char* name : {"hls.mp4", "list.m3u8", "list.ffconcat", "list.sdp", "list.mpd"}) {
      EXPECT_THAT(refusal_of(name, bytes), HasSubstr(name)) << bytes;
      // The same where a byte makes it no text, so that FFmpeg is asked.
      EXPECT_THAT(refusal_of(name, bytes + '\x01'), HasSubstr(name)) << bytes;
    }
  EXPECT_THAT(refusal_of("hls.mp4", hls), HasSubstr("is a playlist"));
  EXPECT_THAT(refusal_of("list.mp4", concat + '\x01'), HasSubstr("'concat'"));
}

}  // namespace
}  // namespace fovea::io
