// fovea.flow: the motion of every pixel between two images, or along a video.
#include <fovea/core/error.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/show.h>
#include <fovea/io/flow_io.h>

#include <nanobind/stl/string.h>

#include <optional>
#include <utility>

#include "arrays.h"
#include "errors.h"
#include "gpu_arrays.h"
#include "options.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using flow::FlowOptions;

// What the fastest quality takes for a pixel.
constexpr double kOperationsPerPixel = 1000;

ImageInput flow_image(nb::handle value, const char* name, const Stream* stream) {
  using enum io::SampleType;
  return image_input(value, {name, {kUint8, kUint16, kFloat32}, {1, 3, 4}, stream});
}

nb::dict planes_of(flow::Flow&& flow, Device device) {
  nb::dict planes;
  planes["u"] = to_python(std::move(flow.u), device);
  planes["v"] = to_python(std::move(flow.v), device);
  planes["confidence"] = to_python(std::move(flow.confidence), device);
  return planes;
}

// A field in arrays of Python, which must outlive it.
struct FieldInput {
  ImageInput u, v, known;
  io::FlowFieldView view() const {
    return {u.of<float>(), v.of<float>(), known.of<std::uint8_t>()};
  }
};
FieldInput field_input(nb::handle u, nb::handle v, nb::handle known = nb::none()) {
  const auto plane = [](nb::handle value, const char* name) {
    return image_input(value, {name, {io::SampleType::kFloat32}, {1}});
  };
  return {plane(u, "u"), plane(v, "v"), mask_input(known, "known")};
}

class Estimator {
 public:
  explicit Estimator(const nb::dict& keywords)
      : options_(options_of<FlowOptions>(keywords, "Estimator")),
        pairs_(options_.exec, [this](const Exec& exec) { return made(exec); }),
        video_(
            options_.exec, [this](const Exec& exec) { return made(exec); },
            OnInterrupt::kComplete) {}

  nb::dict estimate(nb::handle first, nb::handle second, nb::handle mask) {
    const ImageInput a = flow_image(first, "first", pairs_.stream()),
                     b = flow_image(second, "second", pairs_.stream()), kept = mask_input(mask);
    if (a.view.index() != b.view.index())
      throw_invalid_type("first is " + array_text(first) + " and second is " + array_text(second) +
                         "; expected arrays of one type");
    return planes_of(std::visit(
                         [&]<class T>(const ImageView<T>& view) -> flow::Flow {
                           using Sample = std::remove_const_t<T>;
                           return run<Sample>(pairs_, view,
                                              [&](flow::Estimator& estimator) {
                                                return std::optional(estimator.estimate(
                                                    view, b.of<Sample>(), kept.of<std::uint8_t>()));
                                              })
                               .value();
                         },
                         a.view),
                     options_.exec.device);
  }

  // A video goes on after an interruption, so that a frame is never stopped in its middle.
  nb::object push(nb::handle frame, nb::handle mask) {
    const ImageInput image = flow_image(frame, "frame", video_.stream()), kept = mask_input(mask);
    std::optional<flow::Flow> flow;
    try {
      std::visit(
          [&]<class T>(const ImageView<T>& view) {
            run<std::remove_const_t<T>>(video_, view, [&](flow::Estimator& estimator) {
              flow = estimator.push(view, kept.of<std::uint8_t>());
              return std::optional<flow::Flow>();
            });
          },
          image.view);
    } catch (...) {
      unfetched_ = std::move(flow);
      throw;
    }
    unfetched_.reset();
    if (!flow) return nb::none();
    return planes_of(std::move(*flow), options_.exec.device);
  }

  // The flow of a push() that Ctrl-C interrupted, once.
  nb::object take_interrupted() {
    std::optional<flow::Flow> flow = std::exchange(unfetched_, std::nullopt);
    if (!flow) return nb::none();
    return planes_of(std::move(*flow), options_.exec.device);
  }

  void finish() {
    unfetched_.reset();
    video_.call(Work{}, nb::none(), [](flow::Estimator& estimator) {
      estimator.finish();
      return true;
    });
  }

  const FlowOptions& options() const { return options_; }

 private:
  flow::Estimator made(const Exec& exec) const {
    FlowOptions options = options_;
    options.exec = exec;
    return flow::Estimator(options);
  }
  // Only samples that estimators take reach the library.
  template <class Sample, class Function>
  static std::optional<flow::Flow> run(Kept<flow::Estimator>& estimator,
                                       ImageView<const Sample> image, Function function) {
    if constexpr (std::is_same_v<Sample, std::uint8_t> || std::is_same_v<Sample, std::uint16_t> ||
                  std::is_same_v<Sample, float>)
      return estimator.call({kOperationsPerPixel * image.width * image.height}, nb::none(),
                            function);
    else return {};
  }

