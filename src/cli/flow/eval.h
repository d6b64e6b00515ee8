// What the parts of fovea flow eval pass to each other: sequences in, the errors of each out.
#pragma once
#include <fovea/flow/evaluate.h>
#include <fovea/flow/flow.h>
#include <fovea/report/evaluation.h>

#include <string>
#include <vector>

#include "cli/flow/flow.h"

namespace fovea::cli {

struct FlowEvalRequest {
  flow::FlowOptions flow{};
  std::string output{};
  bool rivals = false;
  int sheet = 12;       // sequences with pictures in the page
  double greatest = 3;  // error in pixels that pictures draw brightest
  flow::EvaluateOptions measure{};
};
void describe(OptionVisitor& visit, FlowEvalRequest& request);
void preset_chosen(FlowEvalRequest& request);

// A pair of images and the file of its true flow.
struct FlowSequence {
  std::string name;
  std::string first, second, truth;
};
// Finds sequences in a folder with frame10, frame11 (images) and flow10 (a flow file), in folders
// that contain such folders, or in a list of lines that name first image, second image and flow
// file, relative to the list. Throws an IoError or FormatError that names what is missing.
std::vector<FlowSequence> find_sequences(const std::vector<std::string>& words);

// The result of one sequence.
struct SequenceResult {
  FlowSequence sequence{};
  flow::FlowReport report{};
  double seconds = 0;
  Image<std::uint8_t> picture{};  // image, true flow, flow, confidence and errors beside each other
};

// One method over all sequences, in their order.
struct MethodResult {
  std::string name;  // "lk", "DIS medium"
  std::vector<SequenceResult> sequences{};
};

// Means over sequences with equal weights; sequences without such pixels are left out.
flow::FlowErrors mean_errors(const MethodResult& result, bool confident = false);
std::vector<flow::SparsificationPoint> mean_curve(const MethodResult& result);
double mean_sparsification_error(const MethodResult& result);

// Runs the methods of other libraries on the same sequences. Where their module cannot be used,
// this is noted and the result is empty.
std::vector<MethodResult> measure_flow_rivals(const std::vector<FlowSequence>& sequences,
                                              const FlowEvalRequest& request, Context& context);

// What the page and fovea view show: the errors of all methods, the sparsification curve of the
// first one, and its pairs with the largest errors first.
report::Evaluation flow_evaluation(const std::vector<MethodResult>& results);

// Writes the folder: that of every evaluation, errors.csv and curve.csv.
void write_flow_eval_folder(const FlowEvalRequest& request, const Context& context,
                            const std::vector<MethodResult>& results);

}  // namespace fovea::cli
