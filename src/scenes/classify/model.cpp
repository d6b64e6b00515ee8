// A model as a file: how places are described, the words, the classifier, the names of the classes,
// and the facts of its training.
#include <fovea/core/error.h>
#include <fovea/scenes/model.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scenes/classify/kernel_map.h"
#include "scenes/classify/model_parts.h"

namespace fovea::scenes {
namespace {

constexpr std::string_view kSchema = "scenes.words";
constexpr int kVersion = 1;
constexpr std::string_view kFactPrefix = "scenes.";
constexpr std::string_view kClassPrefix = "class.";
constexpr int kMostWords = 65535;
constexpr int kMostClasses = 65535;

int cells_of(int pyramid) { return pyramid == 0 ? 1 : pyramid == 1 ? 5 : 21; }

std::string class_key(int label) { return fmt::format("{}{}", kClassPrefix, label); }

// Rows of an image stand apart in memory and together in a file.
void add_rows(io::ModelFile& file, const std::string& name, ImageView<const float> rows) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(rows.width) * static_cast<std::size_t>(rows.height));
  for (int y = 0; y < rows.height; ++y)
    values.insert(values.end(), rows.row(y), rows.row(y) + rows.width);
  file.add(name, {rows.height, rows.width}, values);
}

void add_number(io::ModelFile& file, const std::string& name, int value) {
  file.add(name, {1}, std::vector<std::int32_t>{value});
}

void add_floats(io::ModelFile& file, const std::string& name, const std::vector<float>& values) {
  file.add(name, {std::ssize(values)}, values);
}

class Reader {
 public:
  Reader(const io::ModelFile& file, const std::string& name) : file_(file), name_(name) {}

  Model read() const;

 private:
  [[noreturn]] void unfit(const std::string& cause) const {
    throw ModelError(fmt::format("{}: {}", name_, cause));
  }
  int number(const char* tensor, int least, int greatest) const;
  template <class Enum>
  Enum choice(const char* tensor) const {
    return static_cast<Enum>(number(tensor, 0, static_cast<int>(choices(Enum{}).size()) - 1));
  }
  Image<float> rows(const char* tensor, int width) const;
  std::vector<float> floats(const char* tensor, int count) const {
    const auto values = file_.tensor<float>(tensor, {count});
    return {values.begin(), values.end()};
  }
  void check_bank() const;
  Dictionary dictionary() const;
  std::vector<std::string> class_names() const;
  SvmClasses svm(int classes, int bins) const;
  KnnClasses knn(int classes, int bins) const;

  const io::ModelFile& file_;
  const std::string& name_;
};

int Reader::number(const char* tensor, int least, int greatest) const {
  const int value = file_.tensor<std::int32_t>(tensor, {1})[0];
  if (value < least || value > greatest)
    unfit(fmt::format("{} is {}, expected {} to {}", tensor, value, least, greatest));
  return value;
}

Image<float> Reader::rows(const char* tensor, int width) const {
  const auto values = file_.tensor<float>(tensor, {io::kAnySize, width});
  const std::int64_t height = file_.shape(tensor)[0];
  if (height < 1 || height > INT32_MAX / std::max(width, 1))
    unfit(fmt::format("{} has {} rows of {}", tensor, height, width));
  Image<float> result(width, static_cast<int>(height));
  for (int y = 0; y < result.height(); ++y)
    std::copy_n(values.data() + static_cast<std::ptrdiff_t>(y) * width, width, result.row(y));
  return result;
}

// The words mean nothing to other filters than those they were learned with.
void Reader::check_bank() const {
  const auto sizes = file_.tensor<std::int32_t>("bank_sizes", {io::kAnySize});
  const auto sigmas = file_.tensor<double>("bank_sigmas", {io::kAnySize});
  if (std::ranges::equal(sizes, kBankSizes) && std::ranges::equal(sigmas, kBankSigmas)) return;
  constexpr std::size_t kShown = 16;
  const auto shown = sizes.first(std::min(sizes.size(), kShown));
  unfit(fmt::format(
      "trained with another bank of filters (sizes {} and their sigmas); this program's has sizes "
      "{}; train it anew",
      fmt::join(shown, " "), fmt::join(kBankSizes, " ")));
}

Dictionary Reader::dictionary() const {
  Dictionary result;
  DescriptorOptions& descriptor = result.descriptor;
  descriptor.words = choice<WordSource>("words_from");
  descriptor.color = choice<Color>("color");
  descriptor.step = number("step", 0, 64);
  descriptor.cell = number("cell", 2, 32);
  descriptor.scales = number("scales", 1, 6);
  if (descriptor.words == WordSource::kFilters) check_bank();
  const int numbers = dimensions(descriptor);
  result.words = rows("words", numbers);
  if (result.size() < 2 || result.size() > kMostWords)
    unfit(fmt::format("{} words, expected 2 to {}", result.size(), kMostWords));
  if (!file_.has("mean")) return result;
  result.mean = floats("mean", numbers);
  result.scale = floats("scale", numbers);
  return result;
}

