// Stands in for every .cu file in a build without CUDA, so that no other file asks whether CUDA is
// there.
#include <fovea/error.h>

#include "core/backend.h"
#include "core/timing.h"
#include "ops/convolve/backend.h"
#include "ops/gradient/backend.h"
#include "ops/histogram/backend.h"
#include "ops/integral/backend.h"
#include "ops/pyramid/backend.h"
#include "ops/resize/backend.h"

namespace fovea::cuda {
namespace {

constexpr const char* kAbsence = "this build was made without CUDA";

[[noreturn]] void absent() { throw DeviceError(kAbsence); }

}  // namespace

std::vector<DeviceInfo> device_infos() { return {}; }
int device_count() { return 0; }
std::string absence(int) { return kAbsence; }
int device_of(const void*) { return kNoDevice; }
int change_device(int) { absent(); }
ScopedDevice::~ScopedDevice() = default;
std::string toolkit_version() { return {}; }
void* allocate(std::size_t, Memory) { absent(); }
void release(void*, Memory) noexcept {}
void copy_rows(const detail::ConstRows&, const detail::Rows&, detail::RowCopy, void*) { absent(); }

// core/timing
void copy_bytes(const void*, void*, std::size_t, const Exec&) { absent(); }
double multiply_add(std::int64_t, const Exec&) { absent(); }
double time_on_device(const Exec&, const std::function<void(const Exec&)>&) { absent(); }
std::function<void()> record_on_device(const Exec&, const std::function<void(const Exec&)>&) {
  absent();
}

// ops/gradient
template <class T, class Difference>
void gradient(ImageView<const T>, ImageView<Difference>, ImageView<Difference>, GradientKernel,
              const Exec&) {
  absent();
}
template void gradient(ImageView<const std::uint8_t>, ImageView<std::int16_t>,
                       ImageView<std::int16_t>, GradientKernel, const Exec&);
template void gradient(ImageView<const float>, ImageView<float>, ImageView<float>, GradientKernel,
                       const Exec&);
template <class T>
void polar_gradient(ImageView<const T>, ImageView<float>, ImageView<std::uint8_t>,
                    const detail::PolarParams&, const Exec&) {
  absent();
}
template void polar_gradient(ImageView<const std::uint8_t>, ImageView<float>,
                             ImageView<std::uint8_t>, const detail::PolarParams&, const Exec&);
template void polar_gradient(ImageView<const float>, ImageView<float>, ImageView<std::uint8_t>,
                             const detail::PolarParams&, const Exec&);

// ops/integral
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
// ops/resize
template <class T>
void resize(StackView<const T>, std::span<const StackView<T>>, bool, const Exec&) {
  absent();
}
template void resize(StackView<const std::uint8_t>, std::span<const StackView<std::uint8_t>>, bool,
                     const Exec&);
template void resize(StackView<const std::uint16_t>, std::span<const StackView<std::uint16_t>>,
                     bool, const Exec&);
template void resize(StackView<const float>, std::span<const StackView<float>>, bool, const Exec&);

// ops/convolve
template <class T, class Out>
void convolve_separable(ImageView<const T>, ImageView<Out>, const detail::SeparableKernel&,
                        const detail::ConvolveParams&, const Exec&) {
  absent();
}
template <class T, class Out>
void convolve(ImageView<const T>, ImageView<Out>, const detail::Kernel2d&,
              const detail::ConvolveParams&, const Exec&) {
  absent();
}
template void convolve_separable(ImageView<const std::uint8_t>, ImageView<float>,
                                 const detail::SeparableKernel&, const detail::ConvolveParams&,
                                 const Exec&);
template void convolve_separable(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                                 const detail::SeparableKernel&, const detail::ConvolveParams&,
                                 const Exec&);
template void convolve_separable(ImageView<const float>, ImageView<float>,
                                 const detail::SeparableKernel&, const detail::ConvolveParams&,
                                 const Exec&);
template void convolve(ImageView<const std::uint8_t>, ImageView<float>, const detail::Kernel2d&,
                       const detail::ConvolveParams&, const Exec&);
template void convolve(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                       const detail::Kernel2d&, const detail::ConvolveParams&, const Exec&);
template void convolve(ImageView<const float>, ImageView<float>, const detail::Kernel2d&,
                       const detail::ConvolveParams&, const Exec&);

// ops/pyramid
template <class T>
void gaussian_halve(ImageView<const T>, std::span<const ImageView<T>>, const Exec&) {
  absent();
}
template void gaussian_halve(ImageView<const std::uint8_t>,
                             std::span<const ImageView<std::uint8_t>>, const Exec&);
template void gaussian_halve(ImageView<const float>, std::span<const ImageView<float>>,
                             const Exec&);

// ops/histogram
template <class Count>
void window_histogram(ImageView<const std::uint8_t>, ImageView<Count>, detail::WindowParams,
                      const Exec&) {
  absent();
}
template void window_histogram(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                               detail::WindowParams, const Exec&);
template void window_histogram(ImageView<const std::uint8_t>, ImageView<std::uint16_t>,
                               detail::WindowParams, const Exec&);
template <class T>
void quantize(ImageView<const T>, ImageView<std::uint8_t>, detail::QuantizeParams, const Exec&) {
  absent();
}
template void quantize(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                       detail::QuantizeParams, const Exec&);
template void quantize(ImageView<const std::uint16_t>, ImageView<std::uint8_t>,
                       detail::QuantizeParams, const Exec&);
template void quantize(ImageView<const float>, ImageView<std::uint8_t>, detail::QuantizeParams,
                       const Exec&);

}  // namespace fovea::cuda
