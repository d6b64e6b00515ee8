// fovea.people: how well detectors find people.
#include <fovea/core/error.h>
#include <fovea/people/annotations.h>
#include <fovea/people/measure.h>
#include <fovea/people/show.h>
#include <fovea/report/evaluation_page.h>

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "arrays.h"
#include "define.h"
#include "people_images.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using people::AnnotatedImage;
using people::CurvePoint;
using people::ImageMeasurement;
using people::MeasureOptions;
using people::Model;
using people::WindowMeasurement;

// The options of fovea people eval for images.
struct ImagesRequest {
  MeasureOptions measure{};
  people::AnnotationOptions annotation{};
  Exec exec{};
};
void describe(OptionVisitor& visit, ImagesRequest& request) {
  describe(visit, request.measure);
  describe(visit, request.annotation);
}

// Those of them that count for windows.
struct WindowsRequest {
  people::ScanOptions scan{};
  Exec exec{};
};
void describe(OptionVisitor& visit, WindowsRequest& request) { describe(visit, request.scan); }

// ---- Evaluation

// One array per image, whose rows are left, top, right and bottom of a person.
std::vector<AnnotatedImage> truth_of(const nb::list& boxes) {
  std::vector<AnnotatedImage> truth(nb::len(boxes));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const AnyArray rows = dense_array<double>(boxes[i], "annotations", {2});
    if (rows.shape(1) != 4) throw InvalidArgument("annotations have 4 numbers per person");
    const auto* box = static_cast<const double*>(rows.data());
    for (std::size_t j = 0; j < rows.shape(0); ++j, box += 4)
      truth[i].people.push_back(
          {.box = {static_cast<float>(box[0]), static_cast<float>(box[1]),
                   static_cast<float>(box[2] - box[0]), static_cast<float>(box[3] - box[1])}});
  }
  return truth;
}

// Those in a file or folder, by the names of the images.
std::vector<AnnotatedImage> truth_of(const PeopleImages& images, const std::string& path,
                                     const people::AnnotationOptions& options) {
  for (int i = 0; i < images.count(); ++i)
    if (!images.is_file(i))
      throw InvalidArgument(
          fmt::format("images[{}] is an array, which has no name by which it is found in {}; pass "
                      "boxes instead of a path",
                      i, path));
  std::vector<AnnotatedImage> truth =
      unlocked([&] { return people::annotations_of(images.paths(), path, options); });
  for (const AnnotatedImage& image : truth)
    if (!image.people.empty()) return truth;
  throw FormatError(fmt::format("{}: has nobody with the label '{}' in {} images; see label", path,
                                options.label, images.count()));
}

// Images with people, and then those without.
class JoinedImages final : public io::ImageSet {
 public:
  JoinedImages(const PeopleImages& first, const PeopleImages& rest) : first_(first), rest_(rest) {}
  int count() const override { return first_.count() + rest_.count(); }
  Image<std::uint8_t> read(int index) const override {
    return index < first_.count() ? first_.read(index) : rest_.read(index - first_.count());
  }
  std::string name(int index) const override {
    return index < first_.count() ? first_.name(index) : rest_.name(index - first_.count());
  }

 private:
  const PeopleImages& first_;
  const PeopleImages& rest_;
};

// The annotations are a path, or a list with an array of boxes per image.
ImageMeasurement measure(const ImagesRequest& request, std::shared_ptr<const Model> model,
                         const nb::list& images, nb::handle annotations, const nb::list& negatives,
                         nb::handle progress) {
  const PeopleImages annotated(images, "images", PeopleForm::kStored),
      others(negatives, "negatives", PeopleForm::kStored);
  const JoinedImages set(annotated, others);
  std::vector<AnnotatedImage> truth =
      PyUnicode_Check(annotations.ptr())
          ? truth_of(annotated, nb::cast<std::string>(annotations), request.annotation)
          : truth_of(nb::cast<nb::list>(annotations));
  truth.resize(static_cast<std::size_t>(set.count()));
  return run_once(kLong, request.exec, progress, [&](const Exec& exec) {
    return people::measure_on_images(model, set, truth, with_exec(request.measure, exec));
  });
}

