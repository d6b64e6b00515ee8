// The header of NumPy's .npy files (described in numpy/lib/format.py), shared by arrays and images.
#pragma once
#include <fovea/io/npy.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/text/source.h"

namespace fovea::io {

struct NpyHeader {
  DType type = DType::kFloat32;  // the type that the elements are converted to
  std::size_t stored_bytes = 4;  // bytes of an element in the file; 2 for half floats
  bool half = false;
  bool swapped = false;  // whether the file's byte order differs from this machine's
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t count = 0;
};

// Leaves the cursor at the first element, and throws where the file is too short for all of them.
NpyHeader read_npy_header(Cursor& cursor);
std::string npy_header_text(DType type, std::span<const std::size_t> shape);
NdArray read_npy_elements(Cursor& cursor, const NpyHeader& header);

}  // namespace fovea::io
