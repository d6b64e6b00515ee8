#include "operations/emd/targets.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/words.h"

namespace fovea::operations {
namespace {

std::optional<Rect<double>> box_of(const std::string& word) {
  std::vector<double> numbers;
  for (const std::string_view part : detail::split(word, ',')) {
    double value = 0;
    const char* const end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data(), end, value);
    if (error != std::errc{} || rest != end) return std::nullopt;
    numbers.push_back(value);
  }
  if (numbers.size() != 4) return std::nullopt;
  return Rect<double>{numbers[0], numbers[1], numbers[2], numbers[3]};
}

std::string to_text(const Rect<double>& box) {
  return fmt::format("{},{},{},{}", box.x, box.y, box.width, box.height);
}

}  // namespace

TargetWord parse_target(const std::string& word) {
  if (const auto box = box_of(word)) return *box;
  if (word.find_first_not_of("0123456789.,+-eE ") == std::string::npos)
    throw InvalidArgument(
        fmt::format("--target is '{}'; expected x,y,width,height or a file", word));
  return word;
}

std::vector<TargetWord> parse_targets(const std::vector<std::string>& words) {
  std::vector<TargetWord> targets;
  targets.reserve(words.size());
  for (const std::string& word : words) targets.push_back(parse_target(word));
  return targets;
}

Rect<int> box_within(const Rect<double>& box, int width, int height) {
  for (const double value : {box.x, box.y, box.width, box.height}) {
    if (value != std::floor(value))
      throw InvalidArgument(
          fmt::format("--target is {}; expected a box in whole pixels", to_text(box)));
  }
  if (box.width < 1 || box.height < 1)
    throw InvalidArgument(
        fmt::format("--target is {}; a box has a width and a height of at least 1", to_text(box)));
  if (!(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height))
    throw InvalidArgument(fmt::format("--target {} reaches outside of the frame of {}x{}",
                                      to_text(box), width, height));
  return {static_cast<int>(box.x), static_cast<int>(box.y), static_cast<int>(box.width),
          static_cast<int>(box.height)};
}

}  // namespace fovea::operations
