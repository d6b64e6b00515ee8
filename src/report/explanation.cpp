// Explanations as text and as JSON.
#include <fovea/io/json_writer.h>
#include <fovea/report/explanation.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace fovea::report {
namespace {

constexpr std::array<std::string_view, 5> kShapeNames = {"box", "line", "polygon", "arrow", "dots"};

// Cuts nothing: a line that has no space is longer than the others.
std::string wrapped(std::string_view text, std::size_t columns) {
  std::string lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const bool breaks = end < text.size() && text[end] == '\n';
    if (used > 0 && used + 1 + end > columns) {
      lines += '\n';
      used = 0;
    }
    if (used > 0) {
      lines += ' ';
      ++used;
    }
    lines += text.substr(0, end);
    used += end;
    if (breaks) {
      lines += '\n';
      used = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// In characters, of which fmt counts one column each.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string table_text(const Table& table) {
  std::vector<std::size_t> widths;
  widths.reserve(table.columns.size());
  const auto title = [](const Column& column) {
    return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
  };
  for (const Column& column : table.columns) widths.push_back(width_of(title(column)));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], width_of(row[i].text()));
  std::string text = table.caption.empty() ? "" : wrapped(table.caption, 100) + "\n";
  const auto line = [&](const auto& cell_text, const auto& is_number) {
    std::string words;
    for (std::size_t i = 0; i < widths.size(); ++i)
      words += is_number(i) ? fmt::format("  {:>{}}", cell_text(i), widths[i])
                            : fmt::format("  {:<{}}", cell_text(i), widths[i]);
    words.erase(words.find_last_not_of(' ') + 1);
    text += words + "\n";
  };
  const auto number = [&](std::size_t i) {
    return !table.rows.empty() && i < table.rows[0].size() && table.rows[0][i].number();
  };
  line([&](std::size_t i) { return title(table.columns[i]); }, number);
  for (const auto& row : table.rows)
    line([&](std::size_t i) { return i < row.size() ? row[i].text() : std::string(); }, number);
  return text;
}

void write_box(io::JsonWriter& json, std::string_view name, const Rect<double>& box) {
  if (box.empty()) return;
  const std::array<double, 4> numbers = {box.x, box.y, box.width, box.height};
  json.key(name).values(std::span<const double>(numbers));
}

void write_reasons(io::JsonWriter& json, const Explanation& explanation) {
  json.key("reasons").begin_array();
  for (const Reason& reason : explanation.reasons) {
    json.begin_object().member("name", reason.name).member("value", reason.value);
    if (!reason.text.empty()) json.member("text", reason.text);
    write_box(json, "box", reason.place);
    json.end_object();
  }
  json.end_array();
}

void write_layers(io::JsonWriter& json, const Explanation& explanation, LayerValues values) {
  json.key("layers").begin_array();
  for (const HeatLayer& layer : explanation.layers) {
    const ImageView<const float> view = layer.values.view();
    const ValueRange range = value_range(view, colors_of(layer));
    json.begin_object().member("name", layer.name).member("text", layer.text);
    write_box(json, "box", layer.place);
    json.member("width", view.width).member("height", view.height);
    json.member("low", range.low).member("high", range.high);
    json.member("diverging", layer.diverging);
    if (values == LayerValues::kAll) {
      json.key("values").begin_array();
      for (int y = 0; y < view.height; ++y)
        json.values(std::span<const float>(view.row(y), static_cast<std::size_t>(view.width)));
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

void write_surface(io::JsonWriter& json, const Explanation& explanation, LayerValues values) {
  json.key("surface").begin_array();
  for (const FaceLayer& layer : explanation.surface) {
    json.begin_object().member("name", layer.name).member("text", layer.text);
    json.member("faces", layer.values.size());
    if (values == LayerValues::kAll) json.key("values").values(layer.values);
    json.end_object();
  }
  json.end_array();
}

void write_shapes(io::JsonWriter& json, const Explanation& explanation) {
  json.key("shapes").begin_array();
  for (const Shape& shape : explanation.shapes) {
    json.begin_object().member("kind", kShapeNames[static_cast<std::size_t>(shape.kind)]);
    if (!shape.name.empty()) json.member("name", shape.name);
    std::vector<double> numbers;
    numbers.reserve(2 * shape.points.size());
    for (const Point& point : shape.points) {
      numbers.push_back(point.x);
      numbers.push_back(point.y);
    }
    json.key("points").values(numbers);
    json.member("weight", shape.weight);
    json.member("color",
                fmt::format("#{:02x}{:02x}{:02x}", shape.color.r, shape.color.g, shape.color.b));
    if (shape.frame >= 0) json.member("frame", shape.frame);
    json.end_object();
  }
  json.end_array();
}

void write_tables(io::JsonWriter& json, const Explanation& explanation) {
  json.key("tables").begin_array();
  for (const Table& table : explanation.tables) {
    json.begin_object().member("caption", table.caption).key("columns").begin_array();
    for (const Column& column : table.columns)
      json.begin_object().member("title", column.title).member("unit", column.unit).end_object();
    json.end_array().key("rows").begin_array();
    for (const auto& row : table.rows) {
      json.begin_array();
      for (const Cell& cell : row) json.value(cell.text());
      json.end_array();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

void keep_largest(Explanation& explanation, std::size_t most) {
  std::vector<Reason>& reasons = explanation.reasons;
  std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  for (std::size_t i = most; i < reasons.size(); ++i) explanation.rest += reasons[i].value;
  if (reasons.size() > most) reasons.resize(most);
}

std::string to_text(const Explanation& explanation) {
  std::string text;
  if (!explanation.title.empty()) text += explanation.title + "\n";
  if (!explanation.summary.empty()) text += wrapped(explanation.summary, 100) + "\n";
  const std::string_view others = explanation.rest != 0 ? "all others" : "";
  std::size_t width = std::max(width_of(explanation.total_name), others.size());
  for (const Reason& reason : explanation.reasons) width = std::max(width, width_of(reason.name));
  const auto line = [&](std::string_view name, double value, std::string_view words) {
    text += fmt::format("  {:<{}}  {:>+10.4g}", name, width, value);
    if (!words.empty()) text += fmt::format("  {}", words);
    text += '\n';
  };
  for (const Reason& reason : explanation.reasons) line(reason.name, reason.value, reason.text);
  if (!explanation.reasons.empty()) {
    if (!others.empty()) line(others, explanation.rest, {});
    line(explanation.total_name, explanation.total, {});
  }
  for (const Table& table : explanation.tables) text += table_text(table);
  return text;
}

std::string to_json(const Explanation& explanation, LayerValues values) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object().member("title", explanation.title).member("summary", explanation.summary);
  json.member("total_name", explanation.total_name).member("total", explanation.total);
  write_box(json, "box", explanation.place);
  write_reasons(json, explanation);
  json.member("rest", explanation.rest);
  write_layers(json, explanation, values);
  write_surface(json, explanation, values);
  write_shapes(json, explanation);
  write_tables(json, explanation);
  json.end_object().finish();
  return text;
}

}  // namespace fovea::report
