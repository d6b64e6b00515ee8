// What the readers of all systems' models share: class names, facts, options by name, numbers,
// labels and rows within bounds. Nothing in a file is trusted: whatever does not fit throws a
// ModelError that begins with the file's name.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/options.h>
#include <fovea/io/model_file.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

using ModelFacts = std::map<std::string, std::string>;

class ModelReader {
 public:
  // The file must outlive the reader.
  explicit ModelReader(const ModelFile& file) : file_(file) {}

  const ModelFile& file() const { return file_; }
  [[noreturn]] void unfit(const std::string& cause) const;

  // The schema that the file names.
  const std::string& schema() const;
  // Throws unless the file has this schema and a version from 1 to `newest`; returns the version.
  int version(std::string_view schema, int newest) const;

  // The number in a tensor of one element. Throws where it is out of bounds.
  int number(const char* tensor, int least, int greatest) const;
  // The enumerator whose number a tensor of one element holds, as in files of version 1.
  template <class Enum>
  Enum numbered_choice(const char* tensor) const {
    return static_cast<Enum>(number(tensor, 0, static_cast<int>(choices(Enum{}).size()) - 1));
  }
  std::vector<float> floats(const char* tensor, int count) const;
  // A tensor of one or more rows of floating-point numbers of any width.
  Image<float> rows(const char* tensor, int width) const;
  // The number of rows of a tensor, which is the length of its first side. Throws where it is out
  // of bounds.
  int row_count(const std::string& tensor, int least, int greatest) const;
  // A tensor of `count` class numbers, each from 0 to `classes` - 1.
  std::vector<std::int32_t> labels(const char* tensor, int count, int classes) const;

  // The names under "class.0", "class.1" and so on; there are at least two.
  std::vector<std::string> classes() const;
  // The metadata under a key. Throws where the key is missing.
  const std::string& fact(const std::string& key) const;
  // The metadata whose keys begin with the prefix, by the remaining part of each key.
  ModelFacts facts(std::string_view prefix) const;

  // Sets a field, or all fields of an options struct, from the text whose key is the prefix
  // followed by the field's name.
  void option(std::string_view prefix, const OptionField& field) const;
  template <class Options>
  void options(std::string_view prefix, Options& options) const {
    for_each_option(options, [&](const OptionField& field) { option(prefix, field); });
  }

 private:
  const ModelFile& file_;
};

// Writers of what the reader above reads.
void add_number(ModelFile& file, const std::string& tensor, int value);
void add_floats(ModelFile& file, const std::string& tensor, const std::vector<float>& values);
void add_rows(ModelFile& file, const std::string& tensor, ImageView<const float> rows);
void add_labels(ModelFile& file, const std::string& tensor,
                const std::vector<std::int32_t>& labels);
void add_classes(ModelFile& file, std::span<const std::string> names);
void add_facts(ModelFile& file, std::string_view prefix, const ModelFacts& facts);
void add_option(ModelFile& file, std::string_view prefix, const OptionField& field);
template <class Options>
void add_options(ModelFile& file, std::string_view prefix, const Options& options) {
  for_each_option(const_cast<Options&>(options),
                  [&](const OptionField& field) { add_option(file, prefix, field); });
}

}  // namespace fovea::io
