// CPU twins of labels and likelihoods: plain loops, which compilers vectorize or which are limited
// by look-ups in the table.
#include "core/parallel.h"
#include "emd/track/backend.h"
#include "emd/track/track_math.h"

namespace fovea::emd::cpu {
namespace {

constexpr int kRows = 16;

}  // namespace

void label_colors(ImageView<const std::uint8_t> frame, std::span<const std::uint8_t> table,
                  ImageView<std::uint8_t> labels, const Exec& exec) {
  parallel_for(exec, frame.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<int>(begin); y < end; ++y) {
      const std::uint8_t* pixel = frame.row(y);
      std::uint8_t* const out = labels.row(y);
      for (int x = 0; x < frame.width; ++x, pixel += frame.channels)
        out[x] = table[static_cast<std::size_t>(color_cell(pixel, frame.channels))];
    }
  });
}

void likelihood(ImageView<const float> to_target, ImageView<const float> to_surround,
                ImageView<std::uint16_t> out, const Exec& exec) {
  parallel_for(exec, out.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<int>(begin); y < end; ++y) {
      const float* const target = to_target.row(y);
      const float* const surround = to_surround.row(y);
      std::uint16_t* const row = out.row(y);
      for (int x = 0; x < out.width; ++x) row[x] = likelihood_of(target[x], surround[x]);
    }
  });
}

}  // namespace fovea::emd::cpu
