// The twins of the integral image and the integral histogram. They are called with matching shapes
// and nothing empty. The templates exist for FOVEA_FOR_EACH_INTEGRAL.
#pragma once
#include "core/timing/timing.h"
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
// The one kernel of an integral image of 1 or 4 floats, or of one double per pixel, on the current
// device.
KernelFacts float_integral_facts(int channels);
KernelFacts double_integral_facts();
}  // namespace fovea::cuda
