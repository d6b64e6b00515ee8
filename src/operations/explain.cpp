#include "operations/explain.h"

#include <fovea/core/error.h>
#include <fovea/io/image_path.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fovea::operations {

void describe_explain(OptionVisitor& visit, ExplainNumbers& numbers, std::string_view help,
                      std::string_view value_name) {
  visit("explain", numbers, help, -1e6, 1e6, {.value_name = value_name});
}

void describe_explain_picture(OptionVisitor& visit, std::string& picture) {
  visit.path("explain-picture", picture, TextUse::kOutput,
             "with --explain: file for a picture of the explanation");
}

void check_explain(const ExplainNumbers& numbers, const std::vector<std::size_t>& counts,
                   const std::string& picture) {
  check_explain_picture(!numbers.empty(), picture);
  if (numbers.empty() || std::find(counts.begin(), counts.end(), numbers.size()) != counts.end())
    return;
  std::string expected;
  for (const std::size_t count : counts)
    expected += (expected.empty() ? "" : " or ") + std::to_string(count);
  throw InvalidArgument(fmt::format("--explain has {} numbers; expected {}, with commas between",
                                    numbers.size(), expected));
}

void check_explain_picture(bool explains, const std::string& picture) {
  if (picture.empty()) return;
  if (!explains)
    throw InvalidArgument(
        fmt::format("--explain-picture {} needs --explain, which says what is explained", picture));
  io::require_image_path(picture);
}

ExplainedPixel explained_pixel(const ExplainNumbers& numbers, Extent size) {
  const double x = std::floor(numbers[0]), y = std::floor(numbers[1]);
  if (!(x >= 0 && y >= 0 && x < size.width && y < size.height))
    throw InvalidArgument(fmt::format("--explain {:g},{:g} lies outside of the image of {}x{}",
                                      numbers[0], numbers[1], size.width, size.height));
  return {static_cast<int>(x), static_cast<int>(y)};
}

}  // namespace fovea::operations
