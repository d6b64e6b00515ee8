// The parts and strands of a greedy match, from the places and points of its frames.
#include <algorithm>

#include "actions/frames/greedy.h"
#include "actions/match/match_costs.h"

namespace fovea::actions::detail {
namespace {

class PathReader {
 public:
  PathReader(const GreedyModel& model, const GreedyLayout& scene, const MatchTerms& terms,
             const GreedyPath& path)
      : model_(model), scene_(scene), terms_(terms), path_(path) {}

  void add_parts(FrameMatch& match) const;
  Strand strand(int rank) const;

 private:
  const GreedyPlace& place(std::size_t i) const {
    return scene_.places()[static_cast<std::size_t>(path_.places[i])];
  }
  std::int32_t point(std::size_t i, int n) const {
    return path_.points[i * static_cast<std::size_t>(model_.ranks()) + static_cast<std::size_t>(n)];
  }
  const Node& node(std::size_t i, int n) const {
    return scene_.scene().points.nodes[static_cast<std::size_t>(point(i, n))];
  }
  double time(std::size_t i) const {
    return static_cast<double>(
        time_cost(terms_.time, model_gap(model_.frames().data(), static_cast<std::int64_t>(i)),
                  static_cast<float>(place(i).frame - place(i - 1).frame)));
  }
  float mean_bend(std::size_t i) const;

  const GreedyModel& model_;
  const GreedyLayout& scene_;
  const MatchTerms& terms_;
  const GreedyPath& path_;
};

// The mean over ranks with a point in all three frames, as the recursion has it.
float PathReader::mean_bend(std::size_t i) const {
  GreedyMean mean;
  if (place(i).seen < 0 || place(i - 1).seen < 0 || place(i - 2).seen < 0) return 0;
  const int ranks = ranks_of_triangle(model_.frames().data(), static_cast<std::int64_t>(i));
  for (int n = 0; n < ranks; ++n)
    if (point(i, n) >= 0 && point(i - 1, n) >= 0 && point(i - 2, n) >= 0)
      mean.add(
          bend_distance(model_.bends(i, n), bends_of(way_between(node(i - 1, n), node(i, n)),
                                                     way_between(node(i - 2, n), node(i - 1, n)),
                                                     way_between(node(i - 2, n), node(i, n)))));
  return mean.value();
}

void PathReader::add_parts(FrameMatch& match) const {
  double appearance = 0, dummies = 0, times = 0, angles = 0;
  for (std::size_t i = 0; i < path_.places.size(); ++i) {
    const auto all = static_cast<double>(path_.costs[i]);
    int not_seen = 0;
    const int count = model_.frames()[i].count;
    for (int n = 0; n < count; ++n)
      if (point(i, n) < 0) ++not_seen;
    const double of_dummies = static_cast<double>(terms_.dummy) * not_seen / count;
    dummies += of_dummies;
    appearance += not_seen == count ? 0 : all - of_dummies;
    if (i < 2) continue;
    times += time(i) + time(i - 1);
    angles += static_cast<double>(terms_.angles) * static_cast<double>(mean_bend(i));
  }
  match.appearance = static_cast<float>(appearance);
  match.dummies = static_cast<float>(dummies);
  match.time = static_cast<float>(times);
  match.angles = static_cast<float>(angles);
}

// The points of one rank, with the parts that they have as a chain of their own.
Strand PathReader::strand(int rank) const {
  Strand strand;
  Chain chain;
  for (std::size_t i = 0; i < path_.places.size(); ++i) {
    const GreedyModelFrame& frame = model_.frames()[i];
    if (rank >= frame.count) continue;
    strand.points.push_back(frame.first + rank);
    strand.match.path.push_back({point(i, rank), place(i).frame});
  }
  chain.features =
      Image<float>(model_.points().features.width(), static_cast<int>(strand.points.size()));
  chain.nodes.reserve(strand.points.size());
  for (const std::int32_t point : strand.points) {
    std::copy_n(model_.points().features.row(point), chain.features.width(),
                chain.features.row(chain.size()));
    chain.nodes.push_back(model_.points().nodes[static_cast<std::size_t>(point)]);
  }
  Match& match = strand.match;
  match.found = true;
  set_parts(chain, scene_.scene(), terms_, match);
  match.energy = match.appearance + match.dummies + match.time + match.angles;
  return strand;
}

}  // namespace

FrameMatch match_of_path(const GreedyModel& model, const GreedyLayout& scene,
                         const MatchTerms& terms, const GreedyPath& path) {
  FrameMatch match;
  match.energy = path.energy;
  if (path.places.empty()) return match;
  match.found = true;
  const PathReader reader(model, scene, terms, path);
  reader.add_parts(match);
  match.strands.reserve(static_cast<std::size_t>(model.ranks()));
  for (int n = 0; n < model.ranks(); ++n) match.strands.push_back(reader.strand(n));
  return match;
}

}  // namespace fovea::actions::detail
