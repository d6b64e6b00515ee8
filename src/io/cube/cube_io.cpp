// Recognizes how a cube is stored, and makes bands of the channels and pages of images.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/cube_io.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>

#include "io/cube/cube_format.h"
#include "io/text/extension.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

int bands_of(const AnyImage& image) {
  const bool opacity = image.facts.alpha != Alpha::kNone && image.channels() > 1;
  return image.channels() - (opacity ? 1 : 0);
}

// Copies the channels of an image to bands from `first` on.
void put_bands(const AnyImage& image, int first, Cube& cube) {
  std::visit(
      [&]<class T>(const Image<T>& from) {
        auto& to = std::get<Stack<T>>(cube.bands);
        for (int b = 0; b < bands_of(image); ++b) {
          const ImageView<T> band = to.plane(first + b);
          for (int y = 0; y < band.height; ++y)
            for (int x = 0; x < band.width; ++x) band.at(x, y) = from.at(x, y, b);
        }
      },
      image.pixels);
}

std::string shape_words(int width, int height, SampleType type) {
  return fmt::format("{}x{} of {}", width, height, to_string(type));
}

// Throws unless a band has the size and type of the bands before it.
void require_like(const std::string& name, const std::string& words, const std::string& wanted) {
  if (words != wanted)
    throw FormatError(fmt::format(
        "{} is {}, but the bands before it are {}; bands of a cube have one size and type", name,
        words, wanted));
}

CubeShape shape_like(const AnyImage& image, std::uint64_t bands) {
  return {static_cast<std::uint64_t>(image.width()), static_cast<std::uint64_t>(image.height()),
          bands, image.type()};
}

// Each page is released once it is copied, so that little is held twice.
Cube cube_of_pages(const Source& source, std::vector<AnyImage> pages,
                   const CubeReadOptions& options) {
  std::uint64_t bands = 0;
  const AnyImage& front = pages.front();
  const std::string wanted = shape_words(front.width(), front.height(), front.type());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    require_like(fmt::format("{}: page {}", source.name(), i),
                 shape_words(pages[i].width(), pages[i].height(), pages[i].type()), wanted);
    bands += static_cast<std::uint64_t>(bands_of(pages[i]));
  }
  const CubeShape shape = shape_like(front, bands);
  check_cube_shape(source, shape, options);
  check_cube_memory(source, source.size(), shape, options);
  CubeFacts facts;
  facts.white = front.facts.white;
  Cube cube = make_cube(shape, std::move(facts));
  int next = 0;
  for (AnyImage& page : pages) {
    put_bands(page, next, cube);
    next += bands_of(page);
    page = {};
  }
  return cube;
}

Cube read_single(const Source& source, const CubeReadOptions& options) {
  std::array<std::byte, kHeadBytes> buffer{};
  const std::size_t got = source.read_at(0, buffer);
  const std::string_view head(reinterpret_cast<const char*>(buffer.data()), got);
  if (is_mat(head, source.name())) return read_mat(source, options);
  if (!options.variable.empty())
    throw InvalidArgument(
        fmt::format("{}: variable '{}' was requested, but only .mat files have variables",
                    source.name(), options.variable));
  if (is_envi_header(head))
    source.fail("is the header of an ENVI file; its samples are another file, which is missing");
  if (head.starts_with("YUV4MPEG2"))
    source.fail("is a video, not a cube; bands are channels, pages or files of a folder");
  const ImageReadOptions image_options{.most_bytes = options.most_bytes,
                                       .max_pixels = options.max_pixels};
  if (kTiffCodec.recognizes(head))
    return cube_of_pages(source, read_tiff_pages(source, image_options, TiffPages::kFullSize),
                         options);
  std::vector<AnyImage> pages;
  pages.push_back(read_image(source, image_options));
  return cube_of_pages(source, std::move(pages), options);
}

