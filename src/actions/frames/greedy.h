// Matches models with several points per frame greedily: points are assigned first, for each pair
// of a model frame and a scene frame, and then frames are matched as if they were nodes.
#pragma once
#include <fovea/actions/match.h>

#include <cstdint>
#include <span>
#include <vector>

#include "actions/frames/greedy_math.h"

namespace fovea::actions::detail {

// A model, which has been checked, by frames.
class GreedyModel {
 public:
  explicit GreedyModel(const FrameModel& model);

  const std::vector<GreedyModelFrame>& frames() const { return frames_; }
  const Nodes& points() const { return points_; }
  int ranks() const { return ranks_; }  // most points of a frame
  // The angles of rank n in frame i and the two before it.
  const Bends& bends(std::size_t i, int n) const {
    return bends_[i * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(n)];
  }
  std::span<const Bends> bends() const { return bends_; }
  // A rank of frame i, with its triangle where it has one.
  GreedyRank rank(std::size_t i, int n) const;

 private:
  Nodes points_;
  std::vector<GreedyModelFrame> frames_;
  int ranks_ = 0;
  std::vector<Bends> bends_;  // by frame and rank
};

// The frames of a scene, which must outlive this object, and the places of model frames in it.
class GreedyLayout {
 public:
  GreedyLayout(const Scene& scene, const MatchTerms& terms);

  const Scene& scene() const { return scene_; }
  const std::vector<GreedyFrame>& frames() const { return frames_; }
  const std::vector<GreedyPlace>& places() const { return places_; }
  // Pairs of a place and a neighbor are numbered: those of place c begin here.
  std::int64_t first_pair(std::size_t c) const { return first_pairs_[c]; }
  std::span<const std::int64_t> first_pairs() const { return first_pairs_; }
  std::int64_t pairs() const { return first_pairs_.back(); }

 private:
  void add_frames(const MatchTerms& terms);
  void add_places(const MatchTerms& terms);

  const Scene& scene_;
  std::vector<GreedyFrame> frames_;
  std::vector<GreedyPlace> places_;
  std::vector<std::int64_t> first_pairs_;
};

// Returns the direction from a point to another.
float way_between(const Node& from, const Node& to);

// What all models need to know about a scene on the CPU.
class GreedyScene : public GreedyLayout {
 public:
  GreedyScene(const Scene& scene, const MatchTerms& terms);

  // Returns the direction from a point to a later one that may be in a triangle with it.
  float way(std::int32_t from, std::int32_t to) const;
  // Writes l1 U of a model point and every point of the scene.
  void unary_costs(const float* feature, float weight, std::vector<float>& costs) const;

 private:
  void add_ways(const MatchTerms& terms);

  // Directions to each point from the ones before it; empty where there would be too many.
  std::vector<float> ways_;
  std::vector<std::int64_t> way_rows_;
  std::vector<std::int32_t> way_firsts_;
  std::vector<float> columns_;  // features, all points' first numbers first
};

// The points that a model's points take in each scene frame that has points.
class GreedyPoints {
 public:
  GreedyPoints(const GreedyModel& model, const GreedyScene& scene, const MatchTerms& terms);

  // The point that rank n of model frame i takes in a scene frame; -1: it is not seen there.
  std::int32_t at(std::size_t i, std::int64_t frame, int n) const {
    return points_[index(i, frame) * static_cast<std::size_t>(ranks_) +
                   static_cast<std::size_t>(n)];
  }
  // The mean cost of the points of model frame i in a scene frame.
  float cost(std::size_t i, std::int64_t frame) const { return costs_[index(i, frame)]; }

 private:
  std::size_t index(std::size_t i, std::int64_t frame) const {
    return i * frames_ + static_cast<std::size_t>(frame);
  }
  int ranks_;
  std::size_t frames_;
  std::vector<std::int32_t> points_;
  std::vector<float> costs_;
};

MatchScore greedy_score(const GreedyModel& model, const GreedyScene& scene,
                        const MatchTerms& terms);
FrameMatch greedy_match(const GreedyModel& model, const GreedyScene& scene,
                        const MatchTerms& terms);

// The best match of a model, frame by frame.
struct GreedyPath {
  float energy = 0;                  // infinite if there is no assignment
  std::vector<std::int32_t> places;  // of the model's frames; empty if there is no assignment
  std::vector<std::int32_t> points;  // by frame and rank: the scene's point; -1: not seen
  std::vector<float> costs;          // U of each frame
};
FrameMatch match_of_path(const GreedyModel& model, const GreedyLayout& scene,
                         const MatchTerms& terms, const GreedyPath& path);

}  // namespace fovea::actions::detail
