// fovea.flow: regions of like motion, of a field or along a video, and how well divisions agree.
#include <fovea/core/error.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/segment.h>
#include <fovea/io/image_io.h>

#include <nanobind/stl/string.h>

#include <utility>

#include "arrays.h"
#include "flow_input.h"
#include "options.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using flow::MotionSegments;

constexpr double kOperationsPerPixel = 3000;

// The bytes of an image without opacity, as the program draws on it.
Image<std::uint8_t> image_bytes(const ImageInput& input) {
  return visit_samples(input, []<class T>(ImageView<const T> view) {
    io::ImageFacts facts;
    if constexpr (std::is_same_v<T, std::uint16_t>) facts.white = 65535;
    if constexpr (std::is_same_v<T, float>) facts.white = 1;
    io::AnyImage image{clone(view), facts};
    constexpr int kColors[] = {0, 1, 2};
    if (view.channels == 4) image = io::select_channels(image, kColors);
    return io::to_bytes(std::move(image));
  });
}

nb::object bytes_of(nb::handle image) {
  const ImageInput input = flow_image(image, "image");
  return marked_rgb(to_numpy(unlocked([&] { return image_bytes(input); })));
}

ImageInput drawn_on(nb::handle image) {
  if (image.is_none()) return {{}, ImageView<const std::uint8_t>{}};
  return image_input(image, {"image", {io::SampleType::kUint8}, {1, 3}});
}

// Planes are (u, v, known or None, confidence or None).
MotionSegments segment(const nb::tuple& planes, nb::handle image, const nb::dict& keywords) {
  flow::SegmentOptions options;
  set_keywords(options, keywords, "segment_field");
  options.exec = on_cpu_only("motion is segmented", options.exec);
  const FieldInput field = field_input(planes[0], planes[1], planes[2], planes[3]);
  const ImageInput shown = drawn_on(image);
  const io::FlowFieldView view = field.view();
  Calls calls;
  options.exec = calls.watched(options.exec);
  return calls.run({kOperationsPerPixel * view.u.width * view.u.height}, nb::none(), [&] {
    return flow::segment_motion(view, view.confidence, shown.of<std::uint8_t>(), options);
  });
}

ImageInput label_image(nb::handle value, const char* name) {
  return image_input(value, {name, {io::SampleType::kUint16}, {1}});
}

nb::dict evaluate(nb::handle labels, nb::handle truth) {
  const ImageInput found = label_image(labels, "labels"), known = label_image(truth, "truth");
  const flow::SegmentReport report = unlocked([&] {
    return flow::evaluate_segments(found.of<std::uint16_t>(), known.of<std::uint16_t>());
  });
  return dict_of_record(record_ref(report));
}

nb::object picture(nb::handle labels, nb::handle image) {
  const ImageInput found = label_image(labels, "labels"), shown = drawn_on(image);
  return picture_to_numpy(unlocked(
      [&] { return flow::segments_picture(found.of<std::uint16_t>(), shown.of<std::uint8_t>()); }));
}

// The values and words of all options of a call, and the keywords of its estimator.
nb::tuple settings_of_segment(const nb::dict& keywords) {
  auto options = options_of<flow::SegmentPairOptions>(keywords, "segment");
  flow::FlowOptions estimation = flow::estimation_options(options);
  return nb::make_tuple(option_values(options), option_words(options), option_values(estimation));
}

}  // namespace

void bind_flow_segments(nb::module_& m) {
  nb::class_<MotionSegments>(m, "MotionSegments").def("take", [](MotionSegments& segments) {
    return dict_of_record(record_ref(segments));
  });
  m.def("segment_fields", &fields_of<MotionSegments>);
  m.def("evaluate_segments_fields", &fields_of<flow::SegmentReport>);
  m.def("segment", &segment);
  nb::class_<flow::LabelKeeper>(m, "LabelKeeper")
      .def(nb::init<>())
      .def("label", &flow::LabelKeeper::label);
  m.def("image_bytes", &bytes_of);
  m.def("evaluate_segments", &evaluate);
  m.def("segments_picture", &picture);
  m.def("settings_of_segment", &settings_of_segment);
  m.def("segment_options", &option_table<flow::SegmentPairOptions>);
  m.def("segment_field_options", &option_table<flow::SegmentOptions>);
}

}  // namespace fovea::python
