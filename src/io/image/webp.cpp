// WebP, for reading only: still images, lossy or lossless, with or without alpha. Its chunks are
// parsed by hand, so that a size or an orientation costs no decoding and every size is checked
// before memory is allocated; libwebp decodes the pixels. Animations are left out on purpose: a
// video is the better file for them. RFC 9649 describes the format.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "io/image/codec.h"
#include "io/image/exif.h"
#include "io/image/webp_decoder.h"

namespace fovea::io {
namespace {

constexpr std::uint64_t kFirstChunk = 12;  // after "RIFF", the length of the rest, and "WEBP"
constexpr int kMostChunks = 256;           // ordinary files have fewer than ten
constexpr std::size_t kMostWebpExif = 1 << 20;
constexpr unsigned kAnimationFlag = 2;  // in the VP8X chunk
// Lossy images spend at least one bit on the mode of every 16x16 pixels, which are 768 bytes. There
// is no such bound for lossless images: a single color takes no bits at all.
constexpr double kLossyExpansion = 8 * 768;

struct WebpSize {
  std::uint32_t width = 0, height = 0;
  bool operator==(const WebpSize&) const = default;
};

struct WebpHeader {
  std::optional<WebpSize> canvas;   // from the header of the extended format
  std::optional<WebpSize> picture;  // from the coded image
  bool alpha = false;
  bool lossy = false;
  int orientation = 1;
  std::uint64_t bytes = 0;  // length of the file without trailing data

