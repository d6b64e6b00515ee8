// The fields of an evaluation.
#include <fovea/core/record_values.h>
#include <fovea/report/evaluation.h>

#include <algorithm>

namespace fovea::report {
namespace {

constexpr FieldTraits kLater{.later = true};  // files may lack it

constexpr std::size_t kFixed = 3;
// A point is a list of numbers: its threshold, x, y and figures.
FieldValue point_value(EvaluationPoint& point) {
  return {ListRef{&point,
                  [](const void* of) {
                    return kFixed + static_cast<const EvaluationPoint*>(of)->figures.size();
                  },
                  [](void* of, std::size_t count) {
                    static_cast<EvaluationPoint*>(of)->figures.resize(std::max(count, kFixed) -
                                                                      kFixed);
                  },
                  [](void* of, std::size_t i) {
                    auto& in = *static_cast<EvaluationPoint*>(of);
                    return field_value(i == 0   ? in.threshold
                                       : i == 1 ? in.x
                                       : i == 2 ? in.y
                                                : in.figures[i - kFixed]);
                  },
                  &detail::sample_value<double>}};
}

using Fact = std::pair<std::string, std::string>;
FieldValue fact_value(Fact& fact) {
  return {RecordRef{&fact, [](FieldVisitor& visit, void* of) {
                      visit("name", static_cast<Fact*>(of)->first, "what it is", kLater);
                      visit("value", static_cast<Fact*>(of)->second, "its value", kLater);
                    }}};
}

}  // namespace

void describe(FieldVisitor& visit, Axis& axis) {
  visit("title", axis.title, "what it shows", kLater);
  visit("log", axis.log, "whether it is logarithmic", kLater);
  visit("low", axis.low, "where it begins; without it, the values say that");
  visit("high", axis.high, "where it ends");
}

void describe(FieldVisitor& visit, ReferenceLine& line) {
  visit("at", line.at, "its place on the axis that it crosses");
  visit("label", line.label, "what it stands for", kLater);
  visit("vertical", line.vertical, "whether it crosses the horizontal axis", kLater);
}

void describe(FieldVisitor& visit, EvaluationCurve& curve) {
  FieldValue points = detail::list_by<point_value>(curve.points),
             summary = detail::unless_empty(curve.summary);
  visit("name", curve.name, "of a model or a method", kLater);
  visit("summary", summary, "the number that curves are compared by");
  visit("chosen", curve.chosen, "the threshold that is used where nothing else is asked for");
  visit("points", points, "threshold, x, y and the chart's figures of each", kLater);
}

void describe(FieldVisitor& visit, EvaluationChart& chart) {
  FieldValue caption = detail::unless_empty(chart.caption), file = detail::unless_empty(chart.file),
             references = detail::unless_empty(chart.references),
             lines = detail::number_above<0>(chart.lines);
  visit("title", chart.title, "what it shows", kLater);
  visit("caption", caption, "what to see in it");
  visit("file", file, "the name of its picture in the folder of the report");
  visit("threshold", chart.threshold, "what the threshold is", kLater);
  visit("option", chart.option, "the option that sets it; empty where none does", kLater);
  visit("x", chart.x, "the horizontal axis");
  visit("y", chart.y, "the vertical axis");
  visit("figures", chart.figures, "what else is measured at each point", kLater);
  visit("lines", lines, "how many of the first figures are drawn as dashed lines");
  visit("references", references, "lines for comparison");
  visit("curves", chart.curves, "one per model or method", kLater);
}

void describe(FieldVisitor& visit, EvaluationBox& box) {
  FieldValue label = detail::unless_empty(box.label);
  FieldValue curve{OptionalRef{
      &box, [](const void* of) { return static_cast<const EvaluationBox*>(of)->score.has_value(); },
      [](void*, bool) {},
      [](void* of) { return field_value(static_cast<EvaluationBox*>(of)->curve); },
      &detail::sample_value<std::size_t>}};
  visit("box", box.box, "where it is", {.unit = "pixels"});
  visit("score", box.score, "of a box that was found; true boxes have none");
  visit("curve", curve, "the model or method that found it, by its place in the first chart");
  visit("label", label, "what it is, such as the number of a track");
}

void describe(FieldVisitor& visit, EvaluatedInput& input) {
  FieldValue frame = detail::number_above<0>(input.frame);
  FieldValue truth = detail::unless_empty(input.truth), boxes = detail::unless_empty(input.boxes);
  visit("files", input.files, "an image, video or mesh; two images of a motion", kLater);
  visit("frame", frame, "of a video, from 0, which is left out");
  visit("truth", truth, "the file of the true motion or of true parts");
  visit("boxes", boxes, "what is there, and what was found");
}

void describe(FieldVisitor& visit, Mistake& mistake) {
  FieldValue truth = detail::number_above<-1>(mistake.truth),
             predicted = detail::number_above<-1>(mistake.predicted);
  visit("kind", mistake.kind, "what mistakes of this kind have in common", kLater);
  visit("text", mistake.text, "what is wrong", kLater);
  visit("input", mistake.input, "by its place among the inputs", kLater);
  visit("curve", mistake.curve, "the model or method that made it, by its place", kLater);
  visit("above", mistake.above, "it is one at thresholds above this");
  visit("up_to", mistake.up_to, "and not above this");
  visit("box", mistake.box, "where it is", {.unit = "pixels"});
  visit("truth", truth, "the true class, by its place");
  visit("predicted", predicted, "the class that was predicted, by its place");
}

void describe(FieldVisitor& visit, Evaluation& evaluation) {
  FieldValue facts = detail::list_by<fact_value>(evaluation.facts);
  FieldValue classes = detail::unless_empty(evaluation.classes),
             confusion = detail::unless_empty(evaluation.confusion),
             tables = detail::unless_empty(evaluation.tables);
  visit.record("Evaluation", "how well a system does, as fovea view shows it");
  visit("system", evaluation.system, "that was evaluated", kLater);
  visit("title", evaluation.title, "what was measured", kLater);
  visit("summary", evaluation.summary, "in whole sentences", kLater);
  visit("facts", facts, "numbers of the evaluation, by name", kLater);
  visit("charts", evaluation.charts, "the first one decides which mistakes are shown", kLater);
  visit("tables", tables, "numbers of the evaluation, in rows");
  visit("classes", classes, "their names");
  visit("confusion", confusion, "counts: a row per true class, a column per predicted one");
  visit("inputs", evaluation.inputs, "that mistakes were made on", kLater);
  visit("mistakes", evaluation.mistakes, "of each kind, the worst first", kLater);
}

}  // namespace fovea::report
