// A dictionary as a file of its own and as a part of a model's file. Choices are stored by name;
// files of version 1 (Fovea 0.1.0) have the numbers of enumerators instead.
#include "scenes/words/dictionary_file.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace fovea::scenes {
namespace {

constexpr std::string_view kDictionarySchema = "scenes.dictionary";
constexpr int kDictionaryVersion = 1;
constexpr std::string_view kDescriptor = "option.descriptor.";
constexpr std::string_view kLearning = "option.dictionary.";
constexpr const char* kIterations = "kmeans_iterations";

DescriptorOptions read_descriptor(const io::ModelReader& in, int version) {
  DescriptorOptions result;
  if (version > 1) {
    in.options(kDescriptor, result);
    return result;
  }
  result.words = in.numbered_choice<WordSource>("words_from");
  result.color = in.numbered_choice<Color>("color");
  result.step = in.number("step", 0, 64);
  result.cell = in.number("cell", 2, 32);
  result.scales = in.number("scales", 1, 6);
  return result;
}

// Words are only valid for the filters that they were learned with.
void check_bank(const io::ModelReader& in) {
  const auto sizes = in.file().tensor<std::int32_t>("bank_sizes", {io::kAnySize});
  const auto sigmas = in.file().tensor<double>("bank_sigmas", {io::kAnySize});
  if (std::ranges::equal(sizes, kBankSizes) && std::ranges::equal(sigmas, kBankSigmas)) return;
  constexpr std::size_t kShown = 16;
  const auto shown = sizes.first(std::min(sizes.size(), kShown));
  in.unfit(fmt::format(
      "trained with another bank of filters (sizes {} and their sigmas); this program's has sizes "
      "{}; train it anew",
      fmt::join(shown, " "), fmt::join(kBankSizes, " ")));
}

template <class Number>
Number number_fact(const io::ModelReader& in, const std::string& name) {
  const std::string& text = in.fact(std::string(kFactPrefix) + name);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
      !std::isfinite(static_cast<double>(value)))
    in.unfit(fmt::format("{} is '{}', expected a number of 0 or more", name,
                         text.substr(0, std::min<std::size_t>(text.size(), 40))));
  return value;
}

WordLearning read_learning(const io::ModelReader& in) {
  WordLearning result;
  if (!in.facts(kFactPrefix).contains(kIterations)) return result;
  in.options(kLearning, result.options);
  result.iterations = number_fact<int>(in, kIterations);
  result.inertia = number_fact<double>(in, "kmeans_inertia");
  result.converged = in.fact(std::string(kFactPrefix) + "kmeans_converged") == "true";
  result.samples = number_fact<std::int64_t>(in, "kmeans_samples");
  return result;
}

}  // namespace

std::map<std::string, std::string> learning_facts(const WordLearning& learning) {
  if (learning.iterations == 0) return {};
  return {{kIterations, fmt::format("{}", learning.iterations)},
          {"kmeans_inertia", fmt::format("{}", learning.inertia)},
          {"kmeans_converged", learning.converged ? "true" : "false"},
          {"kmeans_samples", fmt::format("{}", learning.samples)}};
}

void add_dictionary(io::ModelFile& file, const Dictionary& dictionary) {
  io::add_options(file, kDescriptor, dictionary.descriptor);
  if (dictionary.descriptor.words == WordSource::kFilters) {
    file.add("bank_sizes", {std::ssize(kBankSizes)},
             std::vector<std::int32_t>(std::begin(kBankSizes), std::end(kBankSizes)));
    file.add("bank_sigmas", {std::ssize(kBankSigmas)},
             std::vector<double>(std::begin(kBankSigmas), std::end(kBankSigmas)));
  }
  io::add_rows(file, "words", dictionary.words);
  if (!dictionary.mean.empty()) {
    io::add_floats(file, "mean", dictionary.mean);
    io::add_floats(file, "scale", dictionary.scale);
  }
  if (dictionary.learning.iterations > 0)
    io::add_options(file, kLearning, dictionary.learning.options);
}

Dictionary read_dictionary(const io::ModelReader& in, int version) {
  Dictionary result;
  result.descriptor = read_descriptor(in, version);
  if (result.descriptor.words == WordSource::kFilters) check_bank(in);
  const int numbers = dimensions(result.descriptor);
  result.words = in.rows("words", numbers);
  if (result.size() < kLeastWords || result.size() > kMostWords)
    in.unfit(fmt::format("{} words, expected {} to {}", result.size(), kLeastWords, kMostWords));
  if (version > 1) result.learning = read_learning(in);
  if (!in.file().has("mean")) return result;
  result.mean = in.floats("mean", numbers);
  result.scale = in.floats("scale", numbers);
  return result;
}

Dictionary parse_dictionary(const io::ModelFile& file) {
  const io::ModelReader in(file);
  const int version = in.schema() == kModelSchema
                          ? in.version(kModelSchema, kModelVersion)
                          : 1 + in.version(kDictionarySchema, kDictionaryVersion);
  file.require_finite();
  return read_dictionary(in, version);
}

Dictionary Dictionary::read(const std::string& path) {
  return parse_dictionary(io::ModelFile::read(path));
}

void Dictionary::write(const std::string& path) const {
  io::ModelFile file;
  file.set_schema(kDictionarySchema, kDictionaryVersion);
  add_dictionary(file, *this);
  io::add_facts(file, kFactPrefix, learning_facts(learning));
  file.write(path);
}

}  // namespace fovea::scenes
