#include "cli/scenes/stages.h"

#include <fovea/core/error.h>
#include <fovea/io/npy.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/words.h"

namespace fovea::cli {
namespace {

template <class T>
void fill_table(const io::NdArray& array, Image<float>& table) {
  const T* next = array.as<T>().data();
  for (int y = 0; y < table.height(); ++y, next += table.width())
    std::transform(next, next + table.width(), table.row(y),
                   [](T value) { return static_cast<float>(value); });
}

}  // namespace

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

void add_learning(io::JsonWriter& json, const scenes::WordLearning& learning) {
  json.member("iterations", learning.iterations).member("inertia", learning.inertia);
  json.member("converged", learning.converged).member("samples", learning.samples);
  if (learning.passes > 0)
    json.member("passes", learning.passes).member("batches", learning.batches);
}

}  // namespace fovea::cli
