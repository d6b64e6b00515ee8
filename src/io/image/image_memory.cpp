#include <fovea/io/image_memory.h>

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <png.h>

#include <array>

#include "core/dispatch.h"

namespace fovea::io {

std::string png_bytes(ImageView<const std::uint8_t> image) {
  detail::require_host("png_bytes", "the image", image.memory);
  constexpr std::array<png_uint_32, 4> kFormats{PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                                PNG_FORMAT_RGBA};
  if (image.empty() || image.channels < 1 || image.channels > 4)
    throw InvalidArgument(
        fmt::format("an image of {}x{} pixels with {} channels is no PNG; "
                    "expected 1 to 4 channels and at least one pixel",
                    image.width, image.height, image.channels));
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = kFormats[static_cast<std::size_t>(image.channels - 1)];
  png.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  const auto stride = static_cast<png_int_32>(image.stride);
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.data, stride, nullptr) == 0)
    throw Error(fmt::format("an image of {}x{} pixels could not be written as PNG: {}", image.width,
                            image.height, png.message));
  bytes.resize(size);
  bytes.shrink_to_fit();  // callers keep many
  return bytes;
}

}  // namespace fovea::io
