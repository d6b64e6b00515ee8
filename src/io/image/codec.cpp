#include "io/image/codec.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/words.h"

namespace fovea::io {

void check_shape(const Source& source, const PictureShape& shape) {
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  const auto fits = [](std::uint64_t value) { return value >= 1 && value <= kMost; };
  // The padding of a row must fit as well.
  if (!fits(shape.width) || !fits(shape.height) || !fits(shape.channels) ||
      shape.width * shape.channels > kMost - 64)
    source.fail(fmt::format("says it is {}x{} with {} channels, which is no image that can be read",
                            shape.width, shape.height, shape.channels));
}

void check_shape(const Source& source, const PictureShape& shape, const ImageReadOptions& options) {
  check_shape(source, shape);
  const double pixels = static_cast<double>(shape.width) * static_cast<double>(shape.height);
  const double bytes = pixels * static_cast<double>(shape.channels * sample_bytes(shape.type));
  if (options.max_pixels > 0 && pixels > static_cast<double>(options.max_pixels))
    source.fail(
        fmt::format("is {}x{}, which is {:.0f} pixels and more than the {} allowed; raise "
                    "max_pixels (--max-pixels) if the file can be trusted",
                    shape.width, shape.height, pixels, options.max_pixels));
  const std::uint64_t allowed =
      allowed_bytes(source.size(), options.most_bytes, options.max_pixels);
  if (allowed > 0 && bytes > static_cast<double>(allowed))
    source.fail(fmt::format(
        "is {}x{}x{} of {}, which takes {:.0f} bytes and more than the {} bytes allowed; {} if the "
        "file can be trusted",
        shape.width, shape.height, shape.channels, to_string(shape.type), bytes, allowed,
        options.most_bytes > 0 ? "raise most_bytes (--memory)"
                               : "raise max_pixels (--max-pixels)"));
}

std::uint64_t allowed_bytes(std::uint64_t file_bytes, std::uint64_t most_bytes,
                            std::uint64_t max_pixels) {
  constexpr std::uint64_t kPixelBytes = 16, kExpansion = 8;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / kPixelBytes;
  if (most_bytes > 0 || max_pixels == 0) return most_bytes;
  return std::max(kPixelBytes * std::min(max_pixels, kMost),
                  kExpansion * std::min(file_bytes, kMost));
}

void check_stored(const Cursor& cursor, const PictureShape& shape, double needed,
                  const ImageReadOptions& options) {
  check_shape(cursor.source(), shape);
  if (needed > static_cast<double>(cursor.remaining()))
    cursor.source().fail(
        fmt::format("is truncated: {}x{} pixels take {:.0f} bytes or more from byte {} on, {} are "
                    "there",
                    shape.width, shape.height, needed, cursor.position(), cursor.remaining()));
  check_shape(cursor.source(), shape, options);
}

void check_justified(const Source& source, double stored, double expansion) {
  const double most = static_cast<double>(source.size()) * expansion;
  if (stored > most)
    source.fail(fmt::format(
        "claims an image of {:.0f} bytes, but its {} bytes can hold {:.0f} at most; it is "
        "truncated or damaged",
        stored, source.size(), most));
}

AnyImage make_image(const PictureShape& shape, const ImageFacts& facts) {
  return with_sample_type(shape.type, [&]<class T>() {
    return AnyImage{Image<T>(static_cast<int>(shape.width), static_cast<int>(shape.height),
                             static_cast<int>(shape.channels)),
                    facts};
  });
}

ImageInfo make_info(const PictureShape& shape, const ImageFacts& facts, int pages) {
  return {static_cast<int>(shape.width),
          static_cast<int>(shape.height),
          static_cast<int>(shape.channels),
          pages,
          shape.type,
          facts};
}

std::size_t sample_bytes(SampleType type) {
  return with_sample_type(type, []<class T>() { return sizeof(T); });
}

double type_white(SampleType type) {
  return with_sample_type(type, []<class T>() {
    return std::is_floating_point_v<T> ? 1.0 : static_cast<double>(std::numeric_limits<T>::max());
  });
}

SampleType type_of(const AnyView& image) { return static_cast<SampleType>(image.index()); }

PictureShape shape_of(const AnyView& image) {
  return std::visit(
      [&](const auto& view) {
        return PictureShape{static_cast<std::uint64_t>(view.width),
                            static_cast<std::uint64_t>(view.height),
                            static_cast<std::uint64_t>(view.channels), type_of(image)};
      },
      image);
}

void refuse_image(const std::string& path, std::string_view holds, const PictureShape& shape,
                  std::string_view advice) {
  throw InvalidArgument(fmt::format("{}: {}, not {} with {}; {}", path, holds,
                                    to_string(shape.type),
                                    fovea::detail::counted(shape.channels, "channel"), advice));
}

void swap_bytes(std::span<std::byte> samples, std::size_t sample_bytes) {
  const auto swap = [&]<class Word>(Word (*swapped)(Word)) {
    for (std::size_t i = 0; i + sizeof(Word) <= samples.size(); i += sizeof(Word)) {
      Word word{};
      std::memcpy(&word, samples.data() + i, sizeof(Word));
      word = swapped(word);
      std::memcpy(samples.data() + i, &word, sizeof(Word));
    }
  };
  if (sample_bytes == 2)
    swap(+[](std::uint16_t w) -> std::uint16_t { return __builtin_bswap16(w); });
  else if (sample_bytes == 4)
    swap(+[](std::uint32_t w) -> std::uint32_t { return __builtin_bswap32(w); });
  else if (sample_bytes == 8)
    swap(+[](std::uint64_t w) -> std::uint64_t { return __builtin_bswap64(w); });
}

}  // namespace fovea::io
