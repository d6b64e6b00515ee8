// The padded image of one level on the host: resized into the middle, then its borders mirrored.
#include <fovea/ops/resize.h>

#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "people/level_image.h"

namespace fovea::people::cpu {
namespace {

constexpr int kLevelRowsPerTask = 64;

// Fills the columns to the left and right of a row whose middle is complete.
void pad_row(std::uint8_t* row, int padding, int width, int channels) {
  const int padded = width + 2 * padding;
  for (int x = 0; x < padded; x = x == padding - 1 ? padding + width : x + 1) {
    const int from = padding + reflected(x, padding, width);
    std::copy_n(row + static_cast<std::ptrdiff_t>(from) * channels, channels,
                row + static_cast<std::ptrdiff_t>(x) * channels);
  }
}

}  // namespace

void level_image(ImageView<const std::uint8_t> image, const ScanPlan& plan, const ScanLevel& level,
                 ImageView<std::uint8_t> out, const Exec& exec) {
  const int padding = plan.padding;
  const Extent size = level.size;
  const ImageView<std::uint8_t> middle = out.crop(padding, padding, size.width, size.height);
  const bool same = size == Extent{image.width, image.height};
  if (!same) resize(image, middle, {.exec = {.device = Device::cpu(), .threads = exec.threads}});
  if (!same && padding == 0) return;
  parallel_for(exec, size.height, kLevelRowsPerTask, [&](std::int64_t begin, std::int64_t end) {
    const int first = static_cast<int>(begin), rows = static_cast<int>(end - begin);
    if (same) copy(image.crop(0, first, size.width, rows), middle.crop(0, first, size.width, rows));
    for (int y = padding + first; padding > 0 && y < padding + first + rows; ++y)
      pad_row(out.row(y), padding, size.width, out.channels);
  });
  if (padding == 0) return;
  const auto row_bytes = static_cast<std::size_t>(out.row_elements());
  for (int y = 0; y < out.height; y = y == padding - 1 ? padding + size.height : y + 1)
    std::memcpy(out.row(y), out.row(padding + reflected(y, padding, size.height)), row_bytes);
}

}  // namespace fovea::people::cpu
