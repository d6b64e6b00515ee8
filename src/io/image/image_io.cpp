// Finds a file's format from its content, passes the file to that format's codec, and turns the
// image upright where the options say so.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/image_io.h>
#include <fovea/io/image_path.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/words.h"
#include "io/image/codec.h"
#include "io/text/extension.h"

namespace fovea::io {
namespace {

constexpr std::array<const Codec*, 8> kCodecs{&kPngCodec, &kJpegCodec, &kTiffCodec, &kPnmCodec,
                                              &kPfmCodec, &kNpyCodec,  &kBmpCodec,  &kWebpCodec};

[[noreturn]] void refuse_foreign(const Source& source, std::string_view head) {
  if (head.empty()) source.fail("is empty");
  const std::string foreign = foreign_format(head);
  if (!foreign.empty()) source.fail(foreign);
  std::string bytes;
  for (const char c : head.substr(0, 8))
    bytes += fmt::format("{}{:02x}", bytes.empty() ? "" : " ", static_cast<unsigned char>(c));
  source.fail(
      fmt::format("begins with {}, as no image format known here does; PNG, JPEG, TIFF, PNM, PFM, "
                  ".npy, BMP and "
                  "WebP are read",
                  bytes));
}

const Codec& codec_of(const Source& source) {
  std::array<std::byte, kHeadBytes> buffer{};
  const std::size_t got = source.read_at(0, buffer);
  const std::string_view head(reinterpret_cast<const char*>(buffer.data()), got);
  for (const Codec* codec : kCodecs) {
    if (codec->recognizes(head)) return *codec;
  }
  refuse_foreign(source, head);
}

const Codec& codec_by_extension(const std::string& path) {
  const std::string extension = extension_of(path);
  const Codec* only_read = nullptr;
  std::string written;
  for (const Codec* codec : kCodecs) {
    for (const std::string_view candidate : codec->extensions) {
      if (codec->write == nullptr) {
        if (extension == candidate) only_read = codec;
        continue;
      }
      if (extension == candidate) return *codec;
      written += written.empty() ? "" : " ";
      written += candidate;
    }
  }
  if (only_read != nullptr)
    throw InvalidArgument(fmt::format("{}: {} is read but not written; use one of {}", path,
                                      only_read->name, written));
  throw InvalidArgument(fmt::format("{}: extension '{}' names no image format; use one of {}", path,
                                    fovea::detail::shown(extension), written));
}

AnyImage upright(AnyImage image, const ImageReadOptions& options) {
  if (options.orientation == Orientation::kIgnore) return image;
  image.facts.oriented = true;
  if (image.facts.orientation == 1) return image;
  return apply_orientation(image, image.facts.orientation);
}

std::vector<AnyImage> read_pages(const Source& source, const ImageReadOptions& options) {
  check_options(options);
  std::vector<AnyImage> pages;
  const Codec& codec = codec_of(source);
  if (codec.format == ImageFormat::kTiff) pages = read_tiff_pages(source, options);
  else pages.push_back(codec.read(source, options));
  for (AnyImage& page : pages) page = upright(std::move(page), options);
  return pages;
}

// Calls `use` with a view on the host that is not empty, as every writer expects.
template <class Use>
void with_host_view(const std::string& path, const AnyView& image, Use use) {
  std::visit(
      [&]<class T>(ImageView<const T> view) {
        if (view.empty() || view.channels < 1)
          throw InvalidArgument(fmt::format("{}: the image to write is {}; expected at least 1x1x1",
                                            path, fovea::detail::shape_text(view)));
        if (view.memory != Memory::kCuda) return use(AnyView(view));
        const Image<T> host = clone(view);
        use(AnyView(host.view()));
      },
      image);
}

}  // namespace

const char* to_string(ImageFormat format) {
  return kCodecs.at(static_cast<std::size_t>(format))->name;
}

std::span<const Choice> choices(Alpha) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"none", static_cast<int>(Alpha::kNone)},
       {"straight", static_cast<int>(Alpha::kStraight)},
       {"premultiplied", static_cast<int>(Alpha::kPremultiplied)}}};
  return kChoices;
}

std::span<const Choice> choices(Orientation) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"ignore", static_cast<int>(Orientation::kIgnore)},
       {"apply", static_cast<int>(Orientation::kApply)}}};
  return kChoices;
}

std::span<const Choice> choices(TiffCompression) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"none", static_cast<int>(TiffCompression::kNone)},
       {"packbits", static_cast<int>(TiffCompression::kPackBits)},
       {"lzw", static_cast<int>(TiffCompression::kLzw)},
       {"deflate", static_cast<int>(TiffCompression::kDeflate)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, ImageReadOptions& options) {
  visit("orientation", options.orientation,
        "apply turns images upright as their EXIF tag says; ignore takes them as stored");
  visit("page", options.page, "which page of a TIFF to read; the first is 0", 0,
        std::numeric_limits<int>::max());
  visit("partial", options.partial, "keep what can be decoded of a truncated or damaged JPEG");
  visit.bytes("most-bytes", options.most_bytes,
              "refuse images that would take more memory than this; 0 takes 16 bytes for each of "
              "max-pixels, or eight times the length of the file");
  visit("max-pixels", options.max_pixels,
        "refuse images of more pixels before memory is allocated for them; 0 is no limit", 0,
        0x1p62);
}

