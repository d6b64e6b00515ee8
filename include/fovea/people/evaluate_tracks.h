#pragma once
#include <fovea/core/options_fwd.h>
#include <fovea/core/record_fwd.h>
#include <fovea/people/mot.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

// How well people are followed, by the measures of the MOT challenge: CLEAR MOT (Bernardin and
// Stiefelhagen, 2008), identities (Ristani, Solera, Zou, Cucchiara and Tomasi, 2016) and HOTA
// (Luiten, Osep, Dendorfer, Torr, Geiger, Leal-Taixe and Leibe, 2021). Definitions and ties follow
// TrackEval, the program of the challenge.
namespace fovea::people {

struct EvaluateTracksOptions {
  double match_overlap = 0.5;  // a box has found a person from this intersection over union on, for
                               // all measures but HOTA, which has thresholds of its own
  double least_visibility = 0;  // true boxes of which less can be seen do not count; boxes whose
                                // visibility the file does not give always count
};
FOVEA_API void describe(OptionVisitor& visit, EvaluateTracksOptions& options);

inline constexpr int kHotaThresholds = 19;  // overlaps 0.05, 0.1, ..., 0.95

// Counts add up over sequences; shares are made from them. Shares that have nothing to divide by
// are 0.
struct TrackReport {
  std::int64_t frames = 0;       // up to the last one that has a box
  std::int64_t truth_boxes = 0;  // that count
  std::int64_t found_boxes = 0;
  std::int64_t people = 0;  // true identities
  std::int64_t tracks = 0;  // identities that were found

  // CLEAR MOT. In each frame a person keeps the track of the frame before where the boxes still
  // overlap enough; the others are matched so that the sum of overlaps is greatest.
  std::int64_t hits = 0;
  std::int64_t misses = 0;
  std::int64_t false_positives = 0;
  std::int64_t switches = 0;        // a person is found under another id than the last time
  std::int64_t fragments = 0;       // a person is found again after not being found
  std::int64_t mostly_tracked = 0;  // people found in more than 80 % of their frames
  std::int64_t partly_tracked = 0;
  std::int64_t mostly_lost = 0;  // people found in less than 20 % of their frames
  double mota = 0;               // 1 - (misses + false positives + switches) / true boxes
  double motp = 0;               // mean overlap of hits
  double recall = 0, precision = 0;

  // Identities: every person is matched to at most one track for the whole sequence.
  std::int64_t id_hits = 0;
  double idf1 = 0, idp = 0, idr = 0;

  // HOTA: means over the 19 thresholds.
  double hota = 0;                        // mean of sqrt(DetA x AssA)
  double deta = 0, detre = 0, detpr = 0;  // how well people are found
  double assa = 0, assre = 0, asspr = 0;  // how well identities are kept
  double loca = 0;                        // how well boxes fit
  struct Threshold {
    double overlap = 0;
    std::int64_t hits = 0, misses = 0, false_positives = 0;
    double hota = 0, deta = 0, assa = 0, assre = 0, asspr = 0, loca = 0;
  };
  std::array<Threshold, kHotaThresholds> thresholds{};
};
FOVEA_API void describe(FieldVisitor& visit, TrackReport::Threshold& threshold);
FOVEA_API void describe(FieldVisitor& visit, TrackReport& report);

// Compares found boxes with true ones, both with identities. True boxes with score 0 do not count.
// Throws InvalidArgument where a frame has an id twice, a box is not finite and positive, or where
// neither side has a box.
FOVEA_API TrackReport evaluate_tracks(std::span<const MotBox> truth, std::span<const MotBox> found,
                                      const EvaluateTracksOptions& options = {});

// The report of several sequences together: counts are summed, and shares are made from the sums;
// association is averaged by hits. People and tracks of different sequences are different.
FOVEA_API TrackReport combine(std::span<const TrackReport> reports);

enum class TrackMistakeKind : unsigned char {
  kSwitch,  // a person is found under another id than the last time
  kMiss,    // a person is there and is not found
  kFalse    // a track is where nobody is
};

// What is wrong in consecutive frames of a person or of a track.
struct TrackMistake {
  TrackMistakeKind kind = TrackMistakeKind::kSwitch;
  int id = 0;                   // of the person; of the track where nobody is
  int before = -1, after = -1;  // ids of the tracks before and after a switch
  std::int64_t first_frame = 0;
  std::int64_t last_frame = 0;
  std::int64_t boxes = 0;  // of these frames; of a switch, how often the person is found afterwards
                           // until the next one
  Rect<double> box{};      // in the first frame
  bool operator==(const TrackMistake&) const = default;
};

// The mistakes that CLEAR MOT counts, with as many boxes first. Throws as evaluate_tracks() does.
FOVEA_API std::vector<TrackMistake> track_mistakes(std::span<const MotBox> truth,
                                                   std::span<const MotBox> found,
                                                   const EvaluateTracksOptions& options = {});

}  // namespace fovea::people
