// Linear functions of planes: lanes are places, and four functions of a few vectors of places stay
// in registers while the loop runs over the inputs.
#include "scenes/words/place_coder_cpu.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenes/words/place_coder_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::scenes::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using CodeLanes = hn::CappedTag<float, 16>;

// Vectors of places at a time. kCodeBlock is a multiple of them.
#if HWY_TARGET == HWY_NEON
constexpr int kCodeVectors = 6;
#elif HWY_TARGET <= HWY_AVX3
constexpr int kCodeVectors = 3;
#else
constexpr int kCodeVectors = 2;
#endif

void apply_planes(const PreparedMap& map, const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  const CodeLanes d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const int width = kCodeVectors * lanes;
  for (int first = 0; first < kCodeBlock; first += width) {
    const float* HWY_RESTRICT factors = map.factors.data();
    for (int j = 0; j < map.outputs; j += 4) {
      hn::Vec<CodeLanes> sa[kCodeVectors], sb[kCodeVectors], sc[kCodeVectors], sd[kCodeVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kCodeVectors; ++v) {
        const auto at = static_cast<std::size_t>(j);
        sa[v] = hn::Set(d, map.bias[at]);
        sb[v] = hn::Set(d, map.bias[at + 1]);
        sc[v] = hn::Set(d, map.bias[at + 2]);
        sd[v] = hn::Set(d, map.bias[at + 3]);
      }
      const float* HWY_RESTRICT point = in + first;
      for (int i = 0; i < map.inputs; ++i, point += kCodeBlock, factors += 4) {
        const auto a = hn::Set(d, factors[0]), b = hn::Set(d, factors[1]);
        const auto c = hn::Set(d, factors[2]), e = hn::Set(d, factors[3]);
#pragma GCC unroll 8
        for (int v = 0; v < kCodeVectors; ++v) {
          const auto x = hn::LoadU(d, point + static_cast<std::ptrdiff_t>(v) * lanes);
          sa[v] = hn::MulAdd(x, a, sa[v]);
          sb[v] = hn::MulAdd(x, b, sb[v]);
          sc[v] = hn::MulAdd(x, c, sc[v]);
          sd[v] = hn::MulAdd(x, e, sd[v]);
        }
      }
      float* to = out + static_cast<std::ptrdiff_t>(j) * kCodeBlock + first;
#pragma GCC unroll 8
      for (int v = 0; v < kCodeVectors; ++v) {
        float* here = to + static_cast<std::ptrdiff_t>(v) * lanes;
        hn::StoreU(sa[v], d, here);
        hn::StoreU(sb[v], d, here + kCodeBlock);
        hn::StoreU(sc[v], d, here + 2 * kCodeBlock);
        hn::StoreU(sd[v], d, here + 3 * kCodeBlock);
      }
    }
  }
}

