// TIFF through libtiff: any number of samples of 1 to 32 bits or 16 to 64-bit floats, interleaved
// or in planes, in strips or tiles, with any compression libtiff was built with, on many pages.
// Large strips are decoded row by row, so that a file that states a false size is noticed before
// memory is filled. Images in YCbCr or CIE L*a*b* are returned as 8-bit RGB, LogLuv as linear RGB.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/image/codec.h"
#include "io/image/tiff_chain.h"
#include "io/image/tiff_file.h"
#include "io/image/tiff_samples.h"

namespace fovea::io {
namespace {

// What one directory says, and how its image will be represented.
struct Page {
  std::uint32_t width = 0, height = 0;
  std::uint16_t samples = 1, bits = 1, sample_format = SAMPLEFORMAT_UINT;
  std::uint16_t photometric = 0, planar = PLANARCONFIG_CONTIG, compression = 1, orientation = 1;
  bool tiled = false;
  bool by_library = false;               // libtiff converts it to RGB
  const std::uint16_t* palette[3] = {};  // 1 << bits entries each
  bool wide_palette = false;             // its colors need 16 bits
  int palette_shift = 8;                 // shift from its colors to bytes
  bool cmyk = false;
  Alpha alpha = Alpha::kNone;

  bool has_palette() const { return palette[0] != nullptr; }
  bool planes() const { return planar == PLANARCONFIG_SEPARATE && samples > 1; }
  SampleLayout layout() const {
    return {bits, sample_format, has_palette(), photometric == PHOTOMETRIC_MINISWHITE};
  }
  PictureShape shape() const {
    if (by_library) return {width, height, 3, SampleType::kUint8};
    if (has_palette())
      return {width, height, 3, wide_palette ? SampleType::kUint16 : SampleType::kUint8};
    return {width, height, cmyk ? 3U : samples, sample_type(layout())};
  }
  ImageFacts facts() const {
    double white = type_white(shape().type);
    if (shape().type < SampleType::kFloat32 && !has_palette() && !by_library && bits > 8)
      white =
          static_cast<double>((1ULL << (bits - (sample_format == SAMPLEFORMAT_INT ? 1 : 0))) - 1);
    return {ImageFormat::kTiff, bits, white, orientation, false, alpha};
  }
};

// The most bytes that one compressed byte can become; a generous number where a format has no
// bound.
double expansion(std::uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS:
    case COMPRESSION_THUNDERSCAN: return 64;
    case COMPRESSION_NEXT: return 1024;
    case COMPRESSION_LZW: return 2800;  // at best a 12-bit code for 4096 bytes
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE: return 1032;
    case COMPRESSION_JPEG:
    case COMPRESSION_OJPEG: return 2048;  // a bit per block of 64 samples, four channels
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4: return 16384;  // a bit per empty row
    default: return 65536;
  }
}

void read_palette(TIFF* tiff, Page& page) {
  std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &red, &green, &blue) != 1) return;
  page.palette[0] = red;
  page.palette[1] = green;
  page.palette[2] = blue;
  // Correct palettes hold the byte times 257 or times 256; old ones hold the byte itself.
  unsigned most = 0;
  for (const std::uint16_t* map : page.palette) {
    for (std::size_t i = 0; i < (std::size_t{1} << page.bits); ++i) {
      const unsigned low = map[i] & 255U, high = map[i] >> 8;
      if (low != 0 && low != high) page.wide_palette = true;
      most = std::max<unsigned>(most, map[i]);
    }
  }
  page.wide_palette = page.wide_palette && most >= 256;
  if (page.wide_palette || most < 256) page.palette_shift = 0;
}

Alpha find_alpha(TIFF* tiff, const Page& page) {
  std::uint16_t count = 0;
  const std::uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  const int colors = page.photometric == PHOTOMETRIC_RGB ? 3 : 1;
  if (count != 1 || kinds == nullptr || page.samples != colors + 1) return Alpha::kNone;
  if (kinds[0] == EXTRASAMPLE_UNASSALPHA) return Alpha::kStraight;
  return kinds[0] == EXTRASAMPLE_ASSOCALPHA ? Alpha::kPremultiplied : Alpha::kNone;
}

