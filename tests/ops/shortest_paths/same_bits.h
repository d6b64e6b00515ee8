// Compares distances bit by bit.
#pragma once
#include <cstring>
#include <span>

namespace fovea::test {

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace fovea::test
