// Cascades as papers trained them. What the thesis (B. Bilgic, "Fast human detection with cascaded
// ensembles", MIT, 2010, chapter 5) does not say is taken from its experiments: negatives exceed
// 2416 in all stages, which takes its dense scan, and SVMlight's own C is 1 for vectors of
// length 1.
#include "people/train/preset.h"

#include <fmt/format.h>
#include <fovea/core/options.h>

#include <array>
#include <map>

namespace fovea::people {

std::span<const Choice> choices(CascadePreset) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"none", static_cast<int>(CascadePreset::kNone)},
       {"thesis", static_cast<int>(CascadePreset::kThesis)},
       {"zhu", static_cast<int>(CascadePreset::kZhu)}}};
  return kChoices;
}

CascadeTrainOptions cascade_options(CascadePreset preset) {
  CascadeTrainOptions options;
  if (preset == CascadePreset::kNone) return options;
  const bool thesis = preset == CascadePreset::kThesis;
  options.stages = thesis ? 23 : 30;
  options.pass_rate = thesis ? 0.99 : 0.9975;
  options.false_rate = thesis ? 0.65 : 0.7;
  options.target_rate = thesis ? 5e-5 : 1e-5;
  options.measured_rate = false;
  options.blocks_per_round = 125;
  options.negatives = 2416;
  options.cost = 1;
  options.color = false;
  options.graded = false;
  options.chained = false;
  options.enlarge = 1;
  options.ratio = 1.05;
  options.stride = 4;
  options.ranking_windows = 0;
  return options;
}

std::string preset_text(CascadePreset preset, const CascadeTrainOptions& options) {
  CascadeTrainOptions own = cascade_options(preset), given = options;
  std::map<std::string, std::string> texts;
  for_each_option(own, [&](const OptionField& field) { texts[field.name] = option_text(field); });
  std::string changes;
  for_each_option(given, [&](const OptionField& field) {
    const std::string text = option_text(field);
    if (texts[field.name] != text)
      changes += fmt::format("{} {} {}", changes.empty() ? " with" : ",", field.name, text);
  });
  const auto words = choices(preset);
  return words[static_cast<std::size_t>(preset)].word + changes;
}

void use_preset(TrainOptions& options, CascadePreset preset) {
  options.preset = preset;
  options.cascade = cascade_options(preset);
}

}  // namespace fovea::people
