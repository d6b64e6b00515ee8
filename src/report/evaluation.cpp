// Evaluations as JSON, which the program writes and the view reads.
#include <fovea/report/evaluation.h>

#include <fovea/core/error.h>
#include <fovea/io/record_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea::report {
namespace {

constexpr double kPlaces = 300;  // that a drawing tells apart in each direction

// How far apart places of an axis are drawn, as a share of the range of all points.
class Places {
 public:
  Places(const std::vector<EvaluationPoint>& points, double EvaluationPoint::*value, bool log)
      : value_(value), log_(log) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const EvaluationPoint& point : points) {
      const double at = place(point);
      if (!std::isfinite(at)) continue;
      low = std::min(low, at);
      high = std::max(high, at);
    }
    range_ = high > low ? high - low : 1;
  }
  double apart(const EvaluationPoint& a, const EvaluationPoint& b) const {
    const double distance = std::abs(place(a) - place(b));
    return std::isfinite(distance) ? distance / range_ : 0;
  }

 private:
  double place(const EvaluationPoint& point) const {
    return log_ ? std::log(point.*value_) : point.*value_;
  }
  double EvaluationPoint::*value_;
  bool log_;
  double range_ = 1;
};

// An evaluation among the other members of a verb's JSON.
struct Evaluated {
  std::optional<Evaluation> evaluation{};
};
void describe(FieldVisitor& visit, Evaluated& evaluated) {
  visit("evaluation", evaluated.evaluation, "what fovea view shows");
}

// Refuses what does not fit together.
class Check {
 public:
  Check(const Evaluation& evaluation, const std::string& name)
      : evaluation_(evaluation), name_(name) {}

  void all() const {
    for (const EvaluationChart& chart : evaluation_.charts) points(chart);
    for (const Table& table : evaluation_.tables)
      for (const std::vector<Cell>& row : table.rows)
        if (row.size() != table.columns.size())
          fail(fmt::format("has a row of {} cells in a table of {} columns", row.size(),
                           table.columns.size()));
    const std::size_t classes = evaluation_.classes.size();
    if (evaluation_.confusion.size() != classes * classes)
      fail(fmt::format("has {} counts of confusion for {} classes", evaluation_.confusion.size(),
                       classes));
    // Mistakes of an evaluation without curves belong to its only method.
    const std::size_t curves = std::max<std::size_t>(
        1, evaluation_.charts.empty() ? 0 : evaluation_.charts.front().curves.size());
    for (const EvaluatedInput& input : evaluation_.inputs) {
      if (input.frame < 0 || input.frame > std::numeric_limits<std::int32_t>::max())
        fail(fmt::format("has a 'frame' of {}", input.frame));
      for (const EvaluationBox& box : input.boxes)
        if (box.score) place("curve", box.curve, curves);
    }
    for (const Mistake& mistake : evaluation_.mistakes) {
      place("input", mistake.input, evaluation_.inputs.size());
      place("curve", mistake.curve, curves);
      if (mistake.truth != -1) place("truth", mistake.truth, classes);
      if (mistake.predicted != -1) place("predicted", mistake.predicted, classes);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& cause) const {
    throw FormatError(fmt::format("{}: the evaluation {}", name_, cause));
  }
  void points(const EvaluationChart& chart) const {
    constexpr std::size_t kFixed = 3;  // threshold, x and y of a point
    place("lines", chart.lines, chart.figures.size() + 1);
    for (const EvaluationCurve& curve : chart.curves)
      for (const EvaluationPoint& point : curve.points)
        if (point.figures.size() != chart.figures.size())
          fail(fmt::format("has a point that has not {} numbers", kFixed + chart.figures.size()));
  }
  // A place in a list of this size.
  template <class Number>
  void place(const char* key, Number at, std::size_t size) const {
    if (at < Number{} || static_cast<std::uint64_t>(at) >= size)
      fail(fmt::format("has a '{}' of {}, but there are {}", key, at, size));
  }

  const Evaluation& evaluation_;
  const std::string& name_;
};

}  // namespace

std::vector<EvaluationPoint> subsampled(const std::vector<EvaluationPoint>& points,
                                        const EvaluationChart& chart) {
  const Places x(points, &EvaluationPoint::x, chart.x.log),
      y(points, &EvaluationPoint::y, chart.y.log);
  std::vector<EvaluationPoint> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool end = i == 0 || i + 1 == points.size();
    if (end || x.apart(points[i], kept.back()) * kPlaces > 1 ||
        y.apart(points[i], kept.back()) * kPlaces > 1)
      kept.push_back(points[i]);
  }
  return kept;
}

std::vector<Mistake> merged(const std::vector<double>& thresholds,
                            const std::vector<std::vector<Mistake>>& at_points) {
  struct Ranged {
    Mistake mistake;
    std::size_t last = 0;  // point at which it was made
  };
  const auto same = [](const Mistake& a, const Mistake& b) {
    return a.kind == b.kind && a.text == b.text && a.input == b.input && a.curve == b.curve &&
           a.box == b.box;
  };
  std::vector<Ranged> all;  // in an order that agrees with that of every list
  for (std::size_t point = 0; point < thresholds.size(); ++point) {
    auto next = all.begin();
    for (const Mistake& each : at_points[point]) {
      const auto known = std::ranges::find_if(all, [&](const Ranged& other) {
        return other.last + 1 == point && same(other.mistake, each);
      });
      if (known != all.end()) {
        known->last = point;
        next = known + 1;
        continue;
      }
      next = all.insert(next, {each, point});
      if (point > 0) next->mistake.above = thresholds[point - 1];
      ++next;
    }
  }
  std::vector<Mistake> mistakes;
  mistakes.reserve(all.size());
  for (Ranged& each : all) {
    if (each.last + 1 < thresholds.size()) each.mistake.up_to = thresholds[each.last];
    mistakes.push_back(std::move(each.mistake));
  }
  return mistakes;
}

bool is_mistake(const Mistake& mistake, std::optional<double> threshold) {
  return !threshold || ((!mistake.above || *threshold > *mistake.above) &&
                        (!mistake.up_to || *threshold <= *mistake.up_to));
}

Evaluation without_times(Evaluation evaluation) {
  std::erase_if(evaluation.charts, [](const EvaluationChart& chart) { return chart.timing; });
  for (Table& table : evaluation.tables) {
    for (std::size_t c = table.columns.size(); c-- > 0;) {
      if (!table.columns[c].timing) continue;
      const auto at = static_cast<std::ptrdiff_t>(c);
      table.columns.erase(table.columns.begin() + at);
      for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
    }
  }
  return evaluation;
}

void write_evaluation(io::JsonWriter& out, const Evaluation& evaluation) {
  io::write_record(out, record_ref(evaluation));
}

Evaluation parse_evaluation(std::string_view text, const std::string& name) {
  auto read = io::parse_record<Evaluated>(text, name);
  if (!read.evaluation) throw FormatError(fmt::format("{}: there is no evaluation in it", name));
  Check(*read.evaluation, name).all();
  return std::move(*read.evaluation);
}

}  // namespace fovea::report
