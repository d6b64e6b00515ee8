// Between the WebP codec and the library that decodes its pixels, which a build may lack.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/system.h>

#include <cstdint>
#include <span>

#include "io/text/source.h"

namespace fovea::io {

// Fills the image, of 3 channels or of 4 with straight alpha, from the bytes of a whole file whose
// picture has its size. Throws FormatError that names the source.
void decode_webp(const Source& source, std::span<const std::byte> file,
                 ImageView<std::uint8_t> image);
Feature webp_feature();

}  // namespace fovea::io
