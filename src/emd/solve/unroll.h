// Marks of code that a lane of a GPU runs in its registers, and the host as it is.
#pragma once

// Arrays of a lane are registers only where every index is known: loops over them are unrolled.
#ifdef __CUDA_ARCH__
#define FOVEA_UNROLL _Pragma("unroll")
#else
#define FOVEA_UNROLL
#endif
// Functions that see such arrays are parts of their callers.
#ifdef __CUDACC__
#define FOVEA_LANE __host__ __device__ __forceinline__
#else
#define FOVEA_LANE inline
#endif
