// fovea.flow: disparities of rectified pairs, their errors, pictures and files.
#include <fovea/core/error.h>
#include <fovea/flow/stereo.h>
#include <fovea/io/disparity_io.h>

#include <nanobind/stl/string.h>

#include <utility>

#include "arrays.h"
#include "define.h"
#include "flow_input.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using flow::StereoOptions;

// What a disparity of a pixel takes.
constexpr double kOperationsPerDisparity = 40;

// All work is done on the CPU. None for the check turns it off, which no number does.
StereoOptions stereo_options(const nb::dict& keywords) {
  StereoOptions options;
  set_keywords(options, keywords, "StereoMatcher");
  if (keywords.contains("check") && nb::handle(keywords["check"]).is_none()) options.check.reset();
  options.exec = on_cpu_only("disparities are found", options.exec);
  return options;
}

class StereoMatcher {
 public:
  explicit StereoMatcher(const nb::dict& keywords)
      : options_(stereo_options(keywords)), matcher_(options_.exec, [this](const Exec& exec) {
          return flow::StereoMatcher(with_exec(options_, exec));
        }) {
    (void)flow::StereoMatcher(options_);  // throws for options that do not fit each other
  }

  nb::dict match(nb::handle left, nb::handle right) {
    const ImageInput a = flow_image(left, "left"), b = flow_image(right, "right");
    require_one_type({a, left, "left"}, {b, right, "right"});
    const double disparities = options_.max_disparity - options_.min_disparity + 1;
    flow::Disparity found = visit_samples(a, [&]<class T>(ImageView<const T> view) {
      const Work work{kOperationsPerDisparity * disparities * view.width * view.height};
      return matcher_.call(work, nb::none(), [&](flow::StereoMatcher& matcher) {
        return matcher.match<T>(view, b.of<T>());
      });
    });
    return dict_of_record(record_ref(found));
  }

  const StereoOptions& options() const { return options_; }

 private:
  StereoOptions options_;
  LazyFace<flow::StereoMatcher> matcher_;
};

nb::dict evaluate(nb::handle disparity, nb::handle truth, nb::handle visible) {
  const ImageInput found = whole_plane(disparity, "disparity"), known = whole_plane(truth, "truth"),
                   shown = mask_input(visible, "visible");
  const flow::StereoReport report = unlocked([&] {
    return flow::evaluate_stereo(found.of<float>(), known.of<float>(), shown.of<std::uint8_t>());
  });
  return dict_of_record(record_ref(report));
}

nb::object visible_pixels(nb::handle disparity) {
  const ImageInput known = whole_plane(disparity, "disparity");
  return to_numpy(unlocked([&] { return flow::visible_pixels(known.of<float>()); }));
}

nb::object picture(nb::handle disparity, const nb::dict& keywords) {
  const auto options = options_of<flow::DisparityPictureOptions>(keywords, "to_color");
  const ImageInput known = whole_plane(disparity, "disparity");
  return picture_to_numpy(
      unlocked([&] { return flow::disparity_picture(known.of<float>(), options); }));
}

nb::object read_disparity(const io::DisparityReadOptions& options, const std::string& path) {
  return to_numpy(unlocked([&] { return io::read_disparity(path, options); }));
}

void write_disparity(const std::string& path, nb::handle disparity) {
  const ImageInput known = whole_plane(disparity, "disparity");
  nb::gil_scoped_release gil_release;
  io::write_disparity(path, known.of<float>());
}

}  // namespace

void bind_flow_stereo(nb::module_& m) {
  define_face<StereoMatcher>(m, "StereoMatcher")
      .def(nb::init<const nb::dict&>())
      .def("match", &StereoMatcher::match);
  m.def("stereo_fields", &fields_of<flow::Disparity>);
  m.def("evaluate_stereo_fields", &fields_of<flow::StereoReport>);
  m.def("stereo_options", &option_table<StereoOptions>);
  m.def("evaluate_stereo", &evaluate);
  m.def("visible_pixels", &visible_pixels);
  m.def("disparity_picture", &picture);
  m.def("disparity_picture_options", &option_table<flow::DisparityPictureOptions>);
  define(m, "read_disparity", &read_disparity);
  m.def("write_disparity", &write_disparity);
}

}  // namespace fovea::python
