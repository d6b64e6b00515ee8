#include <fmt/format.h>
#include <fovea/emd/show.h>
#include <fovea/report/draw.h>

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

}  // namespace fovea::emd
