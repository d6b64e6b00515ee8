#pragma once
#include <fovea/io/image_io.h>

#include <string>

// Names of image files that are checked before the work whose result they get.
namespace fovea::io {

// Throws the InvalidArgument that write_image() would throw for the extension.
FOVEA_API void require_image_path(const std::string& path);
// The same for the type of samples and the number of channels too: JPEG holds no labels of 16 bits.
FOVEA_API void require_image_path(const std::string& path, SampleType type, int channels);

}  // namespace fovea::io
