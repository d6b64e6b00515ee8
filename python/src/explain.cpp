// fovea._explanation: why a result is what it is, in the form that all systems share.
#include "explain.h"

#include <nanobind/stl/string.h>

#include <type_traits>
#include <utility>

#include "systems.h"

// Layers own images, which cannot be copied; the vector of layers does not say so.
template <>
struct nanobind::detail::is_copy_constructible<fovea::report::Explanation> : std::false_type {};

namespace fovea::python {
namespace {

using report::Explanation;

nb::object place_of(const Rect<double>& box) {
  if (box.empty()) return nb::none();
  return box_tuple(box);
}

nb::list reasons_of(const Explanation& explanation) {
  nb::list list;
  for (const report::Reason& reason : explanation.reasons)
    list.append(nb::make_tuple(reason.name, reason.value, reason.text, place_of(reason.place)));
  return list;
}

nb::list layers_of(const Explanation& explanation) {
  nb::list list;
  for (const report::HeatLayer& layer : explanation.layers)
    list.append(nb::make_tuple(layer.name, layer.text, place_of(layer.place),
                               to_numpy(clone(layer.values)), layer.diverging));
  for (const report::FaceLayer& layer : explanation.surface)
    list.append(nb::make_tuple(layer.name, layer.text, nb::none(), to_numpy(layer.values), false));
  return list;
}

nb::list shapes_of(const Explanation& explanation) {
  constexpr const char* kKinds[] = {"box", "line", "polygon", "arrow", "dots"};
  nb::list list;
  for (const report::Shape& shape : explanation.shapes) {
    std::vector<double> numbers;
    numbers.reserve(2 * shape.points.size());
    for (const report::Point& point : shape.points) {
      numbers.push_back(point.x);
      numbers.push_back(point.y);
    }
    list.append(nb::make_tuple(kKinds[static_cast<std::size_t>(shape.kind)], shape.name,
                               to_numpy(numbers, {shape.points.size(), 2}), shape.weight,
                               shape.frame));
  }
  return list;
}

nb::list tables_of(const Explanation& explanation) {
  nb::list list;
  for (const report::Table& table : explanation.tables) {
    nb::list columns, rows;
    for (const report::Column& column : table.columns)
      columns.append(column.unit.empty() ? column.title : column.title + " (" + column.unit + ")");
    for (const auto& row : table.rows) {
      nb::list cells;
      for (const report::Cell& cell : row) cells.append(cell.text());
      rows.append(cells);
    }
    list.append(nb::make_tuple(table.caption, columns, rows));
  }
  return list;
}

nb::object drawn(const Explanation& explanation, nb::handle image, bool whole) {
  const ImageInput pixels = image_input(image, {"image", {io::SampleType::kUint8}, {1, 3}});
  const auto view = pixels.of<std::uint8_t>();
  Image<std::uint8_t> picture;
  {
    nb::gil_scoped_release others_go_on;
    picture = report::draw_explanation(view, explanation, {.whole_image = whole});
  }
  return to_numpy(std::move(picture));
}

}  // namespace

nb::tuple explanation_of(Explanation&& shown, const nb::dict& numbers) {
  return nb::make_tuple(nb::cast(std::move(shown)), numbers);
}

void bind_explanations(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("report");
  nb::class_<Explanation>(m, "Explanation")
      .def_ro("title", &Explanation::title)
      .def_ro("summary", &Explanation::summary)
      .def_ro("total_name", &Explanation::total_name)
      .def_ro("total", &Explanation::total)
      .def_ro("rest", &Explanation::rest)
      .def_prop_ro("box", [](const Explanation& e) { return place_of(e.place); })
      .def_prop_ro("reasons", &reasons_of)
      .def_prop_ro("layers", &layers_of)
      .def_prop_ro("shapes", &shapes_of)
      .def_prop_ro("tables", &tables_of)
      .def_prop_ro("text", [](const Explanation& e) { return report::to_text(e); })
      .def_prop_ro("json", [](const Explanation& e) { return report::to_json(e); })
      .def("draw", &drawn, nb::arg("image").none(), nb::arg("whole"));
}

}  // namespace fovea::python
