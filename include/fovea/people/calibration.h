#pragma once
#include <fovea/core/api.h>
#include <fovea/core/record_fwd.h>

#include <array>
#include <cstdint>
#include <span>

namespace fovea::people {

// Turns scores into confidence: the share of the detections with a score that are people. It is a
// logistic function, which is fitted to detections in images that the model did not learn from
// (Platt, Advances in Large Margin Classifiers, 1999).
struct Calibration {
  float slope = 0;   // 0 or more: a higher score never means less confidence
  float offset = 0;  // the log odds at a score of 0

  // 1 / (1 + exp(-(slope * score + offset))), from 0 to 1. The score must not be NaN.
  FOVEA_API float confidence(float score) const;
  // The least score with at least this confidence; infinite where no score has it.
  FOVEA_API float least_score(float confidence) const;

  friend bool operator==(const Calibration&, const Calibration&) = default;
};
FOVEA_API void describe(FieldVisitor& visit, Calibration& calibration);

// A detection of which is known whether it is a person.
struct ScoredDetection {
  float score = 0;
  bool hit = false;
};

// The logistic function of the greatest likelihood with a slope of 0 or more. As Platt has it, hits
// and others count as (hits + 1) / (hits + 2) and 1 / (others + 2) instead of 1 and 0, so that
// scores that separate them have a finite slope. Throws InvalidArgument unless there are both, and
// where a score is not finite.
FOVEA_API Calibration fit_calibration(std::span<const ScoredDetection> detections);

// The detections whose confidence lies in one of ten equal parts of 0 to 1.
struct ReliabilityBin {
  double least = 0;  // confidence; the next bin begins with its own
  std::int64_t detections = 0;
  std::int64_t hits = 0;
  double confidence = 0;  // mean; 0 where there are no detections
  double share = 0;       // of hits among the detections; 0 where there are none
};
FOVEA_API void describe(FieldVisitor& visit, ReliabilityBin& bin);

// How well confidence agrees with what is true.
struct Reliability {
  // The expected calibration error: the mean difference between share and confidence of the bins,
  // each of which counts by its detections.
  double error = 0;
  std::array<ReliabilityBin, 10> bins{};
};
FOVEA_API void describe(FieldVisitor& visit, Reliability& reliability);

// A confidence from 0 to 1, and whether the detection is a person.
struct ConfidentDetection {
  float confidence = 0;
  bool hit = false;
};
// Throws InvalidArgument where a confidence is not from 0 to 1.
FOVEA_API Reliability measure_reliability(std::span<const ConfidentDetection> detections);

}  // namespace fovea::people
