// PFM: rows of 32-bit floats, the bottom row first, in the byte order that the sign of the scale
// states. The scale's size is not applied: samples are returned as stored.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "core/words.h"
#include "io/image/codec.h"
#include "io/image/netpbm_tokens.h"

namespace fovea::io {
namespace {

struct PfmHeader {
  PictureShape shape{};
  bool big_endian = false;
};

constexpr ImageFacts kFacts{ImageFormat::kPfm, 32, 1, 1, false, Alpha::kNone};

double read_scale(const Source& source, NetpbmTokens& tokens) {
  const std::string text = tokens.word();
  double scale = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
  if (error != std::errc() || end != text.data() + text.size())
    source.fail(fmt::format("is truncated or damaged: its scale is '{}', not a number",
                            fovea::detail::shown(text)));
  if (!std::isfinite(scale) || scale == 0)
    source.fail(fmt::format("has the scale {}; expected a number other than 0", scale));
  return scale;
}

PfmHeader read_pfm_header(Cursor& cursor, const ImageReadOptions& options = kNoLimits) {
  constexpr std::uint32_t kMostSide = 0x7fffffff;
  PfmHeader header;
  NetpbmTokens tokens(cursor);
  header.shape.type = SampleType::kFloat32;
  header.shape.channels = tokens.word() == "PF" ? 3 : 1;
  header.shape.width = tokens.number("width", kMostSide);
  header.shape.height = tokens.number("height", kMostSide);
  header.big_endian = read_scale(cursor.source(), tokens) > 0;
  const double needed = static_cast<double>(header.shape.width * header.shape.channels) * 4.0 *
                        static_cast<double>(header.shape.height);
  check_stored(cursor, header.shape, needed, options);
  return header;
}

ImageInfo pfm_info(const Source& source) {
  Cursor cursor(source);
  return make_info(read_pfm_header(cursor).shape, kFacts);
}

AnyImage read_pfm(const Source& source, const ImageReadOptions& options) {
  Cursor cursor(source);
  const PfmHeader header = read_pfm_header(cursor, options);
  AnyImage image = make_image(header.shape, kFacts);
  const auto view = std::get<Image<float>>(image.pixels).view();
  for (int y = view.height - 1; y >= 0; --y) {
    cursor.read_all(row_bytes(view, y));
    if (header.big_endian != (std::endian::native == std::endian::big))
      swap_bytes(row_bytes(view, y), 4);
  }
  return image;
}

void require_pfm(const std::string& path, const PictureShape& shape) {
  if (shape.type != SampleType::kFloat32 || (shape.channels != 1 && shape.channels != 3))
    refuse_image(path, "PFM holds float32 with 1 or 3 channels", shape,
                 "convert it (to_float, select_channels) or write .tif or .npy");
}

void write_pfm(OutputFile& file, const AnyView& image, const ImageWriteOptions&) {
  const auto* view = &std::get<ImageView<const float>>(image);
  const bool big = std::endian::native == std::endian::big;
  file.write(fmt::format("{}\n{} {}\n{}\n", view->channels == 3 ? "PF" : "Pf", view->width,
                         view->height, big ? "1.0" : "-1.0"));
  for (int y = view->height - 1; y >= 0; --y) {
    const auto bytes = row_bytes(*view, y);
    file.write(bytes.data(), bytes.size());
  }
}

constexpr std::string_view kPfmExtensions[] = {".pfm"};

bool is_pfm(std::string_view head) {
  return head.size() >= 3 && head[0] == 'P' && (head[1] == 'F' || head[1] == 'f') &&
         NetpbmTokens::is_space(head[2]);
}

}  // namespace

const Codec kPfmCodec{.format = ImageFormat::kPfm,
                      .name = "PFM",
                      .extensions = kPfmExtensions,
                      .recognizes = is_pfm,
                      .info = pfm_info,
                      .read = read_pfm,
                      .require = require_pfm,
                      .write = write_pfm,
                      .feature = [] {
                        return Feature{"pfm", true, "built in"};
                      }};

}  // namespace fovea::io
