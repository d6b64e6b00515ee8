// Rivals on the frames of an evaluation: a box that does not move, our search with another
// distance, and the trackers in the module of rivals.
#include <memory>

#include "operations/emd/track.h"
#include "operations/rivals/rivals.h"

namespace fovea::operations::of_emd_track {
namespace {

// The plain trackers that ours must beat on every sequence.
bool in_bar(const std::string& name) {
  return name.starts_with("CamShift hue") || name == "mean shift hue";
}

}  // namespace

std::vector<Contestant> contestants_of(const Setup& setup, ImageView<const std::uint8_t> frame,
                                       const Rect<double>& box, const Exec& exec) {
  const emd::TrackOptions& track = setup.asked.track;
  std::vector<Contestant> all;
  all.push_back({"a box that stays", true, [box](ImageView<const std::uint8_t>) { return box; }});
  const auto add_ours = [&](const char* name, emd::TrackDistance distance,
                            emd::TrackFilter filter) {
    emd::TrackOptions options = track;
    options.exec = exec;
    options.distance = distance;
    options.filter = filter;
    const auto tracker = std::make_shared<emd::Tracker>(frame, box, options);
    all.push_back({name, false, [tracker](ImageView<const std::uint8_t> image) {
                     return tracker->track(image).front().box;
                   }});
  };
  using emd::TrackDistance, emd::TrackFilter;
  if (track.distance == TrackDistance::kEmd)
    add_ours("same search, Bhattacharyya", TrackDistance::kBhattacharyya, track.filter);
  else add_ours("same search, EMD", TrackDistance::kEmd, track.filter);
  if (track.filter != TrackFilter::kOff) {
    add_ours("first colors alone, EMD", TrackDistance::kEmd, TrackFilter::kOff);
    add_ours("first colors alone, Bhattacharyya", TrackDistance::kBhattacharyya, TrackFilter::kOff);
  }
  for (const Rivals::TrackWork& rival : Rivals().begin_tracks(frame, box))
    all.push_back({rival.rival, in_bar(rival.rival), rival.next});
  for (Contestant& contestant : all) contestant.boxes.push_back(box);
  return all;
}

}  // namespace fovea::operations::of_emd_track
