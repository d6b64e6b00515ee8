// Decodes WebP pixels through libwebp. For a lossless image the decoder needs four bytes per pixel
// besides the image.
#include "io/image/webp_decoder.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <webp/decode.h>

#include <string_view>

namespace fovea::io {
namespace {

std::string_view cause_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_BITSTREAM_ERROR: return "its codes make no image";
    case VP8_STATUS_UNSUPPORTED_FEATURE: return "it uses a feature that is not known";
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return "the data ends too soon";
    default: return "it cannot be decoded";
  }
}

}  // namespace

void decode_webp(const Source& source, std::span<const std::byte> file,
                 ImageView<std::uint8_t> image) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    throw Error(
        "the installed libwebp is of another version than this build; install that version or "
        "build again");
  config.output.colorspace = image.channels == 4 ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = image.data;
  config.output.u.RGBA.stride = static_cast<int>(image.stride);
  config.output.u.RGBA.size =
      static_cast<std::size_t>(image.stride) * static_cast<std::size_t>(image.height - 1) +
      static_cast<std::size_t>(image.row_elements());
  const VP8StatusCode status =
      WebPDecode(reinterpret_cast<const std::uint8_t*>(file.data()), file.size(), &config);
  if (status == VP8_STATUS_OUT_OF_MEMORY)
    throw Error(fmt::format("out of memory: libwebp could not decode {}", source.name()));
  if (status != VP8_STATUS_OK)
    source.fail(fmt::format("is truncated or damaged: {} (libwebp)", cause_of(status)));
  if (config.output.width != image.width || config.output.height != image.height)
    source.fail(fmt::format("is damaged: its header says {}x{}, its image is {}x{}", image.width,
                            image.height, config.output.width, config.output.height));
}

Feature webp_feature() {
  const int version = WebPGetDecoderVersion();
  return {"webp", true,
          fmt::format("libwebp {}.{}.{}, for reading only", version >> 16, version >> 8 & 255,
                      version & 255)};
}

}  // namespace fovea::io
