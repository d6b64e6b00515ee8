#include "cli/people/people.h"

#include <fovea/core/error.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <fovea/io/models.h>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

double number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw InvalidArgument(fmt::format("--{} is '{}'; expected a number", option, text));
  return value;
}

}  // namespace

void describe(OptionVisitor& visit, PeopleModel& choice) {
  visit("model", choice.model, "hog, cascade or channels as shipped, or a model file");
}

std::string model_path(const std::string& word) { return io::find_model(word, "people"); }

people::Model read_people_model(const std::string& word) {
  const std::string path = model_path(word);
  if (fs::path(path).extension() == ".safetensors") return people::Model::read(path);
  return people::import_model(path);
}

void describe(OptionVisitor& visit, PeopleSearch& search) {
  describe(visit, search.scan);
  describe(visit, search.fuse);
  visit("threshold", search.threshold, "least score of a window; without one, the model's own");
}

people::DetectOptions detect_options(const PeopleSearch& search, const Exec& exec) {
  people::DetectOptions options{.scan = search.scan, .fuse = search.fuse, .exec = exec};
  if (!search.threshold.empty()) options.threshold = number("threshold", search.threshold);
  options.exec.progress = {};
  return options;
}

people::Region parse_region(const std::string& option, const std::string& text) {
  if (text.empty()) return {};
  std::array<int, 4> values{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, values[i]);
    const bool last = i + 1 == values.size();
    if (error != std::errc{} || (last ? next != end : next == end || *next != ','))
      throw InvalidArgument(
          fmt::format("--{} is '{}'; expected x,y,width,height in pixels", option, text));
    at = last ? next : next + 1;
  }
  return {values[0], values[1], values[2], values[3]};
}

Image<std::uint8_t> people_pixels(io::AnyImage image) {
  if (image.channels() == 2 || image.channels() == 4) image = io::drop_alpha(image);
  if (image.channels() != 1 && image.channels() != 3)
    throw InvalidArgument(fmt::format(
        "an image of {} channels; people are looked for in gray or RGB images", image.channels()));
  return io::to_bytes(std::move(image));
}

void draw_people(ImageView<std::uint8_t> image, const std::vector<people::Detection>& people) {
  for (std::size_t i = people.size(); i-- > 0;) {  // the surest on top
    const people::Box& box = people[i].box;
    report::draw_box(image, {box.x, box.y, box.width, box.height},
                     fmt::format("{:.2f}", people[i].score), {});
  }
}

}  // namespace fovea::cli
