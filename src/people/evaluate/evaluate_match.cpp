// Matches the detections of one image to its people by the rules of the Caltech benchmark.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/people/evaluate.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fovea::people {
namespace {

// A box with the same center and height and another width.
Rect<float> with_aspect(const Rect<float>& box, double aspect) {
  if (aspect <= 0) return box;
  const auto width = static_cast<float>(box.height * aspect);
  return {box.x + 0.5F * (box.width - width), box.y, width, box.height};
}

double over_union(const Rect<float>& a, const Rect<float>& b) {
  const double common = intersection_area(a, b);
  const double whole = double{a.area()} + b.area() - common;
  return whole > 0 ? common / whole : 0;
}

double over_first(const Rect<float>& a, const Rect<float>& b) {
  return a.area() > 0 ? double{intersection_area(a, b)} / a.area() : 0;
}

std::vector<int> best_first(const std::vector<Detection>& found) {
  for (const Detection& detection : found) {
    if (std::isnan(detection.score))
      throw InvalidArgument("match_people: a detection has the score nan; scores must be numbers");
  }
  std::vector<int> order(found.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return found[static_cast<std::size_t>(a)].score > found[static_cast<std::size_t>(b)].score;
  });
  return order;
}

}  // namespace

ImageMatch match_people(const EvaluatedImage& image, const EvaluateOptions& options) {
  ImageMatch match;
  match.verdicts.assign(image.found.size(), Verdict::kFalse);
  match.found_by.assign(image.people.size(), -1);
  for (const int index : best_first(image.found)) {
    const auto at = static_cast<std::size_t>(index);
    const Rect<float> box = with_aspect(image.found[at].box, options.match_aspect);
    double best = options.match_overlap;
    std::size_t taken = image.people.size();
    bool ignored = false;
    for (std::size_t i = 0; i < image.people.size(); ++i) {
      const Annotation& person = image.people[i];
      if (person.ignore) {
        // An ignored region keeps its shape, because it need not be a single person.
        ignored = ignored || over_first(box, person.box) >= options.match_overlap;
        continue;
      }
      if (match.found_by[i] >= 0) continue;
      const double overlap = over_union(box, with_aspect(person.box, options.match_aspect));
      if (overlap < best || (overlap == best && taken < image.people.size())) continue;
      best = overlap;
      taken = i;
    }
    if (taken < image.people.size()) {
      match.verdicts[at] = Verdict::kHit;
      match.found_by[taken] = index;
    } else if (ignored) {
      match.verdicts[at] = Verdict::kIgnored;
    }
  }
  return match;
}

}  // namespace fovea::people
