// The CPU twin of the color histograms: a look-up and two additions per pixel, a few hundred pixels
// per person.
#include "core/parallel.h"
#include "people/track/backend.h"

namespace fovea::people::cpu {

void color_masses(ImageView<const std::uint8_t> frame, std::span<const PixelGrid> grids,
                  std::span<const CellColors> table, ImageView<std::uint16_t> masses,
                  const Exec& exec) {
  constexpr int kGrids = 64;  // per piece of work
  parallel_for(exec, static_cast<std::int64_t>(grids.size()), kGrids,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = static_cast<int>(begin); i < end; ++i) {
                   std::uint16_t* const row = masses.row(i);
                   for (int color = 0; color < kColors; ++color) row[color] = 0;
                   for (int place = 0; place < kGridColumns * kGridRows; ++place) {
                     const std::uint8_t* const pixel =
                         grid_pixel(frame, grids[static_cast<std::size_t>(i)], place);
                     if (pixel == nullptr) continue;
                     const CellColors colors =
                         table[static_cast<std::size_t>(color_cell(pixel, frame.channels))];
                     row[colors.nearest] =
                         static_cast<std::uint16_t>(row[colors.nearest] + colors.mass);
                     row[colors.other] =
                         static_cast<std::uint16_t>(row[colors.other] + kPixelMass - colors.mass);
                   }
                 }
               });
}

}  // namespace fovea::people::cpu
