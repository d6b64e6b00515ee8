// What the view sees in a video: points, actions over time, and the class of the whole clip. All of
// it is bounded, however long the video is.
#pragma once
#include <fovea/actions/classify.h>
#include <fovea/actions/explain.h>
#include <fovea/actions/recognize.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "view/result.h"

namespace fovea::view {

// How much of a video is looked at, so that memory and time stay bounded.
struct VideoBounds {
  int frames = 3000;
  std::size_t points = 100000;  // about 65 MB with descriptors
  int pixels = 1920 * 1088;     // of a frame
};

// The points of the first frames of a video.
struct VideoPoints {
  actions::PointSet set{};
  std::int64_t video_frames = 0;  // of the whole video, as it states; -1 where it does not
  bool whole = true;              // false: there are more frames than the view looks at
};
// Throws what readers throw, InvalidArgument for frames that are too large, Cancelled after a stop.
VideoPoints find_video_points(const std::string& path, const actions::Model& model,
                              const Exec& exec, const VideoBounds& bounds = {});

// What is known about the actions in a video. The points have no descriptors any more, and events
// no evidence: explanations hold all that is shown.
struct RecognizedActions {
  Extent size{};
  int frames = 0;
  std::vector<actions::SpaceTimePoint> points{};    // in the order of their frames
  std::vector<actions::EventExplanation> events{};  // in the order of their first frames
  actions::ClipExplanation clip{};

  // The event at a place of a frame, the best one of several; null where there is none.
  const actions::EventExplanation* event_at(report::Point place, int frame) const;
  // What is drawn over a frame: boxes of events, points, and matched chains.
  std::vector<LayerShape> shapes(int frame) const;
};

// What is saved of them: the class of the clip as actions classify prints it, and events as actions
// recognize prints them.
struct SavedActions {
  std::optional<actions::ClipClass> clip{};  // absent while a stream is running
  std::vector<actions::Event> events{};
};
void describe(FieldVisitor& visit, SavedActions& saved);

// The class of the clip and how many actions were recognized over time, in sentences that do not
// contradict each other: a clip may as a whole be none of the actions that its parts show.
std::string summary_of(const actions::ClipExplanation& clip, std::size_t events);

// Recognizes the actions over time, each with its explanation.
std::vector<actions::EventExplanation> recognize_events(
    const actions::PointSet& points, const std::shared_ptr<const actions::Model>& model,
    const actions::RecognizeOptions& options);

}  // namespace fovea::view
