// Greedy matching of models with several points per frame, as include/fovea/actions/match.h defines
// it, in double and by the formulas as they are printed: angles by atan2, points by loops over all
// frames, and frames by trying every assignment. For problems of a few frames.
#pragma once
#include <fovea/actions/match.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

namespace fovea::reference {

class ActionGreedy {
 public:
  ActionGreedy(const actions::FrameModel& model, const actions::Scene& scene,
               const actions::MatchOptions& options)
      : model_(model), scene_(scene), options_(options) {
    for (int i = 0; i < model.size(); ++i) {
      if (i == 0 || model.nodes[i].frame != model.nodes[i - 1].frame) frames_.emplace_back();
      frames_.back().push_back(i);
    }
    for (int p = 0; p < scene.points.size(); ++p) seen_[scene.points.nodes[p].frame].push_back(p);
    taken_.resize(frames_.size());
    for (int i = 0; i < static_cast<int>(frames_.size()); ++i)
      for (const auto& [frame, points] : seen_) taken_[i][frame] = take(i, frame, points);
  }

  // Infinite where there is no assignment.
  double best() {
    best_ = std::numeric_limits<double>::infinity();
    path_.assign(frames_.size(), {});
    grow(0);
    return best_;
  }
  // The point that rank n of model frame i takes in a scene frame; -1: none.
  int taken(int i, int frame, int n) const { return taken_[i].at(frame)[n]; }

 private:
  struct Place {
    int frame = 0;
    bool dummy = false;
  };

  double unary(int model, int point) const {
    double sum = 0;
    for (int k = 0; k < model_.features.width(); ++k)
      sum += std::pow(
          static_cast<double>(model_.features.at(k, model)) - scene_.points.features.at(k, point),
          2);
    return std::sqrt(sum);
  }
  bool allowed(int first, int middle, int last) const {
    if (first >= middle || middle >= last) return false;
    if (options_.window == 0) return true;
    if (options_.closeness == actions::Closeness::kSpan) return last - first < options_.window;
    return middle - first < options_.window && last - middle < options_.window;
  }
  int time_of(int i) const { return model_.nodes[frames_[i][0]].frame; }
  double times(int i, int first, int middle, int last) const {
    return std::abs((time_of(i) - time_of(i - 1)) - (last - middle)) +
           std::abs((time_of(i - 1) - time_of(i - 2)) - (middle - first));
  }

  static double way(const actions::Node& from, const actions::Node& to) {
    const double x = static_cast<double>(to.x) - from.x, y = static_cast<double>(to.y) - from.y;
    return x == 0 && y == 0 ? 0 : std::atan2(y, x);
  }
  static double around(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }
  // Both differences of angles of rank n, for scene points in the order of time.
  double angles(int i, int n, int first, int middle, int last) const {
    const auto model = [&](int j) { return model_.nodes[frames_[j][n]]; };
    const auto place = [&](int p) { return scene_.points.nodes[p]; };
    const double model_last = way(model(i - 1), model(i));
    const double scene_last = way(place(middle), place(last));
    return std::hypot(around((model_last - way(model(i - 2), model(i - 1))) -
                             (scene_last - way(place(first), place(middle)))),
                      around((model_last - way(model(i - 2), model(i))) -
                             (scene_last - way(place(first), place(last)))));
  }
  bool has(int i, int n) const { return n < static_cast<int>(frames_[i].size()); }

  // The least deformation if rank n of model frame i is at `point`.
  double deformation(int i, int n, int frame, int point) const {
    double least = std::numeric_limits<double>::infinity();
    if (i < 2 || !has(i - 1, n) || !has(i - 2, n)) return 0;
    for (const auto& [middle, middles] : taken_[i - 1])
      for (const auto& [first, firsts] : taken_[i - 2])
        if (middles[n] >= 0 && firsts[n] >= 0 && allowed(first, middle, frame))
          least =
              std::min(least, options_.geometry *
                                  (times(i, first, middle, frame) +
                                   options_.angles * angles(i, n, firsts[n], middles[n], point)));
    return std::isinf(least) ? 0 : least;
  }

  std::vector<int> take(int i, int frame, const std::vector<int>& points) const {
    std::vector<int> result;
    for (int n = 0; has(i, n); ++n) {
      double least = std::numeric_limits<double>::infinity();
      result.push_back(-1);
      for (const int point : points) {
        const double distance = unary(frames_[i][n], point);
        if (options_.dummies && distance > options_.dummy_cost) continue;
        const double cost = options_.appearance * distance + deformation(i, n, frame, point);
        if (cost >= least) continue;
        least = cost;
        result.back() = point;
      }
    }
    return result;
  }

  double frame_cost(int i, const Place& place) const {
    if (place.dummy) return options_.appearance * options_.dummy_cost;
    double sum = 0;
    for (int n = 0; has(i, n); ++n) {
      const int point = taken(i, place.frame, n);
      sum += point < 0 ? options_.dummy_cost : unary(frames_[i][n], point);
    }
    return options_.appearance * sum / static_cast<double>(frames_[i].size());
  }
  double triangle_cost(int i) const {
    double sum = 0;
    int count = 0;
    const Place &last = path_[i], &middle = path_[i - 1], &first = path_[i - 2];
    for (int n = 0; has(i, n) && has(i - 1, n) && has(i - 2, n); ++n) {
      if (last.dummy || middle.dummy || first.dummy) break;
      const int a = taken(i - 2, first.frame, n), b = taken(i - 1, middle.frame, n),
                c = taken(i, last.frame, n);
      if (a < 0 || b < 0 || c < 0) continue;
      sum += angles(i, n, a, b, c);
      ++count;
    }
    return options_.geometry * (times(i, first.frame, middle.frame, last.frame) +
                                (count > 0 ? options_.angles * sum / count : 0));
  }

  void grow(int i) {
    if (i == static_cast<int>(frames_.size())) {
      double sum = 0;
      for (int j = 0; j < i; ++j) sum += frame_cost(j, path_[j]) + (j >= 2 ? triangle_cost(j) : 0);
      best_ = std::min(best_, sum);
      return;
    }
    for (int f = scene_.first_frame; f < scene_.first_frame + scene_.frames; ++f) {
      if (i > 0 && f <= path_[i - 1].frame) continue;
      if (i >= 2 && !allowed(path_[i - 2].frame, path_[i - 1].frame, f)) continue;
      for (const bool dummy : {false, true}) {
        if (dummy ? !options_.dummies : !seen_.contains(f)) continue;
        path_[i] = {f, dummy};
        grow(i + 1);
      }
    }
  }

  const actions::FrameModel& model_;
  const actions::Scene& scene_;
  actions::MatchOptions options_;
  std::vector<std::vector<int>> frames_;                // points by model frame
  std::map<int, std::vector<int>> seen_;                // points by scene frame
  std::vector<std::map<int, std::vector<int>>> taken_;  // by model frame and scene frame
  std::vector<Place> path_;
  double best_ = 0;
};

}  // namespace fovea::reference
