// Planes of the image and of its levels, with margins so that no loop over pixels tests for a
// border.
#include "people/cascade/cascade_planes.h"

#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "people/level_image.h"

namespace fovea::people::cpu {

namespace {

constexpr int kPlaneRowsPerTask = 64;

void gray_row(const std::uint8_t* from, int channels, int width, std::uint8_t* to) {
  for (int x = 0; x < width; ++x, from += channels)
    to[x] = cascade::gray(from[0], from[1], from[2]);
}

void split_row(const std::uint8_t* from, int channels, int width, std::uint8_t* r, std::uint8_t* g,
               std::uint8_t* b) {
  for (int x = 0; x < width; ++x, from += channels) {
    r[x] = from[0];
    g[x] = from[1];
    b[x] = from[2];
  }
}

}  // namespace

void SourcePlanes::set(ImageView<const std::uint8_t> image, bool color, const Exec& exec) {
  planes_.clear();
  if (image.channels == 1) {
    own_.clear();
    planes_.push_back(image);
    return;
  }
  const std::size_t count = color ? 3 : 1;
  if (own_.size() != count || own_[0].width() != image.width || own_[0].height() != image.height) {
    own_.clear();
    for (std::size_t i = 0; i < count; ++i) own_.emplace_back(image.width, image.height);
  }
  parallel_for(exec, image.height, kPlaneRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      if (color)
        split_row(image.row(y), image.channels, image.width, own_[0].row(y), own_[1].row(y),
                  own_[2].row(y));
      else gray_row(image.row(y), image.channels, image.width, own_[0].row(y));
    }
  });
  for (const Image<std::uint8_t>& plane : own_) planes_.push_back(plane.view());
}

const std::uint8_t* LevelPlanes::pixel(int plane, int x, int y) const {
  const int row = std::clamp(y, 0, height_ - 1) + plane * height_;
  return pixels_.data() + row * stride_ + kRowMargin + x;
}

void LevelPlanes::build(const SourcePlanes& source, const ScanPlan& plan, const ScanLevel& level,
                        const Exec& exec) {
  const Extent padded = plan.padded(level);
  planes_ = static_cast<int>(source.planes().size());
  width_ = padded.width;
  height_ = padded.height;
  stride_ = (width_ + 2 * kRowMargin + 63) / 64 * 64;
  const auto needed = static_cast<std::size_t>(stride_) * height_ * planes_;
  if (pixels_.size() < needed) pixels_.resize(needed);
  for (int c = 0; c < planes_; ++c) {
    std::uint8_t* first = pixels_.data() + static_cast<std::ptrdiff_t>(c) * height_ * stride_;
    const ImageView<std::uint8_t> out{first + kRowMargin, width_, height_, 1, stride_,
                                      Memory::kHost};
    level_image(source.planes()[static_cast<std::size_t>(c)], plan, level, out, exec);
    for (int y = 0; y < height_; ++y) {
      std::uint8_t* row = out.row(y);
      row[-1] = row[0];
      std::memset(row + width_, row[width_ - 1], static_cast<std::size_t>(kRowMargin));
    }
  }
}

void LevelPlanes::point(PatchRow& row, int x, int y) const {
  row.planes = planes_;
  for (int c = 0; c < planes_; ++c)
    for (int k = 0; k < 4; ++k) row.pixels[c][k] = pixel(c, x, y - 1 + k);
}

WindowSums::WindowSums(Extent window)
    : columns_(window.width / 2 + 1), rows_(window.height / 2 + 1) {
  for (auto& line : line_)
    line.resize(static_cast<std::size_t>(SumsLayout(columns_ - 1, false).row_size()));
}

void WindowSums::fill(const LevelPlanes& level, int x, int y, std::span<std::uint32_t> out) {
  const SumsLayout layout(columns_ - 1, false);
  std::fill(line_[0].begin(), line_[0].end(), 0U);
  std::uint32_t* to = out.data();
  for (int r = 0; r < rows_; ++r) {
    const auto& above = line_[r % 2 == 0 ? 1 : 0];
    auto& sums = line_[r % 2];
    if (r > 0) {
      PatchRow row{0, {}, above.data(), sums.data(), columns_ - 1, layout};
      level.point(row, x, y + 2 * (r - 1));
      add_patch_row(row);
    }
    for (int c = 0; c < columns_; ++c, to += cascade::kBins) {
      const std::ptrdiff_t place = layout.place(c);
      std::copy_n(sums.data() + place * SumsLayout::kTogether, SumsLayout::kTogether, to);
      to[SumsLayout::kTogether] = sums[static_cast<std::size_t>(layout.ninths() + place)];
    }
  }
}

}  // namespace fovea::people::cpu