// Some compressions decode to a format that the caller chooses; libtiff then reports that format as
// the file's own.
void choose_decoded_format(TIFF* tiff, const Page& page) {
  if (page.compression == COMPRESSION_SGILOG || page.compression == COMPRESSION_SGILOG24) {
    TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT);
  } else if (page.compression == COMPRESSION_PIXARLOG) {
    const bool real = page.sample_format == SAMPLEFORMAT_IEEEFP;
    TIFFSetField(tiff, TIFFTAG_PIXARLOGDATAFMT,
                 real              ? PIXARLOGDATAFMT_FLOAT
                 : page.bits == 16 ? PIXARLOGDATAFMT_16BIT
                                   : PIXARLOGDATAFMT_8BIT);
  } else if (page.compression == COMPRESSION_JPEG && page.photometric == PHOTOMETRIC_YCBCR &&
             !page.planes()) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
}

bool needs_library(const Page& page) {
  if (page.compression == COMPRESSION_OJPEG) return true;
  if (page.photometric == PHOTOMETRIC_YCBCR)
    return page.compression != COMPRESSION_JPEG || page.planes();
  if (page.photometric == PHOTOMETRIC_SEPARATED && page.samples == 4 && page.planes()) return true;
  return page.photometric == PHOTOMETRIC_CIELAB || page.photometric == PHOTOMETRIC_ICCLAB ||
         page.photometric == PHOTOMETRIC_ITULAB;
}

void check_supported(const TiffFile& file, const Page& page) {
  const Source& source = file.source();
  if (TIFFIsCODECConfigured(page.compression) != 1)
    source.fail(
        fmt::format("is compressed by scheme {}, which this libtiff was built without; "
                    "rewrite it with tiffcp -c zip",
                    page.compression));
  if (page.by_library) {
    char reason[1024] = {};
    if (TIFFRGBAImageOK(file.get(), reason) != 1)
      source.fail(fmt::format("holds colors that are not read: {}; convert it to RGB", reason));
    return;
  }
  if (!is_readable(page.layout()))
    source.fail(fmt::format(
        "has {}-bit samples of format {}; integers of 1 to 32 bits and floats of 16, 32 or 64 are "
        "read",
        page.bits, page.sample_format));
  if (page.photometric == PHOTOMETRIC_PALETTE &&
      (!page.has_palette() || page.samples != 1 || page.bits > 16))
    source.fail("has a palette that is missing or does not fit its samples");
}

double stored_bytes(TIFF* tiff, const Page& page) {
  const double planes = page.planes() ? page.samples : 1;
  const double row = page.by_library
                         ? static_cast<double>(page.width)  // at least one sample per pixel
                         : static_cast<double>(TIFFScanlineSize64(tiff));
  return row * page.height * planes;
}

// The layout of a sample as the decoder will return it.
void read_sample_layout(TIFF* tiff, Page& page) {
  page.bits = tiff_field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
  page.sample_format = tiff_field<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT);
  const bool unsaid = page.sample_format == SAMPLEFORMAT_VOID || page.sample_format == 0;
  if (unsaid || page.photometric == PHOTOMETRIC_PALETTE) page.sample_format = SAMPLEFORMAT_UINT;
}

Page read_fields(TIFF* tiff) {
  Page page;
  page.width = tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH);
  page.height = tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH);
  page.samples = tiff_field<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL);
  page.planar = tiff_field<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG);
  page.compression = tiff_field<std::uint16_t>(tiff, TIFFTAG_COMPRESSION);
  page.orientation = tiff_field<std::uint16_t>(tiff, TIFFTAG_ORIENTATION);
  if (page.orientation < 1 || page.orientation > 8) page.orientation = 1;
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &page.photometric) != 1)
    page.photometric = page.samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  page.tiled = TIFFIsTiled(tiff) != 0;
  read_sample_layout(tiff, page);
  return page;
}

Page read_page(const TiffFile& file, const ImageReadOptions& options) {
  TIFF* tiff = file.get();
  Page page = read_fields(tiff);
  if (page.width == 0 || page.height == 0 || page.samples == 0)
    check_shape(file.source(), {page.width, page.height, page.samples});
  page.by_library = needs_library(page);
  page.alpha = page.by_library ? Alpha::kNone : find_alpha(tiff, page);
  const int stored_bits = page.bits;
  choose_decoded_format(tiff, page);
  read_sample_layout(tiff, page);
  page.cmyk = page.photometric == PHOTOMETRIC_SEPARATED && page.samples == 4 && !page.planes() &&
              page.sample_format == SAMPLEFORMAT_UINT && (page.bits == 8 || page.bits == 16) &&
              tiff_field<std::uint16_t>(tiff, TIFFTAG_INKSET) == INKSET_CMYK;
  // A palette has one entry for each value that the file's own bits can hold, and no more.
  if (page.photometric == PHOTOMETRIC_PALETTE && page.bits == stored_bits && page.bits <= 16)
    read_palette(tiff, page);
  check_supported(file, page);
  check_shape(file.source(), page.shape());
  check_justified(file.source(), stored_bytes(tiff, page), expansion(page.compression));
  check_shape(file.source(), page.shape(), options);
  return page;
}

