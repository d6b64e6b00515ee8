// Rivals on the frames of an evaluation: a box that does not move, our search with another
// distance, and the trackers in the module of rivals. As with ours, only time in the tracker
// counts.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "cli/emd/track.h"
#include "cli/program/image_input.h"
#include "cli/program/progress.h"
#include "cli/rivals/rivals.h"

namespace fovea::cli {
namespace {

// A tracker that finds a target in each frame after the first.
struct Contestant {
  std::string name;
  bool bar = false;
  std::function<Rect<double>(ImageView<const std::uint8_t>)> next{};
  std::vector<Rect<double>> boxes{};
  double seconds = 0;
};

// The plain trackers that ours must beat on every sequence.
bool in_bar(const std::string& name) {
  return name.starts_with("CamShift hue") || name == "mean shift hue";
}

std::vector<Contestant> contestants_of(const TrackRequest& request, const Rivals& rivals,
                                       ImageView<const std::uint8_t> frame, const Rect<double>& box,
                                       const Context& context) {
  std::vector<Contestant> all;
  all.push_back({"a box that stays", true, [box](ImageView<const std::uint8_t>) { return box; }});
  const auto add_ours = [&](const char* name, emd::TrackDistance distance,
                            emd::TrackFilter filter) {
    emd::TrackOptions options = request.track;
    options.exec = context.exec_without_progress();
    options.distance = distance;
    options.filter = filter;
    const auto tracker = std::make_shared<emd::Tracker>(frame, box, options);
    all.push_back({name, false, [tracker](ImageView<const std::uint8_t> image) {
                     return tracker->track(image).front().box;
                   }});
  };
  using emd::TrackDistance, emd::TrackFilter;
  if (request.track.distance == TrackDistance::kEmd)
    add_ours("same search, Bhattacharyya", TrackDistance::kBhattacharyya, request.track.filter);
  else add_ours("same search, EMD", TrackDistance::kEmd, request.track.filter);
  if (request.track.filter != TrackFilter::kOff) {
    add_ours("first colors alone, EMD", TrackDistance::kEmd, TrackFilter::kOff);
    add_ours("first colors alone, Bhattacharyya", TrackDistance::kBhattacharyya, TrackFilter::kOff);
  }
  for (const Rivals::TrackWork& rival : rivals.begin_tracks(frame, box))
    all.push_back({rival.rival, in_bar(rival.rival), rival.next});
  for (Contestant& contestant : all) contestant.boxes.push_back(box);
  return all;
}

}  // namespace

std::vector<std::vector<TrackResult>> measure_track_rivals(
    const TrackRequest& request, const std::vector<Rect<double>>& starts,
    const std::vector<std::vector<Rect<double>>>& truths, Context& context) {
  const Rivals rivals;
  if (!rivals.absence().empty())
    context.console.note("rivals are not available: " + rivals.absence());
  io::VideoReader reader = open_video(context, context.inputs[0], track_options(request, context));
  std::vector<std::vector<Contestant>> contests;
  io::Frame frame;
  for (std::int64_t count = 1; reader.next(frame); ++count) {
    throw_if_stopped(context.exec);
    if (contests.empty()) {
      for (const Rect<double>& start : starts)
        contests.push_back(contestants_of(request, rivals, frame.image, start, context));
    } else {
      for (auto& contest : contests) {
        for (Contestant& contestant : contest) {
          const double begin = steady_seconds();
          contestant.boxes.push_back(contestant.next(frame.image));
          contestant.seconds += steady_seconds() - begin;
        }
      }
    }
    if (context.exec.progress)
      context.exec.progress(
          {"rivals", static_cast<double>(count),
           static_cast<double>(std::max<std::int64_t>(0, reader.expected_frames()))});
  }
  std::vector<std::vector<TrackResult>> results;
  for (std::size_t i = 0; i < contests.size(); ++i) {
    results.emplace_back();
    for (const Contestant& contestant : contests[i]) {
      const auto followed = static_cast<double>(std::max<std::size_t>(2, contestant.boxes.size()));
      results.back().push_back({contestant.name, contestant.bar,
                                emd::evaluate_track(contestant.boxes, truths[i]),
                                contestant.seconds / (followed - 1)});
    }
  }
  return results;
}

}  // namespace fovea::cli
