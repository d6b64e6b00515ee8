// fovea.people: how much each option of the descriptor matters.
#include <fovea/people/study.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "options.h"
#include "people_images.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using people::CurvePoint;
using people::StudyOptions;
using people::StudyReport;
using people::StudyVariant;

constexpr Work kStudyWork{1e12};  // nobody knows its duration before

template <class Number>
nb::object study_column(const StudyVariant& variant, Number CurvePoint::*part) {
  std::vector<Number> all;
  all.reserve(variant.report.curve.size());
  for (const CurvePoint& point : variant.report.curve) all.push_back(point.*part);
  return to_numpy(all);
}

nb::dict variant_of(const StudyVariant& variant) {
  nb::dict result;
  result["parameter"] = variant.parameter;
  result["value"] = variant.label;
  result["miss_rate"] = variant.miss_rate;
  result["standard_deviation"] = variant.deviation;
  result["numbers"] = variant.numbers;
  result["hard_windows"] = variant.hard_windows;
  result["crops"] = variant.report.positives;
  result["windows"] = variant.report.negatives;
  result["false_positives"] = study_column(variant, &CurvePoint::false_positives);
  result["miss_rate_curve"] = study_column(variant, &CurvePoint::miss_rate);
  result["thresholds"] = study_column(variant, &CurvePoint::threshold);
  return result;
}

nb::tuple study(const nb::list& positives, const nb::list& negatives,
                const nb::list& test_positives, const nb::list& test_negatives,
                const nb::dict& keywords, nb::handle progress) {
  StudyOptions options;
  set_keywords(options, keywords, "study");
  options.exec.device = usable_device(options.exec.device);
  const PeopleImages crops(positives, "positives", PeopleForm::kColor),
      scenes(negatives, "negatives", PeopleForm::kColor),
      test_crops(test_positives, "test_positives", PeopleForm::kStored),
      test_scenes(test_negatives, "test_negatives", PeopleForm::kStored);
  const StudyOptions asked = options;
  Calls calls;
  options.exec = calls.watched(options.exec);
  const StudyReport report = calls.run(kStudyWork, progress, [&] {
    return people::study({crops, scenes, test_crops, test_scenes}, options);
  });
  nb::list variants;
  variants.append(variant_of(report.base));
  for (const StudyVariant& variant : report.variants) variants.append(variant_of(variant));
  nb::dict numbers;
  numbers["false_positives_per_window"] = report.false_rate;
  numbers["positives"] = report.positives;
  numbers["random_windows"] = report.random_windows;
  return nb::make_tuple(numbers, variants, option_values(asked), option_words(asked));
}

}  // namespace

void bind_people_study(nb::module_& m) {
  m.def("study", &study, nb::arg("positives"), nb::arg("negatives"), nb::arg("test_positives"),
        nb::arg("test_negatives"), nb::arg("options"), nb::arg("progress").none());
  m.def("study_options", &option_table<StudyOptions>);
}

}  // namespace fovea::python