// Converts decoded rows to pixels of the image, wherever they lie in it.
template <class T>
class PixelWriter {
 public:
  PixelWriter(const Page& page, ImageView<T> image) : page_(page), image_(image) {}

  // Stores `count` pixels from (x, y) on; where samples lie in planes, `plane` is the number of
  // theirs.
  void operator()(const std::byte* row, int x, int y, int count, int plane) {
    const auto pixels = static_cast<std::size_t>(count);
    if (page_.has_palette()) {
      indices_.resize(pixels);
      unpack_samples(page_.layout(), row, SampleTarget<std::uint16_t>{indices_.data(), pixels, 1});
      for (std::size_t i = 0; i < pixels; ++i) look_up(indices_[i], &image_.at(x, y) + 3 * i);
    } else if (page_.cmyk) {
      convert_inks(row, x, y, pixels);
    } else {
      const std::size_t samples = page_.planes() ? pixels : pixels * page_.samples;
      const std::ptrdiff_t step = page_.planes() ? image_.channels : 1;
      unpack_samples(page_.layout(), row, SampleTarget<T>{&image_.at(x, y, plane), samples, step});
    }
  }

 private:
  void look_up(std::uint16_t index, T* rgb) const {
    for (int c = 0; c < 3; ++c) {
      rgb[c] = static_cast<T>(page_.palette[c][index] >> page_.palette_shift);
    }
  }
  void convert_inks(const std::byte* row, int x, int y, std::size_t pixels) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) <= 2) {
      std::array<T, 4> inks{};
      for (std::size_t i = 0; i < pixels; ++i) {
        std::memcpy(inks.data(), row + i * sizeof(inks), sizeof(inks));
        cmyk_to_rgb(inks.data(), &image_.at(x, y) + 3 * i);
      }
    }
  }

  const Page& page_;
  ImageView<T> image_;
  std::vector<std::uint16_t> indices_;
};

std::size_t checked_bytes(const TiffFile& file, const Page& page, std::uint64_t bytes) {
  if (bytes == 0) file.fail_reading("its rows have no size");
  check_justified(file.source(), static_cast<double>(bytes), expansion(page.compression));
  return static_cast<std::size_t>(bytes);
}

// Reads row by row, for strips too large to hold twice.
template <class T>
void read_by_row(const TiffFile& file, const Page& page, ImageView<T> image) {
  Array<std::byte> row(checked_bytes(file, page, TIFFScanlineSize64(file.get())));
  PixelWriter<T> put(page, image);
  const int planes = page.planes() ? page.samples : 1;
  for (int plane = 0; plane < planes; ++plane) {
    for (int y = 0; y < image.height; ++y) {
      if (TIFFReadScanline(file.get(), row.data(), static_cast<std::uint32_t>(y),
                           static_cast<std::uint16_t>(plane)) != 1)
        file.fail_reading("its rows cannot be decoded");
      put(row.data(), 0, y, image.width, plane);
    }
  }
}

// Reads whole strips, which is fastest, because libtiff passes them to libdeflate.
template <class T>
void read_strips(const TiffFile& file, const Page& page, ImageView<T> image) {
  TIFF* tiff = file.get();
  Array<std::byte> strip(checked_bytes(file, page, TIFFStripSize64(tiff)));
  const auto row_size = static_cast<std::size_t>(TIFFScanlineSize64(tiff));
  if (row_size == 0 || strip.size() < row_size) file.fail_reading("its strips have no size");
  const auto rows = static_cast<int>(std::min<std::uint64_t>(strip.size() / row_size, page.height));
  PixelWriter<T> put(page, image);
  const int planes = page.planes() ? page.samples : 1;
  for (int plane = 0; plane < planes; ++plane) {
    for (int top = 0; top < image.height; top += rows) {
      const std::uint32_t index = TIFFComputeStrip(tiff, static_cast<std::uint32_t>(top),
                                                   static_cast<std::uint16_t>(plane));
      const int here = std::min(rows, image.height - top);
      const auto wanted = static_cast<tmsize_t>(row_size * static_cast<std::size_t>(here));
      if (TIFFReadEncodedStrip(tiff, index, strip.data(), wanted) != wanted)
        file.fail_reading("its strips cannot be decoded");
      for (int y = 0; y < here; ++y)
        put(strip.data() + static_cast<std::size_t>(y) * row_size, 0, top + y, image.width, plane);
    }
  }
}