void describe(OptionVisitor& visit, ImageWriteOptions& options) {
  visit("quality", options.quality, "JPEG quality; higher is larger and closer to the original", 1,
        100);
  visit("progressive", options.progressive,
        "write progressive JPEG, which is smaller and slower to read");
  visit("full-chroma", options.full_chroma, "store JPEG color at full resolution");
  visit("level", options.level, "effort of PNG and deflate compression; 0 only stores", 0, 9);
  visit("tiff-compression", options.tiff_compression, "how TIFF files are compressed");
  visit("alpha", options.alpha, "what the last of 2 or 4 channels of a TIFF or PAM means");
  visit("orientation", options.orientation,
        "EXIF orientation tag that is written into JPEG, PNG and TIFF", 1, 8);
  visit("white", options.white, "greatest value of PNM samples; 0 is the type's greatest", 0,
        65535);
}

AnyImage read_image(const Source& source, const ImageReadOptions& options) {
  check_options(options);
  const Codec& codec = codec_of(source);
  if (options.page > 0 && codec.format != ImageFormat::kTiff)
    throw InvalidArgument(
        fmt::format("{}: there is no page {}, since a {} has one page; choose page 0",
                    source.name(), options.page, codec.name));
  return upright(codec.read(source, options), options);
}

AnyImage read_image(const std::string& path, const ImageReadOptions& options) {
  return read_image(Source(path), options);
}
AnyImage read_image(const std::string& path, const ImageReadOptions& options,
                    const std::stop_token& stop) {
  if (path == "-") return read_image(Source::standard_input(stop), options);
  return read_image(Source(path, stop), options);
}
AnyImage read_image(std::span<const std::byte> data, const std::string& name,
                    const ImageReadOptions& options) {
  return read_image(Source(data, name), options);
}
std::vector<AnyImage> read_pages(const std::string& path, const ImageReadOptions& options) {
  return read_pages(Source(path), options);
}
std::vector<AnyImage> read_pages(std::span<const std::byte> data, const std::string& name,
                                 const ImageReadOptions& options) {
  return read_pages(Source(data, name), options);
}
ImageInfo image_info(const std::string& path) {
  const Source source(path);
  return codec_of(source).info(source);
}
ImageInfo image_info(std::span<const std::byte> data, const std::string& name) {
  const Source source(data, name);
  return codec_of(source).info(source);
}

void require_image_path(const std::string& path) { codec_by_extension(path); }

void require_image_path(const std::string& path, SampleType type, int channels) {
  const Codec& codec = codec_by_extension(path);
  if (codec.require == nullptr) return;
  codec.require(path, {.channels = static_cast<std::uint64_t>(channels), .type = type});
}

void write_image(const std::string& path, const AnyView& image, const ImageWriteOptions& options) {
  check_options(options);
  const Codec& codec = codec_by_extension(path);
  with_host_view(path, image, [&](const AnyView& host) {
    if (codec.require != nullptr) codec.require(path, shape_of(host));
    OutputFile file(path);
    codec.write(file, host, options);
    file.commit();
  });
}

void write_image(const std::string& path, const AnyImage& image, const ImageWriteOptions& options) {
  ImageWriteOptions with_facts = options;
  const bool integer = image.type() < SampleType::kFloat32;
  with_facts.alpha = image.facts.alpha;
  with_facts.orientation = image.facts.oriented ? 1 : image.facts.orientation;
  with_facts.white = integer && image.facts.white <= 65535 ? image.facts.white : 0;
  write_image(path, image.view(), with_facts);
}

void write_pages(const std::string& path, std::span<const AnyView> pages,
                 const ImageWriteOptions& options) {
  check_options(options);
  if (pages.empty()) throw InvalidArgument(fmt::format("{}: there is no page to write", path));
  if (codec_by_extension(path).format != ImageFormat::kTiff)
    throw InvalidArgument(fmt::format("{}: only TIFF holds pages; name it .tif", path));
  std::vector<AnyImage> copies;  // copies of pages that lie in device memory
  std::vector<AnyView> host(pages.begin(), pages.end());
  for (AnyView& page : host) {
    with_host_view(path, page, [&](const AnyView& view) {
      if (std::visit([](const auto& v) { return v.memory; }, page) != Memory::kCuda) return;
      copies.push_back(std::visit([](const auto& v) { return AnyImage{clone(v)}; }, view));
      page = copies.back().view();
    });
  }
  OutputFile file(path);
  write_tiff_pages(file, host, options);
  file.commit();
}

std::vector<Feature> codecs() {
  std::vector<Feature> features;
  features.reserve(std::size(kCodecs));
  for (const Codec* codec : kCodecs) features.push_back(codec->feature());
  return features;
}

}  // namespace fovea::io
