// Covers: match_steps
// The tables of the GPU, walked over on the host: the same energies and paths as the lanes of the
// CPU, to the bit.
#include "actions/match/match_cells.h"

#include <cmath>

#include "actions/match/match_math.h"
#include "actions/match_problems.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using detail::Cell;
using detail::CellEnd;
using detail::CellScene;
using test::MatchShape;

struct Walk {
  float energy = INFINITY;
  std::vector<MatchedNode> path;
};

std::vector<float> directions_of(const Scene& scene, const CellScene& shape) {
  std::vector<float> directions(static_cast<std::size_t>(shape.seen) * shape.points);
  for (int c = 0; c < shape.points; ++c)
    for (int row = 0; row < shape.seen; ++row) {
      const int from = shape.first_at[shape.frame[c]] - 1 - row;
      if (from < 0) continue;
      const Node &a = scene.points.nodes[from], &b = scene.points.nodes[c];
      directions[static_cast<std::size_t>(row) * shape.points + c] =
          detail::direction(b.x - a.x, b.y - a.y);
    }
  return directions;
}

Walk walk(const Chain& model, const Scene& scene, const MatchOptions& options) {
  const detail::MatchTerms terms(options);
  detail::CellBatch batch;
  batch.add(scene, terms);
  CellScene shape = batch.scenes[0].shape;
  shape.frame = batch.frames.data();
  shape.first_at = batch.first_at.data();
  const std::vector<float> directions = directions_of(scene, shape);
  shape.directions = directions.data();
  const auto unary = [&](int i, int column) {
    return column < shape.points ? test::unary_cost(model, i, scene, column, terms.appearance)
                                 : terms.dummy;
  };
  const auto cells = static_cast<std::size_t>(batch.scenes[0].cells());
  std::vector<float> states(cells, INFINITY), next(cells);
  std::vector<std::vector<std::uint16_t>> back(model.nodes.size());
  CellEnd end{.energy = INFINITY};
  for (int i = 1; i < model.size(); ++i) {
    back[i].resize(cells);
    for (int row = 0; row < shape.rows(); ++row)
      for (int column = 0; column < shape.columns(); ++column) {
        const std::size_t at = static_cast<std::size_t>(row) * shape.columns() + column;
        const int time = shape.frame_of(column), middle = shape.before(row, time, terms.pair);
        next[at] = INFINITY;
        if (middle < 0) continue;
        const detail::CellWork work{column,           middle,           time,
                                    unary(i, column), unary(0, middle), i == 1};
        const Cell cell =
            detail::cell_of(shape, terms, detail::node_of(model, i), work, states.data());
        next[at] = cell.state;
        back[i][at] = cell.who;
        const CellEnd here{cell.energy, shape.rank_of(column), shape.rank_of(middle), column, row};
        if (i == model.size() - 1 && cell.energy < INFINITY && detail::earlier(here, end))
          end = here;
      }
    states.swap(next);
  }
  Walk found{end.energy, {}};
  if (end.column < 0) return found;
  int column = end.column, row = end.row;
  for (int i = model.size() - 1; i >= 0; --i) {
    const int time = shape.frame_of(column);
    found.path.insert(found.path.begin(),
                      {column < shape.points ? column : -1, time + batch.scenes[0].first_frame});
    if (i == 0) break;
    const int middle = shape.before(row, time, terms.pair);
    row = back[i][static_cast<std::size_t>(row) * shape.columns() + column];
    column = middle;
  }
  return found;
}

// A part of a scene as a block of a cluster has it.
struct Part {
  detail::CellSlice slice;
  std::vector<std::int32_t> frame, first_at;
  std::vector<float> directions, states, next;
  CellScene scene;

  Part(const CellScene& whole, const detail::MatchTerms& terms, int rank, int ranks)
      : slice(detail::slice_of(whole, terms, rank, ranks)), scene(slice.part) {
    for (int p = 0; p < scene.points; ++p)
      frame.push_back(whole.frame[slice.base + p] - slice.halo);
    for (int f = 0; f <= scene.span; ++f)
      first_at.push_back(whole.first_at[slice.halo + f] - slice.base);
    for (int row = 0; row < scene.seen; ++row)
      for (int p = 0; p < scene.points; ++p)
        directions.push_back(whole.directions[row * whole.points + slice.base + p]);
    scene.frame = frame.data();
    scene.first_at = first_at.data();
    scene.directions = directions.data();
    states.assign(static_cast<std::size_t>(scene.rows()) * scene.columns(), NAN);
    next = states;
  }
};

