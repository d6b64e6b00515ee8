#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/record_fwd.h>
#include <fovea/people/annotations.h>
#include <fovea/people/calibration.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// How well people are found. Detectors are measured by the miss rate over false positives per image
// (Dollar, Wojek, Schiele and Perona, PAMI 2012), classifiers by the miss rate over false positives
// per window (Dalal and Triggs, CVPR 2005).
namespace fovea::people {

// One image: what a detector found in it, and the people who stand there.
struct EvaluatedImage {
  std::vector<Detection> found{};
  std::vector<Annotation> people{};
};

struct EvaluateOptions {
  double match_overlap =
      0.5;  // a detection has found a person from this intersection over union on
  double match_aspect =
      0.41;         // before boxes are compared, their width is set to this share of their
                    // height around the same center, because boxes differ in whether arms
                    // and legs belong to them. 0: boxes are compared as they are
  int draws = 200;  // bootstrap samples of the images, for the deviation; 0: none
  Exec exec{};      // only its seed is used, for the bootstrap
};
// Lists every field but exec, which programs add.
FOVEA_API void describe(OptionVisitor& visit, EvaluateOptions& options);

// What a detection counts as.
enum class Verdict : unsigned char { kHit, kFalse, kIgnored };

// The detections of an image matched to its people. In the order of their scores, each takes the
// person it overlaps most among those not yet taken. A detection that finds nobody, but of which
// the share match_overlap lies in an ignored annotation, does not count.
struct ImageMatch {
  std::vector<Verdict> verdicts;  // one per detection
  std::vector<int> found_by;      // one per person: the index of the detection, or -1
};
FOVEA_API ImageMatch match_people(const EvaluatedImage& image, const EvaluateOptions& options = {});

// A point of a curve: what the detections with at least the score `threshold` amount to.
struct CurvePoint {
  float threshold = 0;
  double false_positives = 0;  // per image, or per window
  double miss_rate = 1;        // share of the people, or positive windows, that are not found
  double precision = 1;        // share of the detections that are people
};
FOVEA_API void describe(FieldVisitor& visit, CurvePoint& point);

inline constexpr int kReferencePoints = 9;
// Numbers of false positives per image: 10^-2, 10^-1.75, ..., 10^0.
FOVEA_API std::array<double, kReferencePoints> reference_points();

struct ImageReport {
  std::vector<CurvePoint> curve;  // one point per distinct score, from the highest down
  // The miss rate at each reference point, which is that of the last point of the curve with no
  // more false positives. It is 1 before the curve begins, and stays as it is where the curve has
  // ended.
  std::array<double, kReferencePoints> miss_rates{};
  double log_average_miss_rate = 1;  // geometric mean of miss_rates
  // Standard deviation of the log-average miss rate over bootstrap samples of the images, and its
  // value in each sample. Two detectors that are evaluated on the same images with the same seed
  // have the same samples, so that paired_deviation() can compare them. Samples without people are
  // left out.
  double deviation = 0;
  std::vector<double> drawn;
  double average_precision =
      0;  // area under precision over recall, after precision is made to fall
  std::int64_t images = 0;
  std::int64_t people = 0;                   // without ignored ones
  std::int64_t detections = 0;               // without ignored ones
  std::optional<Reliability> reliability{};  // of their confidence, where all have one
  std::vector<ImageMatch> matches;           // one per image
};
FOVEA_API void describe(FieldVisitor& visit, ImageReport& report);
// Throws InvalidArgument where there are no images or no people, or where a score is NaN.
FOVEA_API ImageReport evaluate_images(std::span<const EvaluatedImage> images,
                                      const EvaluateOptions& options = {});

// Standard deviation of the difference between two log-average miss rates over the bootstrap
// samples that both have; NaN where they have none in common.
FOVEA_API double paired_deviation(const ImageReport& a, const ImageReport& b);

// A classifier measured by the scores of windows with a person and of windows without.
struct WindowReport {
  std::vector<CurvePoint> curve;  // one point per score of a positive, from the highest down
  std::int64_t positives = 0;
  std::int64_t negatives = 0;

  // The lowest miss rate with at most this many false positives per window.
  FOVEA_API double miss_rate_at(double false_positives) const;
  // Standard deviation of a miss rate that is measured on this many positives.
  FOVEA_API double deviation(double miss_rate) const;
};
// A window with the score -infinity was rejected and is found at no threshold. Throws
// InvalidArgument where there are no scores of either sort, or where one is NaN.
FOVEA_API WindowReport evaluate_windows(std::span<const float> positives,
                                        std::span<const float> negatives);

}  // namespace fovea::people
