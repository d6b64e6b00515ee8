#pragma once

// Macros that mark declarations of the library.
//
// Marks what a shared build exports; everything else stays hidden.
#define FOVEA_API __attribute__((visibility("default")))

// Marks functions that run on the CPU and in CUDA kernels alike: the arithmetic that both twins of
// an algorithm share.
#ifdef __CUDACC__
#define FOVEA_HD __host__ __device__
#else
#define FOVEA_HD
#endif
