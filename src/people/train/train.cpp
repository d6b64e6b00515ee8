// Trains models of any kind.
#include <fovea/core/options.h>
#include <fovea/people/train.h>

namespace fovea::people {
namespace {

template <class Options>
Options with(Options part, const TrainOptions& whole) {
  part.checkpoint = whole.checkpoint;
  part.sample_bytes = whole.sample_bytes;
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
}

Model train(Kind kind, const TrainData& data, const TrainOptions& options) {
  if (kind == Kind::kCascade) return train_cascade(data, with(options.cascade, options));
  if (kind == Kind::kChannels) return train_channels(data, with(options.channels, options));
  return train_linear(kind, options.hog, data, with(options.linear, options));
}

}  // namespace fovea::people
