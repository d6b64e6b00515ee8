// Explanations of results, which every system prints, draws and writes as JSON in the same way.
#pragma once
#include <fovea/io/json_writer.h>
#include <fovea/report/explanation.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"
#include "operations/explain.h"

namespace fovea::cli {

using operations::check_explain;
using operations::check_explain_picture;
using operations::describe_explain;
using operations::describe_explain_picture;
using operations::explained_pixel;
using operations::ExplainedPixel;
using operations::ExplainNumbers;

// Where an explanation goes.
struct ExplainOutput {
  std::string picture{};                  // --explain-picture, or empty
  ImageView<const std::uint8_t> image{};  // gray or RGB in host memory; empty where there is none
  report::ExplanationPictureOptions drawing{};
  // Members that stand before "explanation" in the JSON, such as the input's name.
  std::function<void(io::JsonWriter& json)> members{};
};
// Throws InvalidArgument in a run that is recorded: nothing is recorded of an explanation.
void require_no_journal(const Context& context);
// Draws the picture where one is asked for, and prints the explanation: as text, or with --json as
// the member "explanation" of a result. Returns the exit status.
int print_explanation(Context& context, const report::Explanation& explanation,
                      const ExplainOutput& output);

}  // namespace fovea::cli
