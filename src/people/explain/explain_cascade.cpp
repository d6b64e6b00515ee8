// The votes of a cascade's classifiers for one window, stage by stage up to the one that rejects
// it, with the arithmetic of cascade_math.h.
#include "people/cascade/cascade_planes.h"
#include "people/explain/window_parts.h"

namespace fovea::people {
namespace {

// The integral histogram of one window.
class WindowBlocks {
 public:
  WindowBlocks(const CascadeModel& model, const SearchedWindow& window, const Exec& exec)
      : columns_(model.window.width / cascade::kPatch + 1) {
    cpu::SourcePlanes source;
    source.set(window.image, model.color, exec);
    cpu::LevelPlanes planes;
    planes.build(source, window.plan, window.level(), exec);
    cpu::WindowSums filler(model.window);
    sums_.resize(filler.size());
    filler.fill(planes, window.x(), window.y(), sums_);
  }

  float margin(const cascade::BlockPlan& block) const {
    cascade::BlockSums totals;
    for (int bin = 0; bin < cascade::kBins; ++bin)
      for (int cell = 0; cell < cascade::kCells; ++cell) {
        const int i = cell % 2, j = cell / 2;
        const std::uint32_t sum =
            (at(block.x[i + 1], block.y[j + 1], bin) - at(block.x[i], block.y[j + 1], bin)) -
            (at(block.x[i + 1], block.y[j], bin) - at(block.x[i], block.y[j], bin));
        const int place = cascade::place_of(cell, bin);
        cascade::add_number(totals, place, static_cast<float>(static_cast<std::int32_t>(sum)),
                            block.weights[place]);
      }
    return cascade::block_response(totals, block.fade) + block.bias;
  }

 private:
  std::uint32_t at(int x, int y, int bin) const {
    return sums_[(static_cast<std::size_t>(y) * columns_ + x) * cascade::kBins + bin];
  }

  int columns_;
  std::vector<std::uint32_t> sums_;
};

struct Shares {
  const SearchedWindow& window;
  WindowExplanation& to;

  void add(const Block& block, int stage, double value) const {
    to.blocks.push_back(
        {window.in_image({static_cast<double>(block.x), static_cast<double>(block.y),
                          static_cast<double>(block.width), static_cast<double>(block.height)}),
         stage, value});
  }
};

// Runs the stages until one rejects the window, and returns the last sum. Stages that are not
// chained begin from 0.
float run_stages(const CascadeModel& model, const WindowBlocks& blocks, const Shares& shares) {
  WindowExplanation& to = shares.to;
  float sum = 0;
  for (const CascadeStage& stage : model.stages) {
    if (!model.chained) sum = 0;
    const float before = sum;
    for (const BlockClassifier& classifier : stage.classifiers) {
      const float vote = cascade::block_vote(blocks.margin(cascade::block_plan(classifier)),
                                             classifier.vote, model.graded);
      sum += vote;
      shares.add(classifier.block, static_cast<int>(to.stages.size()), vote);
    }
    to.stages.push_back({static_cast<double>(sum) - before, sum, stage.threshold,
                         static_cast<int>(stage.classifiers.size())});
    if (!(sum >= stage.threshold)) return sum;
    ++to.passed;
  }
  return sum;
}

}  // namespace

void explain_cascade(const CascadeModel& model, const SearchedWindow& window, const Exec& exec,
                     WindowExplanation& to) {
  const WindowBlocks blocks(model, window, exec);
  const Shares shares{window, to};
  to.steps = static_cast<int>(model.stages.size());
  to.sum = run_stages(model, blocks, shares);
  const bool rejected = to.passed < to.steps;
  const bool ranked = !rejected && !model.ranking.empty();
  // The shares are those of the decision: of the ranking, of the stage that rejected the window
  // (with all stages before it where they are chained), or of the last stage.
  if (ranked) {
    to.blocks.clear();
    to.sum = 0;
    for (const BlockClassifier& classifier : model.ranking) {
      const float margin = blocks.margin(cascade::block_plan(classifier));
      to.sum += margin;
      shares.add(classifier.block, -1, margin);
    }
  } else {
    const int last = static_cast<int>(to.stages.size()) - 1;
    if (!model.chained)
      std::erase_if(to.blocks, [&](const BlockShare& share) { return share.stage != last; });
    if (!rejected && last >= 0) to.base = model.stages.back().threshold;
  }
  WindowHeat heat(model.window);
  std::size_t next = 0;
  const auto spread = [&](const BlockClassifier& classifier) {
    heat.add(classifier.block, to.blocks[next++].value);
  };
  if (ranked) {
    for (const BlockClassifier& classifier : model.ranking) spread(classifier);
  } else if (!to.stages.empty()) {
    for (std::size_t s = model.chained ? 0 : to.stages.size() - 1; s < to.stages.size(); ++s)
      for (const BlockClassifier& classifier : model.stages[s].classifiers) spread(classifier);
  }
  to.heat = heat.image();
}

}  // namespace fovea::people
