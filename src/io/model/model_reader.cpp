#include "io/model/model_reader.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "core/words.h"

namespace fovea::io {
namespace {

constexpr std::string_view kClassPrefix = "class.";
constexpr std::size_t kMostClasses = 65535;

std::string class_key(std::size_t label) { return fmt::format("{}{}", kClassPrefix, label); }

std::string option_key(std::string_view prefix, const OptionField& field) {
  return fmt::format("{}{}", prefix, field.name);
}

}  // namespace

void ModelReader::unfit(const std::string& cause) const {
  throw ModelError(fmt::format("{}: {}", file_.name(), cause));
}

const std::string& ModelReader::schema() const {
  const auto found = file_.metadata().find("schema");
  if (found == file_.metadata().end()) unfit("not a model of Fovea: it names no schema");
  return found->second;
}

int ModelReader::version(std::string_view schema, int newest) const {
  const auto found = file_.metadata().find("schema_version");
  if (found != file_.metadata().end())
    for (int version = 1; version < newest; ++version)
      if (found->second == std::to_string(version)) {
        file_.require_schema(schema, version);
        return version;
      }
  file_.require_schema(schema, newest);
  return newest;
}

int ModelReader::number(const char* tensor, int least, int greatest) const {
  const int value = file_.tensor<std::int32_t>(tensor, {1})[0];
  if (value < least || value > greatest)
    unfit(fmt::format("{} is {}, expected {} to {}", tensor, value, least, greatest));
  return value;
}

std::vector<float> ModelReader::floats(const char* tensor, int count) const {
  return file_.floats(tensor, {count});
}

Image<float> ModelReader::rows(const char* tensor, int width) const {
  const std::vector<float> values = file_.floats(tensor, {kAnySize, width});
  Image<float> result(width, row_count(tensor, 1, INT32_MAX / std::max(width, 1)));
  for (int y = 0; y < result.height(); ++y)
    std::copy_n(values.data() + static_cast<std::ptrdiff_t>(y) * width, width, result.row(y));
  return result;
}

int ModelReader::row_count(const std::string& tensor, int least, int greatest) const {
  const Shape& shape = file_.shape(tensor);
  const std::int64_t rows = shape.empty() ? 0 : shape[0];
  if (rows < least || rows > greatest)
    unfit(fmt::format("{} has {} rows, expected {} to {}", tensor, rows, least, greatest));
  return static_cast<int>(rows);
}

std::vector<std::int32_t> ModelReader::labels(const char* tensor, int count, int classes) const {
  const auto values = file_.tensor<std::int32_t>(tensor, {count});
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0 || values[i] >= classes)
      unfit(fmt::format("{}: number {} is class {}, but there are {} classes", tensor, i, values[i],
                        classes));
  return {values.begin(), values.end()};
}

std::vector<std::string> ModelReader::classes() const {
  std::vector<std::string> names;
  for (;;) {
    const auto found = file_.metadata().find(class_key(names.size()));
    if (found == file_.metadata().end()) break;
    const std::string& name = found->second;
    if (std::any_of(name.begin(), name.end(), [](char c) { return std::iscntrl(c & 0xff) != 0; }))
      unfit(fmt::format("class {} is named '{}', which has a control character", names.size(),
                        fovea::detail::shown(name)));
    if (names.size() == kMostClasses)
      unfit(fmt::format("names more than {} classes", kMostClasses));
    names.push_back(name);
  }
  if (names.size() < 2)
    unfit(fmt::format("names {}, expected two or more",
                      fovea::detail::counted(names.size(), "class", "classes")));
  return names;
}

const std::string& ModelReader::fact(const std::string& key) const {
  const auto found = file_.metadata().find(key);
  if (found == file_.metadata().end())
    unfit(fmt::format(
        "has no {}; it comes from another version of Fovea, or is no model of this kind", key));
  return found->second;
}

ModelFacts ModelReader::facts(std::string_view prefix) const {
  ModelFacts result;
  for (const auto& [key, value] : file_.metadata())
    if (key.starts_with(prefix)) result[key.substr(prefix.size())] = value;
  return result;
}

void ModelReader::option(std::string_view prefix, const OptionField& field) const {
  const std::string key = option_key(prefix, field);
  try {
    set_option(field, fact(key));
  } catch (const InvalidArgument& error) {
    unfit(fmt::format("{}: {}", key, error.what()));
  }
}

void add_number(ModelFile& file, const std::string& tensor, int value) {
  file.add(tensor, {1}, std::vector<std::int32_t>{value});
}

void add_floats(ModelFile& file, const std::string& tensor, const std::vector<float>& values) {
  file.add(tensor, {std::ssize(values)}, values);
}

// Rows of an image may have gaps between them in memory, but have none in a file.
void add_rows(ModelFile& file, const std::string& tensor, ImageView<const float> rows) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(rows.width) * static_cast<std::size_t>(rows.height));
  for (int y = 0; y < rows.height; ++y)
    values.insert(values.end(), rows.row(y), rows.row(y) + rows.width);
  file.add(tensor, {rows.height, rows.width}, values);
}

void add_labels(ModelFile& file, const std::string& tensor,
                const std::vector<std::int32_t>& labels) {
  file.add(tensor, {std::ssize(labels)}, labels);
}

void add_classes(ModelFile& file, std::span<const std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i) file.set_metadata(class_key(i), names[i]);
}

void add_facts(ModelFile& file, std::string_view prefix, const ModelFacts& facts) {
  for (const auto& [key, value] : facts) file.set_metadata(std::string(prefix) + key, value);
}

void add_option(ModelFile& file, std::string_view prefix, const OptionField& field) {
  file.set_metadata(option_key(prefix, field), option_text(field));
}

}  // namespace fovea::io
