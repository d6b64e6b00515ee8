#include <fmt/format.h>
#include <fovea/emd/show.h>
#include <fovea/report/draw.h>

#include "core/dispatch.h"

namespace fovea::emd {

void draw_tracks(ImageView<std::uint8_t> image, std::span<const Track> tracks) {
  for (const Track& track : tracks) {
    report::LabelStyle style;
    style.color = report::palette(track.id - 1);
    style.alpha = track.lost ? 0.4F : 1.0F;
    report::draw_box(image, track.box,
                     track.lost ? fmt::format("{} lost", track.id)
                                : fmt::format("{} {:.0f}%", track.id, 100 * track.confidence),
                     style);
  }
}

void draw_regions(ImageView<std::uint8_t> image, const RegionSet& found) {
  fovea::detail::require_shape("draw_regions", "image", image, found.labels.width(),
                               found.labels.height(), image.channels);
  constexpr float kTint = 0.4F;
  for (int y = 0; y < image.height; ++y) {
    // Runs of one region are filled at once.
    for (int x = 0; x < image.width;) {
      const int begin = x;
      const std::uint16_t number = found.labels.at(x, y);
      while (x < image.width && found.labels.at(x, y) == number) ++x;
      if (number == 0) continue;
      report::fill_box(
          image,
          {static_cast<double>(begin), static_cast<double>(y), static_cast<double>(x - begin), 1.0},
          {report::palette(number - 1), kTint});
    }
  }
  for (std::size_t i = 0; i < found.regions.size(); ++i) {
    const Rect<int>& box = found.regions[i].box;
    report::LabelStyle style;
    style.color = report::palette(static_cast<int>(i));
    report::draw_box(image,
                     Rect<double>{static_cast<double>(box.x), static_cast<double>(box.y),
                                  static_cast<double>(box.width), static_cast<double>(box.height)},
                     fmt::format("{} {:.0f}%", i + 1, 100 * found.regions[i].score), style);
  }
}

}  // namespace fovea::emd
