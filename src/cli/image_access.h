// Images as the verbs see them: 8-bit pixels of 1 or 3 channels.
#pragma once
#include <fovea/image.h>

#include <cstdint>
#include <string>

namespace fovea::cli {

// A binary PGM or PPM file; "-" is standard input.
Image<std::uint8_t> read_image(const std::string& path);
// Grey or colour by the number of channels.
void write_image(const std::string& path, ImageView<const std::uint8_t> image);

}  // namespace fovea::cli
