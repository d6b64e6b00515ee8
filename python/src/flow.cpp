// fovea.flow: the motion of every pixel between two images, or along a video.
#include <fovea/core/error.h>
#include <fovea/flow/evaluate.h>
#include <fovea/flow/explain.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/show.h>
#include <fovea/io/flow_io.h>

#include <nanobind/stl/string.h>

#include <optional>
#include <utility>

#include "arrays.h"
#include "define.h"
#include "errors.h"
#include "explain.h"
#include "flow_input.h"
#include "gpu_arrays.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using flow::FlowOptions;

// What the fastest quality takes for a pixel.
constexpr double kOperationsPerPixel = 1000;

nb::dict planes_of(flow::Flow&& flow, Device device) {
  return dict_of_record(record_ref(flow), device);
}

// Options of an estimator, whose preset is one of them.
struct PresetOptions : FlowOptions {};
void describe(OptionVisitor& visit, PresetOptions& options) {
  visit("preset", options.preset,
        "options of both methods as a paper has them: paper is Marras et al. 2010; what is given "
        "beside it counts");
  describe(visit, static_cast<FlowOptions&>(options));
}

// The preset comes first, so that what is given beside it counts.
PresetOptions preset_options(const nb::dict& keywords) {
  PresetOptions options;
  for_each_option(options, [&](const OptionField& field) {
    if (field.name == "preset" && keywords.contains("preset"))
      set_option_value(field, keywords["preset"]);
  });
  use_preset(options, options.preset);
  set_keywords(options, keywords, "Estimator");
  const std::string reason(cpu_only(options));
  if (!reason.empty()) {
    if (options.exec.device.kind == DeviceKind::kAuto) options.exec.device = Device::cpu();
    if (options.exec.device.kind == DeviceKind::kCuda)
      throw InvalidArgument(reason + " on the CPU only; use device=\"cpu\" instead of cuda");
  }
  options.exec.device = usable_device(options.exec.device);
  return options;
}
// What the program's defaults are with this preset.
nb::list preset_words(const PresetOptions& options) {
  PresetOptions usual;
  use_preset(usual, options.preset);
  usual.preset = flow::Preset::kNone;
  return option_words(options, usual);
}

class Estimator {
 public:
  explicit Estimator(const nb::dict& keywords)
      : options_(preset_options(keywords)),
        pairs_(options_.exec, [this](const Exec& exec) { return made(exec); }),
        video_(
            options_.exec, [this](const Exec& exec) { return made(exec); },
            OnInterrupt::kComplete) {}

  nb::dict estimate(nb::handle first, nb::handle second, nb::handle mask, nb::handle second_mask) {
    const ImageInput a = flow_image(first, "first", pairs_.stream()),
                     b = flow_image(second, "second", pairs_.stream()), kept = mask_input(mask),
                     kept_there = mask_input(second_mask, "second_mask");
    require_one_type({a, first, "first"}, {b, second, "second"});
    flow::Flow found = visit_samples(a, [&]<class T>(ImageView<const T> view) {
      return pairs_.call(work_of(view), nb::none(), [&](flow::Estimator& estimator) {
        return estimator.estimate(view, b.of<T>(), kept.of<std::uint8_t>(),
                                  kept_there.of<std::uint8_t>());
      });
    });
    return planes_of(std::move(found), options_.exec.device);
  }

  nb::tuple explain(nb::handle first, nb::handle second, int x, int y) {
    const ImageInput a = flow_image(first, "first", nullptr),
                     b = flow_image(second, "second", nullptr);
    require_one_type({a, first, "first"}, {b, second, "second"});
    flow::FlowExplanation why = visit_samples(a, [&]<class T>(ImageView<const T> view) {
      return pairs_.call(work_of(view), nb::none(), [&](flow::Estimator& estimator) {
        return flow::explain<T>(estimator, view, b.of<T>(), {x, y});
      });
    });
    return explanation_of(std::move(why), {"factors", "doubts"});
  }

