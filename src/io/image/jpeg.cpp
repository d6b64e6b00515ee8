// JPEG through libjpeg-turbo: baseline and progressive, gray, YCbCr, RGB and CMYK (returned as
// RGB). libjpeg only warns of missing or damaged data and fills it with gray; here that is an error
// unless the caller accepts partial images. Color profiles are left out on purpose.
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>

#include <fovea/core/error.h>
#include <fovea/io/image_memory.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/dispatch.h"
#include "io/image/codec.h"
#include "io/image/exif.h"
#include "io/image/long_jump.h"

namespace fovea::io {
namespace {

constexpr std::size_t kJpegBufferBytes = std::size_t{64} * 1024;
constexpr int kMostScans = 500;  // encoders write about ten; each costs a pass over the image
constexpr char kExifName[] = "Exif\0";  // with the literal's own zero these are six bytes

// The error manager for reading and writing. `cinfo->err` points at `base`, the first member.
struct JpegErrors {
  jpeg_error_mgr base{};
  LongJump failure{};
  bool partial = false;

  static JpegErrors& of(j_common_ptr cinfo) { return *reinterpret_cast<JpegErrors*>(cinfo->err); }
};

void on_error_exit(j_common_ptr cinfo) {
  JpegErrors& errors = JpegErrors::of(cinfo);
  std::array<char, JMSG_LENGTH_MAX> text{};
  cinfo->err->format_message(cinfo, text.data());
  std::snprintf(errors.failure.message.data(), errors.failure.message.size(), "%s", text.data());
  errors.failure.jump();
}

// Whether a warning means lost image data, and not only a careless writer.
bool is_damage(int code) {
  switch (code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
    case JWRN_NOT_SEQUENTIAL: return true;
    default: return false;
  }
}

void on_message(j_common_ptr cinfo, int level) {
  if (level < 0 && !JpegErrors::of(cinfo).partial && is_damage(cinfo->err->msg_code))
    cinfo->err->error_exit(cinfo);
}

void on_output(j_common_ptr) {}

void use_errors(jpeg_common_struct* cinfo, JpegErrors& errors) {
  cinfo->err = jpeg_std_error(&errors.base);
  errors.base.error_exit = on_error_exit;
  errors.base.emit_message = on_message;
  errors.base.output_message = on_output;
}

// Feeds the decoder from a Source. `base` is the first member.
struct JpegSource {
  jpeg_source_mgr base{};
  const Source* source = nullptr;
  std::uint64_t offset = 0;
  std::array<std::byte, kJpegBufferBytes> buffer{};

  static JpegSource& of(j_decompress_ptr cinfo) {
    return *reinterpret_cast<JpegSource*>(cinfo->src);
  }
};

boolean fill_input(j_decompress_ptr cinfo) {
  JpegSource& input = JpegSource::of(cinfo);
  LongJump& failure = JpegErrors::of(reinterpret_cast<j_common_ptr>(cinfo)).failure;
  std::size_t got = 0;
  try {
    got = input.source->read_at(input.offset, input.buffer);
  } catch (...) {
    failure.exception = std::current_exception();
  }
  if (failure.exception) failure.jump();
  input.offset += got;
  if (got == 0) {
    WARNMS(cinfo, JWRN_JPEG_EOF);
    input.buffer[0] = std::byte{0xFF};
    input.buffer[1] = std::byte{JPEG_EOI};
    got = 2;
  }
  input.base.next_input_byte = reinterpret_cast<const JOCTET*>(input.buffer.data());
  input.base.bytes_in_buffer = got;
  return TRUE;
}

void skip_input(j_decompress_ptr cinfo, long bytes) {
  if (bytes <= 0) return;
  jpeg_source_mgr& base = *cinfo->src;
  const auto wanted = static_cast<std::size_t>(bytes);
  const std::size_t buffered = std::min(wanted, base.bytes_in_buffer);
  base.next_input_byte += buffered;
  base.bytes_in_buffer -= buffered;
  JpegSource::of(cinfo).offset += wanted - buffered;
}

void ignore_source(j_decompress_ptr) {}

void limit_scans(j_common_ptr cinfo) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(cinfo);
  if (decoder->input_scan_number <= kMostScans) return;
  LongJump& failure = JpegErrors::of(cinfo).failure;
  std::snprintf(failure.message.data(), failure.message.size(), "more than %d scans", kMostScans);
  failure.jump();
}

int find_orientation(const jpeg_decompress_struct& decoder) {
  for (auto* marker = decoder.marker_list; marker != nullptr; marker = marker->next) {
    const std::size_t name = sizeof(kExifName);
    if (marker->data_length > name && std::memcmp(marker->data, kExifName, name) == 0)
      return exif_orientation(
          std::as_bytes(std::span(marker->data + name, marker->data_length - name)));
  }
  return 1;
}

class JpegReader {
 public:
  JpegReader(const Source& source, const ImageReadOptions& options) : source_(source) {
    use_errors(reinterpret_cast<jpeg_common_struct*>(&decoder_), errors_);
    errors_.partial = options.partial;
    input_.source = &source;
    input_.base.init_source = ignore_source;
    input_.base.fill_input_buffer = fill_input;
    input_.base.skip_input_data = skip_input;
    input_.base.resync_to_restart = jpeg_resync_to_restart;
    input_.base.term_source = ignore_source;
    progress_.progress_monitor = limit_scans;
    guard([&] {
      jpeg_create_decompress(&decoder_);
      decoder_.src = &input_.base;
      decoder_.progress = &progress_;
      jpeg_save_markers(&decoder_, JPEG_APP0 + 1, 0xFFFF);
      jpeg_read_header(&decoder_, TRUE);
    });
    check_header(options);
  }

