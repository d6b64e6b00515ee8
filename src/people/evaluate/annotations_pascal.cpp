// PASCAL Annotation Version 1.00: lines of "what : value", in any order. Corners are pixels, both
// inside the box. A comment line gives the numbers of the top left pixel, which are (1, 1) where
// there is none. Bytes beyond ASCII have no meaning here.
#include <fmt/format.h>
#include <fovea/core/error.h>

#include <charconv>
#include <cmath>
#include <map>

#include "people/evaluate/annotations.h"

namespace fovea::people {
namespace {

// Reads words and numbers from the front of a line.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  bool word(std::string_view expected) {
    skip_space();
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::optional<double> number() {
    skip_space();
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return {};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::optional<std::string> quoted() {
    if (!word("\"")) return {};
    const auto end = rest_.find('"');
    if (end == std::string_view::npos) return {};
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  // The text after the next colon.
  bool skip_colon() {
    const auto colon = rest_.find(':');
    if (colon == std::string_view::npos) return false;
    rest_.remove_prefix(colon + 1);
    return true;
  }
  // Reads a pair such as "(3, 4)".
  bool pair(double& x, double& y) {
    if (!word("(")) return false;
    const auto first = number();
    if (!first || !word(",")) return false;
    const auto second = number();
    if (!second || !word(")")) return false;
    x = *first;
    y = *second;
    return true;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

class PascalReader {
 public:
  explicit PascalReader(const std::string& name) : name_(name) {}

  void line(std::string_view text) {
    ++number_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    Line line(text);
    if (line.word("#")) return read_comment(line);
    if (line.word("Image filename")) return read_file_name(line);
    if (line.word("Image size")) return read_size(line);
    if (line.word("Objects with ground truth")) return read_count(line);
    if (line.word("Bounding box for object")) return read_box(line);
  }

  AnnotatedImage image() {
    if (!announced_) fail("has no line 'Objects with ground truth'; it may be truncated");
    if (static_cast<double>(corners_.size()) != *announced_)
      throw FormatError(
          fmt::format("{}: announces {} objects, but has {} bounding boxes; it may be "
                      "truncated",
                      name_, *announced_, corners_.size()));
    for (const auto& [object, corners] : corners_) {
      const auto box = sensible_box(corners.x0 - origin_x_, corners.y0 - origin_y_,
                                    corners.x1 - corners.x0 + 1, corners.y1 - corners.y0 + 1);
      if (!box || !(box->width >= 1) || !(box->height >= 1))
        throw FormatError(
            fmt::format("{}: object {} has the corners ({}, {}) and ({}, {}), which make no box",
                        name_, object, corners.x0, corners.y0, corners.x1, corners.y1));
      image_.people.push_back({*box, false, corners.label});
    }
    return std::move(image_);
  }

 private:
  struct Corners {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    std::string label;
  };

  [[noreturn]] void fail(std::string_view what) const {
    throw FormatError(fmt::format("{}: {}", name_, what));
  }
  [[noreturn]] void fail_here(std::string_view expected) const {
    throw FormatError(fmt::format("{}: line {}: expected {}", name_, number_, expected));
  }

  void read_comment(Line& line) {
    if (!line.word("Top left pixel co-ordinates")) return;
    if (!line.skip_colon() || !line.pair(origin_x_, origin_y_))
      fail_here("co-ordinates such as (1, 1) after 'Top left pixel co-ordinates :'");
  }
  void read_file_name(Line& line) {
    auto text = line.skip_colon() ? line.quoted() : std::nullopt;
    if (!text) fail_here("a name in quotes after 'Image filename :'");
    image_.name = std::move(*text);
  }
  void read_size(Line& line) {
    constexpr double kMostPixels = 1e6;
    const double width = line.skip_colon() ? line.number().value_or(0) : 0;
    const double height = width > 0 && line.word("x") ? line.number().value_or(0) : 0;
    if (!(width >= 1 && width <= kMostPixels) || !(height >= 1 && height <= kMostPixels))
      fail_here("a size such as 640 x 480 x 3 after 'Image size :'");
    image_.width = static_cast<int>(width);
    image_.height = static_cast<int>(height);
  }
  void read_count(Line& line) {
    announced_ = line.skip_colon() ? line.number() : std::nullopt;
    if (!announced_ || !(*announced_ >= 0))
      fail_here("the number of objects after 'Objects with ground truth :'");
  }
  void read_box(Line& line) {
    const auto object = line.number();
    auto label = object ? line.quoted() : std::nullopt;
    Corners corners;
    if (!label || !line.skip_colon() || !line.pair(corners.x0, corners.y0) || !line.word("-") ||
        !line.pair(corners.x1, corners.y1))
      fail_here(
          "a box such as: object 1 \"person\" (Xmin, Ymin) - (Xmax, Ymax) : (2, 3) - (40, 99)");
    corners.label = std::move(*label);
    if (!corners_.emplace(*object, std::move(corners)).second)
      fail_here(fmt::format("one bounding box for object {}, but this is the second", *object));
  }

  const std::string& name_;
  int number_ = 0;
  double origin_x_ = 1, origin_y_ = 1;
  std::optional<double> announced_;
  std::map<double, Corners> corners_;  // by the number of the object
  AnnotatedImage image_;
};

}  // namespace

AnnotatedImage parse_pascal(std::string_view text, const std::string& name) {
  const std::string_view head = text.substr(0, text.find('\n'));
  if (head.find("PASCAL Annotation Version") == std::string_view::npos)
    throw FormatError(fmt::format(
        "{}: is neither a PASCAL annotation, which begins with '# PASCAL Annotation Version 1.00', "
        "nor COCO's JSON; it begins with {}",
        name, annotation_excerpt(head)));
  PascalReader reader(name);
  while (!text.empty()) {
    const auto end = text.find('\n');
    reader.line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return reader.image();
}

}  // namespace fovea::people
