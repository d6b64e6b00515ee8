#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>
#include <fovea/people/detection.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fovea::people {

// How detections and tracks are paired: exact finds the pairs of least cost in all (assign());
// greedy takes the cheapest pair again and again, and is here for comparison.
enum class TrackMatching : unsigned char { kExact, kGreedy };
FOVEA_API std::span<const Choice> choices(TrackMatching);

// Lengths are relative to the height of the person; times are frames.
struct TrackOptions {
  std::optional<double> certain{};  // least score of a detection that may begin a track. Those
                                    // below only continue tracks. Absent: all may
  double overlap = 0.2;             // least intersection over union of a certain detection and of
                                    // the box that is predicted for a person
  double uncertain_overlap = 0.5;   // the same for an uncertain detection
  bool appearance = true;           // compares the colors of people, too
  double color_weight = 0.5;   // what the greatest difference of colors costs, where no overlap
                               // costs 1
  double color_limit = 0.25;   // detections whose colors differ more belong to others, 0 to 1
  double color_adapt = 0.1;    // share of a person's colors that each new frame replaces
  int confirm = 3;             // detections after which a track is a person and gets an id
  int keep = 30;               // frames without a detection after which a person is lost
  int refind = 250;            // frames for which a lost person can be found again by colors; 0
                               // finds nobody again
  double refind_speed = 0.1;   // how far a lost person may have gone, in heights per frame and
                               // beyond one height
  double refind_color = 0.25;  // greatest difference of colors of a person found again
  int coast = 0;               // frames for which a person who is not detected is still
                               // returned, where motion predicts it
  TrackMatching matching = TrackMatching::kExact;
  Exec exec{};
};
// Lists every field but exec, which programs add.
FOVEA_API void describe(OptionVisitor& visit, TrackOptions& options);

// A person in a frame.
struct Track {
  int id = 0;            // from 1, in the order in which people were confirmed
  Rect<float> box{};     // smoothed, or predicted where there is no detection
  float score = 0;       // of the last detection
  int detection = -1;    // its index in this frame; -1 where there is none
  int age = 0;           // frames since the first detection
  int missed = 0;        // frames since the last detection
  float velocity_x = 0;  // pixels per frame
  float velocity_y = 0;  // pixels per frame
  bool refound = false;  // the person was lost and has been found again in this frame
  bool operator==(const Track&) const = default;
};
FOVEA_API void describe(FieldVisitor& visit, Track& track);

// The people of a frame, as programs print them.
struct TrackResult {
  std::vector<Track> people{};  // in the order of their ids
};
FOVEA_API void describe(FieldVisitor& visit, TrackResult& result);

// Joins the detections of one frame after another to people with identities:
//   Tracker tracker;
//   for (...) std::vector<Track> people = tracker.track(frame, detector.detect(frame).people);
//
// Motion: a Kalman filter of constant velocity for center, height and aspect predicts every box
// (Bewley et al., SORT, 2016; Wojke et al., DeepSORT, 2017). Certain detections are paired with
// tracks first, and then uncertain ones with those that are left (Zhang et al., ByteTrack, 2022).
// When a person is detected again after a gap, the filter is taken along the straight way between
// (Cao et al., OC-SORT, 2023). Appearance: upper and lower body have a histogram of colors each,
// compared by the Earth Mover's Distance with a thresholded Lab distance as ground distance.
//
// Results are the same on every device and for any number of threads. One object serves one thread
// at a time.
class FOVEA_API Tracker {
 public:
  explicit Tracker(const TrackOptions& options = {});
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;
  ~Tracker();

  // The people in the next frame, in the order of their ids. `frame` has 1, 3 or 4 channels (gray,
  // RGB, or RGBA) and lies in host or device memory; on a GPU only the colors are read there.
  // Throws InvalidArgument, and leaves the tracker as it was, where a detection is not finite and
  // positive or the frame differs in size from the one before.
  std::vector<Track> track(ImageView<const std::uint8_t> frame,
                           std::span<const Detection> detections);
  // The same by motion alone.
  std::vector<Track> track(std::span<const Detection> detections);

  // Everyone who has an id, also those who are lost and may be found again.
  std::vector<Track> people() const;
  std::int64_t frames() const;  // how many were given
  int identities() const;       // how many people have got an id

  const TrackOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::people
