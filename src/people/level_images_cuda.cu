// Resizes a frame to all levels of a plan and reflects their borders, in one launch. The result
// equals that of level_image() on the host to the bit, because both share the arithmetic of the
// resize.
#include "ops/resize/resize_math.h"
#include "people/level_image.h"
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {
namespace {

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
  int rows = 4;                   // rows per thread, block_y apart
  int align = 16;                 // rows begin at a multiple of so many bytes
} kTuning;

using Bilinear = fovea::detail::Bilinear<std::uint8_t>;
using fovea::detail::FixedTap;

struct Job {
  ImageView<const std::uint8_t> image;
  const DeviceLevel* levels;
  const Tile* tiles;
  const FixedTap* taps;
  std::uint8_t* pixels;
};

// The levels have kChannels; the image may have more.
template <int kChannels>
__global__ void level_kernel(Job job) {
  const Tile tile = job.tiles[blockIdx.x];
  const DeviceLevel level = job.levels[tile.level];
  const int element = tile.x + static_cast<int>(threadIdx.x);
  if (element >= level.width * kChannels) return;
  const ImageView<const std::uint8_t> image = job.image;
  const int x = element / kChannels, channel = element % kChannels;
  const FixedTap* taps = job.taps + level.first_tap;
  const FixedTap tap_x = taps[x];
  const int left = tap_x.index * image.channels + channel;
  const int right = Bilinear::next(tap_x, image.width) * image.channels + channel;
  std::uint8_t* out = job.pixels + level.offset + element;
#pragma unroll
  for (int k = 0; k < kTuning.rows; ++k) {
    const int y = tile.y + static_cast<int>(threadIdx.y) + k * kTuning.block_y;
    if (y >= level.height) return;
    const FixedTap tap_y = taps[level.width + y];
    out[static_cast<std::int64_t>(y) * level.stride] =
        Bilinear::sample(image.row(tap_y.index), image.row(Bilinear::next(tap_y, image.height)),
                         left, right, tap_x, tap_y);
  }
}

// The source of each pixel of a padded line.
void append_taps(std::vector<FixedTap>& taps, int padded, int padding, int size, int source) {
  for (int i = 0; i < padded; ++i)
    taps.push_back(
        Bilinear::tap(reflected(i, padding, size), static_cast<double>(source) / size, source));
}

}  // namespace

bool LevelImages::same(Extent image, int channels, const ScanPlan& plan) const {
  return image == image_ && channels == channels_ && plan == plan_;
}

bool LevelImages::lay_out(Session& session, Extent image, int channels, const ScanPlan& plan) {
  if (same(image, channels, plan)) return false;
  image_ = {};  // nothing is laid out until everything is
  levels_.clear();
  std::int64_t offset = 0;
  std::vector<FixedTap> taps;
  windows_ = 0;
  for (const ScanLevel& level : plan.levels) {
    const Extent padded = plan.padded(level);
    const int bytes = padded.width * channels;
    const int stride = (bytes + kTuning.align - 1) / kTuning.align * kTuning.align;
    levels_.push_back({.width = padded.width,
                       .height = padded.height,
                       .inner_width = level.size.width,
                       .inner_height = level.size.height,
                       .first_tap = static_cast<int>(taps.size()),
                       .offset = offset,
                       .stride = stride,
                       .columns = level.columns,
                       .rows = level.rows,
                       .first_window = windows_});
    append_taps(taps, padded.width, plan.padding, level.size.width, image.width);
    append_taps(taps, padded.height, plan.padding, level.size.height, image.height);
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
  taps_.fill(taps, session.stream());
  pixels_.reserve(static_cast<std::size_t>(offset));
  image_ = image;
  channels_ = channels;
  plan_ = plan;
  return true;
}

void LevelImages::build(Session& session, ImageView<const std::uint8_t> image) {
  if (tile_count_ == 0) return;
  const Job job{image, device_levels_.data(), tiles_.data(), taps_.data(), pixels_.data()};
  const auto grid = static_cast<unsigned>(tile_count_);
  const dim3 threads(kTuning.block_x, kTuning.block_y);
  if (channels_ == 1) level_kernel<1><<<grid, threads, 0, session.stream()>>>(job);
  else level_kernel<3><<<grid, threads, 0, session.stream()>>>(job);
  check_launch("levels of a scan");
}

}  // namespace fovea::people::cuda
