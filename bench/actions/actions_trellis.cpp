#include "bench/actions/actions_trellis.h"

#include <algorithm>
#include <vector>

#include "actions/infinity.h"
#include "actions/match/match_costs.h"

namespace fovea::cli {
namespace {

using actions::kInfinity;
using actions::Node;

// Nodes are counted as in the paper, but from 0: z2, z1 and z0 are the scene nodes of the model
// nodes i-2, i-1 and i.
class Trellis {
 public:
  Trellis(const actions::Chain& model, const actions::Scene& scene,
          const actions::MatchOptions& options, const TrellisSteps& steps)
      : model_(model),
        scene_(scene),
        terms_(options),
        steps_(steps),
        nodes_(static_cast<std::size_t>(scene.points.size())),
        near_(nodes_ * nodes_),
        next_(nodes_ * nodes_),
        now_(nodes_ * nodes_) {
    for (std::size_t a = 0; a < nodes_; ++a)
      for (std::size_t b = 0; b < nodes_; ++b) {
        const std::int32_t gap = frame(b) - frame(a);
        near_[a * nodes_ + b] = gap > 0 && gap <= terms_.pair;
      }
    for (int i = 0; steps.unary_table && i < model.size(); ++i)
      for (std::size_t z = 0; z < nodes_; ++z) unary_.push_back(compute_unary(i, z));
    for (std::int32_t f = 0; steps.bounds && f <= scene.frames; ++f)
      first_nodes_.push_back(static_cast<std::size_t>(
          std::ranges::lower_bound(scene.points.nodes, scene.first_frame + f, {}, &Node::frame) -
          scene.points.nodes.begin()));
  }

  double energy() {
    for (int i = model_.size() - 1; i >= 2; --i) {
      bends_ = actions::detail::node_bends(model(i - 2), model(i - 1), model(i));
      for (std::size_t z2 = 0; z2 < nodes_; ++z2)
        for (std::size_t z1 = z2 + 1; z1 < nodes_; ++z1)
          if (near_[z2 * nodes_ + z1] != 0) now_[z1 * nodes_ + z2] = least(i, z1, z2);
      next_.swap(now_);
    }
    double best = kInfinity<double>;
    for (std::size_t z1 = 0; z1 < nodes_; ++z1)
      for (std::size_t z2 = z1 + 1; z2 < nodes_; ++z2)
        if (near_[z1 * nodes_ + z2] != 0)
          best = std::min(
              best, static_cast<double>(unary(0, z1)) + unary(1, z2) + next_[z2 * nodes_ + z1]);
    return best;
  }

 private:
  const Node& model(int i) const { return model_.nodes[static_cast<std::size_t>(i)]; }
  const Node& node(std::size_t z) const { return scene_.points.nodes[z]; }
  std::int32_t frame(std::size_t z) const { return node(z).frame; }

  float compute_unary(int i, std::size_t z) const {
    float sum = 0;
    const float *a = model_.features.row(i), *b = scene_.points.features.row(static_cast<int>(z));
    for (int k = 0; k < model_.features.width(); ++k)
      sum = actions::detail::add_square(a[k], b[k], sum);
    return actions::detail::appearance_cost(terms_.appearance, sum);
  }
  float unary(int i, std::size_t z) const {
    return steps_.unary_table ? unary_[static_cast<std::size_t>(i) * nodes_ + z]
                              : compute_unary(i, z);
  }
  float time(int i, std::size_t from, std::size_t to) const {
    return actions::detail::time_cost(terms_.time,
                                      static_cast<float>(model(i).frame - model(i - 1).frame),
                                      static_cast<float>(frame(to) - frame(from)));
  }
  // The first scene node in a frame or after it.
  std::size_t first_node(std::int64_t frame) const {
    return first_nodes_[static_cast<std::size_t>(
        std::clamp<std::int64_t>(frame - scene_.first_frame, 0, scene_.frames))];
  }

  // Equations 10 and 11.
  float least(int i, std::size_t z1, std::size_t z2) const {
    float best = kInfinity<float>;
    const float before = time(i - 1, z2, z1);
    const auto visit = [&](std::size_t z0) {
      const float angles = actions::detail::bend_distance(
          bends_, actions::detail::node_bends(node(z2), node(z1), node(z0)));
      const float cost = unary(i, z0) + (before + time(i, z1, z0)) + terms_.angles * angles;
      best = std::min(best, i + 1 < model_.size() ? cost + next_[z0 * nodes_ + z1] : cost);
    };
    if (steps_.bounds) {
      const std::int64_t last =
          std::min<std::int64_t>(static_cast<std::int64_t>(frame(z2)) + terms_.triple,
                                 static_cast<std::int64_t>(frame(z1)) + terms_.pair);
      const std::size_t end = first_node(last + 1);
      for (std::size_t z0 = first_node(frame(z1) + 1); z0 < end; ++z0) visit(z0);
    } else {
      for (std::size_t z0 = 0; z0 < nodes_; ++z0)
        if (near_[z1 * nodes_ + z0] != 0 && frame(z0) - frame(z2) <= terms_.triple) visit(z0);
    }
    return best;
  }

  const actions::Chain& model_;
  const actions::Scene& scene_;
  actions::detail::MatchTerms terms_;
  TrellisSteps steps_;
  std::size_t nodes_;
  std::vector<char> near_;    // which pairs keep the order and the window
  std::vector<float> unary_;  // by model node and scene node
  std::vector<std::size_t> first_nodes_;
  std::vector<float> next_, now_;  // the tables of i + 1 and i
  actions::detail::Bends bends_;
};

}  // namespace

double trellis_energy(const actions::Chain& model, const actions::Scene& scene,
                      const actions::MatchOptions& options, const TrellisSteps& steps) {
  return Trellis(model, scene, options, steps).energy();
}

}  // namespace fovea::cli
