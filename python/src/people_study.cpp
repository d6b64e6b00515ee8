// fovea.people: how much each option of the descriptor matters.
#include <fovea/people/study.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "options.h"
#include "people_images.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using people::StudyOptions;
using people::StudyReport;

nb::tuple study(const nb::list& positives, const nb::list& negatives,
                const nb::list& test_positives, const nb::list& test_negatives,
                const nb::dict& keywords, nb::handle progress) {
  auto options = options_of<StudyOptions>(keywords, "study");
  const PeopleImages crops(positives, "positives", PeopleForm::kColor),
      scenes(negatives, "negatives", PeopleForm::kColor),
      test_crops(test_positives, "test_positives", PeopleForm::kStored),
      test_scenes(test_negatives, "test_negatives", PeopleForm::kStored);
  const StudyOptions asked = options;
  Calls calls;
  options.exec = calls.watched(options.exec);
  const StudyReport report = calls.run(kLong, progress, [&] {
    return people::study({crops, scenes, test_crops, test_scenes}, options);
  });
  return nb::make_tuple(dict_of_record(record_ref(report)), option_values(asked),
                        option_words(asked));
}

}  // namespace

void bind_people_study(nb::module_& m) {
  m.def("study", &study, nb::arg("positives"), nb::arg("negatives"), nb::arg("test_positives"),
        nb::arg("test_negatives"), nb::arg("options"), nb::arg("progress").none());
  m.def("study_fields", &fields_of<StudyReport>);
  m.def("study_options", &option_table<StudyOptions>);
}

}  // namespace fovea::python
