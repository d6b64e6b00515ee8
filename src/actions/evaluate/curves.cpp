// Accuracy against the window and against the number of training subjects.
#include <fovea/actions/curves.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fovea::actions {
namespace {

int training_subjects(const Corpus& corpus, const Fold& fold) {
  std::set<std::string> names;
  for (const std::int32_t clip : fold.train)
    names.insert(corpus.clips[static_cast<std::size_t>(clip)].subject);
  return static_cast<int>(names.size());
}

}  // namespace

void describe(OptionVisitor& visit, CurveOptions& options) {
  visit("windows", options.windows, "also evaluate these windows T, such as 5,10,20,40", 0, 1e6);
  visit("draws", options.draws,
        "also evaluate fewer training subjects, with this number of random draws; 0 does not", 0,
        1000);
}

std::vector<CurvePoint> window_curve(const Corpus& corpus, const PackedClips& points,
                                     std::span<const Fold> folds, std::span<const int> windows,
                                     const TrainOptions& options, const Exec& exec) {
  std::vector<CurvePoint> curve;
  curve.reserve(windows.size());
  for (const int window : windows) {
    TrainOptions other = options;
    other.match.window = window;
    other.late_fusion = false;
    const std::vector<Recipe> one{{fmt::format("T {}", window), other}};
    const MethodReport report =
        evaluate(corpus, points, folds, one, {.baselines = false, .exec = exec}).recipes[0];
    curve.push_back({window, report.correct, report.tested, report.seconds});
  }
  return curve;
}

std::vector<CurvePoint> subject_curve(const Corpus& corpus, const PackedClips& points,
                                      std::span<const Fold> folds, int draws,
                                      const TrainOptions& options, const Exec& exec) {
  if (draws < 1)
    throw InvalidArgument(fmt::format("{} draws of training subjects; expected 1 or more", draws));
  if (folds.empty()) throw InvalidArgument("there are no folds; expected one or more");
  int most = training_subjects(corpus, folds[0]);
  for (const Fold& fold : folds) most = std::min(most, training_subjects(corpus, fold));
  std::vector<Fold> all;
  std::vector<CurvePoint> curve;
  std::vector<std::size_t> point_of;
  for (int subjects = 1; subjects <= most; subjects = subjects == 1 ? 2 : subjects + 2) {
    curve.push_back({.at = subjects});
    for (int draw = 0; draw < draws; ++draw)
      for (Fold& fold :
           fewer_subjects(corpus, folds, subjects, exec.seed + static_cast<std::uint64_t>(draw))) {
        curve.back().tested += static_cast<int>(fold.test.size());
        all.push_back(std::move(fold));
        point_of.push_back(curve.size() - 1);
      }
  }
  std::vector<Recipe> one{{"given", options}};
  one[0].options.late_fusion = false;
  const EvaluateReport report =
      evaluate(corpus, points, all, one, {.baselines = false, .exec = exec});
  for (std::size_t i = 0; i < all.size(); ++i)
    curve[point_of[i]].correct += report.recipes[0].correct_by_fold[i];
  return curve;
}

}  // namespace fovea::actions