// Blocks of a cluster fetch from the one before them what they read, and find the same.
TEST(MatchCells, PartsMakeTheWhole) {
  for (std::uint64_t number = 0; number < test::problems(600U); ++number) {
    Random random(43, number);
    MatchOptions options;
    options.closeness = random.below(2) == 0 ? Closeness::kSpan : Closeness::kPair;
    options.window = 3 + static_cast<int>(random.below(4));
    options.dummies = random.below(2) == 0;
    options.dummy_cost = random.uniform(0, 1.5F);
    const detail::MatchTerms terms(options);
    const MatchShape shape{.nodes = 3 + static_cast<int>(random.below(6)),
                           .frames = 30,
                           .points = 20 + static_cast<int>(random.below(60))};
    const Scene scene = test::random_scene(shape, random);
    const Chain model = test::random_chain(shape, random);
    detail::CellBatch batch;
    batch.add(scene, terms);
    CellScene whole = batch.scenes[0].shape;
    whole.frame = batch.frames.data();
    whole.first_at = batch.first_at.data();
    const std::vector<float> directions = directions_of(scene, whole);
    whole.directions = directions.data();
    const int ranks = 1 + static_cast<int>(random.below(4));
    if (whole.span / ranks < terms.pair) continue;
    std::vector<Part> parts;
    for (int rank = 0; rank < ranks; ++rank) parts.emplace_back(whole, terms, rank, ranks);
    detail::CellSlice all;
    all.part = whole;
    float least = INFINITY;
    for (int i = 1; i < model.size(); ++i) {
      for (Part& part : parts)
        for (int row = 0; row < part.scene.rows(); ++row)
          for (int k = 0; k < part.slice.own(); ++k) {
            const int column = part.slice.own_column(k), time = part.scene.frame_of(column);
            const int middle = part.scene.before(row, time, terms.pair);
            if (middle < 0) continue;
            const auto cost = [&](int node, int of_part) {
              const int of_all = part.slice.column_in(all, of_part);
              return of_all < whole.points
                         ? test::unary_cost(model, node, scene, of_all, terms.appearance)
                         : terms.dummy;
            };
            const detail::CellWork work{column,          middle,          time,
                                        cost(i, column), cost(0, middle), i == 1};
            const Cell cell = detail::cell_of(part.scene, terms, detail::node_of(model, i), work,
                                              part.states.data());
            ASSERT_FALSE(std::isnan(cell.energy)) << number;
            part.next[static_cast<std::size_t>(row) * part.scene.columns() + column] = cell.state;
            if (i == model.size() - 1) least = std::min(least, cell.energy);
          }
      for (int rank = 0; rank < ranks; ++rank) {
        Part& part = parts[rank];
        for (int k = 0; k < (rank > 0 ? part.slice.read() : 0); ++k)
          for (int row = 0; row < part.scene.rows(); ++row) {
            const int column = part.slice.read_column(k);
            const Part& from = parts[rank - 1];
            const int there = part.slice.column_in(from.slice, column);
            part.next[static_cast<std::size_t>(row) * part.scene.columns() + column] =
                from.next[static_cast<std::size_t>(row) * from.scene.columns() + there];
          }
      }
      for (Part& part : parts) part.states = part.next;
    }
    ASSERT_EQ(least, walk(model, scene, options).energy) << number;
  }
}

TEST(MatchCells, WalkAsTheLanesDo) {
  for (std::uint64_t number = 0; number < test::problems(1500U); ++number) {
    Random random(41, number);
    MatchOptions options;
    options.closeness = random.below(2) == 0 ? Closeness::kSpan : Closeness::kPair;
    options.window = random.below(4) == 0 ? 0 : 2 + static_cast<int>(random.below(7));
    options.dummies = random.below(2) == 0;
    options.dummy_cost = random.uniform(0, 1.5F);
    const MatchShape shape{.nodes = 3 + static_cast<int>(random.below(6)),
                           .frames = static_cast<int>(random.below(25)),
                           .points = static_cast<int>(random.below(40)),
                           .features = 2,
                           .first_frame = -7};
    const Scene scene = test::random_scene(shape, random);
    Chain model = test::random_chain(shape, random);
    if (number % 3 == 0) {  // ties
      options.angles = 0;
      options.appearance = options.geometry = 1;
      options.dummy_cost = 0;
      for (int y = 0; y < model.features.height(); ++y)
        for (int x = 0; x < 2; ++x)
          model.features.at(x, y) =
              scene.points.features.empty() ? 0.F : scene.points.features.at(x, 0);
    }
    const Walk found = walk(model, scene, options);
    const Match match =
        Matcher({&model, 1}, match_on(options, {.device = Device::cpu(), .threads = 1}))
            .match(scene)[0];
    ASSERT_EQ(found.energy, match.energy) << number;
    ASSERT_EQ(found.path.size(), match.path.size()) << number;
    for (std::size_t i = 0; i < match.path.size(); ++i) {
      ASSERT_EQ(found.path[i].point, match.path[i].point) << number << " node " << i;
      ASSERT_EQ(found.path[i].frame, match.path[i].frame) << number << " node " << i;
    }
  }
}

}  // namespace
}  // namespace fovea::actions