  FlowOptions options_;
  Kept<flow::Estimator> pairs_;
  Kept<flow::Estimator> video_;          // always has the frame before
  std::optional<flow::Flow> unfetched_;  // of an interrupted call
};

nb::object wheel(nb::handle u, nb::handle v, nb::handle known, nb::handle longest) {
  const FieldInput field = field_input(u, v, known);
  flow::WheelOptions options;
  for_each_option(options, [&](const OptionField& option) {
    if (option.name == "longest") set_option_value(option, longest);
  });
  return to_numpy(unlocked([&] { return flow::wheel_picture(field.view(), options); }));
}

nb::object warp(nb::handle image, nb::handle u, nb::handle v) {
  const ImageInput second = byte_image(image, "second");
  const FieldInput field = field_input(u, v);
  return to_numpy(
      unlocked([&] { return flow::warp_picture(second.of<std::uint8_t>(), field.view()); }));
}

nb::object arrows(nb::handle image, nb::handle u, nb::handle v) {
  const ImageInput first = image_input(image, {"image", {io::SampleType::kUint8}, {1, 3}});
  const FieldInput field = field_input(u, v);
  return to_numpy(
      unlocked([&] { return flow::arrows_picture(first.of<std::uint8_t>(), field.view()); }));
}

void write(const std::string& path, nb::handle u, nb::handle v, nb::handle known) {
  const FieldInput field = field_input(u, v, known);
  nb::gil_scoped_release others_go_on;
  io::write_flow(path, field.view());
}

nb::tuple read(const std::string& path) {
  io::FlowField field;
  {
    nb::gil_scoped_release others_go_on;
    field = io::read_flow(path);
  }
  return nb::make_tuple(to_numpy(std::move(field.u)), to_numpy(std::move(field.v)),
                        to_numpy(std::move(field.known)));
}

nb::dict errors_of(const flow::FlowErrors& errors) {
  nb::dict all;
  all["pixels"] = errors.pixels;
  all["endpoint"] = errors.endpoint;
  all["angular"] = errors.angular;
  all["r05"] = errors.r05;
  all["r1"] = errors.r1;
  all["r2"] = errors.r2;
  all["fl"] = errors.fl;
  return all;
}

// Estimate and truth are (u, v, confidence or None, known or None).
nb::dict evaluate(const nb::tuple& estimate, const nb::tuple& truth, const nb::dict& keywords) {
  flow::EvaluateOptions options;
  set_keywords(options, keywords, "evaluate");
  const FieldInput found = field_input(estimate[0], estimate[1], estimate[3]);
  const FieldInput known = field_input(truth[0], truth[1], truth[3]);
  std::optional<ImageInput> confidence;
  if (!nb::handle(estimate[2]).is_none())
    confidence = image_input(estimate[2], {"confidence", {io::SampleType::kFloat32}, {1}});
  const flow::FlowReport report = unlocked([&] {
    return flow::evaluate_flow(found.view(),
                               confidence ? confidence->of<float>() : ImageView<const float>{},
                               known.view(), options);
  });
  nb::dict all;
  all["all"] = errors_of(report.all);
  all["confident"] = errors_of(report.confident);
  all["density"] = report.density;
  all["confident_share"] = report.confident_share;
  all["sparsification_error"] = report.sparsification_error;
  nb::list curve;
  for (const flow::SparsificationPoint& point : report.curve)
    curve.append(nb::make_tuple(point.removed, point.endpoint, point.oracle));
  all["curve"] = curve;
  all["options"] = option_values(options);
  all["words"] = option_words(options);
  return all;
}

}  // namespace

void bind_flow(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("flow");
  nb::class_<Estimator>(m, "Estimator")
      .def(nb::init<const nb::dict&>())
      .def("estimate", &Estimator::estimate, nb::arg("first").none(), nb::arg("second").none(),
           nb::arg("mask").none())
      .def("push", &Estimator::push, nb::arg("frame").none(), nb::arg("mask").none())
      .def("take_interrupted", &Estimator::take_interrupted)
      .def("finish", &Estimator::finish)
      .def_prop_ro("options", [](const Estimator& e) { return option_values(e.options()); })
      .def_prop_ro("words", [](const Estimator& e) { return option_words(e.options()); });
  m.def("estimate_options", &option_table<FlowOptions>);
  m.def("evaluate_options", &option_table<flow::EvaluateOptions>);
  m.def("wheel", &wheel, nb::arg("u").none(), nb::arg("v").none(), nb::arg("known").none(),
        nb::arg("longest").none());
  m.def("warp", &warp, nb::arg("second").none(), nb::arg("u").none(), nb::arg("v").none());
  m.def("arrows", &arrows, nb::arg("first").none(), nb::arg("u").none(), nb::arg("v").none());
  m.def("read", &read);
  m.def("write", &write, nb::arg("path"), nb::arg("u").none(), nb::arg("v").none(),
        nb::arg("known").none());
  m.def("evaluate", &evaluate);
}

}  // namespace fovea::python
