#include "report/png_text.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>

#include "core/dispatch.h"

namespace fovea::report {
namespace {

struct Sink {
  std::string bytes;
  std::string error;
};

void append(png_structp png, png_bytep data, png_size_t size) {
  static_cast<Sink*>(png_get_io_ptr(png))->bytes.append(reinterpret_cast<const char*>(data), size);
}
void flush(png_structp) {}
void fail(png_structp png, png_const_charp message) {
  static_cast<Sink*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}
void ignore(png_structp, png_const_charp) {}

// No object with a destructor may live here, because libpng leaves by longjmp.
bool encode(ImageView<const std::uint8_t> image, Sink& sink) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, fail, ignore);
  if (png == nullptr) return false;
  png_infop info = png_create_info_struct(png);
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, &sink, append, flush);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8,
               image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < image.height; ++y) png_write_row(png, image.row(y));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

}  // namespace

std::string png_bytes(ImageView<const std::uint8_t> image) {
  detail::require_host("page", "an image", image.memory);
  if (image.empty() || (image.channels != 1 && image.channels != 3))
    throw InvalidArgument(
        fmt::format("cannot embed an image of {}; a page takes images of 1 or 3 channels",
                    detail::shape_text(image)));
  Sink sink;
  if (!encode(image, sink))
    throw Error(fmt::format("cannot encode an image of {} as PNG: {}", detail::shape_text(image),
                            sink.error.empty() ? "out of memory" : sink.error));
  return std::move(sink.bytes);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::string png_data_uri(ImageView<const std::uint8_t> image) {
  return "data:image/png;base64," + base64(png_bytes(image));
}

}  // namespace fovea::report
