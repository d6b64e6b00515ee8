// Multispectral cubes as the view reads and shows them.
#pragma once
#include <fovea/emd/scene.h>
#include <fovea/io/cube_io.h>
#include <fovea/io/inputs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "view/lru_cache.h"

namespace fovea::view {

struct ViewCube {
  emd::BandFrame frame{};
  io::CubeFacts facts{};

  int bands() const { return frame.bands.count(); }
  std::size_t bytes() const;
};
// Throws what readers throw, and FormatError for a cube whose samples take more memory, as they are
// stored.
ViewCube read_view_cube(const std::string& path,
                        std::uint64_t most_bytes = std::uint64_t{1} << 30U);

// Cubes that were worked on last, by the ids of inputs.
using CubeCache = LruCache<std::shared_ptr<const ViewCube>>;

// The bands that are shown as red, green and blue.
struct ShownBands {
  int red = 0;
  int green = 0;
  int blue = 0;
};
// The bands nearest to red, green and blue light where wavelengths are known; otherwise the last,
// the middle and the first band.
ShownBands usual_bands(const ViewCube& cube);
// Each band is stretched to the range of its own values. Throws InvalidArgument for a band that the
// cube does not have.
Image<std::uint8_t> false_color(const ViewCube& cube, const ShownBands& shown);

// Files that are cubes by their names: headers of ENVI and .mat.
io::InputKind cube_files();
// Whether the file is a cube: by its name, as the samples beside an ENVI header, or as a TIFF or
// .npy file with more bands than an image has. Looks into the file where it must.
bool is_cube(const std::string& path);

bool is_envi_header(std::string_view name);
// Whether the file is the samples of an ENVI cube: by its name and the header beside it.
bool is_envi_samples(const std::string& path);
// The header beside the samples; empty where there is none.
std::string envi_header_of(const std::string& samples);

}  // namespace fovea::view
