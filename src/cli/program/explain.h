// Explanations of results, which every system prints, draws and writes as JSON in the same way. A
// verb describes its own --explain, because what is explained differs: a place, a face, a frame.
#pragma once
#include <fovea/io/json_writer.h>
#include <fovea/report/explanation.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// Numbers that --explain takes, such as X,Y; none where it is not given.
using ExplainNumbers = std::vector<double>;
// Describes --explain as a list of numbers, each from -1e6 to 1e6.
void describe_explain(OptionVisitor& visit, ExplainNumbers& numbers, std::string_view help,
                      std::string_view value_name);
// Describes --explain-picture, the file that an explanation is drawn to.
void describe_explain_picture(OptionVisitor& visit, std::string& picture);

// Throws InvalidArgument where --explain has another number of values than one of `counts`, where
// --explain-picture is given without it, and where the picture's file has an ending that images do
// not have. Call it before anything is read.
void check_explain(const ExplainNumbers& numbers, const std::vector<std::size_t>& counts,
                   const std::string& picture);
void check_explain_picture(bool explains, const std::string& picture);

// A pixel of an image of this size as --explain names it. Throws InvalidArgument that names the
// place and the size where it lies outside.
struct ExplainedPixel {
  int x = 0;
  int y = 0;
};
ExplainedPixel explained_pixel(const ExplainNumbers& numbers, Extent size);

// Where an explanation goes.
struct ExplainOutput {
  std::string picture{};                  // --explain-picture, or empty
  ImageView<const std::uint8_t> image{};  // gray or RGB in host memory; empty where there is none
  report::ExplanationPictureOptions drawing{};
  // Members that stand before "explanation" in the JSON, such as the input's name.
  std::function<void(io::JsonWriter& json)> members{};
};
// Draws the picture where one is asked for, and prints the explanation: as text, or with --json as
// the member "explanation" of a result. Returns the exit status.
int print_explanation(Context& context, const report::Explanation& explanation,
                      const ExplainOutput& output);

}  // namespace fovea::cli
