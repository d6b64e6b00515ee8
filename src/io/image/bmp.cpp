// BMP, for reading only: uncompressed images of 1, 4, 8, 24 or 32 bits per pixel, with a palette or
// with masks of whole bytes. Images of 16 bits and run-length codes are left out on purpose: hardly
// any program writes them.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "io/image/codec.h"

namespace fovea::io {
namespace {

constexpr std::uint64_t kInfoStart = 14;   // where the second header begins
constexpr std::uint32_t kCoreHeader = 12;  // bytes of OS/2's header, the shortest one
constexpr std::uint32_t kInfoHeader = 40;  // bytes of Windows' header, which later ones extend
constexpr std::uint32_t kUncompressed = 0, kMasks = 3, kAlphaMasks = 6;
using Color = std::array<std::uint8_t, 3>;

struct BmpHeader {
  std::uint64_t data = 0;  // where the pixels begin
  std::uint32_t info_bytes = 0;
  std::uint64_t width = 0, height = 0;
  bool top_down = false;
  int bits = 0;  // per pixel
  std::uint32_t compression = kUncompressed;
  std::uint32_t colors = 0;  // number of colors in the palette
  std::array<Color, 256> palette{};
  std::array<int, 4> offsets{2, 1, 0, -1};  // bytes of red, green, blue, alpha in a pixel; -1: none

