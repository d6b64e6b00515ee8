// What a build without FFmpeg says: its stand-in is compiled here beside the real functions, under
// names of its own.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <gmock/gmock.h>

#include "io/video/video_source.h"
#include "support/messages.h"

#define open_ffmpeg open_without_ffmpeg
#define create_ffmpeg create_without_ffmpeg
#define video_feature feature_without_ffmpeg
#include "io/video/no_video.cpp"
#undef open_ffmpeg
#undef create_ffmpeg
#undef video_feature

namespace fovea::io {
namespace {

using test::message_of;
using test::says;
using testing::HasSubstr;
using testing::Not;

TEST(NoVideo, SaysWhatToInstallAndWhatWorksWithout) {
  EXPECT_THAT(message_of<IoError>([] { open_without_ffmpeg("film.mp4", {}); }),
              says("film.mp4: cannot read video", "libavcodec-dev", "y4m and folders of images"));
  EXPECT_THAT(message_of<WriteError>([] { create_without_ffmpeg("film.mp4", {}); }),
              says("film.mp4: cannot write video", "libavcodec-dev"));
  EXPECT_FALSE(feature_without_ffmpeg().usable);
  EXPECT_THAT(feature_without_ffmpeg().detail, HasSubstr("libavcodec-dev"));
}

TEST(NoVideo, KeepsPasswordsForItself) {
  EXPECT_THAT(message_of<IoError>([] { open_without_ffmpeg("rtsp://me:secret@host/door", {}); }),
              testing::AllOf(HasSubstr("host/door"), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace fovea::io