  PictureShape shape() const {
    return {decoder_.image_width, decoder_.image_height,
            static_cast<std::uint64_t>(decoder_.num_components == 1 ? 1 : 3), SampleType::kUint8};
  }
  ImageFacts facts() const {
    return {ImageFormat::kJpeg, decoder_.data_precision, 255, find_orientation(decoder_), false,
            Alpha::kNone};
  }

  Image<std::uint8_t> decode() {
    Image<std::uint8_t> image(static_cast<int>(decoder_.image_width),
                              static_cast<int>(decoder_.image_height),
                              static_cast<int>(shape().channels));
    std::vector<std::uint8_t> inks;
    if (decoder_.num_components == 4) inks.resize(std::size_t{4} * decoder_.image_width);
    decoder_.out_color_space = decoder_.num_components == 1   ? JCS_GRAYSCALE
                               : decoder_.num_components == 3 ? JCS_RGB
                                                              : JCS_CMYK;
    const auto view = image.view();
    guard([&] {
      jpeg_start_decompress(&decoder_);
      while (decoder_.output_scanline < decoder_.output_height) {
        std::uint8_t* row = view.row(static_cast<int>(decoder_.output_scanline));
        JSAMPROW target = inks.empty() ? row : inks.data();
        if (jpeg_read_scanlines(&decoder_, &target, 1) == 1 && !inks.empty())
          inks_to_rgb(inks.data(), row);
      }
      jpeg_finish_decompress(&decoder_);
    });
    return image;
  }

 private:
  template <class Body>
  void guard(Body body) {
    if (returns(errors_.failure, body)) return;
    if (errors_.failure.exception) std::rethrow_exception(errors_.failure.exception);
    source_.fail(
        fmt::format("is truncated or damaged: {} (libjpeg)", errors_.failure.message.data()));
  }

  void check_header(const ImageReadOptions& options) {
    const int components = decoder_.num_components;
    if (components != 1 && components != 3 && components != 4)
      source_.fail(fmt::format("has {} color components; a JPEG of 1, 3 or 4 is read", components));
    check_shape(source_, shape(), options);
    // Huffman coding spends at least one bit on each block of 64 samples. Arithmetic coding has no
    // such bound: its most probable decision costs 4.4e-5 bits.
    const double pixels_a_byte = 8.0 * 64.0 * (decoder_.arith_code ? 16384.0 : 1.0);
    const double pixels = static_cast<double>(decoder_.image_width) * decoder_.image_height;
    check_justified(source_, pixels * components, pixels_a_byte * components);
  }

  // Adobe's programs, which write nearly all CMYK, store ink inverted and mark the file as theirs.
  void inks_to_rgb(std::uint8_t* inks, std::uint8_t* rgb) const {
    const std::uint8_t flip = decoder_.saw_Adobe_marker ? 255 : 0;
    for (std::size_t x = 0; x < decoder_.image_width; ++x) {
      for (int i = 0; i < 4; ++i) inks[4 * x + i] ^= flip;
      cmyk_to_rgb(inks + 4 * x, rgb + 3 * x);
    }
  }

