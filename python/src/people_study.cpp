// fovea.people: how much each option of the descriptor matters.
#include <fovea/people/study.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "define.h"
#include "people_images.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using people::StudyOptions;
using people::StudyReport;

nb::tuple study(const StudyOptions& options, const nb::list& positives, const nb::list& negatives,
                const nb::list& test_positives, const nb::list& test_negatives,
                nb::handle progress) {
  const PeopleImages crops(positives, "positives", PeopleForm::kColor),
      scenes(negatives, "negatives", PeopleForm::kColor),
      test_crops(test_positives, "test_positives", PeopleForm::kStored),
      test_scenes(test_negatives, "test_negatives", PeopleForm::kStored);
  const auto report = run_once(kLong, options.exec, progress, [&](const Exec& exec) {
    return people::study({crops, scenes, test_crops, test_scenes}, with_exec(options, exec));
  });
  return nb::make_tuple(dict_of_record(record_ref(report)), option_values(options),
                        option_words(options));
}

}  // namespace

void bind_people_study(nb::module_& m) {
  m.def("study_fields", &fields_of<StudyReport>);
  define(m, "study", &study);
}

}  // namespace fovea::python
