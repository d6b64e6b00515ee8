// Tracks as files: MOT challenge text, and videos that show the boxes on frames and on maps.
#include <fovea/emd/show.h>
#include <fovea/report/color_map.h>

#include <algorithm>

#include "cli/emd/track.h"

namespace fovea::cli {
Image<std::uint8_t> draw_map(const emd::Tracker& tracker) {
  Image<float> most = tracker.likelihood(1);
  for (int id = 2; id <= tracker.targets(); ++id) {
    const Image<float> other = tracker.likelihood(id);
    for (int y = 0; y < most.height(); ++y) {
      for (int x = 0; x < most.width(); ++x)
        most.at(x, y) = std::max(most.at(x, y), other.at(x, y));
    }
  }
  return report::apply_color_map(most.view(), {.automatic = false});
}

TrackFiles::TrackFiles(const TrackRequest& request, double frame_rate) {
  const io::VideoWriteOptions video{.frame_rate = frame_rate};
  if (!request.output.empty()) text_.emplace(request.output);
  if (!request.video.empty()) video_.emplace(request.video, video);
  if (!request.map_video.empty()) map_video_.emplace(request.map_video, video);
}

void TrackFiles::add(TrackFrame& tracked) {
  if (text_) {
    for (const emd::Track& track : tracked.tracks)
      text_->write(emd::mot_line(tracked.frame.frame + 1, track));
  }
  if (video_) {
    emd::draw_tracks(tracked.frame.image.view(), tracked.tracks);
    video_->write(tracked.frame.image.view());
  }
  if (map_video_) {
    emd::draw_tracks(tracked.map.view(), tracked.tracks);
    map_video_->write(tracked.map.view());
  }
}

void TrackFiles::finish() {
  if (text_) text_->commit();
  if (video_) video_->finish();
  if (map_video_) map_video_->finish();
}

}  // namespace fovea::cli
