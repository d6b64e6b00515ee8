#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <string>

namespace fovea::io {

// The image as the bytes of a PNG file, for a web page or a database. It has 1 to 4 channels (gray,
// gray and opacity, RGB, RGBA) and lies in host memory. Speed counts more than size: rows are not
// filtered. Throws InvalidArgument for another image.
FOVEA_API std::string png_bytes(ImageView<const std::uint8_t> image);
// The same as a JPEG file, for pictures that follow each other: it has 1 or 3 channels. A greater
// quality, from 1 to 100, gives more bytes.
FOVEA_API std::string jpeg_bytes(ImageView<const std::uint8_t> image, int quality = 85);

}  // namespace fovea::io
