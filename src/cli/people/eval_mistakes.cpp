// What fovea view shows of an evaluation of people: the curves with their thresholds, and the worst
// mistakes with the boxes of their images.
#include <fovea/people/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/people/eval.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostOfAKind =
    100;  // of each kind, per model; more where the page shows more

std::string lead(const std::vector<EvalResult>& results, const EvalRequest& request, bool windows) {
  const EvalResult& first = results.front();
  if (windows)
    return fmt::format(
        "The models were measured on {} crops of people and {} windows of images without people.",
        first.windows.positives, first.windows.negatives);
  const std::string shape =
      request.measure.evaluate.match_aspect > 0
          ? fmt::format("after boxes are set to a width of {} of their height",
                        request.measure.evaluate.match_aspect)
          : "with boxes as they are";
  return fmt::format(
      "The models searched for {} people in {} images. A person counts as found where a detection "
      "overlaps it by {} of their union, {}.",
      first.images.people, first.images.images, request.measure.evaluate.match_overlap, shape);
}

Rect<double> wide(const Rect<float>& box) { return {box.x, box.y, box.width, box.height}; }

// Where a detector was wrong, and how badly.
struct PeopleMistake {
  std::size_t image = 0;
  Rect<float> box{};
  std::optional<float> score{};  // of the detection; nothing where a person was found at no score
};

// Detections where nobody stands, those with the highest scores first.
std::vector<PeopleMistake> false_positives(const EvalResult& result) {
  std::vector<PeopleMistake> mistakes;
  for (std::size_t i = 0; i < result.found.size(); ++i) {
    const auto& found = result.found[i].found;
    for (std::size_t j = 0; j < found.size(); ++j)
      if (result.images.matches[i].verdicts[j] == people::Verdict::kFalse)
        mistakes.push_back({i, found[j].box, found[j].score});
  }
  std::ranges::stable_sort(mistakes, std::greater{},
                           [](const PeopleMistake& mistake) { return *mistake.score; });
  return mistakes;
}

// People who are missed at some score. The worst are those who were not found at any score, the
// tallest first; then come those with the lowest scores.
std::vector<PeopleMistake> missed_people(const EvalResult& result) {
  std::vector<PeopleMistake> mistakes;
  for (std::size_t i = 0; i < result.found.size(); ++i) {
    const auto& people = result.found[i].people;
    for (std::size_t j = 0; j < people.size(); ++j) {
      if (people[j].ignore) continue;
      PeopleMistake mistake{i, people[j].box, {}};
      if (const int by = result.images.matches[i].found_by[j]; by >= 0)
        mistake.score = result.found[i].found[static_cast<std::size_t>(by)].score;
      mistakes.push_back(mistake);
    }
  }
  std::ranges::stable_sort(mistakes, [](const PeopleMistake& a, const PeopleMistake& b) {
    if (a.score && b.score) return *a.score < *b.score;
    if (!a.score && !b.score) return a.box.height > b.box.height;
    return !a.score;
  });
  return mistakes;
}

// Adds mistakes of all models, and the images that they are in, each with the boxes of all models.
class MistakeList {
 public:
  MistakeList(report::Evaluation& evaluation, const std::vector<EvalResult>& results,
              const EvalImages& images, int sheet)
      : evaluation_(evaluation),
        results_(results),
        images_(images),
        most_(std::max(kMostOfAKind, static_cast<std::size_t>(sheet))) {}

  void add(std::size_t curve) {
    const EvalResult& result = results_[curve];
    for (const PeopleMistake& mistake : first(false_positives(result)))
      put({.kind = "False positives",
           .text = fmt::format("score {:.2f}", *mistake.score),
           .curve = curve,
           .up_to = *mistake.score},
          mistake);
    for (const PeopleMistake& mistake : first(missed_people(result))) {
      report::Mistake missed{
          .kind = "Missed people",
          .text = fmt::format("not found at any score, {:.0f} pixels tall", mistake.box.height),
          .curve = curve};
      if (mistake.score) {
        missed.text = fmt::format("found with a score of {:.2f} only", *mistake.score);
        missed.above = *mistake.score;
      }
      put(std::move(missed), mistake);
    }
  }

 private:
  std::vector<PeopleMistake> first(std::vector<PeopleMistake> mistakes) const {
    if (mistakes.size() > most_) mistakes.resize(most_);
    return mistakes;
  }

  void put(report::Mistake mistake, const PeopleMistake& at) {
    mistake.input = inputs_.at(evaluation_, at.image, [&] { return input_of(at.image); });
    mistake.box = wide(at.box);
    evaluation_.mistakes.push_back(std::move(mistake));
  }

  report::EvaluatedInput input_of(std::size_t image) const {
    report::EvaluatedInput input{.files = {images_.paths[image]}};
    for (const people::Annotation& person : results_.front().found[image].people)
      if (!person.ignore) input.boxes.push_back({.box = wide(person.box)});
    for (std::size_t curve = 0; curve < results_.size(); ++curve)
      for (const people::Detection& person : results_[curve].found[image].found)
        input.boxes.push_back({wide(person.box), person.score, curve});
    return input;
  }

  report::Evaluation& evaluation_;
  const std::vector<EvalResult>& results_;
  const EvalImages& images_;
  std::size_t most_;
  report::InputPlaces<std::size_t> inputs_{};  // by image
};

}  // namespace

std::string miss_rate_text(const EvalResult& result, bool windows) {
  if (windows) {
    const double rate = result.windows.miss_rate_at(1e-4);
    return fmt::format("miss rate {:.2f} % (deviation {:.2f}) at 1e-4 false positives per window",
                       100 * rate, 100 * result.windows.deviation(rate));
  }
  const people::ImageReport& measured = result.images;
  std::string text =
      fmt::format("log-average miss rate {:.1f} % (deviation {:.1f}), average precision {:.1f} %",
                  100 * measured.log_average_miss_rate, 100 * measured.deviation,
                  100 * measured.average_precision);
  if (measured.reliability)
    text += fmt::format(", calibration error {:.1f} %", 100 * measured.reliability->error);
  return text;
}

report::Evaluation people_evaluation(const EvalRequest& request,
                                     const std::vector<EvalResult>& results,
                                     const EvalImages* images) {
  const bool windows = images == nullptr;
  report::Evaluation evaluation{.system = "people",
                                .title = "How well people are found",
                                .summary = lead(results, request, windows)};
  for (const EvalResult& result : results)
    evaluation.facts.emplace_back(result.model.label, miss_rate_text(result, windows));
  report::EvaluationChart chart =
      people::miss_rate_chart(windows ? people::CurveUnit::kWindow : people::CurveUnit::kImage);
  chart.caption = fmt::format("Lower is better; the number is the {}.",
                              windows ? "miss rate at 1e-4" : "log-average miss rate");
  for (const EvalResult& result : results)
    people::add_miss_rates(
        chart, result.model.label, result.model.model->threshold,
        windows ? result.windows.curve : result.images.curve,
        windows ? result.windows.miss_rate_at(1e-4) : result.images.log_average_miss_rate);
  evaluation.charts.push_back(std::move(chart));
  evaluation.tables = people_tables(results, windows);
  if (windows) return evaluation;
  MistakeList list(evaluation, results, *images, request.sheet);
  for (std::size_t curve = 0; curve < results.size(); ++curve) list.add(curve);
  return evaluation;
}

}  // namespace fovea::cli
