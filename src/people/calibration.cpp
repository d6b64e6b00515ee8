// The logistic map of scores to confidence, fitted by Newton's method with backtracking (Lin, Lin
// and Weng, A note on Platt's probabilistic outputs, 2007), and how far it is from the truth.
#include <fovea/core/error.h>
#include <fovea/core/record.h>
#include <fovea/people/calibration.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/words.h"

namespace fovea::people {
namespace {

double logistic(double odds) { return 1 / (1 + std::exp(-odds)); }

// log(1 + exp(x)) without overflow.
double soft_plus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// What is fitted: centered scores of deviation 1, and what each is to give.
struct Sample {
  double x, target;
};
struct Line {
  double slope, offset;
  double at(double x) const { return slope * x + offset; }
};

// The negative log likelihood.
double loss(std::span<const Sample> samples, const Line& line) {
  double sum = 0;
  for (const Sample& sample : samples)
    sum += soft_plus(line.at(sample.x)) - sample.target * line.at(sample.x);
  return sum;
}

Line fit(std::span<const Sample> samples, double mean_target) {
  constexpr int kMostSteps = 100;
  constexpr double kRidge = 1e-12, kLeastGradient = 1e-9, kLeastStep = 1e-10;
  Line line{0, std::log(mean_target / (1 - mean_target))};
  double now = loss(samples, line);
  for (int step = 0; step < kMostSteps; ++step) {
    double g1 = 0, g2 = 0, h11 = kRidge, h12 = 0, h22 = kRidge;
    for (const Sample& sample : samples) {
      const double p = logistic(line.at(sample.x)), weight = p * (1 - p);
      g1 += (p - sample.target) * sample.x;
      g2 += p - sample.target;
      h11 += weight * sample.x * sample.x;
      h12 += weight * sample.x;
      h22 += weight;
    }
    if (std::abs(g1) < kLeastGradient && std::abs(g2) < kLeastGradient) break;
    const double determinant = h11 * h22 - h12 * h12;
    const Line way{-(h22 * g1 - h12 * g2) / determinant, -(h11 * g2 - h12 * g1) / determinant};
    const double descent = g1 * way.slope + g2 * way.offset;
    double length = 1;
    for (; length >= kLeastStep; length /= 2) {
      const Line next{line.slope + length * way.slope, line.offset + length * way.offset};
      if (const double then = loss(samples, next); then < now + 1e-4 * length * descent) {
        line = next;
        now = then;
        break;
      }
    }
    if (length < kLeastStep) break;
  }
  return line;
}

}  // namespace

float Calibration::confidence(float score) const {
  return static_cast<float>(logistic(double{slope} * score + offset));
}

float Calibration::least_score(float wanted) const {
  using Limits = std::numeric_limits<float>;
  if (confidence(Limits::lowest()) >= wanted) return -Limits::infinity();
  if (confidence(Limits::max()) < wanted) return Limits::infinity();
  // Floats have the order of their bits, and so have confidences, whatever their rounding is.
  const auto score = [](std::int64_t order) {
    const auto bits = static_cast<std::uint32_t>(order < 0 ? -order : order);
    return order < 0 ? -std::bit_cast<float>(bits) : std::bit_cast<float>(bits);
  };
  const std::int64_t most = std::bit_cast<std::uint32_t>(Limits::max());
  std::int64_t below = -most, enough = most;
  while (enough - below > 1) {
    const std::int64_t middle = below + (enough - below) / 2;
    (confidence(score(middle)) >= wanted ? enough : below) = middle;
  }
  return score(enough);
}

Calibration fit_calibration(std::span<const ScoredDetection> detections) {
  const auto hits =
      static_cast<double>(std::ranges::count(detections, true, &ScoredDetection::hit));
  const auto count = static_cast<double>(detections.size());
  if (hits == 0 || hits == count)
    throw InvalidArgument(fmt::format(
        "fit_calibration: {} of {} are people; confidence needs some that are people and some that "
        "are not",
        hits, fovea::detail::counted(detections.size(), "detection")));
  double mean = 0, squares = 0;
  for (const ScoredDetection& detection : detections) {
    if (!std::isfinite(detection.score))
      throw InvalidArgument(
          fmt::format("fit_calibration: a score is {}; scores must be finite", detection.score));
    mean += detection.score / count;
  }
  for (const ScoredDetection& detection : detections)
    squares += (detection.score - mean) * (detection.score - mean);
  const double deviation = std::sqrt(squares / count);
  const double width = deviation > 0 ? deviation : 1;
  const double hit = (hits + 1) / (hits + 2), other = 1 / (count - hits + 2);
  std::vector<Sample> samples;
  samples.reserve(detections.size());
  for (const ScoredDetection& detection : detections)
    samples.push_back({(detection.score - mean) / width, detection.hit ? hit : other});
  const double mean_target = (hits * hit + (count - hits) * other) / count;
  Line line = fit(samples, mean_target);
  // The loss is convex, so that the best line with a slope of 0 or more is flat where the best of
  // all falls. Equal scores say nothing of a slope.
  if (deviation == 0 || line.slope < 0) line = {0, std::log(mean_target / (1 - mean_target))};
  return {static_cast<float>(line.slope / width),
          static_cast<float>(line.offset - line.slope * mean / width)};
}

Reliability measure_reliability(std::span<const ConfidentDetection> detections) {
  Reliability result;
  const auto bins = result.bins.size();
  for (std::size_t i = 0; i < bins; ++i)
    result.bins[i].least = static_cast<double>(i) / static_cast<double>(bins);
  for (const ConfidentDetection& detection : detections) {
    if (!(detection.confidence >= 0 && detection.confidence <= 1))
      throw InvalidArgument(fmt::format("measure_reliability: a confidence is {}, expected 0 to 1",
                                        detection.confidence));
    const auto place = static_cast<std::size_t>(detection.confidence * static_cast<float>(bins));
    ReliabilityBin& bin = result.bins[std::min(place, bins - 1)];
    ++bin.detections;
    bin.hits += detection.hit ? 1 : 0;
    bin.confidence += detection.confidence;
  }
  for (ReliabilityBin& bin : result.bins) {
    if (bin.detections == 0) continue;
    const auto count = static_cast<double>(bin.detections);
    bin.confidence /= count;
    bin.share = static_cast<double>(bin.hits) / count;
    result.error += count * std::abs(bin.share - bin.confidence);
  }
  if (!detections.empty()) result.error /= static_cast<double>(detections.size());
  return result;
}

void describe(FieldVisitor& visit, Calibration& calibration) {
  visit.record("Calibration", "confidence = 1 / (1 + exp(-(slope * score + offset)))");
  visit("slope", calibration.slope, "0 or more: a higher score never means less confidence");
  visit("offset", calibration.offset, "the log odds at a score of 0");
}

void describe(FieldVisitor& visit, ReliabilityBin& bin) {
  visit.record("ReliabilityBin", "the detections of a tenth of all levels of confidence");
  visit("least", bin.least, "confidence of the bin");
  visit("detections", bin.detections, "in it");
  visit("hits", bin.hits, "those of them that are people");
  visit("confidence", bin.confidence, "mean");
  visit("share", bin.share, "of people among the detections");
}

void describe(FieldVisitor& visit, Reliability& reliability) {
  visit.record("Reliability", "how well confidence agrees with what is true");
  visit("error", reliability.error,
        "expected calibration error: mean difference between share and confidence of ten bins");
  visit("bins", reliability.bins, "of confidence, from 0 to 1");
}

}  // namespace fovea::people
