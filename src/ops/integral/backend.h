// The twins of the integral image and the integral histogram. They are called with matching shapes
// and nothing empty. The templates exist for FOVEA_FOR_EACH_INTEGRAL.
#pragma once
#include "ops/integral/integral_math.h"

namespace fovea::cpu {
template <class In, class Out>
void integral(StackView<const In> images, StackView<Out> sums, detail::IntegralParams params,
              const Exec& exec);
void integral_histogram(const detail::WeightedBins& input, StackView<std::uint32_t> sums,
                        const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
template <class In, class Out>
void integral(StackView<const In> images, StackView<Out> sums, detail::IntegralParams params,
              const Exec& exec);
void integral_histogram(const detail::WeightedBins& input, StackView<std::uint32_t> sums,
                        const Exec& exec);
}  // namespace fovea::cuda
