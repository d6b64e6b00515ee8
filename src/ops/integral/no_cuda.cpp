// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/integral/backend.h"

namespace fovea::cuda {

template <class In, class Out>
void integral(StackView<const In>, StackView<Out>, detail::IntegralParams, const Exec&) {
  absent();
}
#define FOVEA_INTEGRAL(In, Out) \
  template void integral(StackView<const In>, StackView<Out>, detail::IntegralParams, const Exec&);
FOVEA_FOR_EACH_INTEGRAL(FOVEA_INTEGRAL)
#undef FOVEA_INTEGRAL

void integral_histogram(const detail::WeightedBins&, StackView<std::uint32_t>, const Exec&) {
  absent();
}
KernelFacts float_integral_facts(int) { absent(); }
KernelFacts double_integral_facts() { absent(); }

}  // namespace fovea::cuda
