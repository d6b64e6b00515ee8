// CUDA twin of the integral image: integral_tiles.cuh with the pixels themselves as input. The
// files integral_<sums>_cuda.cu instantiate it, one file per type of sums, so that they compile in
// parallel.
#pragma once
#include "ops/integral/backend.h"
#include "ops/integral/integral_tiles.cuh"
#include "ops/integral/kernel_facts.cuh"

namespace fovea::cuda {
namespace {

template <class In, class Acc>
struct PixelSource {
  static constexpr int kRowsInFlight = 8;
  template <int kCount>
  struct Raw {
    Pack<In, kCount> pixels;
    __device__ void clear() { pixels = {}; }
  };

  StackView<const In> images;
  int elements;
  int height;
  bool packed;
  bool squares;

  template <bool kWhole, int kCount>
  __device__ void fetch(Raw<kCount>& raw, int image, int y, int x) const {
    load_pack<kWhole>(raw.pixels, images.data + image * images.plane_stride + y * images.stride, x,
                      elements, packed);
  }
  template <int kCount>
  __device__ void convert(const Raw<kCount>& raw, int, Acc (&out)[kCount]) const {
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      const Acc value = static_cast<Acc>(raw.pixels.v[e]);
      out[e] = squares ? value * value : value;
    }
  }
};

template <int kChannels, class In, class Out>
void launch(StackView<const In> images, StackView<Out> sums, detail::IntegralParams params,
            cudaStream_t stream) {
  const PixelSource<In, Out> source{images, images.width * kChannels, images.height,
                                    packs_fit<In, TileShape<Out, kChannels>::kVector>(images),
                                    params.squares};
  launch_integral<kChannels>(source, sums, params.exclusive, stream);
}

template <class T, int kChannels>
KernelFacts integral_facts() {
  return kernel_facts(integral_kernel<PixelSource<T, T>, T, kChannels>,
                      TileShape<T, kChannels>::kThreads);
}

}  // namespace

template <class In, class Out>
void integral(StackView<const In> images, StackView<Out> sums, detail::IntegralParams params,
              const Exec& exec) {
  Session session(exec);
  OnDevice<const In> in(session, images);
  OnDevice<Out> out(session, sums);
  switch (images.channels) {
    case 1: launch<1>(in.stack(), out.stack(), params, session.stream()); break;
    case 2: launch<2>(in.stack(), out.stack(), params, session.stream()); break;
    case 3: launch<3>(in.stack(), out.stack(), params, session.stream()); break;
    default: launch<4>(in.stack(), out.stack(), params, session.stream()); break;
  }
  check_launch("integral");
  out.fetch();
  session.finish("integral");
}

// To be used in the file of one type of sums, once per type of pixels.
#define FOVEA_INSTANTIATE_INTEGRAL(In, Out) \
  template void integral(StackView<const In>, StackView<Out>, detail::IntegralParams, const Exec&);

}  // namespace fovea::cuda
