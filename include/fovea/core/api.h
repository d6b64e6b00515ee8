#pragma once

// Marks what a shared build exports; everything else stays hidden.
#define FOVEA_API __attribute__((visibility("default")))

// Marks arithmetic that both twins of an algorithm run.
#ifdef __CUDACC__
#define FOVEA_HD __host__ __device__
#else
#define FOVEA_HD
#endif