// Sides and types are compared from the headers, before any band is decoded.
Cube read_folder(const std::string& path, const CubeReadOptions& options) {
  const std::vector<std::string> files = expand_inputs(std::span(&path, 1), image_files());
  std::string wanted;
  CubeFacts facts{.format = CubeFormat::kFolder};
  CubeShape shape;
  std::uint64_t file_bytes = 0;
  for (const std::string& file : files) {
    std::error_code ignored;
    file_bytes += fs::file_size(file, ignored);
    const ImageInfo info = image_info(file);
    const std::string words = shape_words(info.width, info.height, info.type);
    if (wanted.empty()) {
      wanted = words;
      facts.white = info.facts.white;
      shape = {static_cast<std::uint64_t>(info.width), static_cast<std::uint64_t>(info.height), 0,
               info.type};
    }
    require_like(file, words, wanted);
    const int opacity = info.facts.alpha != Alpha::kNone && info.channels > 1 ? 1 : 0;
    const std::string stem = fs::path(file).stem().string();
    for (int c = 0; c < info.channels - opacity; ++c)
      facts.names.push_back(info.channels - opacity == 1 ? stem : fmt::format("{}:{}", stem, c));
  }
  shape.bands = facts.names.size();
  const Source folder(std::span<const std::byte>{}, path);
  check_cube_shape(folder, shape, options);
  check_cube_memory(folder, file_bytes, shape, options);
  Cube cube = make_cube(shape, std::move(facts));
  int next = 0;
  for (const std::string& file : files) {
    const AnyImage image =
        read_image(file, {.most_bytes = options.most_bytes, .max_pixels = options.max_pixels});
    require_like(file, shape_words(image.width(), image.height(), image.type()), wanted);
    if (next + bands_of(image) > cube.count())
      throw FormatError(fmt::format("{}: has changed while the folder was read", file));
    put_bands(image, next, cube);
    next += bands_of(image);
  }
  return cube;
}

template <class T>
Image<T> interleaved(StackView<const T> bands) {
  Image<T> image(bands.width, bands.height, bands.count);
  for (int b = 0; b < bands.count; ++b) {
    const ImageView<const T> band = bands.plane(b);
    for (int y = 0; y < band.height; ++y)
      for (int x = 0; x < band.width; ++x) image.at(x, y, b) = band.at(x, y);
  }
  return image;
}

}  // namespace

const char* to_string(CubeFormat format) {
  static constexpr std::array<const char*, 4> kNames{"ENVI", ".mat", "image", "folder"};
  return kNames.at(static_cast<std::size_t>(format));
}

void describe(OptionVisitor& visit, CubeReadOptions& options) {
  visit("variable", options.variable,
        "array of a .mat file; by default the largest of three dimensions");
  visit("most-bytes", options.most_bytes,
        "refuse cubes that take more memory; 0 takes 16 bytes for each of max-pixels, or eight "
        "times the length of the file",
        0, 0x1p63);
  visit("max-pixels", options.max_pixels,
        "refuse cubes whose bands have more pixels; 0 is no limit", 0, 0x1p62);
}

int Cube::width() const {
  return std::visit([](const auto& stack) { return stack.width(); }, bands);
}
int Cube::height() const {
  return std::visit([](const auto& stack) { return stack.height(); }, bands);
}
int Cube::count() const {
  return std::visit([](const auto& stack) { return stack.count(); }, bands);
}
SampleType Cube::type() const { return static_cast<SampleType>(bands.index()); }

void check_cube_shape(const Source& source, const CubeShape& shape,
                      const CubeReadOptions& options) {
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max() - 64;  // rows are padded
  const auto fits = [](std::uint64_t value) { return value >= 1 && value <= kMost; };
  if (!fits(shape.width) || !fits(shape.height) || !fits(shape.bands))
    source.fail(fmt::format("says it is {}x{} with {} bands, which is no cube that can be read",
                            shape.width, shape.height, shape.bands));
  const std::uint64_t pixels = shape.width * shape.height;  // each side fits an int: no overflow
  if (options.max_pixels > 0 && pixels > options.max_pixels)
    source.fail(
        fmt::format("has bands of {}x{}, which are {} pixels and more than the {} allowed; raise "
                    "max_pixels (--max-pixels) if the file can be trusted",
                    shape.width, shape.height, pixels, options.max_pixels));
  if (options.most_bytes > 0) check_cube_memory(source, 0, shape, options);
}

void check_cube_memory(const Source& source, std::uint64_t file_bytes, const CubeShape& shape,
                       const CubeReadOptions& options) {
  const auto bytes_of = [&](std::size_t sample) {
    CubeShape held = shape;  // padded rows make narrow cubes larger than their samples
    held.width =
        static_cast<std::uint64_t>(detail::padded_stride(static_cast<int>(shape.width), 1, sample));
    return cube_bytes(held, sample);
  };
  std::uint64_t bytes = bytes_of(sample_bytes(shape.type));
  const bool widened = options.as_float && shape.type != SampleType::kFloat32;
  if (widened && __builtin_add_overflow(bytes, bytes_of(sizeof(float)), &bytes))
    bytes = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t allowed = allowed_bytes(file_bytes, options.most_bytes, options.max_pixels);
  if (allowed > 0 && bytes > allowed)
    source.fail(fmt::format(
        "is {}x{}x{} of {}, which takes {} bytes{} and more than the {} bytes allowed; {} if the "
        "file can be trusted",
        shape.width, shape.height, shape.bands, to_string(shape.type), bytes,
        widened ? " with its floats" : "", allowed,
        options.most_bytes > 0 ? "raise most_bytes (--memory)"
                               : "raise max_pixels (--max-pixels)"));
}

