#include "cli/scenes/stages.h"

#include <fovea/core/error.h>
#include <fovea/io/npy.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/jobs/units.h"
#include "cli/program/run.h"
#include "cli/scenes/scenes.h"
#include "core/words.h"
#include "operations/json_file.h"

namespace fovea::cli {
namespace {

template <class T>
void fill_table(const io::NdArray& array, Image<float>& table) {
  const T* next = array.as<T>().data();
  for (int y = 0; y < table.height(); ++y, next += table.width())
    std::transform(next, next + table.width(), table.row(y),
                   [](T value) { return static_cast<float>(value); });
}

ImageRows rows_in(ImageView<const float> rows) {
  ImageRows all{.width = rows.width};
  all.numbers.reserve(static_cast<std::size_t>(rows.width) * static_cast<std::size_t>(rows.height));
  for (int y = 0; y < rows.height; ++y)
    all.numbers.insert(all.numbers.end(), rows.row(y), rows.row(y) + rows.width);
  return all;
}

}  // namespace

void describe_classes(OptionVisitor& visit, std::vector<std::string>& classes) {
  visit("classes", classes,
        "train on these classes alone, by the names of their folders or in the list, in this "
        "order; without it on all of them",
        {.value_name = "NAME,NAME,..."});
}

void describe(FieldVisitor& visit, ImageRows& rows) {
  visit("width", rows.width, "numbers in a row");
  visit("numbers", rows.numbers, "row after row");
}

void RowTable::add(const ImageRows& rows) {
  width_ = rows.width;
  numbers_.insert(numbers_.end(), rows.numbers.begin(), rows.numbers.end());
}

Image<float> RowTable::rows() const {
  if (numbers_.empty()) return {};
  Image<float> rows(width_, static_cast<int>(numbers_.size() / static_cast<std::size_t>(width_)));
  for (int y = 0; y < rows.height(); ++y)
    std::copy_n(numbers_.data() + std::ptrdiff_t{y} * width_, width_, rows.row(y));
  return rows;
}

UnitRows rows_of_units(Context& context, const std::vector<std::string>& paths,
                       const MakeRows& make) {
  constexpr std::size_t kTogether = 256;  // images between two records
  SkippedImages skipped(context, paths);
  UnitRows result;
  result.usable.assign(paths.size(), false);
  RowTable table;
  Units units(context, {paths}, [&](std::size_t i, const UnitResult& given) {
    result.usable[i] = given.message.empty();
    if (result.usable[i]) table.add(given.record<ImageRows>());
    else skipped.report(static_cast<int>(i), given.message);
  });
  const std::vector<std::size_t>& open = units.open();
  const std::size_t together = context.journal != nullptr ? kTogether : open.size();
  for (std::size_t first = 0; first < open.size(); first += together) {
    const std::size_t count = std::min(together, open.size() - first);
    std::vector<int> which(count);
    std::transform(open.begin() + static_cast<std::ptrdiff_t>(first),
                   open.begin() + static_cast<std::ptrdiff_t>(first + count), which.begin(),
                   [](std::size_t unit) { return static_cast<int>(unit); });
    std::map<int, std::string> failures;
    const UnitRows made =
        make(which, [&](int index, const std::string& why) { failures[index] = why; });
    const int each = made.rows.height() / static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int y = static_cast<int>(i) * each;
      if (made.usable[i])
        units.take(open[first + i], rows_in(made.rows.view().crop(0, y, made.rows.width(), each)));
      else units.fail(open[first + i], failures[which[i]]);
    }
  }
  units.finish();
  result.failed = skipped.status() == kDone ? 0 : skipped.count();
  result.rows = table.rows();
  if (result.rows.empty() && writes_shared_files(context))
    throw FormatError("no image can be read");
  return result;
}

