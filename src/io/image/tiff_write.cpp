// TIFF files of one or many pages, with every sample type and any number of channels. They are
// BigTIFF where the pixels might not fit into the 4 GiB of the classic format.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/tiff_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "io/image/codec.h"
#include "io/image/tiff_file.h"

namespace fovea::io {
namespace {

constexpr double kMostClassicBytes = 3.9e9;
constexpr double kMostExpectedBytes = 0x1p30;  // an estimate may be wrong by a factor of 3
// Strips are compressed one by one: a page has enough of them for all cores.
constexpr std::uint32_t kStripBytes = 64 * 1024;

int compression_scheme(TiffCompression compression) {
  switch (compression) {
    case TiffCompression::kPackBits: return COMPRESSION_PACKBITS;
    case TiffCompression::kLzw: return COMPRESSION_LZW;
    case TiffCompression::kDeflate: return COMPRESSION_ADOBE_DEFLATE;
    case TiffCompression::kNone: break;
  }
  return COMPRESSION_NONE;
}

// Three channels are RGB; channels after the first or the third are marked as alpha or as
// unspecified.
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
  // The predictor for floating point saves little on maps, whose values repeat, and common readers
  // such as Python's tifffile need further packages for it.
  const bool integers = shape.type < SampleType::kFloat32;
  if (integers && (deflate || options.tiff_compression == TiffCompression::kLzw))
    TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
}

std::uint64_t row_size(const PictureShape& shape) {
  return shape.width * shape.channels * sample_bytes(shape.type);
}

int strip_rows(const PictureShape& shape) {
  return static_cast<int>(
      std::clamp<std::uint64_t>(kStripBytes / row_size(shape), 1, shape.height));
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
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(strip_rows(shape)));
}

// The samples of some rows without the gaps that a view may have between them.
template <class T>
std::vector<T> packed_rows(ImageView<const T> image, int top, int rows) {
  const auto width = static_cast<std::size_t>(image.row_elements());
  std::vector<T> result(width * static_cast<std::size_t>(rows));
  for (int y = 0; y < rows; ++y)
    std::copy_n(image.row(top + y), width, result.begin() + static_cast<std::ptrdiff_t>(width) * y);
  return result;
}

// Writes whole strips, which compress fastest, because libtiff passes them to libdeflate.
template <class T>
bool write_strip(TIFF* tiff, std::uint32_t number, ImageView<const T> image, int top, int rows) {
  std::vector<T> strip = packed_rows(image, top, rows);
  const auto bytes = static_cast<tmsize_t>(strip.size() * sizeof(T));
  return TIFFWriteEncodedStrip(tiff, number, strip.data(), bytes) == bytes;
}

template <class T>
bool write_strips(TIFF* tiff, ImageView<const T> image, int rows) {
  for (int top = 0; top < image.height; top += rows) {
    if (!write_strip(tiff, static_cast<std::uint32_t>(top / rows), image, top,
                     std::min(rows, image.height - top)))
      return false;
  }
  return true;
}

// The bytes of one strip as libtiff would write them, from a file of this strip alone in memory.
// They are empty where it fails.
template <class T>
std::vector<std::byte> compressed_strip(ImageView<const T> image, int top, int rows,
                                        const ImageWriteOptions& options) {
  TiffMemory memory;
  TIFF* tiff = memory.get();
  PictureShape shape = shape_of(AnyView(image));
  shape.height = static_cast<std::uint64_t>(rows);
  if (tiff == nullptr) return {};
  set_fields(tiff, shape, options);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows));
  if (!write_strip(tiff, 0, image, top, rows) || TIFFFlushData(tiff) != 1) return {};
  return memory.strip();
}

bool write_page(TIFF* tiff, const AnyView& image, const ImageWriteOptions& options) {
  const PictureShape shape = shape_of(image);
  set_fields(tiff, shape, options);
  return std::visit([&](const auto& view) { return write_strips(tiff, view, strip_rows(shape)); },
                    image) &&
         TIFFWriteDirectory(tiff) == 1;
}

void check_channels(const OutputFile& file, const AnyView& page) {
  if (shape_of(page).channels > 65535)
    refuse_image(file.path(), "TIFF holds up to 65535 channels", shape_of(page), "write .npy");
}

double total_bytes(std::span<const AnyView> pages) {
  double total = 0;
  for (const AnyView& page : pages) {
    const PictureShape shape = shape_of(page);
    total += static_cast<double>(row_size(shape)) * static_cast<double>(shape.height);
  }
  return total;
}

}  // namespace

