// fovea.people: training of detectors.
#include <fovea/core/error.h>
#include <fovea/people/train.h>

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string_view>

#include "errors.h"
#include "options.h"
#include "people_images.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using people::CascadePreset;
using people::Kind;
using people::Model;
using people::TrainOptions;

// An argument that is one of some words.
template <class Enum>
struct WordRequest {
  const char* name;
  Enum value{};
};
template <class Enum>
void describe(OptionVisitor& visit, WordRequest<Enum>& request) {
  visit(request.name, request.value, "");
}

template <class Enum>
Enum word_of(const char* name, nb::handle word) {
  WordRequest<Enum> request{name};
  for_each_option(request, [&](const OptionField& field) {
    if (word.is_none())
      throw_invalid_type(std::string(name) + " is None; expected " + option_range(field));
    set_option_value(field, word);
  });
  return request.value;
}

// Whether the options of a part, such as "linear", are used for a kind. What belongs to no part is
// used for all.
bool is_used(std::string_view part, Kind kind) {
  if (part == "cascade") return kind == Kind::kCascade;
  if (part == "channels") return kind == Kind::kChannels;
  if (part == "filtered") return kind == Kind::kFiltered;
  if (part == "hog" || part == "linear")
    return kind == Kind::kHog || kind == Kind::kHogCells || kind == Kind::kHogIntegral;
  return true;
}

TrainOptions with_keywords(Kind kind, CascadePreset preset, const nb::dict& keywords) {
  TrainOptions options;
  use_preset(options, preset);
  set_keywords(options, keywords, "train");
  for (const auto& [name, value] : keywords) {
    const std::string keyword = text_of(name);
    if (!value.is_none() && !is_used(keyword.substr(0, keyword.find('_')), kind))
      throw InvalidArgument(
          fmt::format("{} has no use for a detector of kind {}", keyword, people::to_string(kind)));
  }
  options.exec.device = usable_device(options.exec.device);
  return options;
}

// The words of the command line, where the options are compared with those of the preset.
nb::list words_of(const TrainOptions& options) {
  TrainOptions usual;
  use_preset(usual, options.preset);
  nb::list words = option_words(options, usual);
  if (options.preset == CascadePreset::kNone) return words;
  const char* word = people::choices(options.preset)[static_cast<std::size_t>(options.preset)].word;
  words.insert(0, word);
  words.insert(0, "--preset");
  return words;
}

// Returns the model and the words of the program's command line.
nb::tuple train(nb::handle kind_word, nb::handle preset, const nb::list& positives,
                const nb::list& negatives, const nb::dict& keywords, const std::string& checkpoint,
                nb::handle progress) {
  const auto kind = word_of<Kind>("kind", kind_word);
  TrainOptions options = with_keywords(kind, word_of<CascadePreset>("preset", preset), keywords);
  const PeopleImages crops(positives, "positives", PeopleForm::kColor),
      scenes(negatives, "negatives", PeopleForm::kColor);
  nb::list words = words_of(options);
  options.checkpoint = checkpoint;
  Calls calls;
  options.exec = calls.watched(options.exec);
  auto model = calls.run(kLong, progress, [&] {
    return std::make_shared<const Model>(people::train(kind, {crops, scenes}, options));
  });
  return nb::make_tuple(std::move(model), words);
}

}  // namespace

void bind_people_training(nb::module_& m) {
  m.def("train", &train);
  m.def("train_options", &option_table<TrainOptions>);
}

}  // namespace fovea::python
