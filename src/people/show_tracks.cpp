// Draws boxes, ids and trails of people.
#include <fovea/people/show_tracks.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>

namespace fovea::people {

void TrackPainter::draw(ImageView<std::uint8_t> frame, std::span<const Track> tracks) {
  for (const Track& track : tracks) {
    const Rect<float>& box = track.box;
    ways_[track.id].push_back({frame_, box.x + box.width / 2.0, box.y + double{box.height}});
  }
  for (auto way = ways_.begin(); way != ways_.end();) {
    std::vector<Step>& steps = way->second;
    std::erase_if(steps, [&](const Step& step) { return step.frame <= frame_ - trail_; });
    if (steps.empty()) {
      way = ways_.erase(way);
      continue;
    }
    // A line that is drawn in pieces, so that it fades with age.
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const double age = static_cast<double>(frame_ - steps[i].frame) / trail_;
      report::draw_line(frame, {steps[i - 1].x, steps[i - 1].y}, {steps[i].x, steps[i].y},
                        {.color = report::palette(way->first - 1),
                         .thickness = 3,
                         .alpha = static_cast<float>(std::clamp(1 - age, 0.1, 1.0))});
    }
    ++way;
  }
  for (const Track& track : tracks) {
    const Rect<float>& box = track.box;
    report::LabelStyle style;
    style.color = report::palette(track.id - 1);
    style.alpha = track.missed > 0 ? 0.4F : 1.0F;
    report::draw_box(frame, Rect<double>{box.x, box.y, box.width, box.height},
                     fmt::format("{}", track.id), style);
  }
  ++frame_;
}

}  // namespace fovea::people
