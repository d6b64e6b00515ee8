// The fields of what operations on numbers give.
#include <fovea/core/record.h>
#include <fovea/ops/kernel_svm.h>
#include <fovea/ops/linear_svm.h>

namespace fovea {

void describe(FieldVisitor& visit, LinearSvm& svm) {
  visit.record("LinearSvm", "a linear support vector machine");
  visit("weights", svm.weights, "one per feature");
  visit("bias", svm.bias, "a sample x belongs to label 1 where weights . x + bias > 0");
  visit("passes", svm.passes, "over the samples");
  visit("gap", svm.gap, "of the projected gradients in the last pass over all samples");
  visit("converged", svm.converged, "whether the gap is within the tolerance");
  visit("objective", svm.objective, "|weights|^2 / 2 + sum of costs * losses, which is least");
}

void describe(FieldVisitor& visit, KernelSvm& svm) {
  visit.record("KernelSvm", "a support vector machine with a kernel");
  visit("kernel", svm.kernel, "by which samples are compared");
  visit("gamma", svm.gamma, "of the RBF kernel");
  visit("vectors", svm.vectors, "the support vectors, one per row");
  visit("coefficients", svm.coefficients, "one per vector: its dual variable times its label");
  visit("bias", svm.bias, "is added to the sum of coefficients times kernel");
  visit("steps", svm.steps, "pairs that were changed");
  visit("gap", svm.gap, "greatest violation of the optimality conditions that is left");
  visit("converged", svm.converged, "whether the gap is within the tolerance");
  visit("objective", svm.objective, "of the dual, which is greatest");
}

}  // namespace fovea