  // A video goes on after an interruption, so that a frame is never stopped in its middle.
  nb::object push(nb::handle frame, nb::handle mask) {
    const ImageInput image = flow_image(frame, "frame", video_.stream()), kept = mask_input(mask);
    std::optional<flow::Flow> flow;
    try {
      visit_samples(image, [&]<class T>(ImageView<const T> view) {
        return video_.call(work_of(view), nb::none(), [&](flow::Estimator& estimator) {
          flow = estimator.push(view, kept.of<std::uint8_t>());
          return true;
        });
      });
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

  const PresetOptions& options() const { return options_; }

 private:
  flow::Estimator made(const Exec& exec) const {
    return flow::Estimator(with_exec<FlowOptions>(options_, exec));
  }
  template <class Sample>
  static Work work_of(ImageView<const Sample> image) {
    return {kOperationsPerPixel * image.width * image.height};
  }

  PresetOptions options_;
  LazyFace<flow::Estimator> pairs_;
  LazyFace<flow::Estimator> video_;      // always has the frame before
  std::optional<flow::Flow> unfetched_;  // of an interrupted call
};

nb::object wheel(nb::handle u, nb::handle v, nb::handle known, nb::handle longest) {
  const FieldInput field = field_input(u, v, known);
  flow::WheelOptions options;
  for_each_option(options, [&](const OptionField& option) {
    if (option.name == "longest") set_option_value(option, longest);
  });
  return picture_to_numpy(unlocked([&] { return flow::wheel_picture(field.view(), options); }));
}

nb::object warp(nb::handle image, nb::handle u, nb::handle v) {
  const ImageInput second = byte_image(image, "second");
  const FieldInput field = field_input(u, v);
  return picture_to_numpy(
      unlocked([&] { return flow::warp_picture(second.of<std::uint8_t>(), field.view()); }));
}

nb::object arrows(nb::handle image, nb::handle u, nb::handle v) {
  const ImageInput first = image_input(image, {"image", {io::SampleType::kUint8}, {1, 3}});
  const FieldInput field = field_input(u, v);
  return picture_to_numpy(
      unlocked([&] { return flow::arrows_picture(first.of<std::uint8_t>(), field.view()); }));
}

nb::object confidence_picture(nb::handle confidence) {
  const ImageInput plane = whole_plane(confidence, "confidence");
  return picture_to_numpy(unlocked([&] { return flow::confidence_picture(plane.of<float>()); }));
}

void write(const std::string& path, const nb::tuple& planes, const nb::dict& keywords,
           const std::string& caller) {
  const auto options = options_of<io::FlowWriteOptions>(keywords, caller);
  const FieldInput field = field_input(planes[0], planes[1], planes[2], planes[3]);
  nb::gil_scoped_release gil_release;
  io::write_flow(path, field.view(), options);
}

nb::tuple read(const std::string& path) {
  io::FlowField field = unlocked([&] { return io::read_flow(path); });
  nb::object confidence = nb::none();
  if (!field.confidence.empty()) confidence = to_numpy(std::move(field.confidence));
  return nb::make_tuple(to_numpy(std::move(field.u)), to_numpy(std::move(field.v)),
                        to_numpy(std::move(field.known)), confidence);
}

// Estimate and truth are (u, v, confidence or None, known or None).
nb::dict evaluate(const flow::EvaluateOptions& options, const nb::tuple& estimate,
                  const nb::tuple& truth) {
  const FieldInput found = field_input(estimate[0], estimate[1], estimate[3]);
  const FieldInput known = field_input(truth[0], truth[1], truth[3]);
  const ImageInput confidence = plane_input(estimate[2], "confidence");
  const flow::FlowReport report = unlocked([&] {
    return flow::evaluate_flow(found.view(), confidence.of<float>(), known.view(), options);
  });
  nb::dict all = dict_of_record(record_ref(report));
  all["options"] = option_values(options);
  all["words"] = option_words(options);
  return all;
}

}  // namespace

void bind_flow(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("flow");
  nb::class_<Estimator>(m, "Estimator")
      .def(nb::init<const nb::dict&>())
      .def("estimate", &Estimator::estimate)
      .def("explain", &Estimator::explain)
      .def("push", &Estimator::push)
      .def("take_interrupted", &Estimator::take_interrupted)
      .def("finish", &Estimator::finish)
      .def_prop_ro("options", [](const Estimator& e) { return option_values(e.options()); })
      .def_prop_ro("words", [](const Estimator& e) { return preset_words(e.options()); });
  m.def("estimate_fields", &fields_of<flow::Flow>);
  m.def("evaluate_fields", &fields_of<flow::FlowReport>);
  m.def("estimate_options", &option_table<PresetOptions>);
  define(m, "evaluate", &evaluate);
  m.def("wheel", &wheel);
  m.def("warp", &warp);
  m.def("arrows", &arrows);
  m.def("read", &read);
  m.def("write", &write);
  // The confidence is an argument of its own.
  m.def("write_options",
        [] { return table_without("confidence", option_table<io::FlowWriteOptions>()); });
  m.def("save_options", &option_table<io::FlowWriteOptions>);
  m.def("confidence_picture", &confidence_picture);
  bind_flow_follow(m);
  bind_flow_stereo(m);
  bind_flow_segments(m);
}

}  // namespace fovea::python
