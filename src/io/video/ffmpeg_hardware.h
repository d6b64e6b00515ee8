// Decoding by hardware, which FFmpeg offers per codec and device. What cannot be had leaves a note,
// and the processor decodes.
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "io/video/ffmpeg_library.h"
#include "io/video/video_source.h"

namespace fovea::io {

// Stays where it is while the decoder that it is attached to lives.
class FfmpegHardware {
 public:
  FfmpegHardware() = default;
  FfmpegHardware(const FfmpegHardware&) = delete;
  FfmpegHardware& operator=(const FfmpegHardware&) = delete;

  // Before the decoder is opened.
  void attach(AVCodecContext& decoder, const AVCodec& codec, HardwareDecoding asked);
  // Replaces a frame in the memory of a device by its copy in that of the host; others stay. Less
  // than 0 where that fails. Done at once, since devices have few frames to give.
  int bring_down(FfmpegOwned<AVFrame>& frame);
  std::vector<std::string> notes() const;

 private:
  static AVPixelFormat choose(AVCodecContext* decoder, const AVPixelFormat* offered);
  bool try_device(AVCodecContext& decoder, const AVCodec& codec, AVHWDeviceType type);

  AVPixelFormat format_ = AV_PIX_FMT_NONE;  // of frames on the device
  FfmpegOwned<AVFrame> host_;
  std::vector<std::string> notes_;
  std::atomic<bool> refused_ = false;  // by the device, once it saw the stream; from any thread
};

}  // namespace fovea::io