  const Source& source_;
  JpegErrors errors_;
  JpegSource input_;
  jpeg_progress_mgr progress_{};
  struct Decoder : jpeg_decompress_struct {
    ~Decoder() { jpeg_destroy_decompress(this); }
  } decoder_{};
};

ImageInfo jpeg_info(const Source& source) {
  const auto reader = std::make_unique<JpegReader>(source, kNoLimits);
  return make_info(reader->shape(), reader->facts());
}

AnyImage read_jpeg(const Source& source, const ImageReadOptions& options) {
  const auto reader = std::make_unique<JpegReader>(source, options);  // large: not on the stack
  const ImageFacts facts = reader->facts();
  return {reader->decode(), facts};
}

struct Encoder {
  jpeg_compress_struct cinfo{};
  ~Encoder() { jpeg_destroy_compress(&cinfo); }
};

// What is small takes twice the time: its codes are fitted to the image.
enum class JpegEffort : unsigned char { kFast, kSmall };

void encode(jpeg_compress_struct& encoder, ImageView<const std::uint8_t> image,
            const ImageWriteOptions& options, JpegEffort effort) {
  encoder.image_width = static_cast<JDIMENSION>(image.width);
  encoder.image_height = static_cast<JDIMENSION>(image.height);
  encoder.input_components = image.channels;
  encoder.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&encoder);
  jpeg_set_quality(&encoder, options.quality, TRUE);
  encoder.optimize_coding = effort == JpegEffort::kSmall ? TRUE : FALSE;
  if (options.full_chroma)
    encoder.comp_info[0].h_samp_factor = encoder.comp_info[0].v_samp_factor = 1;
  if (options.progressive) jpeg_simple_progression(&encoder);
  jpeg_start_compress(&encoder, TRUE);
  if (options.orientation != 1) {
    const auto exif = make_exif(options.orientation);
    jpeg_write_m_header(&encoder, JPEG_APP0 + 1, sizeof(kExifName) + exif.size());
    for (const char c : kExifName) jpeg_write_m_byte(&encoder, c);
    for (const unsigned char c : exif) jpeg_write_m_byte(&encoder, c);
  }
  while (encoder.next_scanline < encoder.image_height) {
    auto* row = const_cast<JSAMPROW>(image.row(static_cast<int>(encoder.next_scanline)));
    jpeg_write_scanlines(&encoder, &row, 1);
  }
  jpeg_finish_compress(&encoder);
}

void require_jpeg(const std::string& path, const PictureShape& shape) {
  if (shape.type != SampleType::kUint8 || (shape.channels != 1 && shape.channels != 3))
    refuse_image(path, "JPEG holds uint8 with 1 or 3 channels", shape,
                 "convert it (to_bytes, drop_alpha, select_channels) or write .png or .tif");
}

void write_jpeg(OutputFile& file, const AnyView& image, const ImageWriteOptions& options) {
  const auto* view = &std::get<ImageView<const std::uint8_t>>(image);
  if (view->width > JPEG_MAX_DIMENSION || view->height > JPEG_MAX_DIMENSION)
    throw InvalidArgument(
        fmt::format("{}: JPEG holds sides up to {}, not {}x{}; write .png or .tif", file.path(),
                    JPEG_MAX_DIMENSION, view->width, view->height));
  JpegErrors errors;
  Encoder encoder;
  use_errors(reinterpret_cast<jpeg_common_struct*>(&encoder.cinfo), errors);
  const bool done = returns(errors.failure, [&] {
    jpeg_create_compress(&encoder.cinfo);
    jpeg_stdio_dest(&encoder.cinfo, file.stream());
    encode(encoder.cinfo, *view, options, JpegEffort::kSmall);
  });
  if (!done && std::ferror(file.stream()) != 0) {
    errno = errors.failure.error_number;
    file.fail("write");
  }
  if (!done)
    throw Error(fmt::format("{}: libjpeg: {}", file.path(), errors.failure.message.data()));
}

constexpr std::string_view kJpegExtensions[] = {".jpg", ".jpeg"};

#define FOVEA_TEXT_OF(x) #x
#define FOVEA_VALUE_TEXT(x) FOVEA_TEXT_OF(x)

}  // namespace

const Codec kJpegCodec{
    .format = ImageFormat::kJpeg,
    .name = "JPEG",
    .extensions = kJpegExtensions,
    .recognizes = [](std::string_view head) { return head.starts_with("\xff\xd8\xff"); },
    .info = jpeg_info,
    .read = read_jpeg,
    .require = require_jpeg,
    .write = write_jpeg,
    .feature =
        [] {
          return Feature{"jpeg", true, "libjpeg-turbo " FOVEA_VALUE_TEXT(LIBJPEG_TURBO_VERSION)};
        }};

std::string jpeg_bytes(ImageView<const std::uint8_t> image, int quality) {
  detail::require_host("jpeg_bytes", "the image", image.memory);
  if (image.empty() || (image.channels != 1 && image.channels != 3) ||
      std::max(image.width, image.height) > JPEG_MAX_DIMENSION)
    throw InvalidArgument(fmt::format(
        "an image of {}x{} pixels with {} channels is no JPEG; expected 1 or 3 channels and sides "
        "from 1 to {}",
        image.width, image.height, image.channels, JPEG_MAX_DIMENSION));
  if (quality < 1 || quality > 100)
    throw InvalidArgument(fmt::format("quality is {}; expected 1 to 100", quality));
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  JpegErrors errors;
  Encoder encoder;
  use_errors(reinterpret_cast<jpeg_common_struct*>(&encoder.cinfo), errors);
  const bool done = returns(errors.failure, [&] {
    jpeg_create_compress(&encoder.cinfo);
    jpeg_mem_dest(&encoder.cinfo, &bytes, &size);
    encode(encoder.cinfo, image, {.quality = quality}, JpegEffort::kFast);
  });
  const std::unique_ptr<unsigned char, decltype(&std::free)> owner(bytes, &std::free);
  if (!done)
    throw Error(fmt::format("an image of {}x{} pixels could not be written as JPEG: {}",
                            image.width, image.height, errors.failure.message.data()));
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace fovea::io