void write_tiff_pages(OutputFile& file, std::span<const AnyView> pages,
                      const ImageWriteOptions& options) {
  for (const AnyView& page : pages) check_channels(file, page);
  TiffFile tiff(file, total_bytes(pages) > kMostClassicBytes);
  bool written = true;
  for (const AnyView& page : pages) written = written && write_page(tiff.get(), page, options);
  tiff.finish_writing(file, written);
}

struct TiffPage::Impl {
  PictureShape shape{};
  TiffCompression compression{};
  std::vector<std::vector<std::byte>> strips{};
};
TiffPage::TiffPage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TiffPage::TiffPage(TiffPage&&) noexcept = default;
TiffPage& TiffPage::operator=(TiffPage&&) noexcept = default;
TiffPage::~TiffPage() = default;

struct TiffWriter::Impl {
  Impl(const std::string& path, const ImageWriteOptions& how, bool big, int threads)
      : options(how), exec{.threads = threads}, file(path), tiff(file, big) {}

  ImageWriteOptions options;
  Exec exec;
  OutputFile file;
  TiffFile tiff;  // declared after the file that it writes to
  std::int64_t pages = 0;
};

TiffWriter::TiffWriter(const std::string& path, const ImageWriteOptions& options,
                       std::uint64_t expected_bytes, const Exec& exec) {
  check_options(options);
  const auto expected = static_cast<double>(expected_bytes);
  impl_ = std::make_unique<Impl>(path, options, expected == 0 || expected > kMostExpectedBytes,
                                 exec.threads);
}
TiffWriter::TiffWriter(TiffWriter&&) noexcept = default;
TiffWriter& TiffWriter::operator=(TiffWriter&&) noexcept = default;
TiffWriter::~TiffWriter() = default;

void TiffWriter::write(const AnyView& page) { write(encode(page)); }

// The bytes are those of write_strips(), whoever compresses them.
TiffPage TiffWriter::encode(const AnyView& page) const {
  check_channels(impl_->file, page);
  auto encoded = std::make_unique<TiffPage::Impl>();
  encoded->shape = shape_of(page);
  encoded->compression = impl_->options.tiff_compression;
  if (encoded->shape.width == 0 || encoded->shape.height == 0)
    throw InvalidArgument(fmt::format("{}: a page has no pixels", impl_->file.path()));
  const int rows = strip_rows(encoded->shape);
  const auto compress = [&](const auto& image) {
    encoded->strips.resize(static_cast<std::size_t>((image.height + rows - 1) / rows));
    parallel_for(
        impl_->exec, std::ssize(encoded->strips), 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const int top = static_cast<int>(i) * rows;
            encoded->strips[static_cast<std::size_t>(i)] =
                compressed_strip(image, top, std::min(rows, image.height - top), impl_->options);
          }
        });
  };
  std::visit(
      [&](const auto& view) {
        if (view.memory != Memory::kCuda) return compress(view);
        const auto here = clone(view);
        compress(here.view());
      },
      page);
  for (const std::vector<std::byte>& strip : encoded->strips)
    if (strip.empty())
      throw WriteError(fmt::format("{}: cannot compress a page", impl_->file.path()));
  return TiffPage(std::move(encoded));
}

void TiffWriter::write(const TiffPage& page) {
  Impl& impl = *impl_;
  TIFF* tiff = impl.tiff.get();
  if (page.impl_->compression != impl.options.tiff_compression)
    throw InvalidArgument(fmt::format("{}: a page was encoded by a writer with another compression",
                                      impl.file.path()));
  set_fields(tiff, page.impl_->shape, impl.options);
  bool written = true;
  for (std::uint32_t i = 0; const std::vector<std::byte>& strip : page.impl_->strips) {
    const auto bytes = static_cast<tmsize_t>(strip.size());
    // libtiff does not change what it is given.
    written = written &&
              TIFFWriteRawStrip(tiff, i++, const_cast<std::byte*>(strip.data()), bytes) == bytes;
  }
  if (!written || TIFFWriteDirectory(tiff) != 1) impl.tiff.finish_writing(impl.file, false);
  ++impl.pages;
}

void TiffWriter::finish() {
  if (impl_->pages == 0)
    throw InvalidArgument(fmt::format("{}: there is no page to write", impl_->file.path()));
  impl_->tiff.finish_writing(impl_->file, true);
  impl_->file.commit();
}

std::int64_t TiffWriter::pages() const { return impl_->pages; }

}  // namespace fovea::io
