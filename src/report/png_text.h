// Images as text: PNG bytes and base64, for pages that contain their images.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <string>

namespace fovea::report {

// The image has 1 (gray) or 3 (RGB) channels and lies in host memory; throws InvalidArgument
// otherwise.
std::string png_bytes(ImageView<const std::uint8_t> image);
std::string base64(std::string_view bytes);
// "data:image/png;base64,..."
std::string png_data_uri(ImageView<const std::uint8_t> image);

}  // namespace fovea::report
