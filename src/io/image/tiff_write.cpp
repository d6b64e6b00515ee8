// TIFF files of one or many pages, of every sample type and any number of channels. BigTIFF where
// the pixels might not fit the 4 GiB of the old format.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "io/image/codec.h"
#include "io/image/tiff_file.h"

namespace fovea::io {
namespace {

constexpr double kMostClassicBytes = 3.9e9;
constexpr std::uint32_t kStripBytes = 256 * 1024;

int compression_scheme(TiffCompression compression) {
  switch (compression) {
    case TiffCompression::kPackBits: return COMPRESSION_PACKBITS;
    case TiffCompression::kLzw: return COMPRESSION_LZW;
    case TiffCompression::kDeflate: return COMPRESSION_ADOBE_DEFLATE;
    case TiffCompression::kNone: break;
  }
  return COMPRESSION_NONE;
}

// Three channels are RGB; what comes beyond one or three is marked as alpha or as unspecified.
void set_channels(TIFF* tiff, const PictureShape& shape, const ImageWriteOptions& options) {
  const bool has_alpha =
      options.alpha != Alpha::kNone && (shape.channels == 2 || shape.channels == 4);
  const bool color = shape.channels == 3 || (shape.channels == 4 && has_alpha);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(shape.channels));
  std::vector<std::uint16_t> extra(shape.channels - (color ? 3 : 1), EXTRASAMPLE_UNSPECIFIED);
  if (has_alpha)
    extra.back() =
        options.alpha == Alpha::kStraight ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_ASSOCALPHA;
  if (!extra.empty())
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
}

void set_compression(TIFF* tiff, const PictureShape& shape, const ImageWriteOptions& options) {
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression_scheme(options.tiff_compression));
  const bool deflate = options.tiff_compression == TiffCompression::kDeflate;
  if (deflate) TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, std::max(1, options.level));
  if (deflate || options.tiff_compression == TiffCompression::kLzw)
    TIFFSetField(
        tiff, TIFFTAG_PREDICTOR,
        shape.type >= SampleType::kFloat32 ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
}

void set_fields(TIFF* tiff, const PictureShape& shape, const ImageWriteOptions& options) {
  const int format = shape.type >= SampleType::kFloat32 ? SAMPLEFORMAT_IEEEFP
                     : shape.type >= SampleType::kInt8  ? SAMPLEFORMAT_INT
                                                        : SAMPLEFORMAT_UINT;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape.height));
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sample_bytes(shape.type)));
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, options.orientation);
  set_channels(tiff, shape, options);
  set_compression(tiff, shape, options);
  const std::uint64_t row = shape.width * shape.channels * sample_bytes(shape.type);
  TIFFSetField(
      tiff, TIFFTAG_ROWSPERSTRIP,
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kStripBytes / row, 1, shape.height)));
}

template <class T>
bool write_rows(TIFF* tiff, ImageView<const T> image) {
  std::vector<T> row(static_cast<std::size_t>(image.row_elements()));
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(image.row(y), row.size(), row.begin());  // the predictor works in place
    if (TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0) != 1) return false;
  }
  return true;
}

bool write_page(TIFF* tiff, const AnyView& image, const ImageWriteOptions& options) {
  set_fields(tiff, shape_of(image), options);
  return std::visit([&](const auto& view) { return write_rows(tiff, view); }, image) &&
         TIFFWriteDirectory(tiff) == 1;
}

double total_bytes(std::span<const AnyView> pages) {
  double total = 0;
  for (const AnyView& page : pages) {
    const PictureShape shape = shape_of(page);
    total += static_cast<double>(shape.width * shape.channels * sample_bytes(shape.type)) *
             static_cast<double>(shape.height);
  }
  return total;
}

}  // namespace

void write_tiff_pages(OutputFile& file, std::span<const AnyView> pages,
                      const ImageWriteOptions& options) {
  for (const AnyView& page : pages) {
    if (shape_of(page).channels > 65535)
      refuse_image(file, "TIFF holds up to 65535 channels", page, "write .npy");
  }
  TiffFile tiff(file, total_bytes(pages) > kMostClassicBytes);
  bool written = true;
  for (const AnyView& page : pages) written = written && write_page(tiff.get(), page, options);
  tiff.finish_writing(file, written);
}

}  // namespace fovea::io
