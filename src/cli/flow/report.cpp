#include "cli/flow/report.h"

namespace fovea::cli {

static void describe(FieldVisitor& visit, PrintedErrors::Confident& confident) {
  visit("share", confident.share, "of the pixels that are confident");
  describe(visit, confident.errors);
}

void describe(FieldVisitor& visit, PrintedErrors& errors) {
  describe(visit, errors.all);
  visit("density", errors.density, "share of the true pixels that the field knows");
  visit("confident", errors.confident, "the same over confident pixels");
  visit("sparsification_error", errors.sparsification_error,
        "how badly the confidence predicts errors; 0 is best");
}

PrintedErrors printed_errors(const flow::FlowReport& report, bool has_confidence) {
  PrintedErrors errors{.all = report.all};
  if (!has_confidence) return errors;
  errors.confident = {report.confident_share, report.confident};
  errors.sparsification_error = report.sparsification_error;
  return errors;
}

}  // namespace fovea::cli
