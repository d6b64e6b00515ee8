// What each format of cubes provides, and the checks they share.
#pragma once
#include <fovea/io/cube_io.h>

#include <string>
#include <string_view>

#include "io/image/codec.h"
#include "io/text/source.h"

namespace fovea::io {

// The shape that a cube will have, known before memory is allocated for it.
struct CubeShape {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t bands = 1;
  SampleType type = SampleType::kUint8;
};
// Throws FormatError where a side is 0 or does not fit an int, and where the cube exceeds
// options.most_bytes.
void check_cube_shape(const Source& source, const CubeShape& shape, const CubeReadOptions& options);
// Throws FormatError where the cube takes more memory than the options allow a file of that length.
void check_cube_memory(const Source& source, std::uint64_t file_bytes, const CubeShape& shape,
                       const CubeReadOptions& options);
// The size of a cube's samples in bytes, or the largest number where it would overflow.
std::uint64_t cube_bytes(const CubeShape& shape, std::uint64_t bytes_a_sample);
Cube make_cube(const CubeShape& shape, CubeFacts facts);

// A type of samples in a file: one of the eight types of images, or an integer of 64 bits, which
// becomes a double.
struct StoredType {
  SampleType type = SampleType::kUint8;
  std::size_t bytes = 1;
  bool signed_wide = false, unsigned_wide = false;  // 64-bit integers
};
// Converts samples in this machine's byte order to T and stores them `step` elements apart.
template <class T>
void store_samples(const StoredType& stored, const std::byte* from, std::size_t count, T* to,
                   std::ptrdiff_t step);

bool is_envi_header(std::string_view head);
// How many bytes the samples of a header take, with what precedes them.
std::uint64_t envi_file_bytes(const Source& header, const CubeReadOptions& options);
Cube read_envi_files(const std::string& header_path, const std::string& samples_path,
                     const CubeReadOptions& options);
// The path of the other file of an ENVI pair, or an empty string where there is none.
std::string find_envi_header(const std::string& samples_path);
std::string find_envi_samples(const std::string& header_path);
void write_envi(const std::string& path, const Cube& cube);

// Whether head or name are those of a .mat file. read_mat() refuses kinds other than level 5 by
// name.
bool is_mat(std::string_view head, const std::string& name);
Cube read_mat(const Source& source, const CubeReadOptions& options);

}  // namespace fovea::io
