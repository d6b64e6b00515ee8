// A dictionary as a file of its own and as a part of a model's file. Choices are stored by name;
// files of version 1 (Fovea 0.1.0) have the numbers of enumerators instead. The names of words
// beside others begin with "beside.".
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
#include "scenes/words/code_plan.h"

namespace fovea::scenes {
namespace {

constexpr std::string_view kDictionarySchema = "scenes.dictionary";
constexpr int kDictionaryVersion = 2;  // 1 where it has no code and no words beside it
constexpr std::string_view kDescriptor = "option.descriptor.";
constexpr std::string_view kLearning = "option.dictionary.";
constexpr const char* kIterations = "kmeans_iterations";
constexpr const char* kPasses = "kmeans_passes";
constexpr std::string_view kBeside = "beside.";
constexpr std::string_view kCode = "option.code.";

// How places are coded, which a file stores by name.
struct StoredCoding {
  Coding coding = Coding::kHard;
};
void describe(OptionVisitor& visit, StoredCoding& stored) { visit("coding", stored.coding, ""); }

// The part of a file that holds one dictionary.
class PartReader {
 public:
  PartReader(const io::ModelReader& in, int version, std::string_view prefix)
      : in_(in), version_(version), prefix_(prefix) {}

  Dictionary read() const;

 private:
  std::string name(std::string_view rest) const { return prefix_ + std::string(rest); }
  std::vector<float> floats(std::string_view tensor, int count) const {
    return in_.floats(name(tensor).c_str(), count);
  }
  Image<float> rows(std::string_view tensor, int width) const {
    return in_.rows(name(tensor).c_str(), width);
  }
  DescriptorOptions descriptor() const;
  void read_bank(DescriptorOptions& options) const;
  template <class Number>
  Number number_fact(const std::string& fact) const;
  WordLearning learning() const;
  void read_code(Dictionary& dictionary) const;

