// Resizes a frame to all levels of a plan and reflects their borders, in one launch. Equal to the
// host's level_image() to the bit: the arithmetic of the resize is shared.
#include "ops/resize/resize_math.h"
#include "people/level_image.h"
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {
namespace {

constexpr struct {
  int block_x = 32, block_y = 8;  // a warp a row
  int rows = 4;                   // of one thread, block_y apart
  int align = 16;                 // bytes at which rows start
} kTuning;

struct Frame {
  ImageView<const std::uint8_t> image;
  int channels;  // of the levels; the image may have more
  int padding;
};

__global__ void level_kernel(Frame frame, const DeviceLevel* levels, const Tile* tiles,
                             std::uint8_t* pixels) {
  using Bilinear = fovea::detail::Bilinear<std::uint8_t>;
  const Tile tile = tiles[blockIdx.x];
  const DeviceLevel level = levels[tile.level];
  const int element = tile.x + static_cast<int>(threadIdx.x);
  if (element >= level.width * frame.channels) return;
  const ImageView<const std::uint8_t> image = frame.image;
  const int x = element / frame.channels, channel = element % frame.channels;
  const auto tap_x =
      Bilinear::tap(reflected(x, frame.padding, level.inner_width), level.scale_x, image.width);
  const int left = tap_x.index * image.channels + channel;
  const int right = Bilinear::next(tap_x, image.width) * image.channels + channel;
  std::uint8_t* out = pixels + level.offset;
#pragma unroll
  for (int k = 0; k < kTuning.rows; ++k) {
    const int y = tile.y + static_cast<int>(threadIdx.y) + k * kTuning.block_y;
    if (y >= level.height) return;
    const auto tap_y =
        Bilinear::tap(reflected(y, frame.padding, level.inner_height), level.scale_y, image.height);
    out[static_cast<std::int64_t>(y) * level.stride + element] =
        Bilinear::sample(image.row(tap_y.index), image.row(Bilinear::next(tap_y, image.height)),
                         left, right, tap_x, tap_y);
  }
}

bool equal(const ScanPlan& a, const ScanPlan& b) {
  if (a.window != b.window || a.stride != b.stride || a.padding != b.padding ||
      a.origin != b.origin || a.levels.size() != b.levels.size())
    return false;
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const ScanLevel &left = a.levels[i], &right = b.levels[i];
    if (left.size != right.size || left.columns != right.columns || left.rows != right.rows)
      return false;
  }
  return true;
}

}  // namespace

bool LevelImages::same(Extent image, int channels, const ScanPlan& plan) const {
  return image == image_ && channels == channels_ && equal(plan, plan_);
}

bool LevelImages::lay_out(Session& session, Extent image, int channels, const ScanPlan& plan) {
  if (same(image, channels, plan)) return false;
  image_ = {};  // nothing is laid out until all of it is
  levels_.clear();
  std::int64_t offset = 0;
  windows_ = 0;
  for (const ScanLevel& level : plan.levels) {
    const Extent padded = plan.padded(level);
    const int bytes = padded.width * channels;
    const int stride = (bytes + kTuning.align - 1) / kTuning.align * kTuning.align;
    levels_.push_back({.width = padded.width,
                       .height = padded.height,
                       .inner_width = level.size.width,
                       .inner_height = level.size.height,
                       .scale_x = static_cast<double>(image.width) / level.size.width,
                       .scale_y = static_cast<double>(image.height) / level.size.height,
                       .offset = offset,
                       .stride = stride,
                       .columns = level.columns,
                       .rows = level.rows,
                       .first_window = windows_});
    offset += static_cast<std::int64_t>(stride) * padded.height;
    windows_ += static_cast<std::int64_t>(level.columns) * level.rows;
  }
  const auto tiles = tiles_over(levels_, {kTuning.block_x, kTuning.block_y * kTuning.rows},
                                [&](const DeviceLevel& level) {
                                  return Extent{level.width * channels, level.height};
                                });
  tile_count_ = tiles.size();
  device_levels_.fill(levels_, session.stream());
  tiles_.fill(tiles, session.stream());
  pixels_.reserve(static_cast<std::size_t>(offset));
  image_ = image;
  channels_ = channels;
  plan_ = plan;
  return true;
}

void LevelImages::build(Session& session, ImageView<const std::uint8_t> image) {
  if (tile_count_ == 0) return;
  level_kernel<<<static_cast<unsigned>(tile_count_), dim3(kTuning.block_x, kTuning.block_y), 0,
                 session.stream()>>>({image, channels_, plan_.padding}, device_levels_.data(),
                                     tiles_.data(), pixels_.data());
  check_launch("levels of a scan");
}

}  // namespace fovea::people::cuda