// Returns the numbers, the options, and the words of the program's command line.
nb::tuple evaluate(const ImagesRequest& request, std::shared_ptr<const Model> model,
                   const nb::list& images, nb::handle annotations, const nb::list& negatives,
                   nb::handle progress) {
  const ImageMeasurement measured =
      measure(request, std::move(model), images, annotations, negatives, progress);
  return nb::make_tuple(dict_of_record(record_ref(measured)), option_values(request),
                        option_words(request));
}

// Returns the model with a calibration, and the words.
nb::tuple calibrate(const ImagesRequest& request, std::shared_ptr<const Model> model,
                    const nb::list& images, nb::handle annotations, const nb::list& negatives,
                    nb::handle progress) {
  const ImageMeasurement measured =
      measure(request, model, images, annotations, negatives, progress);
  return nb::make_tuple(std::make_shared<const Model>(
                            people::calibrated(*model, measured.found, measured.report.matches)),
                        option_words(request));
}

nb::tuple evaluate_windows(const WindowsRequest& request, std::shared_ptr<const Model> model,
                           const nb::list& crops, const nb::list& negatives, nb::handle progress) {
  const PeopleImages people(crops, "crops", PeopleForm::kStored),
      others(negatives, "negatives", PeopleForm::kStored);
  const auto measured = run_once(kLong, request.exec, progress, [&](const Exec& exec) {
    return people::measure_on_windows(model, people, others, {.scan = request.scan, .exec = exec});
  });
  return nb::make_tuple(dict_of_record(record_ref(measured)), option_values(request),
                        option_words(request));
}

// ---- What is computed from a measurement that Python keeps

std::vector<CurvePoint> curve_of(const nb::dict& columns) {
  const std::vector<double> wrong =
                                real_numbers<double>(columns["false_positives"], "false_positives"),
                            missed = real_numbers<double>(columns["miss_rate"], "miss_rate");
  std::vector<CurvePoint> curve(std::min(wrong.size(), missed.size()));
  for (std::size_t i = 0; i < curve.size(); ++i)
    curve[i] = {.false_positives = wrong[i], .miss_rate = missed[i]};
  return curve;
}

double miss_rate_at(const nb::dict& columns, double false_positives) {
  return people::WindowReport{.curve = curve_of(columns)}.miss_rate_at(false_positives);
}

double paired_deviation(nb::handle a, nb::handle b) {
  people::ImageReport one, other;
  one.drawn = real_numbers<double>(a, "drawn");
  other.drawn = real_numbers<double>(b, "drawn");
  return people::paired_deviation(one, other);
}

// Curves are tuples of a name, the miss rate that is written beside it, and the columns.
std::string draw_curves(const nb::list& curves, bool windows) {
  report::EvaluationChart chart =
      people::miss_rate_chart(windows ? people::CurveUnit::kWindow : people::CurveUnit::kImage);
  for (const nb::handle curve : curves)
    people::add_miss_rates(chart, nb::cast<std::string>(nb::object(curve[0])), {},
                           curve_of(nb::cast<nb::dict>(nb::object(curve[2]))),
                           nb::cast<double>(nb::object(curve[1])));
  return report::to_svg(chart);
}

}  // namespace

void bind_people_evaluation(nb::module_& m) {
  define(m, "evaluate", &evaluate);
  m.def("evaluate_fields", &fields_of<ImageMeasurement>);
  define(m, "calibrate", &calibrate);
  define(m, "evaluate_windows", &evaluate_windows);
  m.def("evaluate_windows_fields", &fields_of<WindowMeasurement>);
  m.def("miss_rate_at", &miss_rate_at);
  m.def("paired_deviation", &paired_deviation);
  m.def("draw_curves", &draw_curves);
}

}  // namespace fovea::python