std::vector<std::string> Reader::class_names() const {
  std::vector<std::string> names;
  for (int label = 0; label < kMostClasses; ++label) {
    const auto found = file_.metadata().find(class_key(label));
    if (found == file_.metadata().end()) break;
    names.push_back(found->second);
  }
  if (names.size() < 2) unfit(fmt::format("names {} classes, expected two or more", names.size()));
  return names;
}

SvmClasses Reader::svm(int classes, int bins) const {
  SvmClasses result;
  result.kernel = choice<Kernel>("kernel");
  result.weights = rows("weights", bins * kMapNumbers);
  if (result.weights.height() != classes)
    unfit(
        fmt::format("weights of {} classes, but {} have names", result.weights.height(), classes));
  result.bias = floats("bias", classes);
  if (!file_.has("slope")) return result;
  result.slope = floats("slope", classes);
  result.offset = floats("offset", classes);
  return result;
}

KnnClasses Reader::knn(int classes, int bins) const {
  KnnClasses result;
  result.samples = rows("samples", bins);
  result.neighbors = number("neighbors", 1, result.samples.height());
  const auto labels = file_.tensor<std::int32_t>("labels", {result.samples.height()});
  for (const std::int32_t label : labels)
    if (label < 0 || label >= classes)
      unfit(fmt::format("a sample of class {}, but {} have names", label, classes));
  result.labels.assign(labels.begin(), labels.end());
  for (int y = 0; y < result.samples.height(); ++y)
    for (int x = 0; x < bins; ++x)
      if (result.samples.at(x, y) < 0)
        unfit(fmt::format("sample {} counts {} of a word", y, result.samples.at(x, y)));
  return result;
}

Model Reader::read() const {
  file_.require_schema(kSchema, kVersion);
  file_.require_finite();
  Model model;
  model.dictionary = dictionary();
  model.pyramid = number("pyramid", 0, 2);
  model.classes = class_names();
  const auto classes = static_cast<int>(model.classes.size());
  const int bins = model.dictionary.size() * cells_of(model.pyramid);
  model.classifier.kind = choice<ClassifierKind>("classifier");
  model.classifier.classes = classes;
  if (model.classifier.kind == ClassifierKind::kSvm) model.classifier.svm = svm(classes, bins);
  else model.classifier.knn = knn(classes, bins);
  for (const auto& [key, value] : file_.metadata())
    if (key.starts_with(kFactPrefix)) model.facts[key.substr(kFactPrefix.size())] = value;
  return model;
}

void add_classifier(io::ModelFile& file, const Classifier& classifier) {
  add_number(file, "classifier", static_cast<int>(classifier.kind));
  if (classifier.kind == ClassifierKind::kKnn) {
    add_number(file, "neighbors", classifier.knn.neighbors);
    add_rows(file, "samples", classifier.knn.samples);
    file.add("labels", {std::ssize(classifier.knn.labels)}, classifier.knn.labels);
    return;
  }
  add_number(file, "kernel", static_cast<int>(classifier.svm.kernel));
  add_rows(file, "weights", classifier.svm.weights);
  add_floats(file, "bias", classifier.svm.bias);
  if (classifier.svm.slope.empty()) return;
  add_floats(file, "slope", classifier.svm.slope);
  add_floats(file, "offset", classifier.svm.offset);
}

}  // namespace

Model parse_model(const io::ModelFile& file, const std::string& name) {
  return Reader(file, name).read();
}

Model Model::read(const std::string& path) { return parse_model(io::ModelFile::read(path), path); }

void Model::write(const std::string& path) const {
  io::ModelFile file;
  file.set_schema(kSchema, kVersion);
  const DescriptorOptions& descriptor = dictionary.descriptor;
  add_number(file, "words_from", static_cast<int>(descriptor.words));
  add_number(file, "color", static_cast<int>(descriptor.color));
  add_number(file, "step", descriptor.step);
  add_number(file, "cell", descriptor.cell);
  add_number(file, "scales", descriptor.scales);
  if (descriptor.words == WordSource::kFilters) {
    file.add("bank_sizes", {std::ssize(kBankSizes)},
             std::vector<std::int32_t>(std::begin(kBankSizes), std::end(kBankSizes)));
    file.add("bank_sigmas", {std::ssize(kBankSigmas)},
             std::vector<double>(std::begin(kBankSigmas), std::end(kBankSigmas)));
  }
  add_rows(file, "words", dictionary.words);
  if (!dictionary.mean.empty()) {
    add_floats(file, "mean", dictionary.mean);
    add_floats(file, "scale", dictionary.scale);
  }
  add_number(file, "pyramid", pyramid);
  for (std::size_t i = 0; i < classes.size(); ++i)
    file.set_metadata(class_key(static_cast<int>(i)), classes[i]);
  add_classifier(file, classifier);
  for (const auto& [key, value] : facts) file.set_metadata(std::string(kFactPrefix) + key, value);
  file.write(path);
}

}  // namespace fovea::scenes
