// fovea.people: detectors and their models.
#include <fovea/core/error.h>
#include <fovea/people/detector.h>
#include <fovea/people/explain.h>
#include <fovea/people/show.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "arrays.h"
#include "define.h"
#include "explain.h"
#include "operations.h"
#include "systems.h"

namespace fovea::python {
namespace {

using people::DetectOptions;
using people::Model;

// Windows that a search evaluates cost about this many operations per pixel of the image.
constexpr double kOperationsPerPixel = 2000;

class Detector {
 public:
  Detector(std::shared_ptr<const Model> model, const nb::dict& keywords)
      : model_(std::move(model)),
        options_(options_of<DetectOptions>(keywords, "Detector")),
        detector_(options_.exec, [this](const Exec& exec) {
          return people::Detector(model_, with_exec(options_, exec));
        }) {}

  double score(nb::handle crop) {
    const ImageInput pixels = byte_image(crop, "crop", detector_.stream());
    const auto view = pixels.of<std::uint8_t>();
    return detector_.call(work_of(view), nb::none(),
                          [&](people::Detector& detector) { return detector.score(view); });
  }

  nb::object scores(nb::handle image) {
    const ImageInput pixels = byte_image(image, "image", detector_.stream());
    const auto view = pixels.of<std::uint8_t>();
    return to_numpy(detector_.call(work_of(view), nb::none(), [&](people::Detector& detector) {
      return detector.scores(view);
    }));
  }

  // A place is x and y; a window is left, top, width and height.
  nb::tuple explain(nb::handle image, const std::vector<double>& place) {
    const ImageInput pixels = byte_image(image);
    const auto view = pixels.of<std::uint8_t>();
    people::WindowExplanation why =
        detector_.call(work_of(view), nb::none(), [&](people::Detector& detector) {
          if (place.size() == 2) return people::explain(detector, view, place[0], place[1]);
          return people::explain(
              detector, view,
              Rect<float>{static_cast<float>(place.at(0)), static_cast<float>(place.at(1)),
                          static_cast<float>(place.at(2)), static_cast<float>(place.at(3))});
        });
    return explanation_of(std::move(why), {"levels"});
  }

  void stop() { detector_.stop(); }
  const DetectOptions& options() const { return options_; }
  std::shared_ptr<const Model> model() const { return model_; }

 private:
  Work work_of(ImageView<const std::uint8_t> image) const {
    const double enlarged = options_.scan.enlarge * options_.scan.enlarge;
    return {kOperationsPerPixel * enlarged * image.width * image.height};
  }

  std::shared_ptr<const Model> model_;
  DetectOptions options_;
  LazyFace<people::Detector> detector_;
};

nb::list pictures(const Model& model) {
  nb::list list;
  for (people::ModelPicture& picture : people::model_pictures(model))
    list.append(nb::make_tuple(picture.caption, picture_to_numpy(std::move(picture.image))));
  return list;
}

}  // namespace

void bind_people(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("people");
  define_model<Model>(m, &people::load_model)
      .def_prop_ro("kind", [](const Model& model) { return people::to_string(model.kind); })
      .def_ro("threshold", &Model::threshold)
      .def_ro("stride", &Model::stride)
      .def_prop_ro("calibration",
                   [](const Model& model) {
                     return model.calibration ? std::optional(std::pair(model.calibration->slope,
                                                                        model.calibration->offset))
                                              : std::nullopt;
                   })
      .def_prop_ro("window",
                   [](const Model& model) {
                     const Extent window = model.window();
                     return std::pair(window.width, window.height);
                   })
      .def("pictures", &pictures);
  accept_model<Model>();
  m.def("least_score", [](const Model& model, const nb::dict& keywords) {
    return people::least_score(model, options_of<DetectOptions>(keywords, "Detector"));
  });
  define_face<Detector>(m, "Detector")
      .def(nb::init<std::shared_ptr<const Model>, const nb::dict&>())
      .def("score", &Detector::score)
      .def("scores", &Detector::scores)
      .def("explain", &Detector::explain);
  bind_people_training(m);
  bind_people_study(m);
  bind_people_evaluation(m);
  bind_people_tracking(m);
}

}  // namespace fovea::python
