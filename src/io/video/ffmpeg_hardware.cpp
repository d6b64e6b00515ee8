#include "io/video/ffmpeg_hardware.h"

#include <fmt/format.h>

#include <utility>

namespace fovea::io {
namespace {

std::vector<AVHWDeviceType> devices_for(HardwareDecoding asked) {
  switch (asked) {
    case HardwareDecoding::kAuto: return {AV_HWDEVICE_TYPE_CUDA, AV_HWDEVICE_TYPE_VAAPI};
    case HardwareDecoding::kCuda: return {AV_HWDEVICE_TYPE_CUDA};
    case HardwareDecoding::kVaapi: return {AV_HWDEVICE_TYPE_VAAPI};
    default: return {};
  }
}

// The format of a codec's frames on a device, or none where it is not decoded there.
AVPixelFormat format_on(const AVCodec& codec, AVHWDeviceType type) {
  for (int i = 0;; ++i) {
    const AVCodecHWConfig* config = ffmpeg().avcodec_get_hw_config(&codec, i);
    if (config == nullptr) return AV_PIX_FMT_NONE;
    if (config->device_type == type &&
        (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) != 0)
      return config->pix_fmt;
  }
}

}  // namespace

void FfmpegHardware::attach(AVCodecContext& decoder, const AVCodec& codec, HardwareDecoding asked) {
  for (const AVHWDeviceType type : devices_for(asked)) {
    if (try_device(decoder, codec, type)) return;
  }
}

bool FfmpegHardware::try_device(AVCodecContext& decoder, const AVCodec& codec,
                                AVHWDeviceType type) {
  const char* name = ffmpeg().av_hwdevice_get_type_name(type);
  const AVPixelFormat format = format_on(codec, type);
  if (format == AV_PIX_FMT_NONE) {
    notes_.push_back(
        fmt::format("{} does not decode {} here; the processor does", name, codec.name));
    return false;
  }
  AVBufferRef* device = nullptr;
  const int created = ffmpeg().av_hwdevice_ctx_create(&device, type, nullptr, nullptr, 0);
  if (created < 0) {
    ffmpeg().av_buffer_unref(&device);
    notes_.push_back(fmt::format("{} is not available for decoding ({}); the processor decodes",
                                 name, ffmpeg_reason(created)));
    return false;
  }
  notes_.clear();  // of those tried before, in whose place this one decodes
  format_ = format;
  decoder.hw_device_ctx = device;  // which the decoder releases
  decoder.opaque = this;
  decoder.get_format = &FfmpegHardware::choose;
  return true;
}

AVPixelFormat FfmpegHardware::choose(AVCodecContext* decoder, const AVPixelFormat* offered) {
  auto& self = *static_cast<FfmpegHardware*>(decoder->opaque);
  AVPixelFormat software = AV_PIX_FMT_NONE;
  for (const AVPixelFormat* format = offered; *format != AV_PIX_FMT_NONE; ++format) {
    if (*format == self.format_) return *format;
    const AVPixFmtDescriptor* pixels = ffmpeg().av_pix_fmt_desc_get(*format);
    const bool hardware = pixels != nullptr && (pixels->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0;
    if (software == AV_PIX_FMT_NONE && !hardware) software = *format;
  }
  self.refused_ = true;
  return software;
}

int FfmpegHardware::bring_down(FfmpegOwned<AVFrame>& frame) {
  if (format_ == AV_PIX_FMT_NONE || frame->format != format_) return 0;
  if (!host_) host_.reset(ffmpeg().av_frame_alloc());
  ffmpeg().av_frame_unref(host_.get());
  const int moved = ffmpeg().av_hwframe_transfer_data(host_.get(), frame.get(), 0);
  if (moved < 0) return moved;
  const int copied = ffmpeg().av_frame_copy_props(host_.get(), frame.get());
  if (copied < 0) return copied;
  std::swap(host_, frame);
  return 0;
}

std::vector<std::string> FfmpegHardware::notes() const {
  std::vector<std::string> all = notes_;
  if (refused_) all.emplace_back("the hardware does not decode this stream; the processor does");
  return all;
}

}  // namespace fovea::io
