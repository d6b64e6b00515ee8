// The Netpbm formats P1 to P6, ASCII and binary, with 1 to 16 bits, and PAM (P7). P5, P6 and P7 are
// written. Samples of more than 8 bits are big-endian and keep their values; a greatest value below
// 255 is stretched to 255. Only the first of several images in one file is read.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "io/image/codec.h"
#include "io/image/netpbm_tokens.h"
#include "io/text/extension.h"

namespace fovea::io {
namespace {

constexpr std::uint32_t kMostValue = 65535;

struct PnmHeader {
  int kind = 0;  // the digit after P
  std::uint64_t width = 0, height = 0, channels = 1;
  std::uint32_t most = 1;  // the value of white
  Alpha alpha = Alpha::kNone;

  bool ascii() const { return kind <= 3; }
  bool bitmap() const { return kind == 1 || kind == 4; }
  std::uint64_t bytes_a_row() const {
    return bitmap() ? (width + 7) / 8 : width * channels * (most > 255 ? 2 : 1);
  }
  PictureShape shape() const {
    return {width, height, channels, most > 255 ? SampleType::kUint16 : SampleType::kUint8};
  }
  ImageFacts facts() const {
    const double white = most > 255 ? most : 255;
    return {ImageFormat::kPnm, static_cast<int>(std::bit_width(most)), white, 1, false, alpha};
  }
};

Alpha tuple_alpha(const std::string& type) {
  return type.ends_with("_ALPHA") ? Alpha::kStraight : Alpha::kNone;
}

void read_pam_header(const Source& source, NetpbmTokens& tokens, PnmHeader& header) {
  header.width = header.height = header.channels = header.most = 0;
  for (std::string line = tokens.line(); line != "ENDHDR"; line = tokens.line()) {
    const auto space = line.find(' ');
    const std::string key = line.substr(0, space);
    const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    if (key == "TUPLTYPE") header.alpha = tuple_alpha(value);
    if (key.empty() || key == "TUPLTYPE") continue;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      source.fail(fmt::format("is damaged: its PAM header says '{}'", line));
    if (key == "WIDTH") header.width = number;
    else if (key == "HEIGHT") header.height = number;
    else if (key == "DEPTH") header.channels = number;
    else if (key == "MAXVAL") header.most = number;
  }
  if (header.channels < 2) header.alpha = Alpha::kNone;
}

PnmHeader read_pnm_header(Cursor& cursor, const ImageReadOptions& options = kNoLimits) {
  const Source& source = cursor.source();
  cursor.get();
  PnmHeader header;
  header.kind = cursor.get() - '0';
  NetpbmTokens tokens(cursor);
  if (header.kind == 7) {
    tokens.line();
    read_pam_header(source, tokens, header);
  } else {
    header.channels = header.kind == 3 || header.kind == 6 ? 3 : 1;
    header.width = tokens.number("width", 0x7fffffff);
    header.height = tokens.number("height", 0x7fffffff);
    if (!header.bitmap()) header.most = tokens.number("greatest value", kMostValue);
  }
  if (header.most < 1 || header.most > kMostValue)
    source.fail(
        fmt::format("says its greatest value is {}; expected 1 to {}", header.most, kMostValue));
  // In ASCII a sample takes a digit and a space, which the last sample may lack; a bit takes a
  // digit.
  const double samples =
      static_cast<double>(header.width * header.channels) * static_cast<double>(header.height);
  const double needed = !header.ascii() ? static_cast<double>(header.bytes_a_row()) *
                                              static_cast<double>(header.height)
                        : header.bitmap() ? samples
                                          : 2 * samples - 1;
  check_stored(cursor, header.shape(), needed, options);
  return header;
}

std::uint8_t spread(std::uint32_t value, std::uint32_t most) {
  return static_cast<std::uint8_t>((value * 255 + most / 2) / most);
}

void check_value(const Source& source, std::uint32_t value, std::uint32_t most) {
  if (value > most)
    source.fail(fmt::format("has a sample of {}, above its greatest value {}", value, most));
}

template <class T>
void read_ascii(Cursor& cursor, const PnmHeader& header, ImageView<T> image) {
  NetpbmTokens tokens(cursor);
  for (int y = 0; y < image.height; ++y) {
    for (int i = 0; i < image.row_elements(); ++i) {
      std::uint32_t value = 0;
      if (header.bitmap()) value = tokens.bit() ? 0 : 1;  // 1 is black
      else value = tokens.number("sample", header.most);
      image.row(y)[i] = sizeof(T) == 1 ? spread(value, header.most) : static_cast<T>(value);
    }
  }
}

void read_bits(Cursor& cursor, const PnmHeader& header, ImageView<std::uint8_t> image) {
  std::vector<std::byte> row(header.bytes_a_row());
  for (int y = 0; y < image.height; ++y) {
    cursor.read_all(row);
    for (int x = 0; x < image.width; ++x) {
      const auto byte = static_cast<unsigned>(row[static_cast<std::size_t>(x / 8)]);
      image.at(x, y) = (byte >> (7 - x % 8) & 1U) != 0 ? 0 : 255;
    }
  }
}

template <class T>
void read_binary(Cursor& cursor, const PnmHeader& header, ImageView<T> image) {
  for (int y = 0; y < image.height; ++y) {
    const std::span<std::byte> bytes = row_bytes(image, y);
    cursor.read_all(bytes);
    if (sizeof(T) == 2 && std::endian::native == std::endian::little) swap_bytes(bytes, 2);
    if (header.most == static_cast<T>(~T{0})) continue;
    for (int i = 0; i < image.row_elements(); ++i) {
      T& value = image.row(y)[i];
      check_value(cursor.source(), value, header.most);
      if (sizeof(T) == 1) value = spread(value, header.most);
    }
  }
}

ImageInfo pnm_info(const Source& source) {
  Cursor cursor(source);
  const PnmHeader header = read_pnm_header(cursor);
  return make_info(header.shape(), header.facts());
}

AnyImage read_pnm(const Source& source, const ImageReadOptions& options) {
  Cursor cursor(source);
  const PnmHeader header = read_pnm_header(cursor, options);
  AnyImage image = make_image(header.shape(), header.facts());
  if (auto* wide = std::get_if<Image<std::uint16_t>>(&image.pixels)) {
    if (header.ascii()) read_ascii(cursor, header, wide->view());
    else read_binary(cursor, header, wide->view());
  } else {
    auto& bytes = std::get<Image<std::uint8_t>>(image.pixels);
    if (header.ascii()) read_ascii(cursor, header, bytes.view());
    else if (header.bitmap()) read_bits(cursor, header, bytes.view());
    else read_binary(cursor, header, bytes.view());
  }
  return image;
}

std::string pam_header(const PictureShape& shape, unsigned most, Alpha alpha) {
  const bool has_alpha = alpha != Alpha::kNone && (shape.channels == 2 || shape.channels == 4);
  const bool color = shape.channels == 3 || (shape.channels == 4 && has_alpha);
  std::string type;
  if (shape.channels <= 4)
    type = fmt::format("TUPLTYPE {}{}\n", color ? "RGB" : "GRAYSCALE", has_alpha ? "_ALPHA" : "");
  if (shape.channels > 1 && !has_alpha && !color) type.clear();
  return fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\n{}ENDHDR\n", shape.width,
                     shape.height, shape.channels, most, type);
}

std::string header_text(const OutputFile& file, const AnyView& image,
                        const ImageWriteOptions& options) {
  const PictureShape shape = shape_of(image);
  const double type_most = type_white(shape.type);
  const bool usable = options.white == std::floor(options.white) && options.white <= type_most &&
                      (type_most == 255 || options.white > 255);
  const auto most = static_cast<unsigned>(usable && options.white > 0 ? options.white : type_most);
  if (extension_of(file.path()) == ".pam") {
    if (options.alpha == Alpha::kPremultiplied && shape.channels % 2 == 0 && shape.channels <= 4)
      refuse_image(file.path(), "PAM holds straight alpha", shape,
                   "blend_alpha first, or write .tif");
    return pam_header(shape, most, options.alpha);
  }
  return fmt::format("P{}\n{} {}\n{}\n", shape.channels == 1 ? 5 : 6, shape.width, shape.height,
                     most);
}

void require_pnm(const std::string& path, const PictureShape& shape) {
  if (shape.type != SampleType::kUint8 && shape.type != SampleType::kUint16)
    refuse_image(path, "PNM holds uint8 or uint16", shape, "convert it, or write .tif or .npy");
  const std::string extension = extension_of(path);
  if (extension == ".pam") return;
  if ((extension == ".pgm" && shape.channels != 1) ||
      (extension == ".ppm" && shape.channels != 3) || (shape.channels != 1 && shape.channels != 3))
    refuse_image(path, "PGM holds 1 channel and PPM 3", shape,
                 "convert it (to_gray, drop_alpha, select_channels) or write .pam");
}

void write_pnm(OutputFile& file, const AnyView& image, const ImageWriteOptions& options) {
  file.write(header_text(file, image, options));
  std::visit(
      [&](const auto& view) {
        std::vector<std::byte> row;
        for (int y = 0; y < view.height; ++y) {
          const auto bytes = row_bytes(view, y);
          row.assign(bytes.begin(), bytes.end());
          if (sizeof(*view.data) == 2 && std::endian::native == std::endian::little)
            swap_bytes(row, 2);
          file.write(row.data(), row.size());
        }
      },
      image);
}

constexpr std::string_view kPnmExtensions[] = {".pgm", ".ppm", ".pnm", ".pam"};

bool is_pnm(std::string_view head) {
  return head.size() >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' &&
         (NetpbmTokens::is_space(head[2]) || head[2] == '#');
}

}  // namespace

const Codec kPnmCodec{.format = ImageFormat::kPnm,
                      .name = "PNM",
                      .extensions = kPnmExtensions,
                      .recognizes = is_pnm,
                      .info = pnm_info,
                      .read = read_pnm,
                      .require = require_pnm,
                      .write = write_pnm,
                      .feature = [] {
                        return Feature{"pnm", true, "built in"};
                      }};

}  // namespace fovea::io