  bool indexed() const { return bits <= 8; }
  std::uint64_t row_bytes() const {
    return (width * static_cast<std::uint64_t>(bits) + 31) / 32 * 4;
  }
  bool gray() const {
    if (!indexed()) return false;
    for (std::uint32_t i = 0; i < colors; ++i) {
      if (palette[i][0] != palette[i][1] || palette[i][1] != palette[i][2]) return false;
    }
    return true;
  }
  PictureShape shape() const {
    const std::uint64_t channels = gray() ? 1 : offsets[3] >= 0 ? 4 : 3;
    return {width, height, channels, SampleType::kUint8};
  }
  ImageFacts facts() const {
    return {ImageFormat::kBmp, 8, 255, 1, false, offsets[3] >= 0 ? Alpha::kStraight : Alpha::kNone};
  }
};

// Reads a little-endian number.
std::uint32_t number_at(const Source& source, std::uint64_t offset, std::size_t bytes) {
  std::array<std::byte, 4> raw{};
  if (source.read_at(offset, std::span(raw).first(bytes)) < bytes)
    source.fail("is truncated: the header of the BMP is not whole");
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<std::uint32_t>(raw[i]);
  return value;
}

void read_sides(const Source& source, BmpHeader& header) {
  if (header.info_bytes == kCoreHeader) {
    header.width = number_at(source, 18, 2);
    header.height = number_at(source, 20, 2);
    header.bits = static_cast<int>(number_at(source, 24, 2));
    return;
  }
  const auto height = std::int64_t{std::bit_cast<std::int32_t>(number_at(source, 22, 4))};
  header.width = number_at(source, 18, 4);
  header.height = static_cast<std::uint64_t>(std::abs(height));
  header.top_down = height < 0;
  header.bits = static_cast<int>(number_at(source, 28, 2));
  header.compression = number_at(source, 30, 4);
  header.colors = number_at(source, 46, 4);
}

void read_palette(const Source& source, BmpHeader& header) {
  const auto most = std::uint32_t{1} << header.bits;
  if (header.colors == 0) header.colors = most;
  if (header.colors > most)
    source.fail(fmt::format("is damaged: its palette has {} colors; {} bits allow {}",
                            header.colors, header.bits, most));
  const std::size_t entry = header.info_bytes == kCoreHeader ? 3 : 4;
  std::vector<std::byte> raw(header.colors * entry);
  if (source.read_at(kInfoStart + header.info_bytes, raw) < raw.size())
    source.fail("is truncated: the palette of the BMP is not whole");
  for (std::size_t i = 0; i < header.colors; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      header.palette[i][c] = static_cast<std::uint8_t>(raw[i * entry + 2 - c]);
  }
}

void read_masks(const Source& source, BmpHeader& header) {
  const bool alpha = header.compression == kAlphaMasks || header.info_bytes >= 56;
  for (std::size_t i = 0; i < (alpha ? 4U : 3U); ++i) {
    const std::uint32_t mask = number_at(source, 54 + 4 * i, 4);
    if (mask == 0 && i == 3) continue;
    const int shift = mask == 0 ? 0 : std::countr_zero(mask);
    if (shift % 8 != 0 || mask >> shift != 0xFF)
      source.fail(
          fmt::format("has the color mask {:08x}; only masks of one whole byte are read; "
                      "convert it to PNG",
                      mask));
    header.offsets[i] = shift / 8;
  }
}

BmpHeader read_bmp_header(const Source& source) {
  BmpHeader header;
  header.data = number_at(source, 10, 4);
  header.info_bytes = number_at(source, kInfoStart, 4);
  if (header.info_bytes != kCoreHeader && header.info_bytes < kInfoHeader)
    source.fail(
        fmt::format("is damaged: the header of the BMP says it has {} bytes", header.info_bytes));
  read_sides(source, header);
  const bool known_bits = header.bits == 1 || header.bits == 4 || header.bits == 8 ||
                          header.bits == 24 || header.bits == 32;
  const bool masks = header.compression == kMasks || header.compression == kAlphaMasks;
  if (!known_bits || !(header.compression == kUncompressed || (masks && header.bits == 32)))
    source.fail(
        fmt::format("is a BMP of {} bits per pixel with compression {}; only uncompressed ones of "
                    "1, 4, 8, 24 or 32 bits are read; convert it to PNG",
                    header.bits, header.compression));
  if (header.indexed()) read_palette(source, header);
  if (masks) read_masks(source, header);
  check_stored(Cursor(source, header.data), header.shape(),
               static_cast<double>(header.row_bytes()) * static_cast<double>(header.height));
  return header;
}

ImageInfo info(const Source& source) {
  const BmpHeader header = read_bmp_header(source);
  return make_info(header.shape(), header.facts());
}

void unpack_indices(const BmpHeader& header, std::span<const std::byte> row, std::uint8_t* to) {
  const bool gray = header.gray();
  const int per_byte = 8 / header.bits;
  const unsigned mask = (1U << header.bits) - 1;
  for (std::size_t x = 0; x < header.width; ++x) {
    const auto byte = static_cast<unsigned>(row[x / static_cast<std::size_t>(per_byte)]);
    const int shift = (per_byte - 1 - static_cast<int>(x) % per_byte) * header.bits;
    const Color& color = header.palette[byte >> shift & mask];
    if (gray) *to++ = color[0];
    else to = std::copy(color.begin(), color.end(), to);
  }
}

void unpack_colors(const BmpHeader& header, std::span<const std::byte> row, std::uint8_t* to) {
  const auto step = static_cast<std::size_t>(header.bits / 8);
  for (std::size_t x = 0; x < header.width; ++x) {
    for (const int offset : header.offsets) {
      if (offset >= 0)
        *to++ = static_cast<std::uint8_t>(row[x * step + static_cast<std::size_t>(offset)]);
    }
  }
}

AnyImage read(const Source& source, const ImageReadOptions& options) {
  const BmpHeader header = read_bmp_header(source);
  check_shape(source, header.shape(), options);
  AnyImage image = make_image(header.shape(), header.facts());
  const auto view = std::get<Image<std::uint8_t>>(image.pixels).view();
  std::vector<std::byte> row(header.row_bytes());
  Cursor cursor(source, header.data);
  for (int i = 0; i < view.height; ++i) {
    cursor.read_all(row);
    std::uint8_t* const to = view.row(header.top_down ? i : view.height - 1 - i);
    if (header.indexed()) unpack_indices(header, row, to);
    else unpack_colors(header, row, to);
  }
  return image;
}

constexpr std::string_view kExtensions[] = {".bmp"};

bool recognizes(std::string_view head) { return head.starts_with("BM"); }

}  // namespace

const Codec kBmpCodec{.format = ImageFormat::kBmp,
                      .name = "BMP",
                      .extensions = kExtensions,
                      .recognizes = recognizes,
                      .info = info,
                      .read = read,
                      .write = nullptr,
                      .feature = [] {
                        return Feature{"bmp", true, "built in, for reading only"};
                      }};

}  // namespace fovea::io
