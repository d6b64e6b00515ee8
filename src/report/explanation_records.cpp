// The fields of explanations.
#include <fovea/core/record_values.h>
#include <fovea/report/explanation.h>

#include <fmt/format.h>

#include <array>

namespace fovea::report {

// A cell is the text that is shown; numbers are rounded in it.
FieldValue cell_value(Cell& cell) { return field_value(cell.text_); }

namespace {
FieldValue row_value(std::vector<Cell>& row) { return detail::list_by<cell_value>(row); }
}  // namespace

std::span<const Choice> choices(ShapeKind) {
  static constexpr std::array<Choice, 5> kChoices{
      {{"box", static_cast<int>(ShapeKind::kBox)},
       {"line", static_cast<int>(ShapeKind::kLine)},
       {"polygon", static_cast<int>(ShapeKind::kPolygon)},
       {"arrow", static_cast<int>(ShapeKind::kArrow)},
       {"dots", static_cast<int>(ShapeKind::kDots)}}};
  return kChoices;
}

void describe(FieldVisitor& visit, Reason& reason) {
  visit.record("Reason", "something that spoke for a result, or against it");
  visit("name", reason.name, "a few words");
  visit("value", reason.value, "its share of the total");
  visit.optional("text", reason.text, "one sentence");
  visit.optional("box", reason.place, "where in the picture", {.unit = "pixels"});
}

void describe(FieldVisitor& visit, HeatLayer& layer) {
  visit.record("HeatLayer", "values over a part of the picture");
  const ImageView<const float> view = layer.values.view();
  const ValueRange range = view.empty() ? ValueRange{} : value_range(view, colors_of(layer));
  visit("name", layer.name, "a few words");
  visit("text", layer.text, "what the values are");
  visit.optional("box", layer.place, "the part of the picture that the values cover",
                 {.unit = "pixels"});
  visit.derived("width", view.width, "values in a row");
  visit.derived("height", view.height, "rows of values");
  visit.derived("low", range.low, "the value of the first color");
  visit.derived("high", range.high, "the value of the last color");
  visit("diverging", layer.diverging, "whether values are signed: for and against");
  visit("values", layer.values, "row after row; none where there is no value");
}

void describe(FieldVisitor& visit, FaceLayer& layer) {
  visit.record("FaceLayer", "one value per face of a mesh");
  visit("name", layer.name, "a few words");
  visit("text", layer.text, "what the values are");
  visit.derived("faces", layer.values.size(), "of the mesh");
  visit.array("values", layer.values, "one per face; none where there is no value");
}

void describe(FieldVisitor& visit, Shape& shape) {
  visit.record("Shape", "something to draw over the picture");
  visit("kind", shape.kind, "how its points are joined");
  visit.optional("name", shape.name, "what stands beside it");
  std::vector<double> numbers;
  numbers.reserve(2 * shape.points.size());
  for (const Point& point : shape.points) numbers.insert(numbers.end(), {point.x, point.y});
  visit.derived("points", std::move(numbers), "x and y of one point after the other",
                {.unit = "pixels"});
  visit("weight", shape.weight, "how much it counts, 1 for the strongest");
  visit.derived("color",
                fmt::format("#{:02x}{:02x}{:02x}", shape.color.r, shape.color.g, shape.color.b),
                "red, green and blue");
  visit.optional("frame", shape.frame, "of a video; absent: the one that is explained");
}

void describe(FieldVisitor& visit, Column& column) {
  visit("title", column.title, "a few words");
  visit("unit", column.unit, "may be empty");
}

void describe(FieldVisitor& visit, Table& table) {
  visit.record("Table", "more numbers, as texts");
  visit("caption", table.caption, "what they are");
  visit("columns", table.columns, "titles and units");
  FieldValue rows = detail::list_by<row_value>(table.rows);
  visit("rows", rows, "one text per column");
}

void describe(FieldVisitor& visit, Explanation& explanation) {
  visit.record("Explanation", "why a result is what it is");
  visit("title", explanation.title, "the question");
  visit("summary", explanation.summary, "whole sentences");
  visit("total_name", explanation.total_name, "what the reasons and the rest add up to");
  visit("total", explanation.total, "their sum");
  visit.optional("box", explanation.place, "what is explained, in the picture", {.unit = "pixels"});
  visit("reasons", explanation.reasons, "the most important first");
  visit("rest", explanation.rest, "what reasons that are not listed add to the total");
  visit("layers", explanation.layers, "the most important first");
  visit("surface", explanation.surface, "the same for meshes");
  visit("shapes", explanation.shapes, "what is drawn over the picture");
  visit("tables", explanation.tables, "more numbers");
}

}  // namespace fovea::report