bool strips_are_small(const TiffFile& file, const Page& page) {
  constexpr std::uint64_t kSmall = 4 << 20;
  return page.compression == COMPRESSION_JBIG ||  // JBIG can only decode whole strips
         TIFFStripSize64(file.get()) <= kSmall;
}

template <class T>
void read_tiles(const TiffFile& file, const Page& page, ImageView<T> image) {
  TIFF* tiff = file.get();
  const auto tile_width = tiff_field<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH);
  const auto tile_height = tiff_field<std::uint32_t>(tiff, TIFFTAG_TILELENGTH);
  Array<std::byte> tile(checked_bytes(file, page, TIFFTileSize64(tiff)));
  const auto row_size = static_cast<std::size_t>(TIFFTileRowSize64(tiff));
  PixelWriter<T> put(page, image);
  const int planes = page.planes() ? page.samples : 1;
  for (int plane = 0; plane < planes; ++plane) {
    for (std::uint32_t top = 0; top < page.height; top += tile_height) {
      for (std::uint32_t left = 0; left < page.width; left += tile_width) {
        const std::uint32_t index =
            TIFFComputeTile(tiff, left, top, 0, static_cast<std::uint16_t>(plane));
        const auto size = static_cast<tmsize_t>(tile.size());
        if (TIFFReadEncodedTile(tiff, index, tile.data(), size) != size)
          file.fail_reading("its tiles cannot be decoded");
        const auto columns = static_cast<int>(std::min(tile_width, page.width - left));
        const std::uint32_t rows = std::min(tile_height, page.height - top);
        for (std::uint32_t y = 0; y < rows; ++y)
          put(tile.data() + y * row_size, static_cast<int>(left), static_cast<int>(top + y),
              columns, plane);
      }
    }
  }
}

void read_by_library(const TiffFile& file, const Page& page, ImageView<std::uint8_t> image) {
  Array<std::uint32_t> raster(static_cast<std::size_t>(page.width) * page.height);
  char reason[1024] = {};
  TIFFRGBAImage converter{};
  if (TIFFRGBAImageBegin(&converter, file.get(), 1, reason) != 1) file.fail_reading(reason);
  converter.req_orientation = page.orientation;  // keeps rows as stored: the caller turns the image
  const int done = TIFFRGBAImageGet(&converter, raster.data(), page.width, page.height);
  TIFFRGBAImageEnd(&converter);
  if (done != 1) file.fail_reading("its colors cannot be converted");
  for (int y = 0; y < image.height; ++y) {
    const std::uint32_t* row = raster.data() + static_cast<std::size_t>(y) * page.width;
    for (int x = 0; x < image.width; ++x) {
      image.at(x, y, 0) = static_cast<std::uint8_t>(TIFFGetR(row[x]));
      image.at(x, y, 1) = static_cast<std::uint8_t>(TIFFGetG(row[x]));
      image.at(x, y, 2) = static_cast<std::uint8_t>(TIFFGetB(row[x]));
    }
  }
}

// LogLuv decodes to CIE XYZ. This converts it to linear RGB with the primaries of sRGB (IEC
// 61966-2-1).
void xyz_to_rgb(ImageView<float> image) {
  static constexpr float kMatrix[3][3] = {{3.240479F, -1.537150F, -0.498535F},
                                          {-0.969256F, 1.875991F, 0.041556F},
                                          {0.055648F, -0.204043F, 1.057311F}};
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      float* pixel = &image.at(x, y);
      const std::array<float, 3> xyz{pixel[0], pixel[1], pixel[2]};
      for (int c = 0; c < 3; ++c)
        pixel[c] = kMatrix[c][0] * xyz[0] + kMatrix[c][1] * xyz[1] + kMatrix[c][2] * xyz[2];
    }
  }
}

AnyImage read_pixels(const TiffFile& file, const Page& page, const ImageReadOptions& options) {
  AnyImage image = make_image(page.shape(), page.facts());
  std::visit(
      [&]<class T>(Image<T>& pixels) {
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          if (page.by_library) return read_by_library(file, page, pixels.view());
        }
        if (page.tiled) read_tiles(file, page, pixels.view());
        else if (strips_are_small(file, page)) read_strips(file, page, pixels.view());
        else read_by_row(file, page, pixels.view());
      },
      image.pixels);
  auto* floats = std::get_if<Image<float>>(&image.pixels);
  if (page.photometric == PHOTOMETRIC_LOGLUV && page.samples == 3 && floats != nullptr)
    xyz_to_rgb(floats->view());
  if (file.damaged() && !options.partial) file.fail_reading("image data is missing");
  return image;
}

