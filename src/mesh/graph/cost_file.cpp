// Files of arc costs: text with or without names of columns, and .npy.
#include <fovea/mesh/arc_costs.h>

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/npy.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/words.h"
#include "io/text/extension.h"
#include "io/text/list_text.h"

namespace fovea::mesh {
namespace {

// What an entry names: two faces, two vertices, or two faces and the vertices of one of the edges
// that they share.
enum class Named : unsigned char { kFaces, kVertices, kFacesAndVertices };
using Ends = std::array<std::int32_t, 4>;  // the lower of a pair first; -1 for what is not named

// Where an entry stands in the file, for messages: a line of text or a row of an array.
struct Place {
  const std::string& path;
  const char* unit;  // "line" or "row"
  std::int64_t number;

  [[noreturn]] void fail(const std::string& cause) const {
    throw FormatError(fmt::format("{}: {} {}: {}", path, unit, number, cause));
  }
};

float checked_cost(double cost, const Place& place) {
  if (!(cost >= 0 && cost <= static_cast<double>(kMostArcCost)))
    place.fail(fmt::format("the cost is {}; expected 0 to {:g}", cost, kMostArcCost));
  return static_cast<float>(cost);
}

// Costs by pairs of faces or of vertices, which become costs of arcs.
class PairCosts {
 public:
  PairCosts(const std::string& path, const DualGraph& graph, Named named)
      : path_(path), graph_(graph), named_(named) {
    for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
      const DualArc& arc = graph.arcs[i];
      arcs_[ends_of({arc.a, arc.b}, {arc.low, arc.high})].push_back(i);
    }
    costs_.assign(graph.arcs.size(), -1);
  }

  void add(std::array<double, 2> faces, std::array<double, 2> vertices, double cost,
           const Place& place) {
    const auto numbers = [&](std::array<double, 2> pair, const char* what) {
      for (const double value : pair)
        if (!(value >= 0 && value <= std::numeric_limits<std::int32_t>::max()) ||
            value != std::floor(value))
          place.fail(
              fmt::format("{} is not a number of one of the {}; expected 0 or more", value, what));
      const auto [low, high] = std::minmax(pair[0], pair[1]);
      return std::array{static_cast<std::int32_t>(low), static_cast<std::int32_t>(high)};
    };
    const Ends ends =
        ends_of(named_ == Named::kVertices ? std::array{-1, -1} : numbers(faces, "faces"),
                named_ == Named::kFaces ? std::array{-1, -1} : numbers(vertices, "vertices"));
    const auto found = arcs_.find(ends);
    if (found == arcs_.end())
      place.fail(fmt::format("{} {}", text_of(ends),
                             named_ == Named::kVertices
                                 ? "are no edge between two faces; 'fovea mesh arcs' lists those "
                                   "that are"
                                 : "share no edge; 'fovea mesh arcs' lists those that do"));
    const float checked = checked_cost(cost, place);
    for (const std::size_t arc : found->second) {
      if (costs_[arc] >= 0 && costs_[arc] != checked)
        place.fail(fmt::format("{} have the cost {} here and {} before; expected one",
                               text_of(ends), checked, costs_[arc]));
      costs_[arc] = checked;
    }
  }

  std::vector<float> finish(std::optional<double> absent) {
    const auto missing = std::count(costs_.begin(), costs_.end(), -1.0F);
    if (missing > 0 && !absent) {
      const auto first =
          static_cast<std::size_t>(std::find(costs_.begin(), costs_.end(), -1.0F) - costs_.begin());
      const DualArc& arc = graph_.arcs[first];
      throw FormatError(fmt::format(
          "{}: no cost for {} of {}, the first of them between faces {} and {} (vertices {} and "
          "{}); add them, or give a cost for those that are absent",
          path_, missing, fovea::detail::counted(costs_.size(), "arc"), arc.a, arc.b, arc.low,
          arc.high));
    }
    for (float& cost : costs_)
      if (cost < 0) cost = static_cast<float>(*absent);
    return std::move(costs_);
  }

