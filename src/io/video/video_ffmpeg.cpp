// Video files through FFmpeg 5.1 or later: what is read and written, packet by packet. Pixels are
// made in ffmpeg_frame.cpp.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/text/extension.h"
#include "io/text/output_file.h"
#include "io/video/ffmpeg_frame.h"
#include "io/video/ffmpeg_hardware.h"
#include "io/video/ffmpeg_input.h"
#include "io/video/ffmpeg_library.h"
#include "io/video/video_source.h"
#include "io/video/yuv.h"

namespace fovea::io {
namespace {

// Fixed, since what x264 writes depends on it: the same frames give the same file everywhere.
constexpr int kEncoderThreads = 4;

template <class T>
using Owned = FfmpegOwned<T>;

std::string reason(int error) { return ffmpeg_reason(error); }

// The clockwise turn that a file's display matrix asks for.
int rotation_of(const AVStream& stream) {
  std::size_t bytes = 0;
  const auto* matrix = ffmpeg().av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
  if (matrix == nullptr || bytes < 9 * sizeof(std::int32_t)) return 0;
  const double turn =
      -ffmpeg().av_display_rotation_get(reinterpret_cast<const std::int32_t*>(matrix));
  if (!std::isfinite(turn)) return 0;
  return (static_cast<int>(std::lround(turn / 90)) % 4 + 4) % 4 * 90;
}

// Whether the checksums of a version 3 FFV1 packet are right (RFC 9043, 4.9: a slice ends in 3
// bytes of length, a status byte and a CRC-32 that makes the checksum of the whole slice 0). FFmpeg
// only logs a mismatch and repeats the frame before. Returns nothing where the packet has no
// checksums.
std::optional<bool> ffv1_checksums_hold(const AVPacket& packet) {
  constexpr std::int64_t kFooter = 8;
  const AVCRC* table = ffmpeg().av_crc_get_table(AV_CRC_32_IEEE);
  bool hold = true;
  std::int64_t end = packet.size;
  while (end > 0) {
    if (end < kFooter) return {};
    const std::uint8_t* footer = packet.data + end - kFooter;
    const std::int64_t slice = (footer[0] << 16 | footer[1] << 8 | footer[2]) + kFooter;
    if (slice > end) return {};
    hold = hold && ffmpeg().av_crc(table, 0, packet.data + end - slice,
                                   static_cast<std::size_t>(slice)) == 0;
    end -= slice;
  }
  return hold;
}

class FfmpegSource final : public VideoSource {
 public:
  FfmpegSource(const std::string& source, const VideoReadOptions& options)
      : options_(options),
        input_(source, options_),
        path_(input_.name()),
        facts_(std::make_shared<const FfmpegFacts>(FfmpegFacts{path_, options})),
        container_(input_.container()),
        packet_(ffmpeg().av_packet_alloc()),
        frame_(ffmpeg().av_frame_alloc()) {
    choose_stream();
    open_decoder();
    if (!decode()) throw FormatError(path_ + ": holds no frame that can be decoded");
    pending_ = true;
    describe_source();
  }

  const VideoInfo& info() const override { return info_; }

  bool advance() override {
    if (pending_) {
      pending_ = false;
      return true;
    }
    passed_ = 0;
    return decode();
  }
  std::int64_t passed_over() const override { return passed_; }

  void store(std::unique_ptr<StoredPicture>& picture) override {
    auto& stored = picture_as<FfmpegPicture>(picture);
    stored.take(*frame_, facts_);
    stored.index = index_;
    const std::int64_t stamp = stored.stamp();
    stored.seconds = stamp == AV_NOPTS_VALUE || first_stamp_ == AV_NOPTS_VALUE
                         ? static_cast<double>(index_) / info_.rate.value()
                         : static_cast<double>(stamp - first_stamp_) * av_q2d(stream_->time_base);
  }
  std::uint64_t stored_bytes() const override { return stored_bytes_; }
  std::vector<std::string> notes() const override { return hardware_.notes(); }

