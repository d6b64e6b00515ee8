// Curves of miss rate over false positives per image. All detections are sorted once; a curve, and
// each bootstrap sample, is one pass over them in which images count as often as they were drawn.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/people/evaluate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/words.h"

namespace fovea::people {
namespace {

// A detection that counts.
struct Scored {
  float score;
  std::uint32_t image;
  bool hit;
};

struct Sorted {
  std::vector<Scored> detections;    // the best first
  std::vector<std::int64_t> people;  // number of people in each image
};

Sorted sorted(std::span<const EvaluatedImage> images, std::span<const ImageMatch> matches) {
  Sorted result;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto& people = images[i].people;
    result.people.push_back(std::count_if(people.begin(), people.end(),
                                          [](const Annotation& one) { return !one.ignore; }));
    for (std::size_t j = 0; j < images[i].found.size(); ++j) {
      const Verdict verdict = matches[i].verdicts[j];
      if (verdict == Verdict::kIgnored) continue;
      result.detections.push_back(
          {images[i].found[j].score, static_cast<std::uint32_t>(i), verdict == Verdict::kHit});
    }
  }
  std::stable_sort(result.detections.begin(), result.detections.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return result;
}

// Nothing where a detection that counts has no confidence.
std::optional<Reliability> reliability_of(std::span<const EvaluatedImage> images,
                                          std::span<const ImageMatch> matches) {
  std::vector<ConfidentDetection> all;
  for (std::size_t i = 0; i < images.size(); ++i)
    for (std::size_t j = 0; j < images[i].found.size(); ++j) {
      const Verdict verdict = matches[i].verdicts[j];
      if (verdict == Verdict::kIgnored) continue;
      const std::optional<float> confidence = images[i].found[j].confidence;
      if (!confidence) return {};
      all.push_back({*confidence, verdict == Verdict::kHit});
    }
  if (all.empty()) return {};
  return measure_reliability(all);
}

// Calls point(threshold, hits, false positives) after each distinct score; `times` is how often
// each image counts.
template <class Point>
void walk(const Sorted& all, std::span<const std::uint32_t> times, Point point) {
  std::int64_t hits = 0, wrong = 0;
  for (std::size_t i = 0; i < all.detections.size(); ++i) {
    const Scored& one = all.detections[i];
    (one.hit ? hits : wrong) += times[one.image];
    if (i + 1 == all.detections.size() || all.detections[i + 1].score != one.score)
      point(one.score, hits, wrong);
  }
}

std::int64_t people_of(const Sorted& all, std::span<const std::uint32_t> times) {
  std::int64_t people = 0;
  for (std::size_t i = 0; i < all.people.size(); ++i) people += all.people[i] * times[i];
  return people;
}

std::array<double, kReferencePoints> miss_rates(const Sorted& all,
                                                std::span<const std::uint32_t> times,
                                                std::int64_t people) {
  const auto references = reference_points();
  const auto images = static_cast<double>(all.people.size());
  std::array<double, kReferencePoints> rates{};
  rates.fill(1);
  std::size_t first = 0;  // the first reference point that the curve has not passed yet
  walk(all, times, [&](float, std::int64_t hits, std::int64_t wrong) {
    const double rate = 1 - static_cast<double>(hits) / static_cast<double>(people);
    while (first < rates.size() && static_cast<double>(wrong) / images > references[first]) ++first;
    std::fill(rates.begin() + static_cast<std::ptrdiff_t>(first), rates.end(), rate);
  });
  return rates;
}

double log_average(std::span<const double> rates) {
  // A miss rate of 0 has no logarithm; Caltech's code limits it in the same way.
  constexpr double kLeast = 1e-10;
  double sum = 0;
  for (const double rate : rates) sum += std::log(std::max(rate, kLeast));
  return std::exp(sum / static_cast<double>(rates.size()));
}

std::vector<double> bootstrap(const Sorted& all, const EvaluateOptions& options) {
  const auto images = static_cast<std::uint32_t>(all.people.size());
  std::vector<double> drawn;
  std::vector<std::uint32_t> times(images);
  for (int draw = 0; draw < options.draws; ++draw) {
    Random random(options.exec.seed, static_cast<std::uint64_t>(draw));
    std::fill(times.begin(), times.end(), 0);
    for (std::uint32_t i = 0; i < images; ++i) ++times[random.below(images)];
    const std::int64_t people = people_of(all, times);
    if (people > 0) drawn.push_back(log_average(miss_rates(all, times, people)));
  }
  return drawn;
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1));
}

// The precision at a recall is the best one at that recall or a higher one.
double average_precision(std::span<const CurvePoint> curve) {
  double area = 0, best = 0;
  for (std::size_t i = curve.size(); i-- > 0;) {
    best = std::max(best, curve[i].precision);
    const double before = i > 0 ? curve[i - 1].miss_rate : 1;
    area += (before - curve[i].miss_rate) * best;
  }
  return area;
}

}  // namespace

void describe(OptionVisitor& visit, EvaluateOptions& options) {
  visit("match-overlap", options.match_overlap,
        "a detection has found a person from this intersection over union on", 0.01, 1);
  visit("match-aspect", options.match_aspect,
        "width of all boxes as a share of their height, set before boxes are compared; 0 compares "
        "them as they are",
        0, 100);
  visit("draws", options.draws,
        "number of bootstrap samples of the images, from which the standard deviation comes", 0,
        100000);
}

std::array<double, kReferencePoints> reference_points() {
  std::array<double, kReferencePoints> points{};
  for (int i = 0; i < kReferencePoints; ++i)
    points[static_cast<std::size_t>(i)] = std::pow(10.0, -2 + 0.25 * i);
  return points;
}

ImageReport evaluate_images(std::span<const EvaluatedImage> images,
                            const EvaluateOptions& options) {
  check_options(options);
  if (images.empty()) throw InvalidArgument("evaluate_images: there are no images");
  ImageReport result;
  for (const EvaluatedImage& image : images) result.matches.push_back(match_people(image, options));
  const Sorted all = sorted(images, result.matches);
  const std::vector<std::uint32_t> once(images.size(), 1);
  result.images = static_cast<std::int64_t>(images.size());
  result.people = people_of(all, once);
  result.detections = static_cast<std::int64_t>(all.detections.size());
  if (result.people == 0)
    throw InvalidArgument(
        fmt::format("evaluate_images: nobody is marked in {}; a miss rate needs people",
                    fovea::detail::counted(images.size(), "image")));
  walk(all, once, [&](float threshold, std::int64_t hits, std::int64_t wrong) {
    result.curve.push_back({threshold,
                            static_cast<double>(wrong) / static_cast<double>(result.images),
                            1 - static_cast<double>(hits) / static_cast<double>(result.people),
                            static_cast<double>(hits) / static_cast<double>(hits + wrong)});
  });
  result.miss_rates = miss_rates(all, once, result.people);
  result.log_average_miss_rate = log_average(result.miss_rates);
  result.drawn = bootstrap(all, options);
  result.deviation = standard_deviation(result.drawn);
  result.average_precision = average_precision(result.curve);
  result.reliability = reliability_of(images, result.matches);
  return result;
}

double paired_deviation(const ImageReport& a, const ImageReport& b) {
  if (a.drawn.size() != b.drawn.size() || a.drawn.size() < 2)
    return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> differences(a.drawn.size());
  std::transform(a.drawn.begin(), a.drawn.end(), b.drawn.begin(), differences.begin(),
                 [](double left, double right) { return left - right; });
  return standard_deviation(differences);
}

}  // namespace fovea::people
