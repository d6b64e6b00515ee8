#pragma once
#include <fovea/core/image.h>
#include <fovea/io/image_io.h>

#include <string>

// Files of disparities: PFM as Middlebury writes it, KITTI's 16-bit PNG, .npy and TIFF. In memory a
// disparity that is not known is infinite.
namespace fovea::io {

struct DisparityReadOptions {
  // What the samples of images with integers are divided by; 0: 256 for 16 bits, as KITTI has them,
  // and 1 for others
  double scale = 0;
  std::uint64_t max_pixels = ImageReadOptions{}.max_pixels;
};
FOVEA_API void describe(OptionVisitor& visit, DisparityReadOptions& options);

// Reads a map of one channel. In a file of integers, 0 means that a disparity is not known; in a
// file of floats, infinity and NaN do. A file with more channels is a FormatError.
FOVEA_API Image<float> read_disparity(const std::string& path,
                                      const DisparityReadOptions& options = {});

// Writes the format of the path's extension: .pfm, .npy, .tif and .tiff hold the numbers, with
// infinity where they are not known. PNG holds 256 times the disparity in 16 bits, at least 1, and
// 0 where it is not known; a negative disparity, or one of 256 and more, is an InvalidArgument that
// gives its pixel.
FOVEA_API void write_disparity(const std::string& path, ImageView<const float> disparity);
// Throws the InvalidArgument that write_disparity() would throw for the extension, before any work.
FOVEA_API void require_disparity_path(const std::string& path);

}  // namespace fovea::io
