// The errors of flow as the verbs print them.
#pragma once
#include <fovea/core/record.h>
#include <fovea/flow/evaluate.h>

#include <optional>

namespace fovea::cli {

// Errors over all pixels, and over the confident ones where there is a confidence.
struct PrintedErrors {
  struct Confident {
    double share = 0;
    flow::FlowErrors errors{};
  };
  flow::FlowErrors all{};
  std::optional<double> density{};
  std::optional<Confident> confident{};
  std::optional<double> sparsification_error{};
};
void describe(FieldVisitor& visit, PrintedErrors& errors);
PrintedErrors printed_errors(const flow::FlowReport& report, bool has_confidence);

}  // namespace fovea::cli
