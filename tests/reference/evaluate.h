// Miss rates as defined: for every threshold the images are matched anew.
#pragma once
#include <fovea/people/evaluate.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace fovea::people::reference {

struct Rates {
  double false_positives = 0;
  double miss_rate = 1;
};

inline Rect<float> squarified(const Rect<float>& box, double aspect) {
  const double width = aspect * box.height;
  return {static_cast<float>(box.x + box.width / 2 - width / 2), box.y, static_cast<float>(width),
          box.height};
}

inline Rates rates_from(const std::vector<EvaluatedImage>& images, float threshold,
                        double aspect = 0.41) {
  int hits = 0, wrong = 0, people = 0;
  for (const EvaluatedImage& image : images) {
    std::vector<Detection> found;
    for (const Detection& detection : image.found)
      if (detection.score >= threshold) found.push_back(detection);
    std::stable_sort(found.begin(), found.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    std::vector<Annotation> left;
    for (const Annotation& person : image.people) {
      if (!person.ignore) ++people;
      left.push_back(person);
      if (!person.ignore) left.back().box = squarified(person.box, aspect);
    }
    for (const Detection& detection : found) {
      const Rect<float> box = squarified(detection.box, aspect);
      auto best = left.end();
      double most = 0.5;
      bool ignored = false;
      for (auto person = left.begin(); person != left.end(); ++person) {
        const double common = intersection_area(box, person->box);
        if (person->ignore) {
          ignored = ignored || common / box.area() >= 0.5;
          continue;
        }
        const double overlap = common / (box.area() + person->box.area() - common);
        if (overlap < most || (overlap == most && best != left.end())) continue;
        most = overlap;
        best = person;
      }
      if (best != left.end()) {
        ++hits;
        left.erase(best);
      } else if (!ignored) {
        ++wrong;
      }
    }
  }
  return {static_cast<double>(wrong) / static_cast<double>(images.size()),
          1 - static_cast<double>(hits) / people};
}

inline double log_average_miss_rate(const std::vector<EvaluatedImage>& images,
                                    double aspect = 0.41) {
  std::set<float> thresholds;
  for (const EvaluatedImage& image : images)
    for (const Detection& detection : image.found) thresholds.insert(detection.score);
  double logarithms = 0;
  for (int i = 0; i < 9; ++i) {
    double miss_rate = 1;
    for (const float threshold : thresholds) {
      const Rates rates = rates_from(images, threshold, aspect);
      if (rates.false_positives <= std::pow(10, -2 + i / 4.0))
        miss_rate = std::min(miss_rate, rates.miss_rate);
    }
    logarithms += std::log(std::max(miss_rate, 1e-10));
  }
  return std::exp(logarithms / 9);
}

}  // namespace fovea::people::reference