  PictureShape shape() const {
    return {picture->width, picture->height, alpha ? 4U : 3U, SampleType::kUint8};
  }
  ImageFacts facts() const {
    return {ImageFormat::kWebp, 8,     255,
            orientation,        false, alpha ? Alpha::kStraight : Alpha::kNone};
  }
};

struct WebpChunk {
  std::string name;
  std::uint64_t data = 0;  // where its content begins
  std::uint32_t bytes = 0;
};

// Reads a little-endian number from the chunk's content.
std::uint32_t number_in(const Source& source, const WebpChunk& chunk, std::uint64_t offset,
                        std::size_t bytes) {
  std::array<std::byte, 4> raw{};
  if (offset + bytes > chunk.bytes ||
      source.read_at(chunk.data + offset, std::span(raw).first(bytes)) < bytes)
    source.fail(
        fmt::format("is truncated or damaged: the chunk {} of the WebP is not whole", chunk.name));
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<std::uint32_t>(raw[i]);
  return value;
}

std::optional<WebpChunk> chunk_at(const Source& source, std::uint64_t offset) {
  std::array<std::byte, 8> raw{};
  if (source.read_at(offset, raw) < raw.size()) return {};
  WebpChunk chunk{std::string(reinterpret_cast<const char*>(raw.data()), 4), offset + 8};
  for (std::size_t i = 8; i-- > 4;)
    chunk.bytes = chunk.bytes << 8 | static_cast<std::uint32_t>(raw[i]);
  return chunk;
}

void read_canvas(const Source& source, const WebpChunk& chunk, WebpHeader& header) {
  if ((number_in(source, chunk, 0, 1) & kAnimationFlag) != 0)
    source.fail(
        "is an animated WebP; only still images are read; take a frame out of it, for example "
        "with webpmux -get frame 1 IN -o OUT.webp");
  header.canvas = WebpSize{number_in(source, chunk, 4, 3) + 1, number_in(source, chunk, 7, 3) + 1};
}

void read_lossy(const Source& source, const WebpChunk& chunk, WebpHeader& header) {
  constexpr std::uint32_t kStartCode = 0x2A019D, kSideBits = 0x3FFF;
  if (number_in(source, chunk, 3, 3) != kStartCode)
    source.fail("is damaged: the image of the WebP has no start code");
  header.lossy = true;
  header.picture = WebpSize{number_in(source, chunk, 6, 2) & kSideBits,
                            number_in(source, chunk, 8, 2) & kSideBits};
}

void read_lossless(const Source& source, const WebpChunk& chunk, WebpHeader& header) {
  constexpr std::uint32_t kSignature = 0x2F, kSideBits = 0x3FFF;
  if (number_in(source, chunk, 0, 1) != kSignature)
    source.fail("is damaged: the lossless image of the WebP has no signature");
  const std::uint32_t bits = number_in(source, chunk, 1, 4);
  header.picture = WebpSize{(bits & kSideBits) + 1, (bits >> 14 & kSideBits) + 1};
  header.alpha = (bits >> 28 & 1U) != 0;
}

void read_exif(const Source& source, const WebpChunk& chunk, WebpHeader& header) {
  std::vector<std::byte> exif(std::min<std::size_t>(chunk.bytes, kMostWebpExif));
  exif.resize(source.read_at(chunk.data, exif));
  const std::string_view text(reinterpret_cast<const char*>(exif.data()), exif.size());
  // Some programs keep the mark that precedes EXIF data in a JPEG.
  const std::size_t mark = text.starts_with("Exif") && exif.size() >= 6 ? 6 : 0;
  header.orientation = exif_orientation(std::span(exif).subspan(mark));
}

WebpHeader read_webp_header(const Source& source) {
  WebpHeader header;
  const WebpChunk file{"RIFF", 0, 8};
  header.bytes =
      std::min<std::uint64_t>(source.size(), std::uint64_t{number_in(source, file, 4, 4)} + 8);
  std::uint64_t offset = kFirstChunk;
  for (int i = 0; i < kMostChunks && offset < header.bytes; ++i) {
    const std::optional<WebpChunk> chunk = chunk_at(source, offset);
    if (!chunk) break;
    if (chunk->name == "VP8X" && i == 0) read_canvas(source, *chunk, header);
    else if (chunk->name == "VP8 " && !header.picture) read_lossy(source, *chunk, header);
    else if (chunk->name == "VP8L" && !header.picture) read_lossless(source, *chunk, header);
    else if (chunk->name == "ALPH" && header.canvas && !header.picture) header.alpha = true;
    else if (chunk->name == "EXIF") read_exif(source, *chunk, header);
    if (header.picture && !header.canvas) break;  // the simple format has no further chunks
    offset = chunk->data + chunk->bytes + chunk->bytes % 2;
  }
  if (!header.picture) source.fail("is truncated or damaged: a WebP without an image");
  if (header.canvas && header.canvas != header.picture)
    source.fail(fmt::format("is damaged: its header says {}x{}, its image is {}x{}",
                            header.canvas->width, header.canvas->height, header.picture->width,
                            header.picture->height));
  check_shape(source, header.shape());
  if (header.lossy)
    check_justified(source, 3.0 * header.picture->width * header.picture->height, kLossyExpansion);
  return header;
}

ImageInfo webp_info(const Source& source) {
  const WebpHeader header = read_webp_header(source);
  return make_info(header.shape(), header.facts());
}

AnyImage read_webp(const Source& source, const ImageReadOptions& options) {
  const WebpHeader header = read_webp_header(source);
  check_shape(source, header.shape(), options);
  std::vector<std::byte> file(header.bytes);
  file.resize(source.read_at(0, file));
  AnyImage image = make_image(header.shape(), header.facts());
  decode_webp(source, file, std::get<Image<std::uint8_t>>(image.pixels).view());
  return image;
}

constexpr std::string_view kWebpExtensions[] = {".webp"};

bool is_webp(std::string_view head) {
  return head.starts_with("RIFF") && head.size() >= kFirstChunk && head.substr(8, 4) == "WEBP";
}

}  // namespace

const Codec kWebpCodec{.format = ImageFormat::kWebp,
                       .name = "WebP",
                       .extensions = kWebpExtensions,
                       .recognizes = is_webp,
                       .info = webp_info,
                       .read = read_webp,
                       .write = nullptr,
                       .feature = webp_feature};

}  // namespace fovea::io
