// Neighboring elements that are loaded or stored together, with accesses as wide as their number
// allows.
#pragma once
#include <cstddef>

namespace fovea::cuda {

constexpr std::size_t pack_alignment(std::size_t bytes) {
  return bytes % 16 == 0 ? 16 : (bytes & ~(bytes - 1));
}

template <class T, int kCount>
struct alignas(pack_alignment(kCount * sizeof(T))) Pack {
  T v[kCount];
};

// Whether every row of a view begins at an address where a pack may begin.
template <class T, int kCount, class View>
bool packs_fit(const View& view) {
  std::size_t bits =
      reinterpret_cast<std::size_t>(view.data) | static_cast<std::size_t>(view.stride) * sizeof(T);
  if constexpr (requires { view.plane_stride; })
    bits |= static_cast<std::size_t>(view.plane_stride) * sizeof(T);
  return bits % alignof(Pack<T, kCount>) == 0;
}

}  // namespace fovea::cuda
