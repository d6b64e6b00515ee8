// A small model that knows the actions of videos.h.
#pragma once
#include <fovea/actions/train.h>

#include <memory>
#include <string>
#include <vector>

#include "actions/videos.h"

namespace fovea::actions {

inline std::vector<Image<std::uint8_t>> swings(const std::vector<int>& actions, int subject,
                                               int each) {
  std::vector<Image<std::uint8_t>> frames;
  for (const int action : actions)
    for (int i = 0; i < each; ++i)
      frames.push_back(swing_frame(action, subject, static_cast<int>(frames.size())));
  return frames;
}

// Learned from so many subjects, each with so many frames of every action.
inline std::shared_ptr<const Model> trained_on_swings(const TrainOptions& options, int subjects,
                                                      int frames_each) {
  Corpus corpus;
  corpus.classes = swing_names();
  std::vector<PointSet> points;
  for (int action = 0; action < 3; ++action)
    for (int subject = 0; subject < subjects; ++subject) {
      const auto frames = swings({action}, subject, frames_each);
      const std::vector<ImageView<const std::uint8_t>> views(frames.begin(), frames.end());
      points.push_back(find_points(views, options.points));
      Clip& clip = corpus.clips.emplace_back();
      clip.label = action;
      clip.subject = "s" + std::to_string(subject);
    }
  return std::make_shared<const Model>(train(corpus, points, options));
}

// Trained once, because several tests use it.
inline std::shared_ptr<const Model> swing_model() {
  static const std::shared_ptr<const Model> kModel = [] {
    TrainOptions options;
    options.cut = {.nodes = 12, .step = 6};
    options.exec.device = options.points.exec.device = Device::cpu();
    return trained_on_swings(options, 3, 36);
  }();
  return kModel;
}

}  // namespace fovea::actions