std::uint64_t cube_bytes(const CubeShape& shape, std::uint64_t bytes_a_sample) {
  std::uint64_t bytes = bytes_a_sample;
  for (const std::uint64_t side : {shape.width, shape.height, shape.bands}) {
    if (__builtin_mul_overflow(bytes, side, &bytes))
      return std::numeric_limits<std::uint64_t>::max();
  }
  return bytes;
}

Cube make_cube(const CubeShape& shape, CubeFacts facts) {
  return with_sample_type(shape.type, [&]<class T>() {
    return Cube{Stack<T>(static_cast<int>(shape.width), static_cast<int>(shape.height),
                         static_cast<int>(shape.bands)),
                std::move(facts)};
  });
}

template <class T>
void store_samples(const StoredType& stored, const std::byte* from, std::size_t count, T* to,
                   std::ptrdiff_t step) {
  const auto store = [&]<class From>(From) {
    for (std::size_t i = 0; i < count; ++i) {
      From value{};
      std::memcpy(&value, from + i * sizeof(From), sizeof(From));
      to[static_cast<std::ptrdiff_t>(i) * step] = static_cast<T>(value);
    }
  };
  if constexpr (std::is_same_v<T, double>) {
    if (stored.signed_wide) return store(std::int64_t{});
    if (stored.unsigned_wide) return store(std::uint64_t{});
  }
  store(T{});
}
template void store_samples(const StoredType&, const std::byte*, std::size_t, std::uint8_t*,
                            std::ptrdiff_t);
template void store_samples(const StoredType&, const std::byte*, std::size_t, std::uint16_t*,
                            std::ptrdiff_t);
template void store_samples(const StoredType&, const std::byte*, std::size_t, std::uint32_t*,
                            std::ptrdiff_t);
template void store_samples(const StoredType&, const std::byte*, std::size_t, std::int8_t*,
                            std::ptrdiff_t);
template void store_samples(const StoredType&, const std::byte*, std::size_t, std::int16_t*,
                            std::ptrdiff_t);
template void store_samples(const StoredType&, const std::byte*, std::size_t, std::int32_t*,
                            std::ptrdiff_t);
template void store_samples(const StoredType&, const std::byte*, std::size_t, float*,
                            std::ptrdiff_t);
template void store_samples(const StoredType&, const std::byte*, std::size_t, double*,
                            std::ptrdiff_t);

Cube read_cube(const std::string& path, const CubeReadOptions& options) {
  check_options(options);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_folder(path, options);
  if (!has_extension(path, image_files()) && extension_of(path) != ".mat") {
    const std::string header = find_envi_header(path);
    if (!header.empty()) return read_envi_files(header, path, options);
  }
  const Source source(path);
  std::array<std::byte, kHeadBytes> head{};
  const std::size_t got = source.read_at(0, head);
  if (is_envi_header({reinterpret_cast<const char*>(head.data()), got})) {
    const std::string samples = find_envi_samples(path);
    if (!samples.empty()) return read_envi_files(path, samples, options);
  }
  return read_single(source, options);
}

Cube read_cube(std::span<const std::byte> data, const std::string& name,
               const CubeReadOptions& options) {
  check_options(options);
  return read_single(Source(data, name), options);
}

void write_cube(const std::string& path, const Cube& cube) {
  const std::string extension = extension_of(path);
  if (cube.count() < 1 || cube.width() < 1 || cube.height() < 1)
    throw InvalidArgument(fmt::format(
        "{}: the cube to write is {}x{} with {} bands; expected at least one pixel and band", path,
        cube.width(), cube.height(), cube.count()));
  if (extension == ".hdr") return write_envi(path, cube);
  if (extension != ".tif" && extension != ".tiff")
    throw InvalidArgument(
        fmt::format("{}: extension '{}' names no format of cubes; use .hdr (ENVI), .tif or .tiff",
                    path, extension));
  std::visit(
      [&](const auto& bands) {
        write_image(path, interleaved(bands.view()), {.alpha = Alpha::kNone});
      },
      cube.bands);
}

Stack<float> to_float(const Cube& cube) {
  Stack<float> result(cube.width(), cube.height(), cube.count());
  std::visit(
      [&](const auto& bands) {
        for (int b = 0; b < bands.count(); ++b)
          for (int y = 0; y < bands.height(); ++y)
            std::transform(bands.plane(b).row(y), bands.plane(b).row(y) + bands.width(),
                           result.plane(b).row(y),
                           [](auto value) { return static_cast<float>(value); });
      },
      cube.bands);
  return result;
}

Stack<float> to_float(Cube&& cube) {
  if (auto* same = std::get_if<Stack<float>>(&cube.bands)) return std::move(*same);
  return to_float(std::as_const(cube));
}

}  // namespace fovea::io
