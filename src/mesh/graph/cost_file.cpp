// Files of arc costs: text with or without names of columns, and .npy.
#include <fovea/mesh/arc_costs.h>

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/npy.h>

#include <algorithm>
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

using Ends = std::pair<std::int32_t, std::int32_t>;

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
  PairCosts(const std::string& path, const DualGraph& graph, bool vertices)
      : path_(path), graph_(graph), what_(vertices ? "vertices" : "faces") {
    for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
      const DualArc& arc = graph.arcs[i];
      arcs_[vertices ? Ends(arc.low, arc.high) : Ends(arc.a, arc.b)].push_back(i);
    }
    costs_.assign(graph.arcs.size(), -1);
  }

  void add(double a, double b, double cost, const Place& place) {
    const auto number = [&](double value) {
      if (!(value >= 0 && value <= std::numeric_limits<std::int32_t>::max()) ||
          value != std::floor(value))
        place.fail(
            fmt::format("{} is not a number of one of the {}; expected 0 or more", value, what_));
      return static_cast<std::int32_t>(value);
    };
    const auto [low, high] = std::minmax({number(a), number(b)});
    const auto found = arcs_.find({low, high});
    if (found == arcs_.end())
      place.fail(fmt::format("{} {} and {} {}", what_, low, high,
                             what_[0] == 'f'
                                 ? "share no edge; 'fovea mesh arcs' lists those that do"
                                 : "are no edge between two faces; 'fovea mesh arcs' "
                                   "lists those that are"));
    const float checked = checked_cost(cost, place);
    for (const std::size_t arc : found->second) {
      if (costs_[arc] >= 0 && costs_[arc] != checked)
        place.fail(fmt::format("{} {} and {} have the cost {} here and {} before; expected one",
                               what_, low, high, checked, costs_[arc]));
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
  const std::string& path_;
  const DualGraph& graph_;
  std::string what_;
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
  int a = -1, b = -1, cost = 0;
  std::size_t columns = 1;
  bool vertices = false;
};

Layout named_layout(const std::vector<std::string_view>& names, const Place& place) {
  const auto at = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  };
  Layout layout{at("face_a"), at("face_b"), at("cost"), names.size()};
  if (layout.a < 0 || layout.b < 0) {
    layout.a = at("vertex_a");
    layout.b = at("vertex_b");
    layout.vertices = true;
  }
  if (layout.cost < 0)
    place.fail("no column is named cost; expected face_a,face_b,cost or vertex_a,vertex_b,cost");
  if ((layout.a < 0) != (layout.b < 0) || (layout.a < 0 && names.size() > 1))
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
    layout = {0, 1, 2, 3};
  } else if (first.size() != 1) {
    Place{path, "line", lines[0].number}.fail(
        fmt::format("{}; expected one cost, or two faces and a cost, or a first line that names "
                    "the columns",
                    fovea::detail::counted(first.size(), "column")));
  }
  std::vector<float> plain;
  std::optional<PairCosts> pairs;
  if (layout.a >= 0) pairs.emplace(path, graph, layout.vertices);
  for (; next < lines.size(); ++next) {
    const Place place{path, "line", lines[next].number};
    const std::vector<std::string_view> columns = columns_of(lines[next].text);
    if (columns.size() != layout.columns)
      place.fail(fmt::format("{}; expected {} as before",
                             fovea::detail::counted(columns.size(), "column"), layout.columns));
    const auto number = [&](int column) {
      double value = 0;
      const std::string_view word = columns[static_cast<std::size_t>(column)];
      if (!read_number(word, value))
        place.fail(fmt::format("'{}' is not a number", fovea::detail::shown(word)));
      return value;
    };
    if (pairs) pairs->add(number(layout.a), number(layout.b), number(layout.cost), place);
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
  PairCosts pairs(path, graph, false);
  for (std::size_t row = 0; row < array.shape[0]; ++row)
    pairs.add(numbers[3 * row], numbers[3 * row + 1], numbers[3 * row + 2],
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
