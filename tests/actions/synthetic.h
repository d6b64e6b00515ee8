// Point sets and videos of actions that are easy to distinguish.
#pragma once
#include <fovea/actions/train.h>
#include <fovea/core/random.h>

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace fovea::actions {

// Points of an imagined action: a point a frame on a path and with descriptors of its own kind, and
// some noise that differs from subject to subject.
inline PointSet synthetic_points(int label, int subject, int frames = 40, int a_frame = 1) {
  PointSet set;
  set.size = {160, 120};
  set.frames = frames;
  Random random(static_cast<std::uint64_t>(100 + label), static_cast<std::uint64_t>(subject));
  Random kind(static_cast<std::uint64_t>(label), 7);
  std::vector<float> base(kDescriptorSize);
  for (float& value : base) value = kind.uniform(0, 0.5F);
  set.descriptors = Image<float>(kDescriptorSize, frames * a_frame);
  for (int frame = 0; frame < frames; ++frame)
    for (int i = 0; i < a_frame; ++i) {
      const float phase = 0.4F * static_cast<float>(frame) + 0.3F * static_cast<float>(subject);
      const auto row = static_cast<int>(set.points.size());
      set.points.push_back(
          {80 + 30 * std::sin(phase * static_cast<float>(1 + label)) + random.uniform(-1, 1),
           60 + 20 * std::cos(phase) + random.uniform(-1, 1), frame, 4, 2,
           1.0F / static_cast<float>(1 + i)});
      for (int x = 0; x < kDescriptorSize; ++x)
        set.descriptors.at(x, row) = base[static_cast<std::size_t>(x)] + random.uniform(0, 0.15F) +
                                     0.02F * static_cast<float>(i);
    }
  return set;
}

// A corpus of such clips: classes x subjects, clip by clip.
struct SyntheticCorpus {
  explicit SyntheticCorpus(int classes = 3, int subjects = 3, int frames = 40, int a_frame = 1) {
    for (int label = 0; label < classes; ++label) {
      corpus.classes.push_back(fmt::format("action{}", label));
      for (int subject = 0; subject < subjects; ++subject) {
        corpus.clips.push_back(
            {.path = {}, .label = label, .subject = fmt::format("s{}", subject), .scenario = {}});
        points.push_back(synthetic_points(label, subject, frames, a_frame));
      }
    }
  }
  Corpus corpus;
  std::vector<PointSet> points;
};

}  // namespace fovea::actions
