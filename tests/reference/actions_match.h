// Matching by trying every assignment, in double and by the formulas as they are printed: angles by
// atan2. For problems of a few nodes.
#pragma once
#include <fovea/actions/match.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace fovea::reference {

class ActionMatch {
 public:
  ActionMatch(const actions::Chain& model, const actions::Scene& scene,
              const actions::MatchOptions& options)
      : model_(model), scene_(scene), options_(options) {
    std::size_t p = 0;
    for (int f = 0; f < scene.frames; ++f) {
      const std::int32_t frame = scene.first_frame + f;
      for (; p < scene.points.nodes.size() && scene.points.nodes[p].frame == frame; ++p)
        nodes_.push_back({static_cast<std::int32_t>(p), frame});
      if (options.dummies) nodes_.push_back({-1, frame});
    }
  }

  struct Found {
    double energy = std::numeric_limits<double>::infinity();
    std::vector<actions::MatchedNode> path;
  };

  // Of equal energies the first, nodes compared from the last backwards. With last_frame set, only
  // of assignments that end there.
  Found best(const std::int32_t* last_frame = nullptr) {
    found_ = {};
    last_frame_ = last_frame;
    path_.assign(model_.nodes.size(), {});
    grow(model_.size() - 1, static_cast<int>(nodes_.size()), 0);
    return found_;
  }

  double energy(const std::vector<actions::MatchedNode>& path) const {
    double sum = 0;
    for (int i = 0; i < model_.size(); ++i) sum += options_.appearance * unary(i, path[i]);
    for (int i = 2; i < model_.size(); ++i) sum += deformation(path, i);
    return sum;
  }

  bool allowed(const std::vector<actions::MatchedNode>& path) const {
    for (int i = 0; i + 1 < model_.size(); ++i)
      if (!near(path, i)) return false;
    return true;
  }

 private:
  // Closeness of nodes i, i + 1 and i + 2, as far as they are there.
  bool near(const std::vector<actions::MatchedNode>& path, int i) const {
    const int gap = path[i + 1].frame - path[i].frame;
    if (gap < 1) return false;
    if (options_.window == 0) return true;
    if (options_.closeness == actions::Closeness::kPair) return gap < options_.window;
    if (i + 2 == model_.size()) return true;
    return path[i + 2].frame - path[i].frame < options_.window;
  }

  double unary(int i, const actions::MatchedNode& node) const {
    if (node.point < 0) return options_.dummy_cost;
    double sum = 0;
    for (int k = 0; k < model_.features.width(); ++k)
      sum += std::pow(
          static_cast<double>(model_.features.at(k, i)) - scene_.points.features.at(k, node.point),
          2);
    return std::sqrt(sum);
  }

  static double way(const actions::Node& from, const actions::Node& to) {
    const double x = static_cast<double>(to.x) - from.x, y = static_cast<double>(to.y) - from.y;
    return x == 0 && y == 0 ? 0 : std::atan2(y, x);
  }
  static double around(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

  // Both differences of angles, at i - 1 and at i. Sides are seen from their earlier end; from the
  // later one they point the other way, also where both ends lie at one place.
  double geometry(const std::vector<actions::MatchedNode>& path, int i) const {
    for (int j = i - 2; j <= i; ++j)
      if (path[j].point < 0) return 0;
    const auto angles = [&](const auto& node) {
      const double half = std::numbers::pi;
      const double to_last = way(node(i - 1), node(i));
      const double at_middle = to_last - (way(node(i - 2), node(i - 1)) + half);
      const double at_last = (to_last + half) - (way(node(i - 2), node(i)) + half);
      return std::pair(at_middle, at_last);
    };
    const auto [a, b] = angles([&](int j) { return model_.nodes[j]; });
    const auto [c, d] = angles([&](int j) { return scene_.points.nodes[path[j].point]; });
    return std::hypot(around(a - c), around(b - d));
  }

  double deformation(const std::vector<actions::MatchedNode>& path, int i) const {
    double time = 0;
    for (const int j : {i, i - 1})
      time += std::abs((model_.nodes[j].frame - model_.nodes[j - 1].frame) -
                       (path[j].frame - path[j - 1].frame));
    return options_.geometry * (time + options_.angles * geometry(path, i));
  }

  void grow(int i, int end, double so_far) {
    for (int n = 0; n < end; ++n) {
      path_[i] = nodes_[n];
      if (i == model_.size() - 1) {
        if (last_frame_ != nullptr && nodes_[n].frame != *last_frame_) continue;
      } else if (!near(path_, i)) {
        continue;
      }
      double sum = so_far + options_.appearance * unary(i, path_[i]);
      if (i + 2 < model_.size()) sum += deformation(path_, i + 2);
      if (i == 0) {
        if (sum < found_.energy) found_ = {sum, path_};
      } else {
        grow(i - 1, n, sum);
      }
    }
  }

  const actions::Chain& model_;
  const actions::Scene& scene_;
  actions::MatchOptions options_;
  std::vector<actions::MatchedNode> nodes_, path_;
  const std::int32_t* last_frame_ = nullptr;
  Found found_;
};

}  // namespace fovea::reference
