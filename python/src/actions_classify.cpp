// fovea.actions.Classifier: classes of whole clips.
#include <fovea/actions/classify.h>
#include <fovea/actions/explain.h>
#include <fovea/core/error.h>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "actions_points.h"
#include "define.h"
#include "explain.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using actions::ClassifyOptions;
using actions::ClipClass;
using actions::Model;

class ClipClassifier {
  template <class Function>
  auto call(nb::handle clip, int first, int frames, Function function) {
    const auto on = [&](const auto& given) {
      return face_.call(kLongWork, nb::none(), [&](actions::Classifier& classifier) {
        return function(classifier, given);
      });
    };
    if (PyUnicode_Check(clip.ptr()))
      return on(actions::Clip{
          .path = text_of(clip), .subject = {}, .scenario = {}, .first = first, .frames = frames});
    const actions::PointSet points = set_of(nb::cast<nb::dict>(clip));
    require_comparable(points, model_->points);
    return on(points);
  }

 public:
  ClipClassifier(std::shared_ptr<const Model> model, const nb::dict& keywords)
      : model_(std::move(model)),
        options_(options_of<ClassifyOptions>(keywords, "Classifier")),
        face_(options_.exec, [this](const Exec& exec) {
          return actions::Classifier(model_, with_exec(options_, exec));
        }) {
    face_.call(kLongWork, nb::none(), [](actions::Classifier&) { return true; });
  }

  // A clip is its points, or the path of a file with the first frame, from 0, and their number;
  // with 0 the clip goes on to the end.
  nb::dict classify(nb::handle clip, int first, int frames) {
    const ClipClass found = call(clip, first, frames, [](auto& classifier, auto& given) {
      return classifier.classify(given);
    });
    return dict_of_record(record_ref(found));
  }
  nb::tuple explain(nb::handle clip, int first, int frames) {
    return explanation_of(
        call(clip, first, frames,
             [](auto& classifier, auto& given) { return classifier.explain(given); }),
        {"classes", "features", "fusion"});
  }

  const ClassifyOptions& options() const { return options_; }

 private:
  std::shared_ptr<const Model> model_;
  ClassifyOptions options_;
  LazyFace<actions::Classifier> face_;
};

}  // namespace

void bind_actions_classification(nb::module_& m) {
  define_face<ClipClassifier>(m, "Classifier")
      .def(nb::init<std::shared_ptr<const Model>, const nb::dict&>())
      .def("classify", &ClipClassifier::classify)
      .def("explain", &ClipClassifier::explain);
  m.def("classify_options", &option_table<ClassifyOptions>);
}

}  // namespace fovea::python
