// The options --explain and --explain-picture. An operation describes its own --explain, because
// what is explained differs: a place, a face, a frame.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/options.h>

#include <string>
#include <string_view>
#include <vector>

namespace fovea::operations {

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

}  // namespace fovea::operations
