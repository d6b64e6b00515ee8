// What each format of cubes provides, and the checks they share.
#pragma once
#include <fovea/io/cube_io.h>

#include <string>
#include <string_view>

#include "io/image/codec.h"
#include "io/text/source.h"

namespace fovea::io {

// What a cube will be, before memory is taken for it.
struct CubeShape {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t bands = 1;
  SampleType type = SampleType::kUint8;
};
// Throws FormatError where a side is 0 or does not fit an int, and where options.most_bytes forbids
// it.
void check_cube_shape(const Source& source, const CubeShape& shape, const CubeReadOptions& options);
// The samples of a cube with this many bytes each, or more than any file has where they overflow.
std::uint64_t cube_bytes(const CubeShape& shape, std::uint64_t bytes_a_sample);
Cube make_cube(const CubeShape& shape, CubeFacts facts);

// A type that files hold: the eight of images and integers of 64 bits, which become doubles.
struct StoredType {
  SampleType type = SampleType::kUint8;
  std::size_t bytes = 1;
  bool signed_wide = false, unsigned_wide = false;  // 64-bit integers
};
// Samples in this machine's byte order as T, `step` elements apart.
template <class T>
void store_samples(const StoredType& stored, const std::byte* from, std::size_t count, T* to,
                   std::ptrdiff_t step);

bool is_envi_header(std::string_view head);
Cube read_envi_files(const std::string& header_path, const std::string& samples_path,
                     const CubeReadOptions& options);
// The other half of an ENVI file, or an empty string where there is none.
std::string find_envi_header(const std::string& samples_path);
std::string find_envi_samples(const std::string& header_path);
void write_envi(const std::string& path, const Cube& cube);

// Level 5, or a kind of .mat that is refused with its name.
bool is_mat(std::string_view head, const std::string& name);
Cube read_mat(const Source& source, const CubeReadOptions& options);

}  // namespace fovea::io
