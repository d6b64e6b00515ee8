// Planar YUV and gray, which nearly all decoders give, are converted by our own arithmetic from
// where the decoder put them, so that a file and the same frames piped as y4m give the same pixels
// on every machine. So is YUV whose chroma samples come in pairs (NV12, P010), which hardware
// gives, once they are apart. Other pixel formats (RGB, palettes, packed YUV) go through
// libswscale.
#include "io/video/ffmpeg_frame.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace fovea::io {
namespace {

static_assert(std::endian::native == std::endian::little, "deep planes are read as they lie");

constexpr auto kOtherLayouts = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL |
                               AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                               AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

bool is_our_planar(const AVPixFmtDescriptor& pixels) {
  const int bits = pixels.comp[0].depth;
  if ((pixels.flags & kOtherLayouts) != 0 || bits < 8 || bits > 16 || pixels.nb_components == 2 ||
      pixels.log2_chroma_w > 2 || pixels.log2_chroma_h > 2)
    return false;
  if (bits > 8 && (pixels.flags & AV_PIX_FMT_FLAG_BE) != 0) return false;
  for (int c = 0; c < std::min<int>(pixels.nb_components, 3); ++c) {
    const AVComponentDescriptor& component = pixels.comp[c];
    if (component.plane != c || component.offset != 0 || component.shift != 0 ||
        component.step != (bits > 8 ? 2 : 1) || component.depth != bits)
      return false;
  }
  return true;
}

// A plane of luma and one of chroma samples in pairs, which may lie in the upper bits.
bool is_paired(const AVPixFmtDescriptor& pixels) {
  const int bits = pixels.comp[0].depth, bytes = bits > 8 ? 2 : 1;
  if ((pixels.flags & (kOtherLayouts | AV_PIX_FMT_FLAG_BE)) != 0 || bits < 8 || bits > 16 ||
      pixels.nb_components != 3 || pixels.log2_chroma_w > 2 || pixels.log2_chroma_h > 2)
    return false;
  for (int c = 0; c < 3; ++c) {
    const AVComponentDescriptor& component = pixels.comp[c];
    if (component.plane != std::min(c, 1) || component.step != (c == 0 ? bytes : 2 * bytes) ||
        component.depth != bits || component.shift != pixels.comp[0].shift)
      return false;
  }
  return pixels.comp[0].offset == 0 && pixels.comp[1].offset + pixels.comp[2].offset == bytes;
}

template <class Sample>
void take_samples(const std::uint8_t* from, int step, int shift, int count, std::uint8_t* to) {
  for (int x = 0; x < count; ++x, from += step, to += sizeof(Sample)) {
    Sample sample;
    std::memcpy(&sample, from, sizeof(Sample));
    sample = static_cast<Sample>(sample >> shift);
    std::memcpy(to, &sample, sizeof(Sample));
  }
}

bool is_jpeg_format(int format) {
  return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P ||
         format == AV_PIX_FMT_YUVJ444P || format == AV_PIX_FMT_YUVJ440P ||
         format == AV_PIX_FMT_YUVJ411P;
}

YuvFormat yuv_format(const AVFrame& frame, const AVPixFmtDescriptor& pixels,
                     const VideoReadOptions& options) {
  YuvFormat format{.width = frame.width,
                   .height = frame.height,
                   .mono = pixels.nb_components == 1,
                   .shift_x = pixels.log2_chroma_w,
                   .shift_y = pixels.log2_chroma_h,
                   .bits = pixels.comp[0].depth};
  if (frame.chroma_location == AVCHROMA_LOC_CENTER) format.siting = ChromaSiting::kCenter;
  if (frame.chroma_location == AVCHROMA_LOC_TOPLEFT) format.siting = ChromaSiting::kTopLeft;
  if (frame.colorspace == AVCOL_SPC_BT709) format.matrix = YuvMatrix::kBt709;
  if (frame.colorspace == AVCOL_SPC_BT2020_NCL) format.matrix = YuvMatrix::kBt2020;
  if (options.matrix != YuvMatrix::kAuto) format.matrix = options.matrix;
  format.full_range = frame.color_range == AVCOL_RANGE_JPEG || is_jpeg_format(frame.format) ||
                      (format.mono && frame.color_range == AVCOL_RANGE_UNSPECIFIED);
  if (options.range != YuvRange::kAuto) format.full_range = options.range == YuvRange::kFull;
  return format;
}

}  // namespace

void FfmpegPicture::take(AVFrame& frame, std::shared_ptr<const FfmpegFacts> facts) {
  facts_ = std::move(facts);
  if (!frame_) frame_.reset(ffmpeg().av_frame_alloc());
  ffmpeg().av_frame_unref(frame_.get());
  ffmpeg().av_frame_move_ref(frame_.get(), &frame);
}

