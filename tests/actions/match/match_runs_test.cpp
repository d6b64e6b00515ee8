// Runs of points, walked over on the host as blocks of a GPU do it: the same energies and paths as
// the lanes of the CPU, to the bit.
#include "actions/match/match_runs_layout.h"

#include <cmath>
#include <set>

#include "actions/match/match_cells.h"
#include "actions/match_problems.h"
#include "support/sanitized.h"

namespace fovea::actions {
namespace {

using detail::CellEnd;
using detail::CellRun;
using detail::CellScene;
using detail::RunState;
using test::MatchShape;

float way(const Node& from, const Node& to) {
  return detail::direction(to.x - from.x, to.y - from.y);
}

// What a block of a cluster has in its memory.
struct Block {
  detail::CellSlice slice;
  CellScene part;
  std::vector<std::int32_t> frame, first_at;
  std::vector<float> ways;
  std::vector<RunState> states, next;
  std::vector<CellRun> runs;

  Block(const CellScene& whole, const Scene& scene, const detail::MatchTerms& terms, int rank,
        int ranks)
      : slice(detail::slice_of(whole, terms, rank, ranks)), part(slice.part) {
    for (int p = 0; p < part.points; ++p) frame.push_back(whole.frame[slice.base + p] - slice.halo);
    for (int f = 0; f <= part.span; ++f)
      first_at.push_back(whole.first_at[slice.halo + f] - slice.base);
    part.frame = frame.data();
    part.first_at = first_at.data();
    const int pitch = detail::odd_pitch(part.reach), way_pitch = detail::odd_pitch(part.seen);
    ways.assign(static_cast<std::size_t>(part.points) * way_pitch + detail::kRunStep, NAN);
    states.assign(static_cast<std::size_t>(part.points) * pitch + detail::kRunStep, {NAN, NAN});
    const std::vector<Node>& nodes = scene.points.nodes;
    for (int p = 0; p < part.points; ++p)
      for (int row = 0; row < part.seen; ++row) {
        const int from = whole.first_at[whole.frame[slice.base + p]] - 1 - row;
        if (from < 0) continue;
        const float turns = way(nodes[from], nodes[slice.base + p]);
        ways[p * way_pitch + row] = turns;
        if (row < part.reach) states[p * pitch + row].way = turns;
      }
    next = states;
    std::vector<std::vector<CellRun>> buckets(detail::kRunBuckets);
    for (int k = 0; k < slice.own(); ++k)
      for (int row = 0; row < part.reach; ++row) {
        const int column = slice.own_column(k);
        const detail::RunReach reach = detail::reach_of(part, terms, column, row);
        if (reach.middle < 0) continue;
        CellRun run = detail::run_of(part, reach, column, row);
        run.way = ways[column * way_pitch + row];
        buckets[detail::bucket_of(reach.count)].push_back(run);
      }
    for (const auto& bucket : buckets) runs.insert(runs.end(), bucket.begin(), bucket.end());
  }
};

// `ranks` blocks share the scene; each writes into the next one's table what that one reads.
void expect_as_lanes(const Chain& model, const Scene& scene, const MatchOptions& options, int ranks,
                     std::uint64_t number) {
  const detail::MatchTerms terms(options);
  detail::CellBatch batch;
  batch.add(scene, terms);
  CellScene whole = batch.scenes[0].shape;
  whole.frame = batch.frames.data();
  whole.first_at = batch.first_at.data();
  if (ranks > 1 && whole.span / ranks < std::max(1, terms.pair)) return;
  std::vector<Block> blocks;
  for (int rank = 0; rank < ranks; ++rank) blocks.emplace_back(whole, scene, terms, rank, ranks);
  const int pitch = detail::odd_pitch(whole.reach);
  std::vector<std::vector<std::uint16_t>> back(
      model.nodes.size(),
      std::vector<std::uint16_t>(static_cast<std::size_t>(whole.points) * pitch));
  CellEnd best{.energy = INFINITY};
  for (int i = 1; i < model.size(); ++i) {
    const auto gap = static_cast<float>(model.nodes[i].frame - model.nodes[i - 1].frame);
    detail::Bends bends;
    if (i > 1)
      bends = detail::bends_of(way(model.nodes[i - 1], model.nodes[i]),
                               way(model.nodes[i - 2], model.nodes[i - 1]),
                               way(model.nodes[i - 2], model.nodes[i]));
    for (int rank = 0; rank < ranks; ++rank) {
      Block& block = blocks[rank];
      for (const CellRun& run : block.runs) {
        const int column = run.column + block.slice.base;
        const int middle = run.from / pitch + block.slice.base, row = run.to - run.column * pitch;
        detail::RunLeast least;
        float time = detail::time_cost(terms.time, gap, static_cast<float>(run.gap));
        if (i == 1) {
          least.energy = test::unary_cost(model, 0, scene, middle, terms.appearance);
        } else {
          least =
              detail::least_of(run, block.states.data() + run.from, block.ways.data() + run.ways,
                               bends, terms.angles, [](float square) { return std::sqrt(square); });
        }
        const float energy =
            detail::arrive(test::unary_cost(model, i, scene, column, terms.appearance),
                           i == 1 ? 0 : time, least.energy);
        ASSERT_FALSE(std::isnan(energy)) << number;
        const float state = detail::go_on(energy, time);
        block.next[run.to].state = state;
        if (rank + 1 < ranks) {
          const detail::CellSlice& there = blocks[rank + 1].slice;
          const int shift = block.slice.base - there.base;
          if (run.column >= there.read_point - shift)
            blocks[rank + 1].next.at(run.to + shift * pitch).state = state;
        }
        back[i][column * pitch + row] = static_cast<std::uint16_t>(least.row);
        const CellEnd end{energy, column, middle, column, row};
        if (i == model.size() - 1 && energy < INFINITY && detail::earlier(end, best)) best = end;
      }
    }
    for (Block& block : blocks) block.states.swap(block.next);
  }
  const Match match =
      Matcher({&model, 1}, match_on(options, {.device = Device::cpu(), .threads = 1}))
          .match(scene)[0];
  ASSERT_EQ(best.energy, match.energy) << number;
  ASSERT_EQ(best.column >= 0, match.found) << number;
  int column = best.column, row = best.row;
  for (int i = model.size() - 1; i >= 0 && match.found; --i) {
    ASSERT_EQ(column, match.path[i].point) << number << " node " << i;
    if (i == 0) break;
    const int middle = whole.before(row, whole.frame[column], terms.pair);
    row = back[i][column * pitch + row];
    column = middle;
  }
}

TEST(MatchRuns, WalkAsTheLanesDo) {
  for (std::uint64_t number = 0; number < test::problems(1500U); ++number) {
    Random random(47, number);
    MatchOptions options;
    options.closeness = random.below(2) == 0 ? Closeness::kSpan : Closeness::kPair;
    options.window = random.below(4) == 0 ? 0 : 2 + static_cast<int>(random.below(7));
    options.dummies = false;
    const MatchShape shape{.nodes = 3 + static_cast<int>(random.below(6)),
                           .frames = static_cast<int>(random.below(45)),
                           .points = static_cast<int>(random.below(90)),
                           .features = 2,
                           .first_frame = -7};
    const Scene scene = test::random_scene(shape, random);
    Chain model = test::random_chain(shape, random);
    if (number % 3 == 0) {  // ties
      options.angles = 0;
      options.appearance = options.geometry = 1;
      for (int y = 0; y < model.features.height(); ++y)
        for (int x = 0; x < 2; ++x)
          model.features.at(x, y) =
              scene.points.features.empty() ? 0.F : scene.points.features.at(x, 0);
    }
    expect_as_lanes(model, scene, options, 1 + static_cast<int>(random.below(5)), number);
    if (HasFatalFailure()) return;
  }
}

TEST(MatchRuns, PiecesOfMemoryLieOneAfterTheOther) {
  detail::CellSlice slice;
  slice.part = {.points = 61, .span = 55, .reach = 12, .seen = 14};
  slice.own_point = 8;
  for (const bool keeps_back : {false, true}) {
    const detail::RunLayout layout(slice, 30, keeps_back);
    const int table = 61 * 13;
    const int begins[] = {layout.states,
                          layout.states + layout.table,
                          layout.ways,
                          layout.unary,
                          layout.unary + layout.unary_step,
                          layout.nodes,
                          layout.frames,
                          layout.first_at,
                          layout.counts,
                          layout.back,
                          layout.runs};
    const int words[] = {2 * table,
                         2 * table,
                         61 * 15,
                         53,
                         53,
                         90,
                         61,
                         56,
                         detail::kRunBuckets,
                         keeps_back ? table * 15 : 0};
    EXPECT_EQ(begins[0], 0);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(begins[i] % 4, 0) << i;
      EXPECT_GE(begins[i + 1], begins[i] + words[i]) << i;
      EXPECT_LT(begins[i + 1], begins[i] + words[i] + 4) << i;
    }
    EXPECT_EQ(layout.runs % 4, 0);
    EXPECT_EQ(layout.bytes(100), 4 * layout.runs + 1600);
  }
}

TEST(MatchRuns, ChunksAreTakenOnce) {
  for (const int warps : {1, 3, 16})
    for (const int passes : {1, 2, 5}) {
      std::set<int> taken;
      for (int pass = 0; pass < passes; ++pass)
        for (int warp = 0; warp < warps; ++warp) {
          const int chunk = detail::chunk_of(pass, warp, warps);
          EXPECT_EQ(chunk / warps, pass);
          taken.insert(chunk);
        }
      EXPECT_EQ(static_cast<int>(taken.size()), warps * passes);
      EXPECT_EQ(*taken.rbegin(), warps * passes - 1);
    }
}

// Plain numbers, many of them next to the least ones, leave a square of 0 or one that is not small.
TEST(MatchRuns, PlainNumbersHaveNoSmallSquares) {
  Random random(53);
  const auto any = [&](float least) {
    float value = random.below(2) == 0
                      ? std::ldexp(1 + random.uniform(), -static_cast<int>(random.below(27)))
                      : least;
    for (std::uint32_t i = random.below(4); i > 0; --i) value = std::nextafter(value, 1.F);
    if (value > 0.5F || value < least || random.below(8) == 0) value = 0;
    return random.below(2) == 0 ? value : -value;
  };
  const auto square = [&](float model, float a, float b) {
    const float x = detail::wrap_small(model - (a - b));
    return x * x;
  };
  for (int number = 0; number < test::problems(2000000); ++number) {
    const float model = any(0x1p-26F), a = any(0x1p-25F), b = any(0x1p-25F);
    ASSERT_TRUE(detail::is_plain_bend(model) && detail::is_plain_direction(a));
    const float found = square(model, a, b);
    ASSERT_TRUE(found == 0 || found >= detail::kLeastSquare) << model << ' ' << a << ' ' << b;
  }
  EXPECT_FALSE(detail::is_plain_bend(0x1p-27F));
  EXPECT_FALSE(detail::are_plain({0.25F, -0x1p-30F}));
  EXPECT_FALSE(detail::is_plain_direction(0x1p-26F));
}

}  // namespace
}  // namespace fovea::actions
