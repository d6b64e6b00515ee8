// What each image format provides, and the checks and small conversions they share.
#pragma once
#include <fovea/io/image_io.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/text/output_file.h"
#include "io/text/source.h"

namespace fovea::io {

// The shape that an image will have, known before memory is allocated for it.
struct PictureShape {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t channels = 1;
  SampleType type = SampleType::kUint8;
};

// A format's readers and writers. read() neither applies nor reports EXIF's turn as done; write is
// null where the format is only read.
struct Codec {
  ImageFormat format;
  const char* name;
  std::span<const std::string_view> extensions;
  bool (*recognizes)(std::string_view head);
  ImageInfo (*info)(const Source& source);
  AnyImage (*read)(const Source& source, const ImageReadOptions& options);
  // Throws InvalidArgument for samples and channels that the format of this name cannot hold; null
  // where it holds all.
  void (*require)(const std::string& path, const PictureShape& shape) = nullptr;
  void (*write)(OutputFile& file, const AnyView& image, const ImageWriteOptions& options);
  Feature (*feature)();
};
extern const Codec kPngCodec, kJpegCodec, kTiffCodec, kPnmCodec, kPfmCodec, kNpyCodec, kBmpCodec,
    kWebpCodec;

// Which pages to read. The tags of some pages mark them as masks or as smaller copies of an image.
enum class TiffPages : unsigned char { kAll, kFullSize };
std::vector<AnyImage> read_tiff_pages(const Source& source, const ImageReadOptions& options,
                                      TiffPages which = TiffPages::kAll);
void write_tiff_pages(OutputFile& file, std::span<const AnyView> pages,
                      const ImageWriteOptions& options);

// Does what read_image() does for a path.
AnyImage read_image(const Source& source, const ImageReadOptions& options);

constexpr std::size_t kHeadBytes = 256;  // the most that recognizes() needs
// Returns "is a GIF, which is not read; ..." or an empty string for an unknown format.
std::string foreign_format(std::string_view head);

// Throws FormatError where a side is 0 or a row would not fit an int, and, with options, where the
// image exceeds allowed_bytes() or max_pixels.
void check_shape(const Source& source, const PictureShape& shape);
void check_shape(const Source& source, const PictureShape& shape, const ImageReadOptions& options);
// For headers that are read without the pixels.
inline constexpr ImageReadOptions kNoLimits{.max_pixels = 0};
// The most memory that a picture or cube of a file may take: what the options say, or else 16 bytes
// for each pixel that they allow, or eight times the length of the file. 0: no limit.
std::uint64_t allowed_bytes(std::uint64_t file_bytes, std::uint64_t most_bytes,
                            std::uint64_t max_pixels);
// For uncompressed pixels that follow the cursor: throws FormatError where fewer than `needed`
// bytes are left, and where check_shape() does.
void check_stored(const Cursor& cursor, const PictureShape& shape, double needed,
                  const ImageReadOptions& options = kNoLimits);
// Throws FormatError where an image of `stored` bytes before compression cannot come from a file
// this short, in which each byte expands to at most `expansion` bytes.
void check_justified(const Source& source, double stored, double expansion);
AnyImage make_image(const PictureShape& shape, const ImageFacts& facts);
ImageInfo make_info(const PictureShape& shape, const ImageFacts& facts, int pages = 1);

std::size_t sample_bytes(SampleType type);
double type_white(SampleType type);  // the greatest integer, or 1 for floating point

// Calls function.operator()<T>() with the C++ type of the samples.
template <class Function>
auto with_sample_type(SampleType type, Function&& function) {
  switch (type) {
    case SampleType::kUint8: return function.template operator()<std::uint8_t>();
    case SampleType::kUint16: return function.template operator()<std::uint16_t>();
    case SampleType::kUint32: return function.template operator()<std::uint32_t>();
    case SampleType::kInt8: return function.template operator()<std::int8_t>();
    case SampleType::kInt16: return function.template operator()<std::int16_t>();
    case SampleType::kInt32: return function.template operator()<std::int32_t>();
    case SampleType::kFloat32: return function.template operator()<float>();
    case SampleType::kFloat64: break;
  }
  return function.template operator()<double>();
}

// For writers: throws InvalidArgument "PATH: FORMAT holds ..., not uint8 with 5 channels; advice".
[[noreturn]] void refuse_image(const std::string& path, std::string_view holds,
                               const PictureShape& shape, std::string_view advice);
SampleType type_of(const AnyView& image);
PictureShape shape_of(const AnyView& image);

template <class T>
std::span<std::byte> row_bytes(ImageView<T> image, int y) {
  return std::as_writable_bytes(
      std::span(image.row(y), static_cast<std::size_t>(image.row_elements())));
}
template <class T>
std::span<const std::byte> row_bytes(ImageView<const T> image, int y) {
  return std::as_bytes(std::span(image.row(y), static_cast<std::size_t>(image.row_elements())));
}

void swap_bytes(std::span<std::byte> samples, std::size_t sample_bytes);

// Converts one CMYK value (ink; 0 is none) to RGB, without color management.
template <class T>
void cmyk_to_rgb(const T* cmyk, T* rgb) {
  constexpr std::uint32_t kFull = static_cast<T>(~T{0});
  const std::uint32_t key = kFull - cmyk[3];
  for (int i = 0; i < 3; ++i)
    rgb[i] = static_cast<T>(((kFull - cmyk[i]) * key + kFull / 2) / kFull);
}

}  // namespace fovea::io
