// Rows of a level as gamma-corrected planes, and their votes.
#include <algorithm>

#include "people/hog/hog_band.h"

namespace fovea::people::cpu {

HogRows::HogRows(const HogLevel& level)
    : level_(level),
      channels_(level.hog.color && level.image.channels >= 3 ? 3 : 1),
      reach_(level.hog.mask == GradientMask::kCubic ? kMaskReach : 1),
      pixels_(level.units_x.pixels()),
      width_(static_cast<std::size_t>(pixels_) + 2 * kRowPad),
      planes_((2 * reach_ + 1) * channels_ * width_) {}

// Rows of the level that are blurred already, with what lies beside them.
void HogRows::copy_smoothed(int row, int slot) {
  const int origin = level_.x.origin, width = level_.image.width;
  for (int c = 0; c < channels_; ++c) {
    const float* from = level_.smoothed.plane(c).row(row);
    float* out = planes_.data() + (slot * channels_ + c) * width_ + kRowPad;
    for (int k = 1; k <= reach_; ++k) {
      out[-k] = from[mirrored_pixel(origin - k, width)];
      out[pixels_ + k - 1] = from[mirrored_pixel(origin + pixels_ + k - 1, width)];
    }
    std::copy_n(from + origin, pixels_, out);
  }
  slot_row_[slot] = row;
}

void HogRows::convert(int row, int slot) {
  if (level_.smoothed.data != nullptr) return copy_smoothed(row, slot);
  const ImageView<const std::uint8_t> image = level_.image;
  const float* table = level_.gamma.data();
  const int step = image.channels, origin = level_.x.origin;
  const std::uint8_t* from = image.row(row);
  PlaneJob job{from + static_cast<std::ptrdiff_t>(origin) * step,
               step,
               channels_,
               pixels_,
               level_.hog.gamma == Gamma::kSquareRoot,
               table,
               {}};
  for (int c = 0; c < channels_; ++c) {
    float* out = planes_.data() + (slot * channels_ + c) * width_ + kRowPad;
    job.planes[c] = out;
    for (int k = 1; k <= reach_; ++k) {
      const std::ptrdiff_t before = mirrored_pixel(origin - k, image.width) * step,
                           behind = mirrored_pixel(origin + pixels_ + k - 1, image.width) * step;
      out[-k] = table[from[before + c]];
      out[pixels_ + k - 1] = table[from[behind + c]];
    }
  }
  plane_row(job);
  slot_row_[slot] = row;
}

const float* HogRows::plane(int row, int channel) {
  const int slot = row % (2 * reach_ + 1);
  if (slot_row_[slot] != row) convert(row, slot);
  return planes_.data() + (slot * channels_ + channel) * width_ + kRowPad;
}

Votes HogRows::votes(int y, std::uint32_t pitch, int slot) {
  const auto width = static_cast<std::size_t>(pixels_) + kRowPad;
  if (shares_.size() < (slot + 1) * width) {
    shares_.resize((slot + 1) * width);
    places_.resize((slot + 1) * width);
  }
  const VoteRow<SharePair, std::int32_t> out{shares_.data() + slot * width,
                                             places_.data() + slot * width};
  const int height = level_.image.height, row = level_.y.origin + y;
  VoteJob job{{}, level_.hog.mask, channels_, pixels_, pitch, level_.votes, out};
  for (int c = 0; c < channels_; ++c)
    for (int k = -reach_; k <= reach_; ++k)
      job.rows[kMaskReach + k][c] = plane(mirrored_pixel(row + k, height), c);
  vote_row(job);
  return {out.shares, out.places};
}

void polar_rows(const HogLevel& level, ImageView<std::uint8_t> bin, ImageView<float> magnitude,
                int first, int last) {
  HogRows rows(level);
  for (int y = first; y < last; ++y) {
    const Votes votes = rows.votes(y, 1, 0);
    for (int x = 0; x < bin.width; ++x) {
      bin.at(x, y) = static_cast<std::uint8_t>(high_bin(votes.places[x], level.hog.bins));
      magnitude.at(x, y) = votes.shares[x].high;
    }
  }
}

}  // namespace fovea::people::cpu
