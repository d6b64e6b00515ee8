#include <fovea/core/record.h>

#include <array>

namespace fovea {

const char* to_string(NumberType type) {
  constexpr std::array kNames{"uint8", "uint16", "int32", "int64", "uint64", "float32", "float64"};
  return kNames[static_cast<std::size_t>(type)];
}

std::size_t number_bytes(NumberType type) {
  constexpr std::array<std::size_t, 7> kBytes{1, 2, 4, 8, 8, 4, 8};
  return kBytes[static_cast<std::size_t>(type)];
}

}  // namespace fovea
