// Finds places in a likelihood map. A score is a sum over an integral image: 4 reads for the box, 4
// for its ring, 63 for the cells of its layout. All places within reach are tried, which finds
// places that hill climbing would miss. Mean shift (Comaniciu, Ramesh and Meer, "Real-time tracking
// of non-rigid objects using mean shift", 2000) is offered for comparison, with a flat kernel of
// the box's size and without change of size.
#include "emd/track/track_search.h"

#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "emd/track/track_math.h"

namespace fovea::emd {
namespace {

constexpr int kMostShifts = 30;
constexpr int kRowsPerTask = 8;
constexpr std::size_t kPlacesAtOnce = 64;
constexpr double kLeastWeight = 1e-3;  // likelihoods nearer to one half are noise

// Sum of likelihood - 1/2 over the part of the box that lies in the map.
double excess(const LikelihoodMap& map, const Rect<int>& box) {
  const Rect<int> inside = intersect(box, map.region);
  if (inside.empty()) return 0;
  const std::uint64_t sum = rectangle_sum(map.sums.view(), inside.x - map.region.x,
                                          inside.y - map.region.y, inside.width, inside.height);
  return static_cast<double>(sum) / static_cast<double>(kSureLikelihood) -
         0.5 * static_cast<double>(area_of(inside));
}

using CellSums = std::array<double, PlaceModel::kColumns * PlaceModel::kRows>;

// Sums of likelihood - 1/2 over the cells of a box, whose corners are read once.
CellSums cell_sums(const LikelihoodMap& map, const Rect<int>& box) {
  constexpr int kColumns = PlaceModel::kColumns, kRows = PlaceModel::kRows;
  const auto sums = map.sums.view();
  std::array<int, kColumns + 1> columns{};
  for (int i = 0; i <= kColumns; ++i)
    columns[static_cast<std::size_t>(i)] =
        std::clamp(box.x + box.width * i / kColumns - map.region.x, 0, map.region.width);
  CellSums cells{};
  std::array<std::uint64_t, kColumns + 1> above{}, below{};
  int top = 0;
  for (int j = 0; j <= kRows; ++j) {
    const int y = std::clamp(box.y + box.height * j / kRows - map.region.y, 0, map.region.height);
    for (std::size_t i = 0; i < columns.size(); ++i) below[i] = sums.at(columns[i], y);
    for (std::size_t i = 0; j > 0 && i < kColumns; ++i) {
      const std::uint64_t sum = (below[i + 1] - below[i]) - (above[i + 1] - above[i]);
      const auto area = static_cast<double>((columns[i + 1] - columns[i]) * (y - top));
      cells[static_cast<std::size_t>(j - 1) * kColumns + i] =
          static_cast<double>(sum) / static_cast<double>(kSureLikelihood) - 0.5 * area;
    }
    above = below;
    top = y;
  }
  return cells;
}

// Replaces `best` by the best of `places`, whose scores do not contain costs yet, if that is
// better. Costs only lower a score, so that the costs of the most promising places are computed
// first, a few at a time, until none of the rest can win.
void improve(const PlaceCost& cost, std::vector<Place> places, Place& best) {
  if (!cost) {
    for (const Place& place : places) {
      if (place.score > best.score) best = place;
    }
    return;
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.score > b.score; });
  std::vector<Rect<int>> asked;
  for (std::size_t at = 0; at < places.size() && places[at].score > best.score;) {
    const std::size_t count = std::min(kPlacesAtOnce, places.size() - at);
    asked.clear();
    for (std::size_t i = 0; i < count; ++i) asked.push_back(places[at + i].box);
    const std::vector<double> costs = cost(asked);
    for (std::size_t i = 0; i < count; ++i) {
      const double score = places[at + i].score - costs[i];
      if (score > best.score) best = {places[at + i].box, score};
    }
    at += count;
  }
}

}  // namespace

bool middle_within(const Rect<int>& box, const Rect<int>& frame) {
  const int x = box.x + box.width / 2, y = box.y + box.height / 2;
  return x >= frame.x && y >= frame.y && x < frame.x + frame.width && y < frame.y + frame.height;
}

double motion_cost(const SearchRange& range, const Rect<int>& box) {
  const double dx = box.x - range.from.x, dy = box.y - range.from.y;
  return range.motion * (dx * dx + dy * dy) / static_cast<double>(area_of(range.from));
}

Rect<int> grown(const Rect<int>& box, double factor) {
  const auto dx = static_cast<int>(std::lround(box.width * (factor - 1) / 2));
  const auto dy = static_cast<int>(std::lround(box.height * (factor - 1) / 2));
  return {box.x - dx, box.y - dy, box.width + 2 * dx, box.height + 2 * dy};
}

Rect<int> to_pixels(const Rect<double>& box) {
  const auto whole = [](double value) { return static_cast<int>(std::lround(value)); };
  return {whole(box.x), whole(box.y), whole(box.width), whole(box.height)};
}

Rect<double> to_box(const Rect<int>& box) {
  return {static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.width),
          static_cast<double>(box.height)};
}

void sum_up(LikelihoodMap& map, const Exec& exec) {
  IntegralOptions options;
  options.exec = exec;
  options.exec.device = Device::cpu();
  map.sums = Image<std::uint64_t>(map.values.width() + 1, map.values.height() + 1);
  integral(ImageView<const std::uint16_t>(map.values), map.sums.view(), options);
}