std::string written_or_recorded(const Context& context, const std::string& output,
                                const std::string& what) {
  return writes_shared_files(context)
             ? fmt::format("{}: {}\n", output, what)
             : fmt::format("{} recorded; fovea merge writes {}\n", what, output);
}

void require_table_output(const Context& context, const std::string& output) {
  if (output.empty())
    throw InvalidArgument(fmt::format("{} needs -o FILE.npy", context.command.name()));
  if (std::filesystem::path(output).extension() != ".npy")
    throw InvalidArgument(fmt::format("-o {}: tables of numbers are written as .npy", output));
}

Image<float> read_table(const std::string& path) {
  const io::NdArray array = io::read_array(path);
  const bool numbers = array.type == io::DType::kFloat32 || array.type == io::DType::kFloat64;
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (array.shape.size() != 2 || !numbers || array.size() == 0 || array.shape[0] > kMost ||
      array.shape[1] > kMost)
    throw FormatError(
        fmt::format("{}: an array of {} with the shape ({}); expected rows and columns of float32 "
                    "or float64",
                    path, io::to_string(array.type), fmt::join(array.shape, ", ")));
  Image<float> table(static_cast<int>(array.shape[1]), static_cast<int>(array.shape[0]));
  if (array.type == io::DType::kFloat32) fill_table<float>(array, table);
  else fill_table<double>(array, table);
  for (int y = 0; y < table.height(); ++y)
    for (int x = 0; x < table.width(); ++x)
      if (!std::isfinite(table.at(x, y)))
        throw FormatError(
            fmt::format("{}: row {} holds {}; expected finite numbers", path, y, table.at(x, y)));
  return table;
}

std::optional<int> samples_per_image(const std::string& options) {
  const nlohmann::json all = nlohmann::json::parse(options, nullptr, false);
  const bool known =
      all.is_object() && all.contains("samples") && all["samples"].is_number_integer();
  return known ? std::optional(all["samples"].get<int>()) : std::nullopt;
}

std::optional<int> samples_of_table(const std::string& table) {
  std::error_code error;
  if (!std::filesystem::exists(note_beside(table), error)) return {};
  const nlohmann::json note = operations::read_json(note_beside(table));
  const std::optional<int> samples = note.is_object() && note.contains("options")
                                         ? samples_per_image(note["options"].dump())
                                         : std::nullopt;
  if (!samples || *samples < 1)
    throw FormatError(
        fmt::format("{}: does not say how many samples each image has; expected what "
                    "fovea scenes sample writes, or no such file",
                    note_beside(table)));
  return samples;
}

std::string learning_text(const scenes::WordLearning& learning) {
  if (learning.passes > 0)
    return fmt::format("mini-batch k-means saw {} in {} and {}, inertia {:.6g}",
                       detail::counted(learning.samples, "place"),
                       detail::counted(learning.passes, "pass", "passes"),
                       detail::counted(learning.batches, "batch", "batches"), learning.inertia);
  return fmt::format("k-means {} after {}, inertia {:.6g}",
                     learning.converged ? "ended" : "was cut off",
                     detail::counted(learning.iterations, "iteration"), learning.inertia);
}

ModelReport::ModelReport(std::string file, const scenes::Model& made, int labeled)
    : model(std::move(file)),
      images(labeled),
      classes(made.classes),
      words(made.dictionary.size()),
      facts(made.facts.begin(), made.facts.end()) {}

void describe(FieldVisitor& visit, ModelReport& report) {
  visit.record("ModelReport", "a model that was trained");
  visit("model", report.model, "the file that was written");
  visit("images", report.images, "that it was trained on");
  visit("failed", report.failed, "how many of them could not be read");
  visit("classes", report.classes, "the names, by label");
  visit("words", report.words, "how many visual words it has");
  visit("dimensions", report.dimensions, "numbers of a word");
  visit("kmeans", report.kmeans, "how the words were learned");
  visit("facts", report.facts, "what the model knows about itself");
}

}  // namespace fovea::cli
