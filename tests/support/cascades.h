// Cascades that no one trained, for tests of what evaluates and keeps them.
#pragma once
#include <fovea/core/random.h>
#include <fovea/people/cascade.h>

#include <vector>

namespace fovea::test {

struct CascadeShape {
  int stages;
  int blocks;   // of a stage
  int ranking;  // blocks of the ranking
};

// Thresholds are low enough that some windows of a noisy image pass each stage.
inline people::CascadeModel random_cascade(Random& random, const CascadeShape& shape) {
  const std::vector<people::Block> pool = people::block_pool({64, 128});
  const auto classifier = [&] {
    people::BlockClassifier c;
    c.block = pool[random.below(static_cast<std::uint32_t>(pool.size()))];
    for (int i = 0; i < 36; ++i) c.weights.push_back(random.uniform(-3, 3));
    c.bias = random.uniform(-0.2F, 0.2F);
    c.vote = random.uniform(0.2F, 1);
    return c;
  };
  people::CascadeModel model;
  for (int s = 0; s < shape.stages; ++s) {
    people::CascadeStage stage;
    for (int i = 0; i < shape.blocks; ++i) stage.classifiers.push_back(classifier());
    stage.threshold = random.uniform(-0.6F, 0);
    model.stages.push_back(stage);
  }
  for (int i = 0; i < shape.ranking; ++i) model.ranking.push_back(classifier());
  return model;
}

}  // namespace fovea::test
