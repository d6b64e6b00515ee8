// CUDA twin of the integral histogram: all planes in one launch of integral_tiles.cuh. The tiles of
// all planes at one place run together, so that bins and weights come from the second-level cache
// for all planes but the first.
#include "ops/integral/backend.h"
#include "ops/integral/integral_tiles.cuh"

namespace fovea::cuda {
namespace {

constexpr std::uint8_t kNoBin = 255;  // there are never more than 255 planes

template <bool kWeighted>
struct BinSource {
  static constexpr int kRowsInFlight =
      4;  // the bins and weights of eight rows would not fit in registers
  template <int kCount>
  struct Raw {
    Pack<std::uint8_t, kCount> bin;
    Pack<float, kWeighted ? kCount : 1> weight;
    __device__ void clear() {
#pragma unroll
      for (int e = 0; e < kCount; ++e) bin.v[e] = kNoBin;
      weight = {};
    }
  };

  ImageView<const std::uint8_t> bins;
  ImageView<const float> weights;
  int elements;
  int height;
  float scale;
  bool packed;

  template <bool kWhole, int kCount>
  __device__ void fetch(Raw<kCount>& raw, int, int y, int x) const {
    load_pack<kWhole, false>(raw.bin, bins.row(y), x, elements, packed);
    if constexpr (kWeighted)
      load_pack<kWhole, false>(raw.weight, weights.row(y), x, elements, packed);
  }
  template <int kCount>
  __device__ void convert(const Raw<kCount>& raw, int plane, std::uint32_t (&out)[kCount]) const {
#pragma unroll
    for (int e = 0; e < kCount; ++e) {
      std::uint32_t value = 1;
      if constexpr (kWeighted) value = detail::fixed_point(raw.weight.v[e], scale);
      out[e] = raw.bin.v[e] == plane ? value : 0;
    }
  }
};

}  // namespace

void integral_histogram(const detail::WeightedBins& input, StackView<std::uint32_t> sums,
                        const Exec& exec) {
  Session session(exec);
  OnDevice<const std::uint8_t> bin(session, input.bin);
  OnDevice<std::uint32_t> out(session, sums);
  constexpr int kVector = TileShape<std::uint32_t, 1>::kVector;
  const int width = input.bin.width, height = input.bin.height;
  const bool bins_fit = packs_fit<std::uint8_t, kVector>(bin.stack());
  if (input.weight.data == nullptr) {
    const BinSource<false> source{bin.image(), {}, width, height, 1, bins_fit};
    launch_integral<1>(source, out.stack(), true, session.stream());
    check_launch("integral_histogram");
    out.fetch();
    return session.finish("integral_histogram");
  }
  OnDevice<const float> weight(session, input.weight);
  const BinSource<true> source{bin.image(), weight.image(),
                               width,       height,
                               input.scale, bins_fit && packs_fit<float, kVector>(weight.stack())};
  launch_integral<1>(source, out.stack(), true, session.stream());
  check_launch("integral_histogram");
  out.fetch();
  session.finish("integral_histogram");
}

}  // namespace fovea::cuda
