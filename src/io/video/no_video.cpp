// Stands in for video_ffmpeg.cpp in a build without FFmpeg, so that no other file asks whether it
// is there.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include "io/video/video_source.h"

namespace fovea::io {
namespace {

constexpr const char* kAbsence =
    "this build was made without FFmpeg: install libavformat-dev libavcodec-dev libavutil-dev "
    "libswscale-dev and build again; y4m and folders of images work without it";

}  // namespace

std::unique_ptr<VideoSource> open_ffmpeg(const std::string& source, const VideoReadOptions&) {
  throw IoError(source_name(source) + ": cannot read video: " + kAbsence);
}
std::unique_ptr<VideoTarget> create_ffmpeg(const std::string& path, const VideoWriteOptions&) {
  throw WriteError(path + ": cannot write video: " + kAbsence);
}
Feature video_feature() { return {"video", false, kAbsence}; }

}  // namespace fovea::io