 private:
  Ends ends_of(std::array<std::int32_t, 2> faces, std::array<std::int32_t, 2> vertices) const {
    if (named_ == Named::kVertices) faces = {-1, -1};
    if (named_ == Named::kFaces) vertices = {-1, -1};
    return {faces[0], faces[1], vertices[0], vertices[1]};
  }
  std::string text_of(const Ends& ends) const {
    std::string faces = fmt::format("faces {} and {}", ends[0], ends[1]);
    if (named_ == Named::kFaces) return faces;
    std::string vertices = fmt::format("vertices {} and {}", ends[2], ends[3]);
    if (named_ == Named::kVertices) return vertices;
    return fmt::format("{} with {}", faces, vertices);
  }

  const std::string& path_;
  const DualGraph& graph_;
  Named named_;
  std::map<Ends, std::vector<std::size_t>> arcs_;
  std::vector<float> costs_;
};

void check_count(const std::string& path, std::size_t found, const DualGraph& graph) {
  if (found != graph.arcs.size())
    throw FormatError(fmt::format(
        "{}: {}; expected {}, one per arc in the order that 'fovea mesh arcs' lists them", path,
        fovea::detail::counted(found, "cost"), graph.arcs.size()));
}

std::vector<std::string_view> columns_of(std::string_view line) {
  constexpr std::string_view kMarks = ",;\t";
  std::vector<std::string_view> columns;
  const bool marked = line.find_first_of(kMarks) != std::string_view::npos;
  const auto trimmed = [](std::string_view text) {
    const auto first = text.find_first_not_of(io::kListSpace);
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(io::kListSpace) - first + 1);
  };
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(marked ? kMarks : " "), line.size());
    const std::string_view column = trimmed(line.substr(0, end));
    if (marked || !column.empty()) columns.push_back(column);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return columns;
}

bool read_number(std::string_view text, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Which columns hold what; -1 for none.
struct Layout {
  std::array<int, 2> faces{-1, -1}, vertices{-1, -1};
  int cost = 0;
  std::size_t columns = 1;

  bool has_faces() const { return faces[0] >= 0 && faces[1] >= 0; }
  bool has_vertices() const { return vertices[0] >= 0 && vertices[1] >= 0; }
  Named named() const {
    if (!has_faces()) return Named::kVertices;
    return has_vertices() ? Named::kFacesAndVertices : Named::kFaces;
  }
};

Layout named_layout(const std::vector<std::string_view>& names, const Place& place) {
  const auto at = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  };
  const Layout layout{
      {at("face_a"), at("face_b")}, {at("vertex_a"), at("vertex_b")}, at("cost"), names.size()};
  if (layout.cost < 0)
    place.fail("no column is named cost; expected face_a,face_b,cost or vertex_a,vertex_b,cost");
  if (!layout.has_faces() && !layout.has_vertices() && names.size() > 1)
    place.fail(
        fmt::format("the columns are {}; expected face_a,face_b,cost or "
                    "vertex_a,vertex_b,cost",
                    fovea::detail::shown(fmt::format("{}", fmt::join(names, ",")))));
  return layout;
}

