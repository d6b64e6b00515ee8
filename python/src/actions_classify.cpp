// fovea.actions.Classifier: classes of whole clips.
#include <fovea/actions/classify.h>
#include <fovea/core/error.h>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "actions_explain.h"
#include "actions_points.h"
#include "options.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using actions::ClassifyOptions;
using actions::ClipClass;
using actions::Model;

ClassifyOptions classify_options(const nb::dict& keywords) {
  ClassifyOptions options;
  set_keywords(options, keywords, "Classifier");
  options.exec.device = usable_device(options.exec.device);
  return options;
}

nb::dict values_of(const ClipClass& found) { return dict_of_record(record_ref(found)); }

class ClipClassifier {
 public:
  ClipClassifier(std::shared_ptr<const Model> model, const nb::dict& keywords)
      : model_(std::move(model)),
        options_(classify_options(keywords)),
        face_(options_.exec, [this](const Exec& exec) {
          ClassifyOptions options = options_;
          options.exec = exec;
          return actions::Classifier(model_, options);
        }) {
    face_.call(kLongWork, nb::none(), [](actions::Classifier&) { return true; });
  }

  nb::dict of_points(const nb::dict& columns) {
    const actions::PointSet points = set_of(columns);
    require_comparable(points, model_->points);
    return values_of(face_.call(kLongWork, nb::none(), [&](actions::Classifier& classifier) {
      return classifier.classify(points);
    }));
  }

  // `first` counts from 0; with `frames` 0 the clip goes on to the end.
  nb::dict of_file(const std::string& path, int first, int frames) {
    const actions::Clip clip{
        .path = path, .subject = {}, .scenario = {}, .first = first, .frames = frames};
    return values_of(face_.call(kLongWork, nb::none(), [&](actions::Classifier& classifier) {
      return classifier.classify(clip);
    }));
  }

  nb::tuple explain_points(const nb::dict& columns) {
    const actions::PointSet points = set_of(columns);
    require_comparable(points, model_->points);
    return explanation_of(face_.call(kLongWork, nb::none(), [&](actions::Classifier& classifier) {
      return classifier.explain(points);
    }));
  }
  nb::tuple explain_file(const std::string& path, int first, int frames) {
    const actions::Clip clip{
        .path = path, .subject = {}, .scenario = {}, .first = first, .frames = frames};
    return explanation_of(face_.call(kLongWork, nb::none(), [&](actions::Classifier& classifier) {
      return classifier.explain(clip);
    }));
  }

  const ClassifyOptions& options() const { return options_; }

 private:
  std::shared_ptr<const Model> model_;
  ClassifyOptions options_;
  Kept<actions::Classifier> face_;
};

}  // namespace

void bind_actions_classification(nb::module_& m) {
  nb::class_<ClipClassifier>(m, "Classifier")
      .def(nb::init<std::shared_ptr<const Model>, const nb::dict&>())
      .def("of_points", &ClipClassifier::of_points)
      .def("of_file", &ClipClassifier::of_file)
      .def("explain_points", &ClipClassifier::explain_points)
      .def("explain_file", &ClipClassifier::explain_file)
      .def_prop_ro("options", [](const ClipClassifier& c) { return option_values(c.options()); })
      .def_prop_ro("words", [](const ClipClassifier& c) { return option_words(c.options()); });
  m.def("classify_options", &option_table<ClassifyOptions>);
  m.def("classify_fields", &fields_of<ClipClass>);
}

}  // namespace fovea::python