ImageInfo tiff_info(const Source& source) {
  const TiffFile file(source);
  const Page page = read_page(file, kNoLimits);
  const tdir_t pages = TIFFNumberOfDirectories(file.get());
  if (file.failed()) file.fail_reading("its pages cannot be counted");
  return make_info(page.shape(), page.facts(), static_cast<int>(pages));
}

AnyImage read_tiff(const Source& source, const ImageReadOptions& options) {
  const TiffFile file(source);
  const auto index = static_cast<tdir_t>(options.page);
  if (index > 0) {
    const tdir_t pages = TIFFNumberOfDirectories(file.get());
    if (index >= pages)
      throw InvalidArgument(
          fmt::format("{}: page {} was requested, but the file has {}; pages count from 0",
                      source.name(), options.page, pages));
    if (TIFFSetDirectory(file.get(), index) != 1) file.fail_reading("its page cannot be found");
  }
  AnyImage image = read_pixels(file, read_page(file, options), options);
  // Once per file, because pages may be read one by one.
  const auto missing = index == 0 && !options.partial ? missing_tiff_page(source) : std::nullopt;
  if (missing)
    source.fail(
        fmt::format("is truncated: a later page stands at byte {}, but the file has {} bytes",
                    *missing, source.size()));
  return image;
}

constexpr std::string_view kTiffExtensions[] = {".tif", ".tiff"};

bool is_tiff(std::string_view head) {
  using namespace std::string_view_literals;
  return head.starts_with("II*\0"sv) || head.starts_with("MM\0*"sv) ||
         head.starts_with("II+\0"sv) || head.starts_with("MM\0+"sv);
}

Feature feature() {
  std::string version = TIFFGetVersion();  // "LIBTIFF, Version 4.5.0\nCopyright ..."
  version = version.substr(0, version.find('\n'));
  version = version.substr(version.rfind(' ') + 1);
  std::string schemes;
  TIFFCodec* list = TIFFGetConfiguredCODECs();
  for (const TIFFCodec* codec = list; codec != nullptr && codec->name != nullptr; ++codec) {
    schemes += schemes.empty() ? "" : ", ";
    schemes += codec->name;
  }
  _TIFFfree(list);
  return {"tiff", true, fmt::format("libtiff {} ({})", version, schemes)};
}

void write_tiff(OutputFile& file, const AnyView& image, const ImageWriteOptions& options) {
  write_tiff_pages(file, std::span(&image, 1), options);
}

std::uint64_t bytes_of(const AnyImage& image) {
  return static_cast<std::uint64_t>(image.width()) * static_cast<std::uint64_t>(image.height()) *
         static_cast<std::uint64_t>(image.channels()) * sample_bytes(image.type());
}

}  // namespace

std::vector<AnyImage> read_tiff_pages(const Source& source, const ImageReadOptions& options,
                                      TiffPages which) {
  const TiffFile file(source);
  std::vector<AnyImage> pages;
  // Pages may share their data, but a short file must not fill memory that way.
  double stored = 0;
  ImageReadOptions left = options;
  left.most_bytes = allowed_bytes(source.size(), options.most_bytes, options.max_pixels);
  for (bool more = true; more; more = TIFFLastDirectory(file.get()) == 0) {
    if (!pages.empty() && TIFFReadDirectory(file.get()) != 1)
      file.fail_reading("a page cannot be read");
    const auto kind = tiff_field<std::uint32_t>(file.get(), TIFFTAG_SUBFILETYPE);
    constexpr std::uint32_t kCopies = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;
    if (which == TiffPages::kFullSize && !pages.empty() && (kind & kCopies) != 0) continue;
    const Page page = read_page(file, left);
    stored += stored_bytes(file.get(), page) / expansion(page.compression);
    check_justified(source, stored, 1);
    pages.push_back(read_pixels(file, page, left));
    if (left.most_bytes > 0)
      left.most_bytes -= std::min(left.most_bytes - 1, bytes_of(pages.back()));
  }
  return pages;
}

const Codec kTiffCodec{.format = ImageFormat::kTiff,
                       .name = "TIFF",
                       .extensions = kTiffExtensions,
                       .recognizes = is_tiff,
                       .info = tiff_info,
                       .read = read_tiff,
                       .write = write_tiff,
                       .feature = feature};

}  // namespace fovea::io
