// Reads annotations of either format and finds those of given images.
#include "people/evaluate/annotations.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/inputs.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/json_text.h"
#include "io/text/source.h"

namespace fovea::people {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1}
                                     << 30U;  // the largest file of COCO has half as many

std::string small_letters(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

// The name without folders, with either separator, and without its extension.
std::string stem(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const auto dot = path.rfind('.');
  return std::string(dot == 0 ? path : path.substr(0, dot));
}

// Where the annotations of an image are.
struct Entry {
  AnnotatedImage image;
  std::string file;
  bool twice = false;
};

void add(std::map<std::string, Entry>& entries, const std::string& name, const Entry& entry) {
  const auto [place, is_new] = entries.emplace(name, entry);
  if (!is_new) place->second.twice = true;
}

std::map<std::string, Entry> read_all(const std::string& path, const AnnotationOptions& options) {
  std::map<std::string, Entry> entries;
  const io::InputKind kind{"annotation", {"txt", "json"}};
  for (const std::string& file : io::expand_inputs(std::span(&path, 1), kind)) {
    auto images = read_annotations(file, options);
    const bool alone = images.size() == 1;
    for (AnnotatedImage& image : images) {
      const std::string inside = stem(image.name);
      const Entry entry{std::move(image), file, false};
      if (!inside.empty()) add(entries, inside, entry);
      if (alone && stem(file) != inside) add(entries, stem(file), entry);
    }
  }
  return entries;
}

}  // namespace

std::string annotation_excerpt(std::string_view text) {
  return detail::json_quote(text.size() > 60 ? text.substr(0, 60) : text);
}

std::optional<Rect<float>> sensible_box(double x, double y, double width, double height) {
  constexpr double kMost = 1e6;
  const auto sensible = [](double value) { return std::abs(value) <= kMost; };  // false for NaN
  if (!sensible(x) || !sensible(y) || !sensible(width) || !sensible(height)) return {};
  if (width < 0 || height < 0) return {};
  return Rect<float>{static_cast<float>(x), static_cast<float>(y), static_cast<float>(width),
                     static_cast<float>(height)};
}

void describe(OptionVisitor& visit, AnnotationOptions& options) {
  visit(
      "label", options.label,
      "count annotated objects whose label contains this word as people; an empty word counts all");
}

std::vector<AnnotatedImage> parse_annotations(std::span<const std::byte> data,
                                              const std::string& name,
                                              const AnnotationOptions& options) {
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) throw FormatError(name + ": is empty");
  std::vector<AnnotatedImage> images;
  if (text[first] == '{' || text[first] == '[') images = parse_coco(text, name);
  else images.push_back(parse_pascal(text.substr(first), name));
  const std::string wanted = small_letters(options.label);
  for (AnnotatedImage& image : images) {
    std::erase_if(image.people, [&](const Annotation& person) {
      return small_letters(person.label).find(wanted) == std::string::npos;
    });
  }
  return images;
}

std::vector<AnnotatedImage> read_annotations(const std::string& path,
                                             const AnnotationOptions& options) {
  const io::Source source(path);
  if (source.size() > kMostBytes)
    throw FormatError(fmt::format("{}: is larger than {} MiB; this can be no file of annotations",
                                  path, kMostBytes >> 20U));
  std::vector<std::byte> data(source.size());
  data.resize(source.read_at(0, data));
  return parse_annotations(data, path, options);
}

std::vector<AnnotatedImage> annotations_of(std::span<const std::string> images,
                                           const std::string& path,
                                           const AnnotationOptions& options) {
  const auto entries = read_all(path, options);
  std::vector<AnnotatedImage> result;
  result.reserve(images.size());
  for (const std::string& image : images) {
    const auto found = entries.find(stem(image));
    if (found == entries.end())
      throw IoError(
          fmt::format("{}: has no annotation of the image {}; expected one whose image or "
                      "file is named {}",
                      path, image, stem(image)));
    if (found->second.twice)
      throw FormatError(
          fmt::format("{}: has more than one annotation of {}; give images names that "
                      "differ",
                      found->second.file, stem(image)));
    result.push_back(found->second.image);
  }
  return result;
}

}  // namespace fovea::people