PlaceModel learn_layout(const LikelihoodMap& map, const Rect<int>& box, double ring,
                        double layout) {
  PlaceModel model;
  model.ring = ring;
  model.layout = layout;
  if (!(layout > 0)) return model;
  const Rect<int> around = grown(box, ring);
  const CellSums cells = cell_sums(map, around);
  const double cell_area =
      static_cast<double>(area_of(around)) / static_cast<double>(model.weights.size());
  double mean = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    model.weights[i] = cells[i] / cell_area;
    mean += std::abs(model.weights[i]) / static_cast<double>(cells.size());
  }
  for (double& weight : model.weights) weight /= std::max(mean, kLeastWeight);
  return model;
}

double place_score(const LikelihoodMap& map, const Rect<int>& box, const PlaceModel& model) {
  const Rect<int> around = grown(box, model.ring);
  const double inside = excess(map, box), with_ring = excess(map, around);
  const double plain = (inside - (with_ring - inside)) / static_cast<double>(area_of(box));
  if (!(model.layout > 0)) return plain;
  const CellSums cells = cell_sums(map, around);
  double weighted = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) weighted += model.weights[i] * cells[i];
  return (1 - model.layout) * plain +
         model.layout * weighted / static_cast<double>(area_of(around));
}

Place best_place(const LikelihoodMap& map, const SearchRange& range, const PlaceCost& cost) {
  Place best{range.from, -std::numeric_limits<double>::max()};
  // Tries places within a circle, or within a square if `reach` is only one step.
  const auto try_around = [&](const Rect<int>& middle, int reach, int step) {
    std::vector<Place> places;
    const int farthest = reach == step ? 2 * reach * reach : reach * reach;
    for (int dy = -(reach / step) * step; dy <= reach; dy += step) {
      for (int dx = -(reach / step) * step; dx <= reach; dx += step) {
        const Rect<int> box = moved(middle, dx, dy);
        if (dx * dx + dy * dy <= farthest && middle_within(box, range.frame))
          places.push_back({box, place_score(map, box, range.model) - motion_cost(range, box)});
      }
    }
    improve(cost, std::move(places), best);
  };
  try_around(range.from, range.reach, range.step);
  for (int step = range.step; step > 1;) {
    step = std::max(1, step / 2);
    try_around(best.box, step, step);
  }
  return best;
}

Place best_place_anywhere(const LikelihoodMap& map, const Rect<int>& size, const SearchRange& range,
                          const Exec& exec) {
  const Place none{size, -std::numeric_limits<double>::max()};
  const int rows = range.frame.height - size.height + 1;
  if (rows < 1) return none;
  std::vector<Place> best(static_cast<std::size_t>((rows + kRowsPerTask - 1) / kRowsPerTask), none);
  parallel_for(exec, rows, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    Place& mine = best[static_cast<std::size_t>(first / kRowsPerTask)];
    for (auto row = static_cast<int>(first); row < static_cast<int>(last); ++row) {
      for (int x = 0; x <= range.frame.width - size.width; ++x) {
        const Rect<int> box{range.frame.x + x, range.frame.y + row, size.width, size.height};
        const double score = place_score(map, box, range.model);
        if (score > mine.score) mine = {box, score};
      }
    }
  });
  return *std::max_element(best.begin(), best.end(),
                           [](const Place& a, const Place& b) { return a.score < b.score; });
}

void improve_anywhere(const LikelihoodMap& map, const WideSearch& wide, const SearchRange& range,
                      const PlaceCost& cost, Place& best) {
  const int rows = (wide.last_row - wide.first_row + range.step - 1) / range.step;
  std::vector<std::vector<Place>> found(static_cast<std::size_t>(rows));
  parallel_for(wide.exec, rows, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      for (int x = 0; x <= range.frame.width - wide.size.width; x += range.step) {
        const Rect<int> box{range.frame.x + x, wide.first_row + static_cast<int>(row) * range.step,
                            wide.size.width, wide.size.height};
        const double score = place_score(map, box, range.model);
        if (score >= wide.least) found[static_cast<std::size_t>(row)].push_back({box, score});
      }
    }
  });
  std::vector<Place> places;
  for (const auto& row : found) places.insert(places.end(), row.begin(), row.end());
  improve(cost, std::move(places), best);
}

Place mean_shift_place(const LikelihoodMap& map, const SearchRange& range) {
  Rect<int> box = range.from;
  for (int shift = 0; shift < kMostShifts; ++shift) {
    const Rect<int> inside = intersect(box, map.region);
    std::uint64_t mass = 0, mass_x = 0, mass_y = 0;
    constexpr std::uint16_t kHalf = 32768;
    for (int y = inside.y; y < inside.y + inside.height; ++y) {
      const std::uint16_t* const row = map.values.row(y - map.region.y) - map.region.x;
      for (int x = inside.x; x < inside.x + inside.width; ++x) {
        const std::uint64_t weight = row[x] > kHalf ? row[x] - kHalf : 0;
        mass += weight;
        mass_x += weight * static_cast<std::uint64_t>(x - inside.x);
        mass_y += weight * static_cast<std::uint64_t>(y - inside.y);
      }
    }
    if (mass == 0) break;
    const auto middle = [&](std::uint64_t moment) {
      return static_cast<double>(moment) / static_cast<double>(mass) + 0.5;
    };
    const Rect<int> next{
        static_cast<int>(std::lround(inside.x + middle(mass_x) - box.width / 2.0)),
        static_cast<int>(std::lround(inside.y + middle(mass_y) - box.height / 2.0)), box.width,
        box.height};
    if (next == box || !middle_within(next, range.frame)) break;
    box = next;
  }
  return {box, place_score(map, box, range.model)};
}

}  // namespace fovea::emd
