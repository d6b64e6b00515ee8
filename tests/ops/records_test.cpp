#include <fovea/io/record_io.h>
#include <fovea/ops/kernel_svm.h>
#include <fovea/ops/linear_svm.h>
#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(OpsRecords, MachinesReadBackFromTheirJson) {
  const LinearSvm svm{.weights = {1, -2.5F}, .bias = 0.5F, .passes = 3, .gap = 0.25};
  const std::string text = io::record_json(record_ref(svm));
  EXPECT_EQ(text,
            R"({"weights": [1, -2.5], "bias": 0.5, "passes": 3, "gap": 0.25, "converged": false, )"
            R"("objective": 0})");
  EXPECT_EQ(io::parse_record<LinearSvm>(text, "a").weights, svm.weights);
}

TEST(OpsRecords, JsonNamesTheShapeOfSupportVectors) {
  KernelSvm svm;
  svm.gamma = 0.5;
  svm.vectors = Image<float>(3, 2);
  EXPECT_EQ(io::record_json(record_ref(svm)),
            R"({"kernel": "rbf", "gamma": 0.5, "vectors": {"type": "float32", "shape": [2, 3]}, )"
            R"("coefficients": [], "bias": 0, "steps": 0, "gap": 0, "converged": false, )"
            R"("objective": 0})");
}

}  // namespace
}  // namespace fovea
