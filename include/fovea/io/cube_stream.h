#pragma once
#include <fovea/io/cube_io.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fovea::io {

// Cubes that follow each other without gaps in one file or pipe, as spectral cameras write raw
// video. An ENVI header states the shape, sample type, interleave and byte order of one of them;
// its 'header offset' is what precedes the samples of each cube.
class FOVEA_API CubeStream {
 public:
  // `source` is a file, a pipe or "-" for the standard input, and `header` the path of the header.
  // Throws IoError or FormatError that names one of them.
  CubeStream(const std::string& source, const std::string& header,
             const CubeReadOptions& options = {}, const std::stop_token& stop = {});
  ~CubeStream();
  CubeStream(CubeStream&&) noexcept;
  CubeStream& operator=(CubeStream&&) noexcept;

  // Reads the bytes of the next cube, into the memory of `cube` where that fits; false at the end.
  // Throws FormatError that names the cube within which the source ends, IoError where it cannot be
  // read, Cancelled where a stop ends the wait for a pipe.
  bool fetch(std::vector<std::byte>& cube);
  // Makes bands of them. Several threads may do so at the same time.
  Cube decode(std::span<const std::byte> cube) const;

  std::uint64_t cube_bytes() const;     // of one cube as it is stored
  std::int64_t expected_cubes() const;  // -1 for a pipe

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::io
