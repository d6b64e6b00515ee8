// A model as a file: how places are described, the words, the classifier, the names of the classes,
// and the facts of its training. Choices are stored by name; files of version 1 (Fovea 0.1.0) have
// the numbers of enumerators instead.
#include <fovea/core/error.h>
#include <fovea/io/models.h>
#include <fovea/scenes/model.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/model/model_reader.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"
#include "scenes/classify/model_parts.h"
#include "scenes/classify/scorer.h"
#include "scenes/words/code_plan.h"
#include "scenes/words/dictionary_file.h"

namespace fovea::scenes {
namespace {

constexpr std::string_view kClassifier = "option.classifier.";

// The kind of classifier, which a file stores by name.
struct Kind {
  ClassifierKind classifier = ClassifierKind::kKnn;
  Kernel kernel = Kernel::kChiSquared;
};
void describe(OptionVisitor& visit, Kind& kind) {
  visit("kind", kind.classifier, "");
  visit("kernel", kind.kernel, "");
}
// Files that were written when there was one distance only do not name it.
struct KnownDistance {
  Distance distance = Distance::kChiSquared;
};
void describe(OptionVisitor& visit, KnownDistance& known) { visit("distance", known.distance, ""); }

class SceneModelReader {
 public:
  explicit SceneModelReader(const io::ModelFile& file)
      : in_(file), version_(in_.version(kModelSchema, kModelVersion)) {}

  Model read() const;

 private:
  Kind kind() const;
  // Reads one row of weights per class, for histograms of so many bins.
  Image<float> weights(int classes, int bins) const;
  SvmClasses svm(int classes, int bins) const;
  LogisticClasses logistic(int classes, int bins) const;
  KnnClasses knn(int classes, int bins) const;

  io::ModelReader in_;
  int version_;
};

Kind SceneModelReader::kind() const {
  Kind result;
  if (version_ > 1) {
    in_.options(kClassifier, result);
    return result;
  }
  result.classifier = in_.numbered_choice<ClassifierKind>("classifier");
  if (result.classifier == ClassifierKind::kSvm)
    result.kernel = in_.numbered_choice<Kernel>("kernel");
  return result;
}

Image<float> SceneModelReader::weights(int classes, int bins) const {
  Image<float> result = in_.rows("weights", bins * map_numbers(kind().kernel));
  if (result.height() != classes)
    in_.unfit(fmt::format("weights of {} classes, but {} have names", result.height(), classes));
  return result;
}

LogisticClasses SceneModelReader::logistic(int classes, int bins) const {
  return {kind().kernel, weights(classes, bins), in_.floats("bias", classes)};
}

SvmClasses SceneModelReader::svm(int classes, int bins) const {
  SvmClasses result;
  result.kernel = kind().kernel;
  result.weights = weights(classes, bins);
  result.bias = in_.floats("bias", classes);
  if (!in_.file().has("slope")) return result;
  result.slope = in_.floats("slope", classes);
  result.offset = in_.floats("offset", classes);
  return result;
}

KnnClasses SceneModelReader::knn(int classes, int bins) const {
  KnnClasses result;
  result.samples = in_.rows("samples", bins);
  result.neighbors = in_.number("neighbors", 1, std::min(result.samples.height(), kMostNeighbors));
  KnownDistance known;
  if (version_ > 1 && in_.file().metadata().contains(std::string(kClassifier) + "distance"))
    in_.options(kClassifier, known);
  result.distance = known.distance;
  result.labels = in_.labels("labels", result.samples.height(), classes);
  if (result.distance != Distance::kChiSquared) return result;
  for (int y = 0; y < result.samples.height(); ++y)
    for (int x = 0; x < bins; ++x)
      if (result.samples.at(x, y) < 0)
        in_.unfit(fmt::format("sample {} counts {} of a word", y, result.samples.at(x, y)));
  return result;
}

Model SceneModelReader::read() const {
  in_.file().require_finite();
  Model model;
  model.dictionary = read_dictionary(in_, version_);
  model.pyramid = in_.number("pyramid", 0, 2);
  model.classes = in_.classes();
  const auto classes = static_cast<int>(model.classes.size());
  const int bins = feature_length(model.dictionary, model.pyramid);
  model.classifier.kind = kind().classifier;
  model.classifier.classes = classes;
  switch (model.classifier.kind) {
    case ClassifierKind::kKnn: model.classifier.knn = knn(classes, bins); break;
    case ClassifierKind::kSvm: model.classifier.svm = svm(classes, bins); break;
    case ClassifierKind::kLogistic: model.classifier.logistic = logistic(classes, bins); break;
  }
  if (makes_negative(model.dictionary) && !takes_negative(model.classifier))
    in_.unfit("its words make negative numbers, but its classifier compares histograms");
  model.facts = in_.facts(kFactPrefix);
  return model;
}

void add_classifier(io::ModelFile& file, const TrainedClassifier& classifier) {
  const Kernel kernel = classifier.kind == ClassifierKind::kKnn
                            ? Kernel::kChiSquared
                            : linear_functions(classifier).kernel;
  io::add_options(file, kClassifier, Kind{classifier.kind, kernel});
  if (classifier.kind == ClassifierKind::kKnn) {
    io::add_options(file, kClassifier, KnownDistance{classifier.knn.distance});
    io::add_number(file, "neighbors", classifier.knn.neighbors);
    io::add_rows(file, "samples", classifier.knn.samples);
    io::add_labels(file, "labels", classifier.knn.labels);
    return;
  }
  io::add_rows(file, "weights", linear_functions(classifier).weights);
  if (classifier.kind == ClassifierKind::kLogistic) {
    io::add_floats(file, "bias", classifier.logistic.bias);
    return;
  }
  io::add_floats(file, "bias", classifier.svm.bias);
  if (classifier.svm.slope.empty()) return;
  io::add_floats(file, "slope", classifier.svm.slope);
  io::add_floats(file, "offset", classifier.svm.offset);
}

}  // namespace

Model parse_model(const io::ModelFile& file) { return SceneModelReader(file).read(); }

Model Model::read(const std::string& path) { return parse_model(io::ModelFile::read(path)); }

std::shared_ptr<const Model> load_model(std::string_view name) {
  return std::make_shared<const Model>(Model::read(io::find_model(name, "scenes")));
}

void Model::write(const std::string& path) const {
  io::ModelFile file;
  file.set_schema(kModelSchema, is_coded(dictionary) ? kModelVersion : kCountingModelVersion);
  add_dictionary(file, dictionary);
  io::add_number(file, "pyramid", pyramid);
  io::add_classes(file, classes);
  add_classifier(file, classifier);
  io::add_facts(file, kFactPrefix, facts);
  file.write(path);
}

}  // namespace fovea::scenes