// The limits are whole numbers of units, so that it does not matter that they are applied before
// rounding here and after it in code_units(). Max() of what is not a number differs between
// targets.
void round_lanes(float* HWY_RESTRICT planes, float* HWY_RESTRICT squares,
                 std::int32_t* HWY_RESTRICT units, int components) {
  const CodeLanes d;
  const hn::RebindToSigned<CodeLanes> di;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const auto most = hn::Set(d, static_cast<float>(kCodeMost));
  const auto least = hn::Neg(most);
  const auto unit = hn::Set(d, kCodeUnit), back = hn::Set(d, 1 / kCodeUnit);
  HWY_ALIGN std::int32_t whole[16];
  for (int j = 0; j < components; ++j) {
    for (int p = 0; p < kCodeBlock; p += lanes) {
      const std::ptrdiff_t at = std::ptrdiff_t{j} * kCodeBlock + p;
      const auto scaled = hn::Mul(hn::LoadU(d, planes + at), unit);
      const auto above = hn::IfThenElse(hn::Ge(scaled, least), scaled, least);
      const auto rounded = hn::NearestInt(hn::Min(above, most));
      const auto z = hn::Mul(hn::ConvertTo(d, rounded), back);
      hn::StoreU(z, d, planes + at);
      hn::StoreU(hn::Mul(z, z), d, squares + at);
      hn::Store(rounded, di, whole);
      for (int k = 0; k < lanes; ++k) units[std::ptrdiff_t{p + k} * components + j] = whole[k];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::scenes::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::scenes::cpu {
namespace {

HWY_EXPORT(apply_planes);
HWY_EXPORT(round_lanes);

std::size_t planes_of(int count) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(kCodeBlock);
}

}  // namespace

PreparedMap prepare_map(const LinearMap& map) {
  constexpr int kGroup = 4;
  PreparedMap prepared{map.inputs, (map.outputs + kGroup - 1) / kGroup * kGroup, {}, map.bias};
  prepared.bias.resize(static_cast<std::size_t>(prepared.outputs), 0.0F);
  prepared.factors.reserve(static_cast<std::size_t>(prepared.inputs) *
                           static_cast<std::size_t>(prepared.outputs));
  for (int j = 0; j < prepared.outputs; j += kGroup)
    for (int i = 0; i < map.inputs; ++i)
      for (int k = j; k < j + kGroup; ++k)
        prepared.factors.push_back(
            k < map.outputs
                ? map.factors[static_cast<std::size_t>(i) * static_cast<std::size_t>(map.outputs) +
                              static_cast<std::size_t>(k)]
                : 0.0F);
  return prepared;
}

void apply_map(const PreparedMap& map, const float* in, float* out) {
  HWY_DYNAMIC_DISPATCH(apply_planes)(map, in, out);
}
void round_planes(float* planes, float* squares, std::int32_t* units, int components) {
  HWY_DYNAMIC_DISPATCH(round_lanes)(planes, squares, units, components);
}

PlaceCode::PlaceCode(const CodePlan& plan)
    : shape(plan.shape),
      projection(prepare_map(plan.projection)),
      scores(prepare_map(plan.scores)) {}

PlaceCoder::PlaceCoder(const PlaceCode& code)
    : code_(code),
      points_(planes_of(code.projection.inputs)),
      // The planes of the numbers are followed by those of their squares. The projection fills up
      // its outputs to a multiple of four, which the squares overwrite.
      numbers_(planes_of(2 * code.projection.outputs)),
      scores_(planes_of(code.scores.outputs)),
      units_(planes_of(code.shape.components)) {}

// After the last place, copies of it fill up the planes.
void PlaceCoder::load(const PlaceBlock& block, int first, int count) {
  const int inputs = code_.projection.inputs;
  for (int i = 0; i < inputs; ++i) {
    float* to = points_.data() + static_cast<std::ptrdiff_t>(i) * kCodeBlock;
    if (block.planar) {
      std::copy_n(block.numbers + i * block.stride + first, count, to);
    } else {
      const float* from = block.numbers + first * block.stride + i;
      for (int p = 0; p < count; ++p) to[p] = from[p * block.stride];
    }
    std::fill(to + count, to + kCodeBlock, to[count - 1]);
  }
}

void PlaceCoder::add_place(const CodedPlace& place, std::int64_t* sums) const {
  const CodeShape& shape = code_.shape;
  const std::int32_t* units = place.units;
  for (int k = 0; k < shape.words; ++k) {
    const auto weight = static_cast<std::int32_t>(place.weights[std::ptrdiff_t{k} * kCodeBlock]);
    if (weight == 0) continue;
    sums[k] += weight;
    if (shape.coding == Coding::kSoft) continue;
    std::int64_t* first = sums + shape.words + std::ptrdiff_t{k} * shape.components;
    for (int j = 0; j < shape.components; ++j) first[j] += weight * units[j];
    if (shape.coding != Coding::kFisher) continue;
    std::int64_t* second = first + shape.moments();
    for (int j = 0; j < shape.components; ++j)
      second[j] += std::int64_t{weight} * (units[j] * units[j]);
  }
}

void PlaceCoder::add(const PlaceBlock& block, std::span<const std::int64_t> cells,
                     std::int64_t* sums) {
  auto cell = cells.begin();
  each(block, [&](const CodedPlace& place) { add_place(place, sums + *cell++); });
}

void PlaceCoder::each(const PlaceBlock& block, FunctionRef<void(const CodedPlace&)> use) {
  const int components = code_.shape.components, all = block.count();
  for (int first = 0; first < all; first += kCodeBlock) {
    const int count = std::min(kCodeBlock, all - first);
    load(block, first, count);
    apply_map(code_.projection, points_.data(), numbers_.data());
    round_planes(numbers_.data(),
                 numbers_.data() + static_cast<std::ptrdiff_t>(components) * kCodeBlock,
                 units_.data(), components);
    apply_map(code_.scores, numbers_.data(), scores_.data());
    for (int p = 0; p < count; ++p) {
      float* weights = scores_.data() + p;
      weigh_words(code_.shape.coding, weights, kCodeBlock, code_.shape.words);
      use({weights, units_.data() + static_cast<std::ptrdiff_t>(p) * components});
    }
  }
}

}  // namespace fovea::scenes::cpu
#endif  // HWY_ONCE
