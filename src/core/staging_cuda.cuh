// Copies of rows between the host and a GPU.
#pragma once
#include <fovea/core/memory.h>

#include <cstddef>

#include "core/cuda_check.h"

namespace fovea::cuda {

struct PlaneCopy {
  void* to;
  std::size_t to_stride;  // in bytes, as all sizes
  Memory to_memory;
  const void* from;
  std::size_t from_stride;
  Memory from_memory;
  std::size_t row_bytes;
  std::size_t rows;
};

// Copies from or to a GPU, in the order of the stream. Ordinary host memory has been read when the
// call returns. The driver reads such memory for one thread at a time (6 GB/s beside an H200), so
// that larger planes go to the GPU through pinned memory that several threads fill at once, 8 MiB
// for each of them.
void copy_plane(const PlaneCopy& copy, cudaStream_t stream);

}  // namespace fovea::cuda
