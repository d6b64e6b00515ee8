// Macros for code that a lane of a GPU runs in its registers and that also runs on the host.
#pragma once

// A lane's arrays are kept in registers only if every index is known: loops over them are unrolled.
#ifdef __CUDA_ARCH__
#define FOVEA_UNROLL _Pragma("unroll")
#else
#define FOVEA_UNROLL
#endif
// Functions that use such arrays are inlined into their callers.
#ifdef __CUDACC__
#define FOVEA_LANE __host__ __device__ __forceinline__
#else
#define FOVEA_LANE inline
#endif
