#pragma once
#include <fovea/io/image_io.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

// Reads and writes cubes, which are images with many bands: ENVI, MATLAB .mat, TIFF, other images
// and folders of bands. The content of a file decides its format. Errors are those of image files
// (image_io.h), and no more memory is allocated than the length of the file can justify. Samples
// are returned as they are stored, including NaN and infinities.
namespace fovea::io {

// Bands of one size and sample type, one channel each. The alternatives have the order of
// SampleType.
using AnyStack = std::variant<Stack<std::uint8_t>, Stack<std::uint16_t>, Stack<std::uint32_t>,
                              Stack<std::int8_t>, Stack<std::int16_t>, Stack<std::int32_t>,
                              Stack<float>, Stack<double>>;

enum class CubeFormat : unsigned char { kEnvi, kMat, kImage, kFolder };
FOVEA_API const char* to_string(CubeFormat format);

// What a file says about its bands besides the samples. A list is empty or has one entry per band.
struct CubeFacts {
  CubeFormat format = CubeFormat::kImage;
  std::string variable{};             // the array that was read from a .mat file
  std::vector<std::string> names{};   // names of bands; in a folder, file names without extension
  std::vector<double> wavelengths{};  // wavelengths of bands, in `units`
  std::string units{};                // unit of wavelengths, as the file names it
  double white = 255;                 // the sample value of full brightness; 1 for floating point
};

// The bands of a cube in host memory. It can be moved but not copied. Integers of 64 bits become
// float64, which is exact up to 2^53.
struct Cube {
  AnyStack bands;
  CubeFacts facts{};

  FOVEA_API int width() const;
  FOVEA_API int height() const;
  FOVEA_API int count() const;  // number of bands
  FOVEA_API SampleType type() const;
};

struct CubeReadOptions {
  std::string variable{};        // name of the array in a .mat file; empty: the largest array of
                                 // three dimensions, or of two where there is none
  std::uint64_t most_bytes = 0;  // refuse cubes that would take more memory; 0: 16 bytes for each
                                 // of max_pixels, or eight times the length of the file
  // Refuse cubes whose bands have more pixels; 0: no such limit
  std::uint64_t max_pixels = ImageReadOptions{}.max_pixels;
  bool as_float = false;  // counts also the floats that samples become; not described
};
FOVEA_API void describe(OptionVisitor& visit, CubeReadOptions& options);

// Reads one of these formats:
//   ENVI    header (.hdr) and samples, either named; interleave bsq, bil or bip, data types 1, 2,
//           3, 4, 5, 12, 13, 14 and 15, both byte orders. The other file lies beside it: a.hdr or
//           a.img.hdr with a.img; a, a.img, .dat, .raw, .bin, .bsq, .bil, .bip or .cube with a.hdr
//   .mat    MATLAB level 5 (versions 5 to 7, compressed or not): numeric and logical arrays of two
//           (one band) or three dimensions, rows x columns x bands, as whatever type MATLAB stored
//           them, which may be smaller than their class
//   TIFF    channels of the page are bands, and so are pages of one size; smaller copies and masks
//           of a page do not count, nor does opacity
//   images  channels other than opacity are bands; so are those of an .npy array of rows x columns
//           x bands
//   folder  images in natural order, one per band; all have one size and sample type
FOVEA_API Cube read_cube(const std::string& path, const CubeReadOptions& options = {});
// A .mat file or an image from memory; `name` stands for the path in messages.
FOVEA_API Cube read_cube(std::span<const std::byte> data, const std::string& name,
                         const CubeReadOptions& options = {});
// The two parts of an ENVI file from memory.
FOVEA_API Cube read_envi(std::string_view header, std::span<const std::byte> samples,
                         const std::string& name, const CubeReadOptions& options = {});

// Writes the format of the extension. For .hdr it is ENVI (bsq, byte order of this machine), with
// the samples beside the header in a file of the same name that ends in .img. For .tif and .tiff it
// is one page with one channel per band. Only ENVI keeps names and wavelengths. Each file appears
// whole or not at all, and the header last.
FOVEA_API void write_cube(const std::string& path, const Cube& cube);

// The samples as float, without scaling. A temporary cube that is float already is moved, not
// copied.
FOVEA_API Stack<float> to_float(const Cube& cube);
FOVEA_API Stack<float> to_float(Cube&& cube);

}  // namespace fovea::io
