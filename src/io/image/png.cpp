// PNG through libpng. Headers are parsed by hand, so that a size or an orientation costs no
// decoding. Color profiles, gamma and text are left out on purpose: samples are returned as stored.
#include <png.h>

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "io/image/codec.h"
#include "io/image/exif.h"
#include "io/image/long_jump.h"

namespace fovea::io {
namespace {

constexpr double kDeflateExpansion = 1032;  // zlib's greatest, from its technical details
constexpr std::size_t kMostExifBytes = 1 << 20;

struct PngHeader {
  std::uint32_t width = 0, height = 0;
  int bits = 0, color = 0;
  bool transparent = false;  // has a tRNS chunk
  int orientation = 1;

  int stored_channels() const {
    return 1 + ((color & PNG_COLOR_MASK_COLOR) && !(color & PNG_COLOR_MASK_PALETTE) ? 2 : 0) +
           (color & PNG_COLOR_MASK_ALPHA ? 1 : 0);
  }
  bool alpha() const { return transparent || (color & PNG_COLOR_MASK_ALPHA); }
  PictureShape shape() const {
    const int colors = color & PNG_COLOR_MASK_COLOR ? 3 : 1;
    return {width, height, static_cast<std::uint64_t>(colors + (alpha() ? 1 : 0)),
            bits == 16 ? SampleType::kUint16 : SampleType::kUint8};
  }
  ImageFacts facts() const {
    return {ImageFormat::kPng, bits,  type_white(shape().type),
            orientation,       false, alpha() ? Alpha::kStraight : Alpha::kNone};
  }
};

std::uint32_t big_endian_32(const std::byte* at) {
  return static_cast<std::uint32_t>(at[0]) << 24 | static_cast<std::uint32_t>(at[1]) << 16 |
         static_cast<std::uint32_t>(at[2]) << 8 | static_cast<std::uint32_t>(at[3]);
}

int exif_chunk_orientation(const Source& source, std::uint64_t offset, std::uint32_t length) {
  std::vector<std::byte> exif(std::min<std::size_t>(length, kMostExifBytes));
  exif.resize(source.read_at(offset, exif));
  return exif_orientation(exif);
}

PngHeader read_png_header(const Source& source) {
  std::array<std::byte, 33> start{};  // signature and IHDR
  if (source.read_at(0, start) < start.size() || std::memcmp(&start[12], "IHDR", 4) != 0)
    source.fail("is truncated or damaged: a PNG without its header");
  PngHeader header;
  header.width = big_endian_32(&start[16]);
  header.height = big_endian_32(&start[20]);
  header.bits = static_cast<int>(start[24]);
  header.color = static_cast<int>(start[25]);
  if (header.bits < 1 || header.bits > 16)  // 0 would make an image of any size plausible
    source.fail(
        fmt::format("is damaged: it says {} bits per sample; a PNG has 1 to 16", header.bits));
  std::uint64_t offset = 33;
  for (std::array<std::byte, 8> chunk{}; source.read_at(offset, chunk) == chunk.size();) {
    const std::uint32_t length = big_endian_32(chunk.data());
    const std::string_view name(reinterpret_cast<const char*>(&chunk[4]), 4);
    if (name == "tRNS") header.transparent = true;
    if (name == "eXIf") header.orientation = exif_chunk_orientation(source, offset + 8, length);
    if (name == "IEND") break;
    offset += 12 + static_cast<std::uint64_t>(length);
  }
  const bool alpha_twice = header.color & PNG_COLOR_MASK_ALPHA && header.transparent;
  if (alpha_twice) header.transparent = false;
  check_shape(source, header.shape());
  const double row =
      (static_cast<double>(header.width) * header.stored_channels() * header.bits) / 8;
  check_justified(source, row * header.height, kDeflateExpansion);
  return header;
}

void on_error(png_structp png, png_const_charp message) {
  auto& failure = *static_cast<LongJump*>(png_get_error_ptr(png));
  std::snprintf(failure.message.data(), failure.message.size(), "%s", message);
  failure.jump();
}
void on_warning(png_structp, png_const_charp) {}

struct ReadContext {
  Cursor cursor;
  LongJump& failure;
};

void read_bytes(png_structp png, png_bytep to, size_t bytes) {
  auto& context = *static_cast<ReadContext*>(png_get_io_ptr(png));
  std::size_t got = 0;
  try {
    got = context.cursor.read(std::as_writable_bytes(std::span(to, bytes)));
  } catch (...) {
    context.failure.exception = std::current_exception();
  }
  if (got < bytes) png_error(png, "the data ends too soon");
}

struct ReadStruct {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~ReadStruct() { png_destroy_read_struct(&png, &info, nullptr); }
};
struct WriteStruct {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~WriteStruct() { png_destroy_write_struct(&png, &info); }
};

// Skips chunks whose content is not used.
void skip_unused_chunks(png_structp png) {
  static constexpr unsigned char kUnused[] =
      "iCCP\0zTXt\0iTXt\0tEXt\0sPLT\0hIST\0pCAL\0sCAL\0tIME\0cHRM\0gAMA\0sRGB\0eXIf";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kUnused,
                              static_cast<int>(sizeof(kUnused) / 5));
}

template <class T>
void decode(png_structp png, png_infop info, ImageView<T> image) {
  png_set_expand(png);  // palettes to RGB, few bits to 8, transparent colors to alpha
  if (std::endian::native == std::endian::little) png_set_swap(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != static_cast<std::size_t>(image.row_elements()) * sizeof(T))
    png_error(png, "its header and its chunks disagree");
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < image.height; ++y)
      png_read_row(png, reinterpret_cast<png_bytep>(image.row(y)), nullptr);
  }
  png_read_end(png, nullptr);
}