  const io::ModelReader& in_;
  int version_;
  std::string prefix_;
};

// The sizes and deviations of filters are arrays of the file, which every version has.
bool is_of_bank(const OptionField& field) { return field.name.starts_with("filter-"); }

DescriptorOptions PartReader::descriptor() const {
  const io::ModelReader& in = in_;
  DescriptorOptions result;
  if (version_ > 1) {
    for_each_option(result, [&](const OptionField& field) {
      if (!is_of_bank(field)) in.option(name(kDescriptor), field);
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
void PartReader::read_bank(DescriptorOptions& options) const {
  const auto sizes = in_.file().tensor<std::int32_t>(name("bank_sizes"), {io::kAnySize});
  const auto sigmas = in_.file().tensor<double>(name("bank_sigmas"), {io::kAnySize});
  options.filter_sizes.assign(sizes.begin(), sizes.end());
  options.filter_sigmas.assign(sigmas.begin(), sigmas.end());
  try {
    check_descriptor(options);
  } catch (const InvalidArgument& error) {
    in_.unfit(fmt::format("the bank of filters cannot be used: {}", error.what()));
  }
}

template <class Number>
Number PartReader::number_fact(const std::string& fact) const {
  const std::string& text = in_.fact(std::string(kFactPrefix) + name(fact));
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
      !std::isfinite(static_cast<double>(value)))
    in_.unfit(fmt::format("{} is '{}', expected a number of 0 or more", name(fact),
                          text.substr(0, std::min<std::size_t>(text.size(), 40))));
  return value;
}

WordLearning PartReader::learning() const {
  WordLearning result;
  const auto facts = in_.facts(kFactPrefix);
  if (!facts.contains(name(kIterations))) return result;
  // Files of earlier versions know fewer options of learning, and have the default of the others.
  const auto known = in_.facts(name(kLearning));
  for_each_option(result.options, [&](const OptionField& field) {
    if (known.contains(field.name)) in_.option(name(kLearning), field);
  });
  result.iterations = number_fact<int>(kIterations);
  result.inertia = number_fact<double>("kmeans_inertia");
  result.converged = in_.fact(std::string(kFactPrefix) + name("kmeans_converged")) == "true";
  result.samples = number_fact<std::int64_t>("kmeans_samples");
  if (!facts.contains(name(kPasses))) return result;
  result.passes = number_fact<int>(kPasses);
  result.batches = number_fact<int>("kmeans_batches");
  return result;
}

void PartReader::read_code(Dictionary& dictionary) const {
  StoredCoding stored;
  in_.options(name(kCode), stored);
  if (stored.coding == Coding::kHard) return;
  WordCode& code = dictionary.code;
  code.coding = stored.coding;
  const int words = dictionary.size();
  const int components = in_.row_count(name("code_projection"), 1, kMostComponents);
  code.projection = rows("code_projection", dictionary.words.width());
  code.shift = floats("code_shift", components);
  code.means = rows("code_means", components);
  if (code.coding != Coding::kVlad) {
    code.variances = rows("code_variances", components);
    code.shares = floats("code_shares", words);
  }
  try {
    check_code("reading", dictionary);
  } catch (const InvalidArgument& error) {
    in_.unfit(error.what());
  }
}

Dictionary PartReader::read() const {
  Dictionary result;
  result.descriptor = descriptor();
  if (result.descriptor.words == WordSource::kFilters) read_bank(result.descriptor);
  const int numbers = dimensions(result.descriptor);
  result.words = rows("words", numbers);
  if (result.size() < kLeastWords || result.size() > kMostWords)
    in_.unfit(fmt::format("{} words, expected {} to {}", result.size(), kLeastWords, kMostWords));
  if (version_ > 1) result.learning = learning();
  if (version_ > 2) read_code(result);
  if (!in_.file().has(name("mean"))) return result;
  result.mean = floats("mean", numbers);
  result.scale = floats("scale", numbers);
  return result;
}

void add_part(io::ModelFile& file, const std::string& prefix, const Dictionary& dictionary,
              bool coded) {
  const auto name = [&](std::string_view rest) { return prefix + std::string(rest); };
  DescriptorOptions descriptor = dictionary.descriptor;
  for_each_option(descriptor, [&](const OptionField& field) {
    if (!is_of_bank(field)) io::add_option(file, name(kDescriptor), field);
  });
  if (descriptor.words == WordSource::kFilters) {
    file.add(
        name("bank_sizes"), {std::ssize(descriptor.filter_sizes)},
        std::vector<std::int32_t>(descriptor.filter_sizes.begin(), descriptor.filter_sizes.end()));
    file.add(name("bank_sigmas"), {std::ssize(descriptor.filter_sigmas)}, descriptor.filter_sigmas);
  }
  io::add_rows(file, name("words"), dictionary.words);
  if (!dictionary.mean.empty()) {
    io::add_floats(file, name("mean"), dictionary.mean);
    io::add_floats(file, name("scale"), dictionary.scale);
  }
  if (dictionary.learning.iterations > 0)
    io::add_options(file, name(kLearning), dictionary.learning.options);
  if (!coded) return;
  const WordCode& code = dictionary.code;
  io::add_options(file, name(kCode), StoredCoding{code.coding});
  if (code.coding == Coding::kHard) return;
  io::add_rows(file, name("code_projection"), code.projection);
  io::add_floats(file, name("code_shift"), code.shift);
  io::add_rows(file, name("code_means"), code.means);
  if (code.coding == Coding::kVlad) return;
  io::add_rows(file, name("code_variances"), code.variances);
  io::add_floats(file, name("code_shares"), code.shares);
}

std::map<std::string, std::string> facts_of(const WordLearning& learning) {
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

}  // namespace

bool is_coded(const Dictionary& dictionary) {
  return dictionary.code.coding != Coding::kHard || !dictionary.beside.empty();
}

std::map<std::string, std::string> learning_facts(const Dictionary& dictionary) {
  std::map<std::string, std::string> facts = facts_of(dictionary.learning);
  for (const Dictionary& other : dictionary.beside)
    for (const auto& [name, value] : facts_of(other.learning))
      facts[std::string(kBeside) + name] = value;
  return facts;
}

void add_dictionary(io::ModelFile& file, const Dictionary& dictionary) {
  if (dictionary.beside.size() > 1)
    throw InvalidArgument(fmt::format(
        "writing: {} dictionaries beside another, expected at most one", dictionary.beside.size()));
  if (!dictionary.beside.empty() && !dictionary.beside[0].beside.empty())
    throw InvalidArgument("writing: a dictionary beside another has one beside it");
  const bool coded = is_coded(dictionary);
  add_part(file, "", dictionary, coded);
  for (const Dictionary& other : dictionary.beside)
    add_part(file, std::string(kBeside), other, coded);
}

Dictionary read_dictionary(const io::ModelReader& in, int version) {
  Dictionary result = PartReader(in, version, "").read();
  if (version > 2 && in.file().has(std::string(kBeside) + "words"))
    result.beside.push_back(PartReader(in, version, kBeside).read());
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
  file.set_schema(kDictionarySchema, is_coded(*this) ? kDictionaryVersion : 1);
  add_dictionary(file, *this);
  io::add_facts(file, kFactPrefix, learning_facts(*this));
  file.write(path);
}

}  // namespace fovea::scenes
