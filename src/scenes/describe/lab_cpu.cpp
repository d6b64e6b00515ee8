// Gray levels and L*a*b* of a line of pixels, one vector at a time, with the same operations as
// lab_of() of lab_math.h.
#include "scenes/describe/lab.h"

#include <algorithm>

#include "core/rgb.h"
#include "scenes/describe/bank.h"
#include "scenes/describe/lab_math.h"

#ifndef FOVEA_SCENES_LAB_CHUNK
#define FOVEA_SCENES_LAB_CHUNK
namespace fovea::scenes::cpu {

constexpr int kLabChunk = 64;  // pixels; a multiple of every vector's length
// Linear light in, L*a*b* out.
struct LabChunk {
  alignas(64) float r[kLabChunk], g[kLabChunk], b[kLabChunk];
  alignas(64) float out[3][kLabChunk];
};

}  // namespace fovea::scenes::cpu
#endif  // FOVEA_SCENES_LAB_CHUNK

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenes/describe/lab_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::scenes::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

HWY_INLINE Vector cube_root(Vector t) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const auto bits = hn::ConvertTo(d, hn::BitCast(di, t));
  const auto guess = hn::MulAdd(bits, hn::Set(d, kRootThird), hn::Set(d, kRootStart));
  auto r = hn::BitCast(d, hn::ConvertTo(di, guess));
  for (int i = 0; i < 3; ++i) {
    const auto tr = hn::Mul(t, r);
    const auto error = hn::NegMulAdd(tr, hn::Mul(r, r), hn::Set(d, 1.0F));
    r = hn::MulAdd(hn::Mul(r, error), hn::Set(d, 1.0F / 3.0F), r);
  }
  return hn::Mul(hn::Mul(t, r), r);
}

HWY_INLINE Vector curve(Vector t) {
  const Floats d;
  const auto line = hn::MulAdd(t, hn::Set(d, kLabSlope), hn::Set(d, kLabShift));
  return hn::IfThenElse(hn::Gt(t, hn::Set(d, kLabKnee)), cube_root(t), line);
}

HWY_INLINE Vector mix(Vector r, Vector g, Vector b, const float* row) {
  const Floats d;
  return hn::MulAdd(b, hn::Set(d, row[2]),
                    hn::MulAdd(g, hn::Set(d, row[1]), hn::Mul(r, hn::Set(d, row[0]))));
}

void lab_chunk_simd(LabChunk& chunk) {
  const Floats d;
  for (std::size_t i = 0; i < kLabChunk; i += hn::Lanes(d)) {
    const auto r = hn::Load(d, chunk.r + i), g = hn::Load(d, chunk.g + i);
    const auto b = hn::Load(d, chunk.b + i);
    const auto x = curve(mix(r, g, b, kXyz[0])), y = curve(mix(r, g, b, kXyz[1]));
    const auto z = curve(mix(r, g, b, kXyz[2]));
    const auto lightness = hn::MulAdd(y, hn::Set(d, kLightnessGain), hn::Set(d, kLightnessShift));
    hn::Store(hn::Round(lightness), d, chunk.out[0] + i);
    hn::Store(hn::Round(hn::Mul(hn::Sub(x, y), hn::Set(d, kLabGainA))), d, chunk.out[1] + i);
    hn::Store(hn::Round(hn::Mul(hn::Sub(y, z), hn::Set(d, kLabGainB))), d, chunk.out[2] + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::scenes::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::scenes::cpu {
namespace {
HWY_EXPORT(lab_chunk_simd);

void lab_line(const std::uint8_t* pixels, int channels, int count, float* const* to) {
  const auto& linear = linear_of_srgb();
  const int green = channels == 3 ? 1 : 0, blue = channels == 3 ? 2 : 0;
  LabChunk chunk{};
  for (int begin = 0; begin < count; begin += kLabChunk) {
    const int size = std::min(kLabChunk, count - begin);
    const std::uint8_t* from = pixels + static_cast<std::ptrdiff_t>(begin) * channels;
    for (int i = 0; i < size; ++i, from += channels) {
      chunk.r[i] = linear[from[0]];
      chunk.g[i] = linear[from[green]];
      chunk.b[i] = linear[from[blue]];
    }
    HWY_DYNAMIC_DISPATCH(lab_chunk_simd)(chunk);
    for (int c = 0; c < 3; ++c) std::copy_n(chunk.out[c], size, to[c] + begin);
  }
}

void gray_line(const std::uint8_t* pixels, int channels, int count, float* to) {
  if (channels == 1) {
    for (int i = 0; i < count; ++i) to[i] = pixels[i];
    return;
  }
  for (int i = 0; i < count; ++i, pixels += 3)
    to[i] = static_cast<float>(fovea::detail::luma(pixels[0], pixels[1], pixels[2]));
}

}  // namespace

void pixel_line(ImageView<const std::uint8_t> image, Color color, const PixelLine& line,
                float* const* to) {
  // At least one column of the image is converted, so that there is something to repeat.
  const int first = std::clamp(line.left, 0, image.width - 1);
  const int last = std::clamp(line.left + line.count - 1, 0, image.width - 1);
  const int before = std::clamp(-line.left, 0, line.count - 1);
  const int inside = std::min(last - first + 1, line.count - before);
  const int planes = color == Color::kGray ? 1 : 3;
  float* at[3] = {};
  for (int c = 0; c < planes; ++c) at[c] = to[c] + before;
  const std::uint8_t* pixels = &image.at(first, std::clamp(line.y, 0, image.height - 1));
  if (color == Color::kGray) gray_line(pixels, image.channels, inside, at[0]);
  else lab_line(pixels, image.channels, inside, at);
  for (int c = 0; c < planes; ++c) {
    std::fill(to[c], at[c], at[c][0]);
    std::fill(at[c] + inside, to[c] + line.count, at[c][inside - 1]);
  }
}

}  // namespace fovea::scenes::cpu
#endif  // HWY_ONCE
