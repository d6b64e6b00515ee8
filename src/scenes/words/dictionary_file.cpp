// A dictionary as a file of its own and as a part of a model's file. Choices are stored by name;
// files of version 1 (Fovea 0.1.0) have the numbers of enumerators instead.
#include "scenes/words/dictionary_file.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "scenes/describe/describe.h"

namespace fovea::scenes {
namespace {

constexpr std::string_view kDictionarySchema = "scenes.dictionary";
constexpr int kDictionaryVersion = 1;
constexpr std::string_view kDescriptor = "option.descriptor.";
constexpr std::string_view kLearning = "option.dictionary.";
constexpr const char* kIterations = "kmeans_iterations";
constexpr const char* kPasses = "kmeans_passes";

// The sizes and deviations of filters are arrays of the file, which every version has.
bool is_of_bank(const OptionField& field) { return field.name.starts_with("filter-"); }

DescriptorOptions read_descriptor(const io::ModelReader& in, int version) {
  DescriptorOptions result;
  if (version > 1) {
    for_each_option(result, [&](const OptionField& field) {
      if (!is_of_bank(field)) in.option(kDescriptor, field);
    });
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
void read_bank(const io::ModelReader& in, DescriptorOptions& options) {
  const auto sizes = in.file().tensor<std::int32_t>("bank_sizes", {io::kAnySize});
  const auto sigmas = in.file().tensor<double>("bank_sigmas", {io::kAnySize});
  options.filter_sizes.assign(sizes.begin(), sizes.end());
  options.filter_sigmas.assign(sigmas.begin(), sigmas.end());
  try {
    check_descriptor(options);
  } catch (const InvalidArgument& error) {
    in.unfit(fmt::format("the bank of filters cannot be used: {}", error.what()));
  }
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
  // Files of earlier versions know fewer options of learning, and have the default of the others.
  const auto known = in.facts(kLearning);
  for_each_option(result.options, [&](const OptionField& field) {
    if (known.contains(field.name)) in.option(kLearning, field);
  });
  result.iterations = number_fact<int>(in, kIterations);
  result.inertia = number_fact<double>(in, "kmeans_inertia");
  result.converged = in.fact(std::string(kFactPrefix) + "kmeans_converged") == "true";
  result.samples = number_fact<std::int64_t>(in, "kmeans_samples");
  if (!in.facts(kFactPrefix).contains(kPasses)) return result;
  result.passes = number_fact<int>(in, kPasses);
  result.batches = number_fact<int>(in, "kmeans_batches");
  return result;
}

}  // namespace

std::map<std::string, std::string> learning_facts(const WordLearning& learning) {
  if (learning.iterations == 0) return {};
  std::map<std::string, std::string> facts{
      {kIterations, fmt::format("{}", learning.iterations)},
      {"kmeans_inertia", fmt::format("{}", learning.inertia)},
      {"kmeans_converged", learning.converged ? "true" : "false"},
      {"kmeans_samples", fmt::format("{}", learning.samples)}};
  if (learning.passes == 0) return facts;
  facts[kPasses] = fmt::format("{}", learning.passes);
  facts["kmeans_batches"] = fmt::format("{}", learning.batches);
  return facts;
}

void add_dictionary(io::ModelFile& file, const Dictionary& dictionary) {
  DescriptorOptions descriptor = dictionary.descriptor;
  for_each_option(descriptor, [&](const OptionField& field) {
    if (!is_of_bank(field)) io::add_option(file, kDescriptor, field);
  });
  if (descriptor.words == WordSource::kFilters) {
    file.add(
        "bank_sizes", {std::ssize(descriptor.filter_sizes)},
        std::vector<std::int32_t>(descriptor.filter_sizes.begin(), descriptor.filter_sizes.end()));
    file.add("bank_sigmas", {std::ssize(descriptor.filter_sigmas)}, descriptor.filter_sigmas);
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
  if (result.descriptor.words == WordSource::kFilters) read_bank(in, result.descriptor);
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
