// What both twins of the integral image share: the list of types, the request, and the rounding of
// weights.
#pragma once
#include <fovea/ops/integral.h>

#include <cmath>

namespace fovea::detail {

// The combinations of types that are compiled. uint8 to int32 runs as uint8 to uint32, because the
// bits are equal.
#define FOVEA_FOR_EACH_INTEGRAL_TO_U32(X) \
  X(std::uint8_t, std::uint32_t)          \
  X(std::uint32_t, std::uint32_t)
#define FOVEA_FOR_EACH_INTEGRAL_TO_U64(X) \
  X(std::uint8_t, std::uint64_t)          \
  X(std::uint16_t, std::uint64_t)         \
  X(std::uint32_t, std::uint64_t)
#define FOVEA_FOR_EACH_INTEGRAL_TO_F32(X) \
  X(std::uint8_t, float)                  \
  X(float, float)
#define FOVEA_FOR_EACH_INTEGRAL_TO_F64(X) \
  X(std::uint8_t, double)                 \
  X(std::uint16_t, double)                \
  X(float, double)                        \
  X(double, double)
#define FOVEA_FOR_EACH_INTEGRAL(X)  \
  FOVEA_FOR_EACH_INTEGRAL_TO_U32(X) \
  FOVEA_FOR_EACH_INTEGRAL_TO_U64(X) \
  FOVEA_FOR_EACH_INTEGRAL_TO_F32(X) \
  FOVEA_FOR_EACH_INTEGRAL_TO_F64(X)

struct IntegralParams {
  bool exclusive;
  bool squares;
};

// A histogram's input. Without weights (data == nullptr) every pixel counts 1.
struct WeightedBins {
  ImageView<const std::uint8_t> bin;
  ImageView<const float> weight;
  float scale;  // 2^fraction_bits
};

// weight * scale rounded half up, as two's complement. It is exact on every machine, because
// scaling by a power of two, floor and the difference from it do not round.
FOVEA_HD inline std::uint32_t fixed_point(float weight, float scale) {
  float scaled = weight * scale;
  if (!(scaled == scaled)) return 0;
  scaled = scaled < -0x1p31F ? -0x1p31F : scaled;
  scaled = scaled > 0x1.fffffep30F ? 0x1.fffffep30F : scaled;
  const float whole = floorf(scaled);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(whole)) +
         (scaled - whole >= 0.5F ? 1U : 0U);
}

}  // namespace fovea::detail
