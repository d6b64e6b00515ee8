#pragma once
#include <fovea/people/annotations.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

// How well people are found: miss rate against false positives an image, as the field measures
// detectors (Dollar, Wojek, Schiele and Perona, PAMI 2012), and against false positives a window,
// as Dalal and Triggs measured classifiers.
namespace fovea::people {

// One image: what was found in it and who stands there.
struct EvaluatedImage {
  std::vector<Detection> found{};
  std::vector<Annotation> people{};
};

struct EvaluateOptions {
  double match_overlap = 0.5;  // intersection over union from which a detection has found a person
  double match_aspect = 0.41;  // boxes of detections and people are brought to this width over
                               // height, middle and height kept, before they are compared: boxes
                               // differ in how far arms and legs reach. 0: they stay as they are
  int draws = 200;             // of the bootstrap over images; 0: none
  std::uint64_t seed = 1234;   // of the bootstrap
};
// Without the seed, which programs take from their Exec.
FOVEA_API void describe(OptionVisitor& visit, EvaluateOptions& options);

// What came of a detection.
enum class Verdict : unsigned char { kHit, kFalse, kIgnored };

// Detections of one image matched to its people: in order of score, each takes the person it
// overlaps most who is not taken yet. One that finds nobody but lies in a region to be ignored (by
// match_overlap of its own area) does not count, and any number may lie there.
struct ImageMatch {
  std::vector<Verdict> verdicts;  // one a detection
  std::vector<int> found_by;      // one a person: index of the detection, -1 where there is none
};
FOVEA_API ImageMatch match_people(const EvaluatedImage& image, const EvaluateOptions& options = {});

// A point of a curve: what comes of taking every score from `threshold` on.
struct CurvePoint {
  float threshold = 0;
  double false_positives = 0;  // an image, or a window
  double miss_rate = 1;        // share of the people, or positive windows, not found
  double precision = 1;        // share of what was found that is people
};

inline constexpr int kReferencePoints = 9;
// False positives an image: 10^-2, 10^-1.75, ..., 10^0.
FOVEA_API std::array<double, kReferencePoints> reference_points();

struct ImageEvaluation {
  std::vector<CurvePoint> curve;  // from the highest threshold down, a point a distinct score
  // The miss rate at each reference point: that of the last point of the curve with no more false
  // positives, 1 where the curve begins later; where it ends earlier its end stands for the rest.
  std::array<double, kReferencePoints> miss_rates{};
  double log_average_miss_rate = 1;  // their geometric mean
  // Standard deviation of that over draws of as many images with replacement, and its value in each
  // draw: two detectors on the same images with the same seed have the same draws, so that their
  // difference can be judged pair by pair. Draws without people are left out.
  double deviation = 0;
  std::vector<double> drawn;
  double average_precision = 0;  // area under precision, made to fall, against recall
  std::int64_t images = 0;
  std::int64_t people = 0;          // without those to be ignored
  std::int64_t detections = 0;      // without those ignored
  std::vector<ImageMatch> matches;  // one an image
};
// Throws InvalidArgument where there are no images or no people, or a score is NaN.
FOVEA_API ImageEvaluation evaluate_images(std::span<const EvaluatedImage> images,
                                          const EvaluateOptions& options = {});

// The standard deviation of the difference of two log-average miss rates over common draws; NaN
// where they have none.
FOVEA_API double paired_deviation(const ImageEvaluation& a, const ImageEvaluation& b);

// Scores of windows that hold a person and of those that hold none.
struct WindowEvaluation {
  std::vector<CurvePoint> curve;  // from the highest threshold down, a point a positive's score
  std::int64_t positives = 0;
  std::int64_t negatives = 0;

  // The least miss rate with at most that many false positives a window.
  FOVEA_API double miss_rate_at(double false_positives) const;
  // Standard deviation of a miss rate measured on so many positives.
  FOVEA_API double deviation(double miss_rate) const;
};
// A window that scores -infinity was rejected and is found at no threshold. Throws InvalidArgument
// where there are no scores of either sort, or one is NaN.
FOVEA_API WindowEvaluation evaluate_windows(std::span<const float> positives,
                                            std::span<const float> negatives);

}  // namespace fovea::people
