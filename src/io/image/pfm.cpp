// PFM: rows of 32-bit floats, the bottom row first, of either byte order (the sign of the scale
// tells). The scale's size is not applied: samples are given as stored.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "core/words.h"
#include "io/image/codec.h"

namespace fovea::io {
namespace {

struct PfmHeader {
  PictureShape shape{};
  bool big_endian = false;
};

constexpr ImageFacts kFacts{ImageFormat::kPfm, 32, 1, 1, false, Alpha::kNone};

bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A word of the header and the one white space after it.
std::string word(Cursor& cursor) {
  int c = cursor.get();
  while (is_space(c)) c = cursor.get();
  std::string text;
  for (; c != -1 && !is_space(c) && text.size() < 64; c = cursor.get())
    text += static_cast<char>(c);
  return text;
}

template <class Number>
Number number(Cursor& cursor, const char* what) {
  const std::string text = word(cursor);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    cursor.source().fail(fmt::format("is truncated or damaged: its {} is '{}', not a number", what,
                                     fovea::detail::shown(text)));
  return value;
}

PfmHeader read_header(Cursor& cursor, const ImageReadOptions& options = kNoLimits) {
  PfmHeader header;
  header.shape.type = SampleType::kFloat32;
  header.shape.channels = word(cursor) == "PF" ? 3 : 1;
  header.shape.width = number<std::uint32_t>(cursor, "width");
  header.shape.height = number<std::uint32_t>(cursor, "height");
  const auto scale = number<double>(cursor, "scale");
  if (!std::isfinite(scale) || scale == 0)
    cursor.source().fail(fmt::format("has the scale {}; expected a number other than 0", scale));
  header.big_endian = scale > 0;
  check_shape(cursor.source(), header.shape);
  const double needed = static_cast<double>(header.shape.width * header.shape.channels) * 4.0 *
                        static_cast<double>(header.shape.height);
  if (needed > static_cast<double>(cursor.remaining()))
    cursor.source().fail(fmt::format("is truncated: {}x{} pixels take {:.0f} bytes, {} are there",
                                     header.shape.width, header.shape.height, needed,
                                     cursor.remaining()));
  check_shape(cursor.source(), header.shape, options);
  return header;
}

ImageInfo info(const Source& source) {
  Cursor cursor(source);
  return make_info(read_header(cursor).shape, kFacts);
}

AnyImage read(const Source& source, const ImageReadOptions& options) {
  Cursor cursor(source);
  const PfmHeader header = read_header(cursor, options);
  AnyImage image = make_image(header.shape, kFacts);
  const auto view = std::get<Image<float>>(image.pixels).view();
  for (int y = view.height - 1; y >= 0; --y) {
    cursor.read_all(row_bytes(view, y));
    if (header.big_endian != (std::endian::native == std::endian::big))
      swap_bytes(row_bytes(view, y), 4);
  }
  return image;
}

void write(OutputFile& file, const AnyView& image, const ImageWriteOptions&) {
  const auto* view = std::get_if<ImageView<const float>>(&image);
  if (view == nullptr || (view->channels != 1 && view->channels != 3))
    refuse_image(file, "PFM holds float32 with 1 or 3 channels", image,
                 "convert it (to_float, select_channels) or write .tif or .npy");
  const bool big = std::endian::native == std::endian::big;
  file.write(fmt::format("{}\n{} {}\n{}\n", view->channels == 3 ? "PF" : "Pf", view->width,
                         view->height, big ? "1.0" : "-1.0"));
  for (int y = view->height - 1; y >= 0; --y) {
    const auto bytes = row_bytes(*view, y);
    file.write(bytes.data(), bytes.size());
  }
}

constexpr std::string_view kExtensions[] = {".pfm"};

bool recognizes(std::string_view head) {
  return head.size() >= 3 && head[0] == 'P' && (head[1] == 'F' || head[1] == 'f') &&
         is_space(head[2]);
}

}  // namespace

const Codec kPfmCodec{.format = ImageFormat::kPfm,
                      .name = "PFM",
                      .extensions = kExtensions,
                      .recognizes = recognizes,
                      .info = info,
                      .read = read,
                      .write = write,
                      .feature = [] {
                        return Feature{"pfm", true, "built in"};
                      }};

}  // namespace fovea::io
