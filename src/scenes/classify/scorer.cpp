#include "scenes/classify/scorer.h"

#include <algorithm>

#include "core/dispatch.h"
#include "scenes/classify/classifier_parts.h"

namespace fovea::scenes {

std::unique_ptr<NeighborEngine> make_neighbor_engine(const NeighborPlan& plan) {
  return detail::on_cuda(plan.exec) ? cuda::make_neighbor_engine(plan)
                                    : cpu::make_neighbor_engine(plan);
}

std::unique_ptr<MarginEngine> make_margin_engine(const MarginPlan& plan) {
  return detail::on_cuda(plan.exec) ? cuda::make_margin_engine(plan)
                                    : cpu::make_margin_engine(plan);
}

LinearFunctions linear_functions(const TrainedClassifier& classifier) {
  if (classifier.kind == ClassifierKind::kSvm)
    return {classifier.svm.kernel, classifier.svm.weights};
  return {classifier.logistic.kernel, classifier.logistic.weights};
}

Scorer::Scorer(const TrainedClassifier& classifier, const Exec& exec) : classifier_(classifier) {
  if (classifier.kind == ClassifierKind::kKnn)
    neighbors_ = make_neighbor_engine({classifier.knn.samples, classifier.knn.distance, exec});
  else margins_ = make_margin_engine({linear_functions(classifier), exec});
}

Image<float> Scorer::scores(ImageView<const float> features) {
  Image<float> result(classifier_.classes, features.height);
  if (features.height == 0) return result;
  if (classifier_.kind == ClassifierKind::kKnn) {
    const KnnClasses& knn = classifier_.knn;
    Image<std::int32_t> nearest(std::min(knn.neighbors, knn.samples.height()), features.height);
    neighbors_->find(features, nearest);
    knn_scores(knn, nearest, result);
    return result;
  }
  Image<double> margins(classifier_.classes, features.height);
  margins_->find(features, margins);
  if (classifier_.kind == ClassifierKind::kSvm) svm_scores(classifier_.svm, margins, result);
  else logistic_scores(classifier_.logistic, margins, result);
  return result;
}

}  // namespace fovea::scenes
