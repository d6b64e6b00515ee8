#pragma once
#include <fovea/io/image_io.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

// Files of pictures with many bands: ENVI, MATLAB .mat, TIFF, other images and folders of bands. A
// file's format follows from its content. Errors are those of image files (image_io.h), and no more
// memory is taken than the file's length can justify. Samples are given as stored.
namespace fovea::io {

// Bands of one size and sample type, one channel each; alternatives in the order of SampleType.
using AnyStack = std::variant<Stack<std::uint8_t>, Stack<std::uint16_t>, Stack<std::uint32_t>,
                              Stack<std::int8_t>, Stack<std::int16_t>, Stack<std::int32_t>,
                              Stack<float>, Stack<double>>;

enum class CubeFormat : unsigned char { kEnvi, kMat, kImage, kFolder };
FOVEA_API const char* to_string(CubeFormat format);

// What a file says of its bands beside the samples. Lists are empty or have an entry a band.
struct CubeFacts {
  CubeFormat format = CubeFormat::kImage;
  std::string variable{};             // of a .mat file: which array was read
  std::vector<std::string> names{};   // of bands; in a folder the files' names without extension
  std::vector<double> wavelengths{};  // of bands, in units
  std::string units{};                // of wavelengths, as the file names them
  double white = 255;                 // the sample value of full brightness; 1 for floating point
};

// Moves, does not copy. Integers of 64 bits become float64, exact up to 2^53.
struct Cube {
  AnyStack bands;
  CubeFacts facts{};

  FOVEA_API int width() const;
  FOVEA_API int height() const;
  FOVEA_API int count() const;  // of bands
  FOVEA_API SampleType type() const;
};

struct CubeReadOptions {
  std::string variable{};        // which array of a .mat file; empty: the largest of three
                                 // dimensions, or of two where there is none
  std::uint64_t most_bytes = 0;  // refuse cubes that would take more memory; 0: only what the
                                 // file cannot justify is refused
  // Refuse cubes whose bands have more pixels; 0: no such limit
  std::uint64_t max_pixels = ImageReadOptions{}.max_pixels;
};
FOVEA_API void describe(OptionVisitor& visit, CubeReadOptions& options);

// Read are
//   ENVI    header (.hdr) and samples, either named; interleave bsq, bil or bip, data types 1, 2,
//           3, 4, 5, 12, 13, 14 and 15, both byte orders. The other file lies beside it: a.hdr or
//           a.img.hdr with a.img; a, a.img, .dat, .raw, .bin, .bsq, .bil, .bip or .cube with a.hdr
//   .mat    MATLAB level 5 (versions 5 to 7, compressed or not): numeric and logical arrays of two
//           (one band) or three dimensions, rows x columns x bands, as whatever type MATLAB stored
//           them, which may be smaller than their class
//   TIFF    channels of the page are bands, and so are pages of one size; smaller copies and masks
//           of a page do not count, nor does opacity
//   images  channels are bands without opacity; an .npy of rows x columns x bands is one
//   folder  of images, in natural order; all have one size and sample type
FOVEA_API Cube read_cube(const std::string& path, const CubeReadOptions& options = {});
// A .mat file or an image from memory; `name` stands for the path in messages.
FOVEA_API Cube read_cube(std::span<const std::byte> data, const std::string& name,
                         const CubeReadOptions& options = {});
// The two parts of an ENVI file from memory.
FOVEA_API Cube read_envi(std::string_view header, std::span<const std::byte> samples,
                         const std::string& name, const CubeReadOptions& options = {});

// Writes by extension: .hdr is ENVI (bsq, this machine's byte order) with its samples beside it
// under the same name ending in .img; .tif and .tiff one page with a channel a band. Names and
// wavelengths are kept by ENVI alone. Each file appears whole or not at all, the header last.
FOVEA_API void write_cube(const std::string& path, const Cube& cube);

// Samples as float, not divided by anything. An rvalue that is float already moves through.
FOVEA_API Stack<float> to_float(const Cube& cube);
FOVEA_API Stack<float> to_float(Cube&& cube);

}  // namespace fovea::io