std::vector<float> read_text_costs(const std::string& path, const DualGraph& graph,
                                   std::optional<double> absent) {
  const std::string text = io::read_list(path);
  const std::vector<io::ListLine> lines = io::list_lines(text);
  if (lines.empty()) throw FormatError(fmt::format("{}: has no costs", path));
  std::size_t next = 0;
  const std::vector<std::string_view> first = columns_of(lines[0].text);
  double ignored = 0;
  Layout layout;
  if (!read_number(first.empty() ? std::string_view() : first[0], ignored)) {
    layout = named_layout(first, {path, "line", lines[0].number});
    next = 1;
  } else if (first.size() == 3) {
    layout = {.faces = {0, 1}, .vertices = {-1, -1}, .cost = 2, .columns = 3};
  } else if (first.size() != 1) {
    Place{path, "line", lines[0].number}.fail(
        fmt::format("{}; expected one cost, or two faces and a cost, or a first line that names "
                    "the columns",
                    fovea::detail::counted(first.size(), "column")));
  }
  std::vector<float> plain;
  std::optional<PairCosts> pairs;
  if (layout.has_faces() || layout.has_vertices()) pairs.emplace(path, graph, layout.named());
  for (; next < lines.size(); ++next) {
    const Place place{path, "line", lines[next].number};
    const std::vector<std::string_view> columns = columns_of(lines[next].text);
    if (columns.size() != layout.columns)
      place.fail(fmt::format("{}; expected {} as before",
                             fovea::detail::counted(columns.size(), "column"), layout.columns));
    const auto number = [&](int column) {
      double value = -1;
      if (column < 0) return value;
      const std::string_view word = columns[static_cast<std::size_t>(column)];
      if (!read_number(word, value))
        place.fail(fmt::format("'{}' is not a number", fovea::detail::shown(word)));
      return value;
    };
    const auto pair = [&](const std::array<int, 2>& at) {
      return std::array{number(at[0]), number(at[1])};
    };
    if (pairs) pairs->add(pair(layout.faces), pair(layout.vertices), number(layout.cost), place);
    else plain.push_back(checked_cost(number(layout.cost), place));
  }
  if (pairs) return pairs->finish(absent);
  check_count(path, plain.size(), graph);
  return plain;
}

std::vector<float> read_array_costs(const std::string& path, const DualGraph& graph,
                                    std::optional<double> absent) {
  const io::NdArray array = io::read_array(path);
  const std::vector<double> numbers = array.numbers();
  if (array.shape.size() == 1) {
    check_count(path, numbers.size(), graph);
    std::vector<float> costs;
    costs.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      costs.push_back(checked_cost(numbers[i], {path, "row", static_cast<std::int64_t>(i)}));
    return costs;
  }
  if (array.shape.size() != 2 || array.shape[1] != 3)
    throw FormatError(
        fmt::format("{}: the shape is ({}); expected (n) with one cost per arc, or "
                    "(n, 3) with two faces and a cost per row",
                    path, fmt::join(array.shape, ", ")));
  PairCosts pairs(path, graph, Named::kFaces);
  for (std::size_t row = 0; row < array.shape[0]; ++row)
    pairs.add({numbers[3 * row], numbers[3 * row + 1]}, {}, numbers[3 * row + 2],
              {path, "row", static_cast<std::int64_t>(row)});
  return pairs.finish(absent);
}

}  // namespace

std::vector<float> read_arc_costs(const std::string& path, const DualGraph& graph,
                                  std::optional<double> absent) {
  if (absent && !(*absent >= 0 && *absent <= static_cast<double>(kMostArcCost)))
    throw InvalidArgument(fmt::format("the cost of arcs that are absent is {}; expected 0 to {:g}",
                                      *absent, kMostArcCost));
  return io::extension_of(path) == ".npy" ? read_array_costs(path, graph, absent)
                                          : read_text_costs(path, graph, absent);
}

void write_arc_costs(const std::string& path, const DualGraph& graph,
                     std::span<const float> costs) {
  check_arc_costs(graph, costs);
  io::FileSink file(path);
  io::CsvWriter csv(file.sink(), {"face_a", "face_b", "vertex_a", "vertex_b", "geodesic", "angle",
                                  "concave", "edge", "cost"});
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const DualArc& arc = graph.arcs[i];
    csv.row(arc.a, arc.b, arc.low, arc.high, arc.geodesic, arc.angle, arc.concave, arc.edge,
            costs[i]);
  }
  file.commit();
}

}  // namespace fovea::mesh
