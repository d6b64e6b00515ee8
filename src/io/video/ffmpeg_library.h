// FFmpeg's functions, found in its shared libraries when the first video is opened. Linked in the
// usual way, FFmpeg and the 130 libraries behind it would be loaded at the start of every program
// that uses Fovea, which costs 40 ms whether or not it ever sees a video.
#pragma once
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/crc.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace fovea::io {

// One line per library, in the order in which they are loaded.
// clang-format off
#define FOVEA_AVUTIL(X)                                                                            \
  X(av_buffer_unref) X(av_crc) X(av_crc_get_table) X(av_dict_free) X(av_dict_set)                  \
  X(av_display_rotation_get) X(av_frame_alloc) X(av_frame_copy_props) X(av_frame_free)             \
  X(av_frame_get_buffer) X(av_frame_make_writable) X(av_frame_move_ref) X(av_frame_unref)          \
  X(av_free) X(av_get_pix_fmt_name) X(av_hwdevice_ctx_create) X(av_hwdevice_get_type_name)         \
  X(av_hwframe_transfer_data) X(av_image_copy_plane) X(av_log_get_level) X(av_log_set_level)       \
  X(av_opt_get) X(av_pix_fmt_desc_get) X(av_strerror) X(av_version_info)
#define FOVEA_AVCODEC(X)                                                                           \
  X(av_packet_alloc) X(av_packet_free) X(av_packet_rescale_ts) X(av_packet_unref)                  \
  X(avcodec_alloc_context3) X(avcodec_descriptor_get) X(avcodec_find_decoder)                      \
  X(avcodec_find_encoder) X(avcodec_find_encoder_by_name) X(avcodec_free_context)                  \
  X(avcodec_get_hw_config) X(avcodec_get_name) X(avcodec_open2) X(avcodec_parameters_from_context) \
  X(avcodec_parameters_to_context) X(avcodec_receive_frame) X(avcodec_receive_packet)              \
  X(avcodec_send_frame) X(avcodec_send_packet)
#define FOVEA_AVFORMAT(X)                                                                          \
  X(av_find_best_stream) X(av_find_input_format) X(av_guess_frame_rate)                            \
  X(av_interleaved_write_frame) X(av_probe_input_buffer2) X(av_read_frame)                         \
  X(av_stream_get_side_data) X(av_write_trailer) X(avformat_alloc_context)                         \
  X(avformat_alloc_output_context2) X(avformat_close_input) X(avformat_find_stream_info)           \
  X(avformat_free_context) X(avformat_network_init) X(avformat_new_stream) X(avformat_open_input)  \
  X(avformat_write_header) X(avio_close) X(avio_closep) X(avio_open) X(avio_open2) X(avio_size)
#define FOVEA_SWSCALE(X) X(sws_freeContext) X(sws_getCachedContext) X(sws_scale)
// clang-format on

struct FfmpegLibrary {
#define FOVEA_DECLARE(name) decltype(&::name) name = nullptr;
  FOVEA_AVUTIL(FOVEA_DECLARE)
  FOVEA_AVCODEC(FOVEA_DECLARE)
  FOVEA_AVFORMAT(FOVEA_DECLARE)
  FOVEA_SWSCALE(FOVEA_DECLARE)
#undef FOVEA_DECLARE
};

// Loads FFmpeg at the first call, once per process. Throws IoError where a library of the version
// that this build was compiled for is missing; the next call tries again.
const FfmpegLibrary& ffmpeg();

// Loads libavdevice, which cameras need and nothing else does, and makes its devices known to
// FFmpeg. Throws IoError where it is missing.
void load_ffmpeg_devices();

struct FfmpegFree {
  void operator()(AVFormatContext* context) const { ffmpeg().avformat_close_input(&context); }
  void operator()(AVCodecContext* context) const { ffmpeg().avcodec_free_context(&context); }
  void operator()(AVFrame* frame) const { ffmpeg().av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { ffmpeg().av_packet_free(&packet); }
  void operator()(SwsContext* context) const { ffmpeg().sws_freeContext(context); }
};
template <class T>
using FfmpegOwned = std::unique_ptr<T, FfmpegFree>;

// What an error code of FFmpeg means.
std::string ffmpeg_reason(int error);

}  // namespace fovea::io
