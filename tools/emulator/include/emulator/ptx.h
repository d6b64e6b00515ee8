// Inline PTX: the translator turns asm("op.x ..." : outs : ins) into emulator::ptx_op_x(outs...,
// ins...).
#pragma once
#include "emulator/arithmetic.h"
#include "emulator/threads.h"

namespace emulator {

inline void ptx_rcp_approx_ftz_f32(float& to, float v) { to = nearly(1 / v); }
inline void ptx_rsqrt_approx_ftz_f32(float& to, float v) { to = nearly(1 / std::sqrt(v)); }

// Who reads with an order waits for somebody who writes, and lets him.
template <class T>
void ptx_ld_relaxed_gpu_global_u32(T& to, const void* at) {
  yield();
  std::memcpy(&to, at, 4);
}
template <class T>
void ptx_ld_relaxed_gpu_global_u64(T& to, const void* at) {
  yield();
  std::memcpy(&to, at, 8);
}
template <class T>
void ptx_ld_relaxed_gpu_global_v2_u64(T& a, T& b, const void* at) {
  yield();
  std::memcpy(&a, at, 8);
  std::memcpy(&b, static_cast<const char*>(at) + 8, 8);
}
template <class T>
void ptx_st_relaxed_gpu_global_u32(void* at, T v) {
  std::memcpy(at, &v, 4);
}
template <class T>
void ptx_st_relaxed_gpu_global_u64(void* at, T v) {
  std::memcpy(at, &v, 8);
}
template <class T>
void ptx_st_relaxed_gpu_global_v2_u64(void* at, T a, T b) {
  std::memcpy(at, &a, 8);
  std::memcpy(static_cast<char*>(at) + 8, &b, 8);
}

inline void ptx_prefetch_global_L2(const void*) {}
inline void ptx_cp_async_cg_shared_global_16(std::uint32_t to, const void* from) {
  copy_later(shared_at(to), from, 16, 0);
}
inline void ptx_cp_async_ca_shared_global_4(std::uint32_t to, const void* from) {
  copy_later(shared_at(to), from, 4, 0);
}
inline void ptx_cp_async_wait_all() {
  commit_copies();
  await_copies(0);
}

// d = a b + c of a warp's 16 x 16, 16 x 8 and 16 x 8 matrices.
void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                  const float (&c)[4]);
inline void ptx_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32(
    float& d0, float& d1, float& d2, float& d3, std::uint32_t a0, std::uint32_t a1,
    std::uint32_t a2, std::uint32_t a3, std::uint32_t b0, std::uint32_t b1, float c0, float c1,
    float c2, float c3) {
  float d[4];
  mma_m16n8k16(d, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3});
  d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3];
}

}  // namespace emulator
