// Rows of a level as gamma-corrected planes, and their votes.
#include <algorithm>

#include "people/hog/hog_band.h"

namespace fovea::people::cpu {

HogRows::HogRows(const HogLevel& level)
    : level_(level),
      channels_(level.hog.color && level.image.channels >= 3 ? 3 : 1),
      pixels_(level.units_x.pixels()),
      width_(static_cast<std::size_t>(pixels_) + 2 * kRowPad),
      planes_(3 * channels_ * width_) {}

void HogRows::convert(int row, int slot) {
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
  const std::ptrdiff_t before = mirrored_neighbor(origin - 1, image.width) * step,
                       behind = mirrored_neighbor(origin + pixels_, image.width) * step;
  for (int c = 0; c < channels_; ++c) {
    float* out = planes_.data() + (slot * channels_ + c) * width_ + kRowPad;
    job.planes[c] = out;
    out[-1] = table[from[before + c]];
    out[pixels_] = table[from[behind + c]];
  }
  plane_row(job);
  slot_row_[slot] = row;
}

const float* HogRows::plane(int row, int channel) {
  const int slot = row % 3;
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
  VoteJob job{{}, {}, {}, channels_, pixels_, pitch, level_.votes, out};
  for (int c = 0; c < channels_; ++c) {
    job.above[c] = plane(mirrored_neighbor(row - 1, height), c);
    job.center[c] = plane(row, c);
    job.below[c] = plane(mirrored_neighbor(row + 1, height), c);
  }
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
