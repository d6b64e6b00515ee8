// The interface between the WebP codec and the library that decodes pixels, which a build may lack.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/system.h>

#include <cstdint>
#include <span>

#include "io/text/source.h"

namespace fovea::io {

// Decodes a whole file into the image, which has the file's size and 3 channels, or 4 with straight
// alpha. Throws a FormatError that names the source.
void decode_webp(const Source& source, std::span<const std::byte> file,
                 ImageView<std::uint8_t> image);
Feature webp_feature();

}  // namespace fovea::io