ImageInfo png_info(const Source& source) {
  const PngHeader header = read_png_header(source);
  return make_info(header.shape(), header.facts());
}

AnyImage read_png(const Source& source, const ImageReadOptions& options) {
  const PngHeader header = read_png_header(source);
  check_shape(source, header.shape(), options);
  AnyImage image = make_image(header.shape(), header.facts());
  LongJump failure;
  ReadContext context{Cursor(source), failure};
  ReadStruct reader;
  const bool done = std::visit(
      [&](auto& pixels) {
        const auto view = pixels.view();
        return returns(failure, [&] {
          reader.png =
              png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
          reader.info = reader.png ? png_create_info_struct(reader.png) : nullptr;
          if (reader.info == nullptr) return;
          png_set_read_fn(reader.png, &context, read_bytes);
          png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
          skip_unused_chunks(reader.png);
          png_read_info(reader.png, reader.info);
          decode(reader.png, reader.info, view);
        });
      },
      image.pixels);
  if (failure.exception) std::rethrow_exception(failure.exception);
  if (!done)
    source.fail(fmt::format("is truncated or damaged: {} (libpng)", failure.message.data()));
  if (reader.info == nullptr) throw Error("out of memory: libpng could not be started");
  return image;
}

void write_bytes(png_structp png, png_bytep from, size_t bytes) {
  auto* stream = static_cast<std::FILE*>(png_get_io_ptr(png));
  if (std::fwrite(from, 1, bytes, stream) != bytes) png_error(png, "cannot write");
}
void flush_bytes(png_structp) {}

template <class T>
void encode(png_structp png, png_infop info, ImageView<const T> image,
            const ImageWriteOptions& options) {
  static constexpr int kColor[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                   PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8 * sizeof(T), kColor[image.channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, options.level);
  if (options.orientation != 1) {
    auto exif = make_exif(options.orientation);
    png_set_eXIf_1(png, info, exif.size(), exif.data());
  }
  png_write_info(png, info);
  if (std::endian::native == std::endian::little) png_set_swap(png);
  for (int y = 0; y < image.height; ++y)
    png_write_row(png, reinterpret_cast<png_const_bytep>(image.row(y)));
  png_write_end(png, info);
}

template <class T>
void write_pixels(OutputFile& file, ImageView<const T> image, const ImageWriteOptions& options) {
  LongJump failure;
  WriteStruct writer;
  const bool done = returns(failure, [&] {
    writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
    writer.info = writer.png ? png_create_info_struct(writer.png) : nullptr;
    if (writer.info == nullptr) return;
    png_set_write_fn(writer.png, file.stream(), write_bytes, flush_bytes);
    encode(writer.png, writer.info, image, options);
  });
  if (!done && std::ferror(file.stream()) != 0) {
    errno = failure.error_number;
    file.fail("write");
  }
  if (!done)
    throw InvalidArgument(fmt::format("{}: libpng: {}", file.path(), failure.message.data()));
  if (writer.info == nullptr) throw Error("out of memory: libpng could not be started");
}

void require_png(const std::string& path, const PictureShape& shape) {
  if (shape.channels > 4 || (shape.type != SampleType::kUint8 && shape.type != SampleType::kUint16))
    refuse_image(path, "PNG holds uint8 or uint16 with 1 to 4 channels", shape,
                 "convert it, or write .tif or .npy");
}

void write_png(OutputFile& file, const AnyView& image, const ImageWriteOptions& options) {
  const PictureShape shape = shape_of(image);
  if (shape.channels % 2 == 0 && options.alpha == Alpha::kPremultiplied)
    throw InvalidArgument(fmt::format(
        "{}: PNG holds no premultiplied alpha; blend_alpha first, or write .tif", file.path()));
  if (shape.type == SampleType::kUint8)
    return write_pixels(file, std::get<ImageView<const std::uint8_t>>(image), options);
  write_pixels(file, std::get<ImageView<const std::uint16_t>>(image), options);
}

constexpr std::string_view kPngExtensions[] = {".png"};

}  // namespace

const Codec kPngCodec{
    .format = ImageFormat::kPng,
    .name = "PNG",
    .extensions = kPngExtensions,
    .recognizes = [](std::string_view head) { return head.starts_with("\x89PNG\r\n\x1a\n"); },
    .info = png_info,
    .read = read_png,
    .require = require_png,
    .write = write_png,
    .feature =
        [] {
          return Feature{"png", true, fmt::format("libpng {}", png_get_libpng_ver(nullptr))};
        }};

}  // namespace fovea::io
