// OpenCV's ml module, which has libsvm's solver, solves the same problem.
#include <fovea/core/random.h>
#include <fovea/ops/kernel_svm.h>
#include <gtest/gtest.h>

#include <opencv2/ml.hpp>

namespace fovea {
namespace {

TEST(KernelSvmOracle, ScoresAreThoseOfOpenCv) {
  constexpr int kCount = 240, kWidth = 24;
  Random random(11);
  Image<float> samples(kWidth, kCount);
  std::vector<std::int8_t> labels;
  for (int i = 0; i < kCount; ++i) {
    const int label = i % 4 == 0 ? 1 : -1;
    labels.push_back(static_cast<std::int8_t>(label));
    for (int k = 0; k < kWidth; ++k)
      samples.at(k, i) = 0.3F * random.normal() * (label > 0 ? 1.F : 1.6F) +
                         static_cast<float>(label) * (k % 3 ? 0.F : 0.05F);
  }
  cv::Mat rows(kCount, kWidth, CV_32F), classes(kCount, 1, CV_32S);
  for (int i = 0; i < kCount; ++i) {
    classes.at<int>(i) = labels[static_cast<std::size_t>(i)];
    for (int k = 0; k < kWidth; ++k) rows.at<float>(i, k) = samples.at(k, i);
  }
  for (const double gamma : {0.05, 0.5})
    for (const double cost : {0.5, 20.0}) {
      const auto rival = cv::ml::SVM::create();
      rival->setType(cv::ml::SVM::C_SVC);
      rival->setKernel(cv::ml::SVM::RBF);
      rival->setGamma(gamma);
      rival->setC(cost);
      rival->setTermCriteria({cv::TermCriteria::EPS + cv::TermCriteria::COUNT, 1000000, 1e-5});
      rival->train(rows, cv::ml::ROW_SAMPLE, classes);
      cv::Mat raw;
      rival->predict(rows, raw, cv::ml::StatModel::RAW_OUTPUT);
      const KernelSvm svm =
          train_kernel_svm(samples, labels, {}, {.gamma = gamma, .cost = cost, .tolerance = 1e-5});
      std::vector<float> scores(kCount);
      kernel_svm_scores(svm, samples, scores);
      // OpenCV's score is positive for the class that comes first, which is -1.
      for (int i = 0; i < kCount; ++i)
        EXPECT_NEAR(scores[static_cast<std::size_t>(i)], -raw.at<float>(i), 2e-3)
            << "gamma " << gamma << ", cost " << cost << ", sample " << i;
      EXPECT_NEAR(svm.vectors.height(), rival->getSupportVectors().rows, 2);
    }
}

}  // namespace
}  // namespace fovea
