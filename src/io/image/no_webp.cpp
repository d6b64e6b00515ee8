// Stands in for webp_libwebp.cpp in a build without libwebp, so that no other file asks whether it
// is there.
#include "io/image/webp_decoder.h"

namespace fovea::io {

void decode_webp(const Source& source, std::span<const std::byte>, ImageView<std::uint8_t>) {
  source.fail(
      "is a WebP, and this build was made without libwebp: install libwebp-dev and build again, or "
      "convert it to PNG");
}

Feature webp_feature() {
  return {"webp", false, "built without libwebp: install libwebp-dev and build again"};
}

}  // namespace fovea::io
