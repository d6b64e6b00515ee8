// Trains models of any kind.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/people/train.h>

#include "people/train/preset.h"

namespace fovea::people {
namespace {

template <class Options>
Options with(Options part, const TrainOptions& whole) {
  part.checkpoint = whole.checkpoint;
  part.sample_bytes = whole.sample_bytes;
  part.search = whole.search;
  part.exec = whole.exec;
  return part;
}

}  // namespace

void describe(OptionVisitor& visit, TrainOptions& options) {
  visit.bytes("memory", options.sample_bytes,
              "the most memory for samples, at least 64M; the images being searched need some more",
              64 << 20);
  visit.group("hog", options.hog);
  visit.group("linear", options.linear);
  visit.group("cascade", options.cascade);
  visit.group("channels", options.channels);
  visit.group("filtered", options.filtered);
}

Model train(Kind kind, const TrainData& data, const TrainOptions& options) {
  if (options.preset != CascadePreset::kNone && kind != Kind::kCascade)
    throw InvalidArgument(
        fmt::format("train: a preset is for models of kind cascade, not {}", to_string(kind)));
  if (kind == Kind::kCascade) {
    Model model = train_cascade(data, with(options.cascade, options));
    if (options.preset != CascadePreset::kNone)
      model.facts["preset"] = preset_text(options.preset, options.cascade);
    return model;
  }
  if (kind == Kind::kChannels) return train_channels(data, with(options.channels, options));
  if (kind == Kind::kFiltered) return train_filtered(data, with(options.filtered, options));
  return train_linear(kind, options.hog, data, with(options.linear, options));
}

}  // namespace fovea::people
