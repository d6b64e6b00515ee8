#pragma once
#include <fovea/core/api.h>
#include <fovea/core/geometry.h>
#include <fovea/core/record_fwd.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// An evaluation in one form for all systems, so that one page can show it: charts on which a
// threshold is chosen, tables, classes that are confused, and the worst mistakes together with
// their inputs. The eval verbs of the program write it under "evaluation" in their JSON, and fovea
// view reads it. <fovea/report/evaluation_page.h> draws it.
namespace fovea::io {
class JsonWriter;
}

namespace fovea::report {

// A point of a curve, and what was measured there.
struct EvaluationPoint {
  double threshold = 0;  // that leads to this point
  double x = 0, y = 0;
  std::vector<double> figures{};  // one per EvaluationChart::figures
};

struct EvaluationCurve {
  std::string name{};              // of a model or a method
  std::optional<double> chosen{};  // the threshold that is used where nothing else is asked for
  std::vector<EvaluationPoint> points{};
  std::string summary{};  // the number that curves are compared by: "27.1 %"; may be empty
};

struct EvaluationChart {
  std::string title{};
  std::string threshold{};  // what the threshold is: "score"
  std::string option{};     // the option of the system that it sets; empty: none
  Axis x{}, y{};            // their titles and whether they are logarithmic
  std::vector<std::string> figures{};
  std::vector<EvaluationCurve> curves{};
  std::string caption{};  // what to see in it; may be empty
  std::string file{};     // name of its picture in a folder: "curve"; may be empty
  int lines = 0;          // so many of the first figures are drawn as dashed lines
  std::vector<ReferenceLine> references{};  // for comparison
  bool timing = false;  // it shows times, which differ from run to run: without_times()
};

struct EvaluationBox {
  Rect<double> box{};
  std::optional<double> score{};  // of a box that was found; boxes without one are true
  std::size_t curve = 0;  // the model or method that found it, by its place in the first chart
  std::string label{};    // what it is, such as the number of a track; may be empty
};

// An input that mistakes were made on.
struct EvaluatedInput {
  std::vector<std::string> files{};  // an image, video or mesh; two images of a motion; none where
                                     // nobody named it
  std::int64_t frame = 0;            // of a video
  std::string truth{};               // file of the true motion or of true parts; may be empty
  std::vector<EvaluationBox> boxes{};
};

struct Mistake {
  std::string kind{};     // what mistakes of this kind have in common: "Missed people"
  std::string text{};     // "nobody is there, but the score is 1.92"
  std::size_t input = 0;  // by its place
  std::size_t curve = 0;  // the model or method that made it, by its place in the first chart
  // It is a mistake at thresholds above `above` and not above `up_to`; at all where there are none.
  std::optional<double> above{}, up_to{};
  std::optional<Rect<double>> box{};  // where it is
  int truth = -1, predicted = -1;     // classes; -1: none
};

struct Evaluation {
  std::string system{};   // "people"
  std::string title{};    // "How well people are found"
  std::string summary{};  // whole sentences
  std::vector<std::pair<std::string, std::string>> facts{};
  std::vector<EvaluationChart> charts{};  // the first one decides which mistakes are shown
  std::vector<Table> tables{};
  std::vector<std::string> classes{};
  std::vector<std::int64_t> confusion{};  // a row per true class, a column per predicted one
  std::vector<EvaluatedInput> inputs{};
  std::vector<Mistake> mistakes{};  // of each kind, the worst first
};

FOVEA_API void describe(FieldVisitor& visit, Axis& axis);
FOVEA_API void describe(FieldVisitor& visit, ReferenceLine& line);
FOVEA_API void describe(FieldVisitor& visit, EvaluationCurve& curve);
FOVEA_API void describe(FieldVisitor& visit, EvaluationChart& chart);
FOVEA_API void describe(FieldVisitor& visit, EvaluationBox& box);
FOVEA_API void describe(FieldVisitor& visit, EvaluatedInput& input);
FOVEA_API void describe(FieldVisitor& visit, Mistake& mistake);
FOVEA_API void describe(FieldVisitor& visit, Evaluation& evaluation);

// The points that a drawing of some hundred pixels shows apart from each other, in their order,
// with the first and the last one.
FOVEA_API std::vector<EvaluationPoint> subsampled(const std::vector<EvaluationPoint>& points,
                                                  const EvaluationChart& chart);

// The mistakes of a curve, from lists of those that are made at each of its points, the worst
// first. Thresholds ascend. What is the same at neighboring points becomes one mistake with the
// range of thresholds at which it is made; the order is that of the best place in any list.
FOVEA_API std::vector<Mistake> merged(const std::vector<double>& thresholds,
                                      const std::vector<std::vector<Mistake>>& at_points);

// A point whose threshold is its place.
inline EvaluationPoint point_at(double x, double y, std::vector<double> figures = {}) {
  return {x, x, y, std::move(figures)};
}

// The chart with one more curve, whose points `point_of` makes of values.
template <class Values, class PointOf>
EvaluationChart with_curve(EvaluationChart chart, std::string name, const Values& values,
                           const PointOf& point_of) {
  EvaluationCurve curve{.name = std::move(name)};
  for (const auto& value : values) curve.points.push_back(point_of(value));
  chart.curves.push_back(std::move(curve));
  return chart;
}

// Whether something is a mistake at a threshold; without one it always is.
FOVEA_API bool is_mistake(const Mistake& mistake, std::optional<double> threshold);

// Inputs of an evaluation by what the caller knows them by, each once.
template <class Key>
class InputPlaces {
 public:
  // The place of an input, which `make()` gives where it is not there yet.
  template <class Make>
  std::size_t at(Evaluation& evaluation, const Key& key, const Make& make) {
    const auto [known, is_new] = places_.emplace(key, evaluation.inputs.size());
    if (is_new) evaluation.inputs.push_back(make());
    return known->second;
  }

 private:
  std::map<Key, std::size_t> places_{};
};

// Without the charts and columns that show times, so that equal runs give equal files.
FOVEA_API Evaluation without_times(Evaluation evaluation);

// Writes one object.
FOVEA_API void write_evaluation(io::JsonWriter& json, const Evaluation& evaluation);

// Reads an evaluation from the JSON of an eval verb. The text is not trusted: FormatError
// "NAME: ..." where it has no evaluation, or one that does not fit together.
FOVEA_API Evaluation parse_evaluation(std::string_view text, const std::string& name);

}  // namespace fovea::report
