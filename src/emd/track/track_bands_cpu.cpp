// CPU twin of labels by bands. Blocks of pixels keep their distances to all colors in the first
// cache; the loops over the pixels of a block are plain, and compilers vectorize them.
#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "emd/track/backend.h"
#include "emd/track/track_bands_math.h"

namespace fovea::emd::cpu {
namespace {

constexpr int kLabelBlock = 64;  // pixels
constexpr int kMostLabels = 64;  // of TrackOptions
constexpr int kBandBlocks = 16;  // of one task

using BlockFloats = std::array<float, kLabelBlock>;

// The distances of one block of a row.
class BlockLabeler {
 public:
  explicit BlockLabeler(const BandTable& table) : table_(table) {}

  void label(StackView<const float> frame, int x, int y, int count, std::uint8_t* out) {
    count_ = count;
    if (table_.shape) find_brightness(frame, x, y);
    for (int k = 0; k < table_.colors; ++k) distances_[static_cast<std::size_t>(k)].fill(0);
    seen_.fill(0);
    for (int b = 0; b < table_.bands; ++b) {
      if (table_.scale[static_cast<std::size_t>(b)] > 0) add_band(frame.plane(b).row(y) + x, b);
    }
    for (int i = 0; i < count; ++i) out[i] = nearest(static_cast<std::size_t>(i));
  }

 private:
  void find_brightness(StackView<const float> frame, int x, int y) {
    BlockFloats squares{};
    std::array<int, kLabelBlock> measured{};
    for (int b = 0; b < table_.bands; ++b) {
      const float* const row = frame.plane(b).row(y) + x;
      for (int i = 0; i < count_; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool is = is_measured(row[i]);
        squares[at] += is ? row[i] * row[i] : 0.0F;
        measured[at] += is ? 1 : 0;
      }
    }
    for (std::size_t i = 0; i < kLabelBlock; ++i)
      inverse_[i] = inverse_brightness(squares[i], measured[i]);
  }

  void add_band(const float* row, int b) {
    const auto band = static_cast<std::size_t>(b);
    const float offset = table_.offset[band], scale = table_.scale[band];
    BlockFloats values{}, counts{};
    float missing = 0;
    for (int i = 0; i < count_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const float inverse = table_.shape ? inverse_[at] : 1.0F;
      const bool is = is_measured(row[i]);
      values[at] = is ? scaled_sample(row[i], inverse, offset, scale) : 0.0F;
      counts[at] = is ? 1.0F : 0.0F;
      missing += is ? 0.0F : 1.0F;
      seen_[at] += counts[at];
    }
    const float* const centers =
        table_.centers.data() + band * static_cast<std::size_t>(table_.colors);
    for (int k = 0; k < table_.colors; ++k) {
      const float center = centers[k];
      BlockFloats& sums = distances_[static_cast<std::size_t>(k)];
      if (missing > 0) {
        for (std::size_t i = 0; i < kLabelBlock; ++i) {
          const float step = (values[i] - center) * counts[i];
          sums[i] += step * step;
        }
      } else {
        for (std::size_t i = 0; i < kLabelBlock; ++i) {
          const float step = values[i] - center;
          sums[i] += step * step;
        }
      }
    }
  }

  std::uint8_t nearest(std::size_t pixel) const {
    if (!(seen_[pixel] > 0)) return kNoLabel;
    int best = 0;
    for (int k = 1; k < table_.colors; ++k)
      if (distances_[static_cast<std::size_t>(k)][pixel] <
          distances_[static_cast<std::size_t>(best)][pixel])
        best = k;
    return static_cast<std::uint8_t>(best);
  }

  const BandTable& table_;
  int count_ = 0;
  std::array<BlockFloats, kMostLabels> distances_{};
  BlockFloats inverse_{}, seen_{};
};

}  // namespace

void label_bands(StackView<const float> frame, const BandTable& table,
                 ImageView<std::uint8_t> labels, const Exec& exec) {
  const int across = (frame.width + kLabelBlock - 1) / kLabelBlock;
  const std::int64_t blocks = static_cast<std::int64_t>(across) * frame.height;
  parallel_for(exec, blocks, kBandBlocks, [&](std::int64_t begin, std::int64_t end) {
    BlockLabeler labeler(table);
    for (std::int64_t i = begin; i < end; ++i) {
      const int x = static_cast<int>(i % across) * kLabelBlock;
      const auto y = static_cast<int>(i / across);
      labeler.label(frame, x, y, std::min(kLabelBlock, frame.width - x), labels.row(y) + x);
    }
  });
}

}  // namespace fovea::emd::cpu