 private:
  void choose_stream() {
    const int best =
        ffmpeg().av_find_best_stream(container_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (best < 0) throw FormatError(path_ + ": holds no video that can be decoded");
    for (unsigned i = 0; i < container_->nb_streams; ++i) {
      if (static_cast<int>(i) != best) container_->streams[i]->discard = AVDISCARD_ALL;
    }
    stream_ = container_->streams[best];
  }

  void open_decoder() {
    const AVCodecParameters& parameters = *stream_->codecpar;
    const AVCodec* codec = ffmpeg().avcodec_find_decoder(parameters.codec_id);
    if (codec == nullptr)
      throw FormatError(fmt::format("{}: no decoder here for {}", path_,
                                    ffmpeg().avcodec_get_name(parameters.codec_id)));
    decoder_.reset(ffmpeg().avcodec_alloc_context3(codec));
    ffmpeg().avcodec_parameters_to_context(decoder_.get(), &parameters);
    decoder_->pkt_timebase = stream_->time_base;
    decoder_->thread_count = options_.threads;
    // Threads of frames give each frame later, by as many frames as there are threads.
    decoder_->thread_type = input_.live() ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
    if (input_.live()) decoder_->flags |= AV_CODEC_FLAG_LOW_DELAY;
    hardware_.attach(*decoder_, *codec, options_.hardware);
    check_frame_size(path_, {parameters.width, parameters.height}, options_);
    // The limit is also given to FFmpeg, because a stream may change its size later.
    if (options_.max_pixels > 0)
      decoder_->max_pixels = static_cast<std::int64_t>(options_.max_pixels);
    // Damage that a lossless codec's checksums show is an error. Lossy streams may begin in the
    // middle of a group of pictures, which is not damage.
    const AVCodecDescriptor* traits = ffmpeg().avcodec_descriptor_get(parameters.codec_id);
    decoder_->err_recognition = AV_EF_CRCCHECK;
    if (traits != nullptr && (traits->props & AV_CODEC_PROP_LOSSY) == 0)
      decoder_->err_recognition |= AV_EF_EXPLODE;
    const int opened = ffmpeg().avcodec_open2(decoder_.get(), codec, nullptr);
    if (opened < 0)
      throw FormatError(
          fmt::format("{}: the {} decoder does not start: {}", path_, codec->name, reason(opened)));
  }

  void describe_source() {
    info_.size = {frame_->width, frame_->height};
    const AVRational rate = ffmpeg().av_guess_frame_rate(container_, stream_, nullptr);
    info_.rate = rate.num > 0 && rate.den > 0 ? Rational{rate.num, rate.den}
                                              : frame_rate(options_.frame_rate);
    info_.frame_count = stream_->nb_frames > 0 && !input_.live() ? stream_->nb_frames : -1;
    if (const double stated = stated_seconds(); stated > 0 && !input_.live())
      info_.seconds = stated;
    info_.rotation_degrees = rotation_of(*stream_);
    const AVPixFmtDescriptor* pixels =
        ffmpeg().av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame_->format));
    info_.bits = pixels != nullptr ? pixels->comp[0].depth : 8;
    stored_bytes_ = picture_bytes(*frame_);
    info_.format = container_->iformat->name;
    info_.codec = ffmpeg().avcodec_get_name(stream_->codecpar->codec_id);
    info_.live = input_.live();
    first_stamp_ = frame_->best_effort_timestamp;
  }

  // Decodes the next frame into frame_; false at the end. After a fault, the frames that are still
  // in the decoder come first.
  bool decode() {
    while (true) {
      ffmpeg().av_frame_unref(frame_.get());
      const int got = ffmpeg().avcodec_receive_frame(decoder_.get(), frame_.get());
      if (got == 0) {
        ++index_;
        if (input_.live() && is_damaged()) {
          ++passed_;
          continue;
        }
        check_frame();
        const int brought = hardware_.bring_down(frame_);
        if (brought < 0)
          throw_broken(path_, index_, "cannot be brought from the decoder: " + reason(brought));
        return true;
      }
      if (got == AVERROR_EOF) return finish();
      if (got != AVERROR(EAGAIN) && !input_.live())
        throw_broken(path_, index_ + 1, "cannot decode: " + reason(got));
      feed();
    }
  }

