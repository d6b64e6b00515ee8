// Evaluations as JSON, which the program writes and the view reads.
#include <fovea/report/evaluation.h>

#include <fovea/core/error.h>
#include <fovea/io/json_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "io/text/json_reader.h"

namespace fovea::report {
namespace {

using nlohmann::json;

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

void write_axis(io::JsonWriter& out, const char* name, const Axis& axis) {
  out.key(name).begin_object().member("title", axis.title).member("log", axis.log).end_object();
}

void write_texts(io::JsonWriter& out, const char* name, const std::vector<std::string>& texts) {
  out.key(name).begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void write_place(io::JsonWriter& out, const Rect<double>& box) {
  const std::array<double, 4> sides{box.x, box.y, box.width, box.height};
  out.key("box").values(std::span<const double>(sides));
}

void write_chart(io::JsonWriter& out, const EvaluationChart& chart) {
  out.begin_object().member("title", chart.title).member("threshold", chart.threshold);
  out.member("option", chart.option);
  write_axis(out, "x", chart.x);
  write_axis(out, "y", chart.y);
  write_texts(out, "figures", chart.figures);
  out.key("curves").begin_array();
  for (const EvaluationCurve& curve : chart.curves) {
    out.begin_object().member("name", curve.name);
    if (curve.chosen) out.member("chosen", *curve.chosen);
    out.key("points").begin_array();
    for (const EvaluationPoint& point : curve.points) {
      std::vector<double> numbers{point.threshold, point.x, point.y};
      numbers.insert(numbers.end(), point.figures.begin(), point.figures.end());
      out.values(numbers);
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

void write_input(io::JsonWriter& out, const EvaluatedInput& input) {
  out.begin_object();
  write_texts(out, "files", input.files);
  if (input.frame > 0) out.member("frame", input.frame);
  if (!input.truth.empty()) out.member("truth", input.truth);
  if (!input.boxes.empty()) {
    out.key("boxes").begin_array();
    for (const EvaluationBox& box : input.boxes) {
      out.begin_object();
      write_place(out, box.box);
      if (box.score) out.member("score", *box.score).member("curve", box.curve);
      if (!box.label.empty()) out.member("label", box.label);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

void write_mistake(io::JsonWriter& out, const Mistake& mistake) {
  out.begin_object().member("kind", mistake.kind).member("text", mistake.text);
  out.member("input", mistake.input).member("curve", mistake.curve);
  if (mistake.above) out.member("above", *mistake.above);
  if (mistake.up_to) out.member("up_to", *mistake.up_to);
  if (mistake.box) write_place(out, *mistake.box);
  if (mistake.truth >= 0) out.member("truth", mistake.truth);
  if (mistake.predicted >= 0) out.member("predicted", mistake.predicted);
  out.end_object();
}

// Takes values out of a tree and names the file where one is not what it should be.
class Taker {
 public:
  explicit Taker(const std::string& name) : name_(name) {}

  [[noreturn]] void fail(const std::string& cause) const {
    throw FormatError(fmt::format("{}: the evaluation {}", name_, cause));
  }
  const json& object(const json& tree, const char* key) const {
    const auto found = tree.find(key);
    if (found == tree.end() || !found->is_object()) fail(fmt::format("has no object '{}'", key));
    return *found;
  }
  const json& array(const json& tree, const char* key) const {
    static const json kNone = json::array();
    if (!tree.is_object()) fail("has something else where an object should be");
    const auto found = tree.find(key);
    if (found == tree.end()) return kNone;
    if (!found->is_array()) fail(fmt::format("has a '{}' that is no array", key));
    return *found;
  }
  std::string text(const json& tree, const char* key) const {
    const auto found = tree.find(key);
    if (found == tree.end()) return {};
    return text_of(*found, key);
  }
  std::string text_of(const json& value, const char* key) const {
    if (!value.is_string()) fail(fmt::format("has a '{}' that is no text", key));
    return value.get<std::string>();
  }
  std::vector<std::string> texts(const json& tree, const char* key) const {
    std::vector<std::string> all;
    for (const json& each : array(tree, key)) all.push_back(text_of(each, key));
    return all;
  }
  // Null stands for what JSON cannot write: NaN and infinities.
  double number_of(const json& value, const char* key) const {
    if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value.is_number()) fail(fmt::format("has a '{}' that is no number", key));
    return value.get<double>();
  }
  std::optional<double> number(const json& tree, const char* key) const {
    const auto found = tree.find(key);
    if (found == tree.end() || found->is_null()) return {};
    return number_of(*found, key);
  }
  std::int64_t whole(const json& tree, const char* key, std::int64_t otherwise) const {
    const auto found = tree.find(key);
    if (found == tree.end()) return otherwise;
    if (!found->is_number_integer()) fail(fmt::format("has a '{}' that is no whole number", key));
    return found->get<std::int64_t>();
  }
  // A place in a list of this size.
  std::size_t place(const json& tree, const char* key, std::size_t size) const {
    const std::int64_t at = whole(tree, key, 0);
    if (at < 0 || static_cast<std::uint64_t>(at) >= size)
      fail(fmt::format("has a '{}' of {}, but there are {}", key, at, size));
    return static_cast<std::size_t>(at);
  }
  Rect<double> box(const json& tree) const {
    const json& sides = array(tree, "box");
    if (sides.size() != 4) fail("has a 'box' that has not four numbers");
    Rect<double> result;
    double* const to[] = {&result.x, &result.y, &result.width, &result.height};
    for (std::size_t i = 0; i < 4; ++i) {
      if (!sides[i].is_number()) fail("has a 'box' that has not four numbers");
      *to[i] = sides[i].get<double>();
    }
    return result;
  }

 private:
  const std::string& name_;
};

Axis taken_axis(const Taker& take, const json& tree, const char* name) {
  const json& axis = take.object(tree, name);
  return {.title = take.text(axis, "title"), .log = axis.value("log", json(false)) == json(true)};
}

EvaluationChart taken_chart(const Taker& take, const json& tree) {
  constexpr std::size_t kFixed = 3;  // threshold, x and y of a point
  if (!tree.is_object()) take.fail("has a chart that is no object");
  EvaluationChart chart{.title = take.text(tree, "title"),
                        .threshold = take.text(tree, "threshold"),
                        .option = take.text(tree, "option"),
                        .x = taken_axis(take, tree, "x"),
                        .y = taken_axis(take, tree, "y"),
                        .figures = take.texts(tree, "figures"),
                        .curves = {}};
  for (const json& each : take.array(tree, "curves")) {
    if (!each.is_object()) take.fail("has a curve that is no object");
    EvaluationCurve curve{take.text(each, "name"), take.number(each, "chosen"), {}};
    for (const json& numbers : take.array(each, "points")) {
      if (!numbers.is_array() || numbers.size() != kFixed + chart.figures.size())
        take.fail(
            fmt::format("has a point that has not {} numbers", kFixed + chart.figures.size()));
      EvaluationPoint point{take.number_of(numbers[0], "points"),
                            take.number_of(numbers[1], "points"),
                            take.number_of(numbers[2], "points"),
                            {}};
      for (std::size_t i = kFixed; i < numbers.size(); ++i)
        point.figures.push_back(take.number_of(numbers[i], "points"));
      curve.points.push_back(std::move(point));
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

EvaluatedInput taken_input(const Taker& take, const json& tree, std::size_t curves) {
  if (!tree.is_object()) take.fail("has an input that is no object");
  EvaluatedInput input{
      take.texts(tree, "files"), take.whole(tree, "frame", 0), take.text(tree, "truth"), {}};
  if (input.frame < 0 || input.frame > std::numeric_limits<std::int32_t>::max())
    take.fail(fmt::format("has a 'frame' of {}", input.frame));
  for (const json& each : take.array(tree, "boxes")) {
    EvaluationBox box{take.box(each), take.number(each, "score"), 0, take.text(each, "label")};
    if (box.score) box.curve = take.place(each, "curve", curves);
    input.boxes.push_back(box);
  }
  return input;
}

Mistake taken_mistake(const Taker& take, const json& tree, const Evaluation& evaluation,
                      std::size_t curves) {
  if (!tree.is_object()) take.fail("has a mistake that is no object");
  Mistake mistake{.kind = take.text(tree, "kind"),
                  .text = take.text(tree, "text"),
                  .input = take.place(tree, "input", evaluation.inputs.size()),
                  .curve = take.place(tree, "curve", curves),
                  .above = take.number(tree, "above"),
                  .up_to = take.number(tree, "up_to")};
  if (tree.contains("box")) mistake.box = take.box(tree);
  for (auto [key, to] : {std::pair("truth", &mistake.truth), {"predicted", &mistake.predicted}})
    if (tree.contains(key))
      *to = static_cast<int>(take.place(tree, key, evaluation.classes.size()));
  return mistake;
}

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

void write_evaluation(io::JsonWriter& out, const Evaluation& evaluation) {
  out.begin_object().member("system", evaluation.system).member("title", evaluation.title);
  out.member("summary", evaluation.summary).key("facts").begin_array();
  for (const auto& [name, value] : evaluation.facts)
    out.begin_object().member("name", name).member("value", value).end_object();
  out.end_array().key("charts").begin_array();
  for (const EvaluationChart& chart : evaluation.charts) write_chart(out, chart);
  out.end_array();
  if (!evaluation.classes.empty()) {
    write_texts(out, "classes", evaluation.classes);
    out.key("confusion").values(evaluation.confusion);
  }
  out.key("inputs").begin_array();
  for (const EvaluatedInput& input : evaluation.inputs) write_input(out, input);
  out.end_array().key("mistakes").begin_array();
  for (const Mistake& mistake : evaluation.mistakes) write_mistake(out, mistake);
  out.end_array().end_object();
}

Evaluation parse_evaluation(std::string_view text, const std::string& name) {
  const json whole = io::parse_json(text, name);
  const Taker take(name);
  const auto found = whole.is_object() ? whole.find("evaluation") : whole.end();
  if (found == whole.end() || !found->is_object())
    throw FormatError(fmt::format("{}: there is no evaluation in it", name));
  Evaluation evaluation{.system = take.text(*found, "system"),
                        .title = take.text(*found, "title"),
                        .summary = take.text(*found, "summary")};
  for (const json& fact : take.array(*found, "facts")) {
    if (!fact.is_object()) take.fail("has a fact that is no object");
    evaluation.facts.emplace_back(take.text(fact, "name"), take.text(fact, "value"));
  }
  for (const json& chart : take.array(*found, "charts"))
    evaluation.charts.push_back(taken_chart(take, chart));
  evaluation.classes = take.texts(*found, "classes");
  for (const json& count : take.array(*found, "confusion"))
    evaluation.confusion.push_back(static_cast<std::int64_t>(take.number_of(count, "confusion")));
  if (evaluation.confusion.size() != evaluation.classes.size() * evaluation.classes.size())
    take.fail(fmt::format("has {} counts of confusion for {} classes", evaluation.confusion.size(),
                          evaluation.classes.size()));
  // Mistakes of an evaluation without curves belong to its only method.
  const std::size_t curves = std::max<std::size_t>(
      1, evaluation.charts.empty() ? 0 : evaluation.charts.front().curves.size());
  for (const json& input : take.array(*found, "inputs"))
    evaluation.inputs.push_back(taken_input(take, input, curves));
  for (const json& mistake : take.array(*found, "mistakes"))
    evaluation.mistakes.push_back(taken_mistake(take, mistake, evaluation, curves));
  return evaluation;
}

}  // namespace fovea::report
