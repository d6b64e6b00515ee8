// A frame as FFmpeg's decoders give it, by reference, and its conversion to pixels.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/video/ffmpeg_library.h"
#include "io/video/video_source.h"
#include "io/video/yuv.h"

namespace fovea::io {

// What all frames of a video file share.
struct FfmpegFacts {
  std::string path;
  VideoReadOptions options;
};

class FfmpegPicture final : public StoredPicture {
 public:
  std::int64_t index = 0;
  double seconds = 0;

  // Moves the decoder's reference here; `frame` is empty then.
  void take(AVFrame& frame, std::shared_ptr<const FfmpegFacts> facts);
  std::int64_t stamp() const { return frame_->best_effort_timestamp; }
  void decode(Frame& frame, bool deep) const override;
  double time_seconds() const override { return seconds; }

 private:
  template <class T>
  void convert(Image<T>& image, AVPixelFormat rgb) const;
  template <class T>
  void scale_to(Image<T>& image, AVPixelFormat rgb) const;
  YuvPlanes split_chroma(const AVPixFmtDescriptor& pixels, const YuvFormat& format) const;

  std::shared_ptr<const FfmpegFacts> facts_;
  FfmpegOwned<AVFrame> frame_;
  mutable FfmpegOwned<SwsContext> scaler_;
  mutable std::vector<std::uint8_t> planes_;  // of frames whose chroma samples come in pairs
};

// The memory of such a frame.
std::uint64_t picture_bytes(const AVFrame& frame);

}  // namespace fovea::io
