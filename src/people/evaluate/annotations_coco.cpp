// COCO's JSON: lists of images, categories and annotations that refer to each other by number.
// Outlines ("segmentation"), most of such a file, are dropped while it is parsed.
#include <fmt/format.h>
#include <fovea/core/error.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "io/text/json_reader.h"
#include "people/evaluate/annotations.h"

namespace fovea::people {
namespace {

using nlohmann::json;

class CocoReader {
 public:
  CocoReader(json document, const std::string& name)
      : document_(std::move(document)), name_(name) {}

  std::vector<AnnotatedImage> images() {
    if (!document_.is_object()) fail("is JSON, but not an object as COCO's annotations are");
    read_images();
    if (document_.contains("categories")) read_categories();
    read_annotations();
    return std::move(images_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FormatError(name_ + ": " + what); }

  const json& list(const char* key) const {
    const auto found = document_.find(key);
    if (found == document_.end() || !found->is_array())
      fail(fmt::format("has no list \"{}\" as COCO's annotations have", key));
    return *found;
  }

  std::int64_t id(const json& entry, const char* key, const std::string& where) const {
    const auto found = entry.is_object() ? entry.find(key) : entry.end();
    if (!entry.is_object() || found == entry.end() || !found->is_number_integer())
      fail(fmt::format("{} has no whole number \"{}\"", where, key));
    return found->get<std::int64_t>();
  }

  int side(const json& entry, const char* key, const std::string& where) const {
    const auto found = entry.find(key);
    if (found == entry.end()) return 0;
    const double value = found->is_number() ? found->get<double>() : -1;
    if (!(value >= 1 && value <= 1e6)) fail(fmt::format("{} has an impossible {}", where, key));
    return static_cast<int>(value);
  }

  // Images that are frames of a video, as people detect --coco writes them.
  std::int64_t frame(const json& entry, const std::string& where) const {
    if (!entry.contains("frame")) return -1;
    const std::int64_t number = id(entry, "frame", where);
    if (number < 0) fail(fmt::format("{} has the impossible frame {}", where, number));
    return number;
  }

  void read_images() {
    const json& entries = list("images");
    images_.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string where = fmt::format("image {} of the list", i + 1);
      const std::int64_t number = id(entries[i], "id", where);
      const auto file = entries[i].find("file_name");
      if (file == entries[i].end() || !file->is_string())
        fail(where + " has no text \"file_name\"");
      if (!index_.emplace(number, images_.size()).second)
        fail(fmt::format("has two images with the id {}", number));
      images_.push_back({.name = file->get<std::string>(),
                         .width = side(entries[i], "width", where),
                         .height = side(entries[i], "height", where),
                         .frame = frame(entries[i], where)});
    }
  }

  void read_categories() {
    const json& entries = list("categories");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string where = fmt::format("category {} of the list", i + 1);
      const std::int64_t number = id(entries[i], "id", where);
      const auto text = entries[i].find("name");
      if (text == entries[i].end() || !text->is_string()) fail(where + " has no text \"name\"");
      categories_[number] = text->get<std::string>();
    }
  }

  // Files write these flags as 0 and 1 or as false and true.
  static bool flag(const json& entry, const char* key) {
    const auto found = entry.find(key);
    if (found == entry.end()) return false;
    if (found->is_boolean()) return found->get<bool>();
    return found->is_number() && found->get<double>() != 0;
  }

  Rect<float> box(const json& entry, const std::string& where) const {
    const auto found = entry.find("bbox");
    std::optional<Rect<float>> result;
    if (found != entry.end() && found->is_array() && found->size() == 4 &&
        std::all_of(found->begin(), found->end(), [](const json& n) { return n.is_number(); }))
      result = sensible_box((*found)[0].get<double>(), (*found)[1].get<double>(),
                            (*found)[2].get<double>(), (*found)[3].get<double>());
    if (!result) fail(where + " has no \"bbox\" of four sensible numbers [x, y, width, height]");
    return *result;
  }

  void read_annotations() {
    const json& entries = list("annotations");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const json& entry = entries[i];
      const std::string where = fmt::format("annotation {} of the list", i + 1);
      const auto image = index_.find(id(entry, "image_id", where));
      if (image == index_.end())
        fail(fmt::format("{} belongs to image {}, which is not listed", where,
                         id(entry, "image_id", where)));
      Annotation annotation{.box = box(entry, where), .label = label(entry, where)};
      annotation.ignore = flag(entry, "iscrowd") || flag(entry, "ignore") ||
                          !(annotation.box.width > 0 && annotation.box.height > 0);
      images_[image->second].people.push_back(std::move(annotation));
    }
  }

  // Without a list of categories everything is a person.
  std::string label(const json& entry, const std::string& where) const {
    if (categories_.empty()) return "person";
    const std::int64_t number = id(entry, "category_id", where);
    const auto found = categories_.find(number);
    if (found == categories_.end())
      fail(fmt::format("{} is of category {}, which is not listed", where, number));
    return found->second;
  }

  json document_;
  const std::string& name_;
  std::vector<AnnotatedImage> images_;
  std::unordered_map<std::int64_t, std::size_t> index_;
  std::unordered_map<std::int64_t, std::string> categories_;
};

}  // namespace

std::vector<AnnotatedImage> parse_coco(std::string_view text, const std::string& name) {
  return CocoReader(io::parse_json(text, name, "segmentation"), name).images();
}

}  // namespace fovea::people
