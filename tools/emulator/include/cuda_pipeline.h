// Copies into shared memory that go on in the background.
#pragma once
#include "cuda_runtime.h"

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zeros = 0) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) ||
      (reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from)) % bytes != 0)
    emulator::fail("__pipeline_memcpy_async() of such a size or to such an address");
  emulator::copy_later(to, from, bytes, zeros);
}
inline void __pipeline_commit() { emulator::commit_copies(); }
inline void __pipeline_wait_prior(std::size_t last) {
  emulator::await_copies(static_cast<unsigned>(last));
}