  void feed() {
    const int read = input_.read(*packet_);
    if (read < 0) {
      if (read != AVERROR_EOF) fault_ = input_.fault_of(read);
      else if (cut_) fault_ = "the stream ends in the middle of it";
      unreachable_ = input_.remote();
      ffmpeg().avcodec_send_packet(decoder_.get(), nullptr);
      return;
    }
    if (packet_->stream_index == stream_->index) {
      note_packet();
      cut_ = (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0 || checksum_fails();
      const int sent = cut_ ? 0 : ffmpeg().avcodec_send_packet(decoder_.get(), packet_.get());
      const bool failed = sent < 0 && sent != AVERROR_EOF;
      // A live stream goes on behind a packet that was lost or came damaged.
      if (input_.live()) cut_ = cut_ || failed;
      else if (cut_) fault_ = "its data is cut off or damaged";
      else if (failed) fault_ = "cannot decode: " + reason(sent);
      if (!fault_.empty()) ffmpeg().avcodec_send_packet(decoder_.get(), nullptr);
    }
    ffmpeg().av_packet_unref(packet_.get());
  }

  bool checksum_fails() {
    if (stream_->codecpar->codec_id != AV_CODEC_ID_FFV1) return false;
    const std::optional<bool> hold = ffv1_checksums_hold(*packet_);
    if (packets_ == 1) has_checksums_ = hold.has_value() && *hold;
    return has_checksums_ && hold != true;
  }

  void note_packet() {
    ++packets_;
    const std::int64_t stamp = packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts;
    if (stamp != AV_NOPTS_VALUE) last_end_ = std::max(last_end_, stamp + packet_->duration);
  }

  bool finish() {
    if (fault_.empty() && !input_.live() && (input_.cut_off() || ends_early()))
      fault_ = "the file ends before the length it states; it may be truncated";
    if (!fault_.empty() && unreachable_)
      throw IoError(fmt::format("{}: frame {}: {}", path_, index_ + 1, fault_));
    if (!fault_.empty()) throw_broken(path_, index_ + 1, fault_);
    return false;
  }

  // Compares both count and time, because either alone may be off where an editor has cut the file.
  bool ends_early() const {
    const AVRational rate = ffmpeg().av_guess_frame_rate(container_, stream_, nullptr);
    if (rate.num <= 0 || rate.den <= 0 || last_end_ == INT64_MIN) return false;
    if (stream_->nb_frames > 0 && packets_ >= stream_->nb_frames) return false;
    return static_cast<double>(last_end_) * av_q2d(stream_->time_base) <
           stated_end() - 1.5 / av_q2d(rate);
  }

  double stream_start() const {
    return stream_->start_time == AV_NOPTS_VALUE
               ? 0
               : static_cast<double>(stream_->start_time) * av_q2d(stream_->time_base);
  }

  // How long the stream is, as the file states; 0 where it does not. A container states one length
  // for all, which with sound may be that of the sound.
  double stated_seconds() const {
    if (stream_->duration > 0)
      return static_cast<double>(stream_->duration) * av_q2d(stream_->time_base);
    if (container_->duration <= 0 ||
        container_->duration_estimation_method == AVFMT_DURATION_FROM_BITRATE)
      return 0;
    return std::max(0., static_cast<double>(container_->duration) / AV_TIME_BASE - stream_start());
  }

  // Where the stream ends, in seconds of its own time, where the file states it for certain.
  double stated_end() const {
    const bool certain = stream_->duration > 0 || container_->nb_streams == 1;
    return certain && stated_seconds() > 0 ? stream_start() + stated_seconds() : 0;
  }

  bool is_damaged() const {
    constexpr int kDamage = FF_DECODE_ERROR_INVALID_BITSTREAM | FF_DECODE_ERROR_DECODE_SLICES |
                            FF_DECODE_ERROR_CONCEALMENT_ACTIVE;
    return (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0 ||
           (frame_->decode_error_flags & kDamage) != 0;
  }

  void check_frame() {
    if (is_damaged()) throw_broken(path_, index_, "its data is damaged");
    if (info_.size.width != 0 && Extent{frame_->width, frame_->height} != info_.size)
      throw_broken(path_, index_,
                   fmt::format("is {}x{}, but the video began with {}x{}", frame_->width,
                               frame_->height, info_.size.width, info_.size.height));
  }

  VideoReadOptions options_;
  FfmpegInput input_;
  std::string path_;  // in messages
  std::shared_ptr<const FfmpegFacts> facts_;
  FfmpegHardware hardware_;     // outlives the decoder, which points to it
  AVFormatContext* container_;  // of input_
  Owned<AVCodecContext> decoder_;
  Owned<AVPacket> packet_;
  Owned<AVFrame> frame_;
  AVStream* stream_ = nullptr;
  VideoInfo info_;
  std::int64_t index_ = -1;  // number of the frame in frame_
  bool pending_ = false;     // frame_ was decoded to learn its size and is still to be given
  std::int64_t first_stamp_ = AV_NOPTS_VALUE;
  std::int64_t packets_ = 0;
  std::uint64_t stored_bytes_ = 0;
  bool has_checksums_ = false;  // the first FFV1 packet had some, and they held
  std::int64_t last_end_ = INT64_MIN;
  std::string fault_;         // why reading stopped; reported once the decoder is empty
  bool unreachable_ = false;  // the fault is one of a camera or stream, not of its data
  bool cut_ = false;          // the last packet was damaged
  std::int64_t passed_ = 0;   // damaged frames of a live source before this one
};

// The encoding that a file's extension stands for.
struct Encoding {
  const char* muxer;
  const AVCodec* codec;
  AVPixelFormat pixels;
  bool lossless = false;
};

struct FrameShape {
  int width, height, channels;
  bool deep;
};

Encoding encoding_for(const std::string& path, const FrameShape& shape) {
  const std::string extension = extension_of(path);
  if (extension == ".mkv") {
    const AVPixelFormat gray = shape.deep ? AV_PIX_FMT_GRAY16LE : AV_PIX_FMT_GRAY8;
    const AVPixelFormat rgb = shape.deep ? AV_PIX_FMT_RGB48LE : AV_PIX_FMT_BGR0;
    return {"matroska", ffmpeg().avcodec_find_encoder(AV_CODEC_ID_FFV1),
            shape.channels == 1 ? gray : rgb, true};
  }
  if (shape.deep)
    throw InvalidArgument(path + ": this format has 8 bits; give 8-bit frames or write .mkv");
  if (extension == ".avi")
    return {"avi", ffmpeg().avcodec_find_encoder(AV_CODEC_ID_MJPEG), AV_PIX_FMT_YUVJ420P};
  const bool even = shape.width % 2 == 0 && shape.height % 2 == 0;
  const AVCodec* h264 = even ? ffmpeg().avcodec_find_encoder_by_name("libx264") : nullptr;
  const AVCodec* codec = h264 != nullptr ? h264 : ffmpeg().avcodec_find_encoder(AV_CODEC_ID_MPEG4);
  return {extension == ".mov" ? "mov" : "mp4", codec, AV_PIX_FMT_YUV420P};
}

class FfmpegTarget final : public VideoTarget {
 public:
  FfmpegTarget(const std::string& path, const VideoWriteOptions& options)
      : path_(path),
        options_(options),
        file_(path),
        packet_(ffmpeg().av_packet_alloc()),
        frame_(ffmpeg().av_frame_alloc()) {
    silence_ffmpeg_log();
  }
  ~FfmpegTarget() override { close(); }

  void write(ImageView<const std::uint8_t> frame) override { encode(frame); }
  void write(ImageView<const std::uint16_t> frame) override { encode(frame); }

  void finish() override {
    send(nullptr);
    require(ffmpeg().av_write_trailer(container_));
    require(ffmpeg().avio_closep(&container_->pb));
    file_.commit();
  }

 private:
  void require(int result) {
    if (result < 0) throw WriteError(fmt::format("{}: cannot write: {}", path_, reason(result)));
  }

  template <class T>
  void encode(ImageView<const T> frame) {
    if (container_ == nullptr) begin({frame.width, frame.height, frame.channels, sizeof(T) > 1});
    require(ffmpeg().av_frame_make_writable(frame_.get()));
    fill(frame);
    frame_->pts = index_++;
    send(frame_.get());
  }

  // A first frame that the encoder refuses leaves the target unchanged.
  void begin(const FrameShape& shape) {
    try {
      open(shape);
    } catch (...) {
      close();
      throw;
    }
  }

  void close() {
    if (container_ == nullptr) return;
    ffmpeg().avio_closep(&container_->pb);
    ffmpeg().avformat_free_context(container_);
    container_ = nullptr;
    encoder_.reset();
    ffmpeg().av_frame_unref(frame_.get());
  }

  void open(const FrameShape& shape) {
    const Encoding encoding = encoding_for(path_, shape);
    if (encoding.codec == nullptr)
      throw WriteError(path_ + ": cannot write: this FFmpeg lacks the encoder for it");
    require(ffmpeg().avformat_alloc_output_context2(&container_, nullptr, encoding.muxer, nullptr));
    // The same frames give the same bytes, so there are no random identifiers and no dates.
    container_->flags |= AVFMT_FLAG_BITEXACT;
    open_encoder(encoding, shape);
    stream_ = ffmpeg().avformat_new_stream(container_, nullptr);
    if (stream_ == nullptr) require(AVERROR(ENOMEM));
    require(ffmpeg().avcodec_parameters_from_context(stream_->codecpar, encoder_.get()));
    stream_->time_base = encoder_->time_base;
    stream_->avg_frame_rate = encoder_->framerate;
    require(ffmpeg().avio_open(&container_->pb, file_url(file_.writing_path()).c_str(),
                               AVIO_FLAG_WRITE));
    require(ffmpeg().avformat_write_header(container_, nullptr));
    frame_->format = encoder_->pix_fmt;
    frame_->width = shape.width;
    frame_->height = shape.height;
    frame_->color_range = encoder_->color_range;
    frame_->colorspace = encoder_->colorspace;
    frame_->chroma_location = encoder_->chroma_sample_location;
    require(ffmpeg().av_frame_get_buffer(frame_.get(), 0));
  }

  void open_encoder(const Encoding& encoding, const FrameShape& shape) {
    encoder_.reset(ffmpeg().avcodec_alloc_context3(encoding.codec));
    AVCodecContext& encoder = *encoder_;
    const Rational rate = frame_rate(options_.frame_rate);
    encoder.width = shape.width;
    encoder.height = shape.height;
    encoder.pix_fmt = encoding.pixels;
    encoder.framerate = {static_cast<int>(rate.numerator), static_cast<int>(rate.denominator)};
    encoder.time_base = av_inv_q(encoder.framerate);
    encoder.thread_count = kEncoderThreads;
    encoder.flags |= AV_CODEC_FLAG_BITEXACT;
    if ((container_->oformat->flags & AVFMT_GLOBALHEADER) != 0)
      encoder.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    FfmpegDictionary options;
    if (encoding.lossless) {
      options.set("level", "3");  // the version with a checksum per slice
      options.set("slicecrc", "1");
    } else {
      set_color(encoding, shape);
      set_quality(encoding, options);
    }
    const int opened = ffmpeg().avcodec_open2(&encoder, encoding.codec, options.get());
    if (opened < 0)
      throw InvalidArgument(fmt::format("{}: the {} encoder does not take frames of {}x{}: {}",
                                        path_, encoding.codec->name, shape.width, shape.height,
                                        reason(opened)));
  }

  // Players assume BT.709 for large videos without a tag; MPEG-4 and JPEG have no tag and are
  // BT.601.
  void set_color(const Encoding& encoding, const FrameShape& shape) {
    const bool jpeg = encoding.pixels == AV_PIX_FMT_YUVJ420P;
    const bool large = encoding.codec->id == AV_CODEC_ID_H264 && shape.height >= 720;
    encoder_->color_range = jpeg ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    encoder_->colorspace = large ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
    encoder_->chroma_sample_location = AVCHROMA_LOC_CENTER;
    yuv_ = {.width = shape.width,
            .height = shape.height,
            .siting = ChromaSiting::kCenter,
            .matrix = large ? YuvMatrix::kBt709 : YuvMatrix::kBt601,
            .full_range = jpeg};
  }

  void set_quality(const Encoding& encoding, FfmpegDictionary& options) {
    const double loss = (100 - options_.quality) / 99.0;
    if (encoding.codec->id == AV_CODEC_ID_H264) {
      options.set("crf", fmt::format("{:.2f}", 15 + 36 * loss));
      return;
    }
    encoder_->flags |= AV_CODEC_FLAG_QSCALE;
    encoder_->global_quality = static_cast<int>(FF_QP2LAMBDA * (2 + 29 * loss));
  }

  void fill(ImageView<const std::uint8_t> image) {
    if (frame_->format == AV_PIX_FMT_GRAY8) return copy_rows(image);
    if (frame_->format != AV_PIX_FMT_BGR0)
      return to_yuv(image, yuv_,
                    {{frame_->data[0], frame_->data[1], frame_->data[2]},
                     {frame_->linesize[0], frame_->linesize[1], frame_->linesize[2]}});
    for (int y = 0; y < image.height; ++y) {
      const std::uint8_t* from = image.row(y);
      std::uint8_t* to = frame_->data[0] + static_cast<std::ptrdiff_t>(y) * frame_->linesize[0];
      for (int x = 0; x < image.width; ++x, from += 3, to += 4)
        to[0] = from[2], to[1] = from[1], to[2] = from[0], to[3] = 0;
    }
  }
  void fill(ImageView<const std::uint16_t> image) { copy_rows(image); }

  template <class T>
  void copy_rows(ImageView<const T> image) {
    const auto stride = image.stride * static_cast<std::ptrdiff_t>(sizeof(T));
    ffmpeg().av_image_copy_plane(
        frame_->data[0], frame_->linesize[0], reinterpret_cast<const std::uint8_t*>(image.data),
        static_cast<int>(stride), image.row_elements() * static_cast<int>(sizeof(T)), image.height);
  }

  // Sends a frame to the encoder and writes all packets that are ready. Null means that no more
  // frames follow.
  void send(const AVFrame* frame) {
    require(ffmpeg().avcodec_send_frame(encoder_.get(), frame));
    while (true) {
      const int got = ffmpeg().avcodec_receive_packet(encoder_.get(), packet_.get());
      if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) return;
      require(got);
      if (packet_->duration == 0) packet_->duration = 1;
      ffmpeg().av_packet_rescale_ts(packet_.get(), encoder_->time_base, stream_->time_base);
      packet_->stream_index = stream_->index;
      require(ffmpeg().av_interleaved_write_frame(container_, packet_.get()));
    }
  }

  std::string path_;
  VideoWriteOptions options_;
  OutputFile file_;
  AVFormatContext* container_ = nullptr;
  Owned<AVCodecContext> encoder_;
  Owned<AVPacket> packet_;
  Owned<AVFrame> frame_;
  AVStream* stream_ = nullptr;
  YuvFormat yuv_;
  std::int64_t index_ = 0;
};

}  // namespace

std::unique_ptr<VideoSource> open_ffmpeg(const std::string& source,
                                         const VideoReadOptions& options) {
  try {
    ffmpeg();
  } catch (const IoError& absent) {
    throw IoError(source_name(source) + ": cannot read video: " + absent.what());
  }
  return std::make_unique<FfmpegSource>(source, options);
}

std::unique_ptr<VideoTarget> create_ffmpeg(const std::string& path,
                                           const VideoWriteOptions& options) {
  try {
    ffmpeg();
  } catch (const IoError& absent) {
    throw WriteError(path + ": cannot write video: " + absent.what());
  }
  return std::make_unique<FfmpegTarget>(path, options);
}

Feature video_feature() {
  try {
    const char* mp4 =
        ffmpeg().avcodec_find_encoder_by_name("libx264") != nullptr ? "h264" : "mpeg4";
    return {"video", true,
            fmt::format("FFmpeg {}; writes {}, mjpeg and ffv1", ffmpeg().av_version_info(), mp4)};
  } catch (const IoError& absent) {
    return {"video", false, absent.what()};
  }
}

}  // namespace fovea::io
