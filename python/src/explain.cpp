// fovea._explanation: why a result is what it is, in the form that all systems share.
#include "explain.h"

#include <nanobind/stl/string.h>

#include <type_traits>
#include <utility>

#include "run.h"
#include "systems.h"

// Layers own images, which cannot be copied; the vector of layers does not say so.
template <>
struct nanobind::detail::is_copy_constructible<fovea::report::Explanation> : std::false_type {};

namespace fovea::python {
namespace {

using report::Explanation;

nb::object drawn(const Explanation& explanation, nb::handle image, bool whole) {
  const ImageInput pixels = image_input(image, {"image", {io::SampleType::kUint8}, {1, 3}});
  return picture_to_numpy(unlocked([&] {
    return report::draw_explanation(pixels.of<std::uint8_t>(), explanation, {.whole_image = whole});
  }));
}

}  // namespace

nb::tuple explanation_of(Explanation&& shown, const nb::dict& numbers) {
  return nb::make_tuple(nb::cast(std::move(shown)), numbers);
}

void bind_explanations(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("report");
  nb::class_<Explanation>(m, "Explanation")
      .def_prop_ro("values", [](const Explanation& e) { return copied_record(record_ref(e)); })
      .def_prop_ro("text", [](const Explanation& e) { return report::to_text(e); })
      .def_prop_ro("json", [](const Explanation& e) { return report::to_json(e); })
      .def("draw", &drawn);
}

}  // namespace fovea::python
