#include "bench/scenes/scenes_classifiers.h"

#include <fovea/core/random.h>
#include <fovea/scenes/trained_classifier.h>

#include <cstdint>
#include <memory>

#include "scenes/classify/scorer.h"

namespace fovea::cli {
namespace {

constexpr int kBins = 500, kTrained = 1193, kBenchClasses = 8;  // four fifths of 1491 images

// Histograms like those of photos: most words are rare, and some are frequent in a class.
Image<float> drawn_histograms(int count, std::uint64_t sequence) {
  Image<float> rows(kBins, count);
  for (int y = 0; y < count; ++y) {
    Random random(1, sequence + static_cast<std::uint64_t>(y));
    float sum = 0;
    for (int x = 0; x < kBins; ++x) {
      const float chance = static_cast<float>(random.bits()) * 0x1p-32F;
      const float favored = x % kBenchClasses == y % kBenchClasses ? 2.0F : 1.0F;
      sum += rows.at(x, y) = favored * chance * chance * chance * chance;
    }
    for (int x = 0; x < kBins; ++x) rows.at(x, y) /= sum;
  }
  return rows;
}

struct BenchScorer {
  std::unique_ptr<scenes::Scorer> scorer;  // made once per device
  scenes::TrainedClassifier classifier;
  Image<float> tested;
};

BenchCase classifier_case(const char* name, int tested,
                          const scenes::TrainClassifierOptions& options) {
  const bool knn = options.classifier == scenes::ClassifierKind::kKnn;
  const double rows = tested, others = knn ? kTrained : kBenchClasses;
  const double width = knn ? kBins : 3.0 * kBins;  // the explicit map makes 3 numbers of a bin
  BenchCase bench{.name = name,
                  .shape = {.width = kBins,
                            .height = tested,
                            .to_width = kBins,
                            .to_height = knn ? kTrained : kBenchClasses},
                  .bytes = (rows * kBins + others * width) * sizeof(float),
                  .operations = 2 * rows * others * width,
                  .prepare = {}};
  bench.prepare = [=](Memory memory) -> BenchWork {
    std::vector<std::int32_t> labels(kTrained);
    for (int i = 0; i < kTrained; ++i) labels[static_cast<std::size_t>(i)] = i % kBenchClasses;
    const auto made = std::make_shared<BenchScorer>();
    made->classifier = scenes::train_classifier(drawn_histograms(kTrained, 0).view(), labels,
                                                kBenchClasses, options);
    made->tested = clone(drawn_histograms(tested, 1 << 20).view(), memory);
    return [=](const Exec& exec) {
      if (made->scorer == nullptr) {
        Exec own = exec;
        own.stream = nullptr;  // the clock's stream ends with the first measurement
        made->scorer = std::make_unique<scenes::Scorer>(made->classifier, own);
      }
      made->scorer->scores(made->tested);
    };
  };
  return bench;
}

}  // namespace

std::vector<ClassifierCase> scenes_classifier_cases(int tested) {
  using scenes::ClassifierKind;
  using scenes::Distance;
  scenes::TrainClassifierOptions options;
  options.folds = 0;
  options.exec.device = Device::cpu();
  std::vector<ClassifierCase> cases;
  const auto add = [&](const char* stage, const char* name) {
    cases.push_back({stage, classifier_case(name, tested, options)});
  };
  add("neighbors", "scenes_knn_chi_squared");
  options.distance = Distance::kEuclidean;
  add("neighbors euclidean", "scenes_knn_euclidean");
  options.distance = Distance::kCosine;
  add("neighbors cosine", "scenes_knn_cosine");
  options.classifier = ClassifierKind::kSvm;
  add("svm", "scenes_svm");
  options.classifier = ClassifierKind::kLogistic;
  add("logistic", "scenes_logistic");
  return cases;
}

}  // namespace fovea::cli