void FfmpegPicture::decode(Frame& frame, bool deep) const {
  if (deep) convert(frame.deep_image, AV_PIX_FMT_RGB48LE);
  else convert(frame.image, AV_PIX_FMT_RGB24);
}

template <class T>
void FfmpegPicture::convert(Image<T>& image, AVPixelFormat rgb) const {
  const bool gray = facts_->options.color == VideoColor::kGray;
  const auto* pixels = ffmpeg().av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame_->format));
  fit(image, frame_->width, frame_->height, gray ? 1 : 3);
  if (pixels != nullptr && is_our_planar(*pixels)) {
    const YuvPlanes planes = {{frame_->data[0], frame_->data[1], frame_->data[2]},
                              {frame_->linesize[0], frame_->linesize[1], frame_->linesize[2]}};
    return from_yuv(yuv_format(*frame_, *pixels, facts_->options), planes, image.view());
  }
  if (pixels != nullptr && is_paired(*pixels)) {
    const YuvFormat format = yuv_format(*frame_, *pixels, facts_->options);
    return from_yuv(format, split_chroma(*pixels, format), image.view());
  }
  if (!gray) return scale_to(image, rgb);
  Image<T> colored(frame_->width, frame_->height, 3);
  scale_to(colored, rgb);
  convert_channels(ImageView<const T>(colored), image.view());
}

template <class T>
void FfmpegPicture::scale_to(Image<T>& image, AVPixelFormat rgb) const {
  constexpr int kFlags = SWS_BILINEAR | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INT;
  scaler_.reset(ffmpeg().sws_getCachedContext(
      scaler_.release(), frame_->width, frame_->height, static_cast<AVPixelFormat>(frame_->format),
      frame_->width, frame_->height, rgb, kFlags, nullptr, nullptr, nullptr));
  if (!scaler_)
    throw_broken(
        facts_->path, index,
        fmt::format("cannot convert its pixels ({})",
                    ffmpeg().av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame_->format))));
  std::uint8_t* data[4] = {reinterpret_cast<std::uint8_t*>(image.row(0))};
  const int stride[4] = {static_cast<int>(image.stride() * static_cast<std::ptrdiff_t>(sizeof(T)))};
  ffmpeg().sws_scale(scaler_.get(), frame_->data, frame_->linesize, 0, frame_->height, data,
                     stride);
}

YuvPlanes FfmpegPicture::split_chroma(const AVPixFmtDescriptor& pixels,
                                      const YuvFormat& format) const {
  const int bytes = format.sample_bytes();
  const std::array<int, 3> widths = {format.width, format.chroma_width(), format.chroma_width()};
  const std::array<int, 3> heights = {format.height, format.chroma_height(),
                                      format.chroma_height()};
  YuvPlanes planes;
  std::array<std::size_t, 4> starts{};
  for (std::size_t c = 0; c < 3; ++c) {
    planes.stride[c] = static_cast<std::ptrdiff_t>(widths[c]) * bytes;
    starts[c + 1] = starts[c] + static_cast<std::size_t>(planes.stride[c] * heights[c]);
  }
  planes_.resize(starts[3]);
  for (std::size_t c = 0; c < 3; ++c) {
    planes.data[c] = planes_.data() + starts[c];
    const AVComponentDescriptor& component = pixels.comp[c];
    for (int y = 0; y < heights[c]; ++y) {
      const std::uint8_t* from = frame_->data[component.plane] + component.offset +
                                 static_cast<std::ptrdiff_t>(y) * frame_->linesize[component.plane];
      std::uint8_t* to = planes_.data() + starts[c] + y * planes.stride[c];
      const auto take = bytes > 1 ? take_samples<std::uint16_t> : take_samples<std::uint8_t>;
      take(from, component.step, component.shift, widths[c], to);
    }
  }
  return planes;
}

std::uint64_t picture_bytes(const AVFrame& frame) {
  const auto* pixels = ffmpeg().av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const auto area =
      static_cast<std::uint64_t>(frame.width) * static_cast<std::uint64_t>(frame.height);
  if (pixels == nullptr) return 4 * area;
  const std::uint64_t sample = pixels->comp[0].depth > 8 ? 2 : 1;
  const std::uint64_t others = pixels->nb_components > 1 ? pixels->nb_components - 1 : 0;
  return sample * (area + (others * area >> (pixels->log2_chroma_w + pixels->log2_chroma_h)));
}

}  // namespace fovea::io
