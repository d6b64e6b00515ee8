#pragma once
#include <fovea/core/api.h>
#include <fovea/core/geometry.h>
#include <fovea/core/record_fwd.h>
#include <fovea/report/chart.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// An evaluation in one form for all systems, so that one page can show it: charts on which a
// threshold is chosen, classes that are confused, and the worst mistakes together with their
// inputs. The eval verbs of the program write it under "evaluation" in their JSON, and fovea view
// reads it.
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
};

struct EvaluationChart {
  std::string title{};
  std::string threshold{};  // what the threshold is: "score"
  std::string option{};     // the option of the system that it sets; empty: none
  Axis x{}, y{};            // their titles and whether they are logarithmic
  std::vector<std::string> figures{};
  std::vector<EvaluationCurve> curves{};
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
  std::vector<std::string> classes{};
  std::vector<std::int64_t> confusion{};  // a row per true class, a column per predicted one
  std::vector<EvaluatedInput> inputs{};
  std::vector<Mistake> mistakes{};  // of each kind, the worst first
};

FOVEA_API void describe(FieldVisitor& visit, Axis& axis);
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

// Writes one object.
FOVEA_API void write_evaluation(io::JsonWriter& json, const Evaluation& evaluation);

// Reads an evaluation from the JSON of an eval verb. The text is not trusted: FormatError
// "NAME: ..." where it has no evaluation, or one that does not fit together.
FOVEA_API Evaluation parse_evaluation(std::string_view text, const std::string& name);

}  // namespace fovea::report
