#include "emd/track/track_search.h"

#include <fovea/core/random.h>
#include <gmock/gmock.h>

#include <limits>

#include "emd/track/track_math.h"

namespace fovea::emd {
namespace {

// Sure inside the box, nothing elsewhere.
LikelihoodMap map_with(const Rect<int>& region, const Rect<int>& box) {
  LikelihoodMap map;
  map.region = region;
  map.values = Image<std::uint16_t>(region.width, region.height);
  for (int y = 0; y < region.height; ++y)
    for (int x = 0; x < region.width; ++x)
      map.values.at(x, y) = intersect({region.x + x, region.y + y, 1, 1}, box).empty() ? 0 : 65535;
  sum_up(map, {});
  return map;
}

LikelihoodMap random_map(const Rect<int>& region, std::uint64_t seed) {
  Random random(seed);
  LikelihoodMap map = map_with(region, {});
  for (int y = 0; y < region.height; ++y)
    for (int x = 0; x < region.width; ++x)
      map.values.at(x, y) = static_cast<std::uint16_t>(random.bits());
  sum_up(map, {});
  return map;
}

SearchRange range_from(const Rect<int>& from, double ring = 1.5) {
  SearchRange range;
  range.from = from;
  range.reach = 12;
  range.motion = 0.1;
  range.model.ring = ring;
  range.frame = {0, 0, 100, 80};
  return range;
}

TEST(EmdTrackSearch, ScoreIsInsideLessRing) {
  const Rect<int> box{40, 30, 10, 20};
  const LikelihoodMap map = map_with({20, 10, 60, 60}, box);
  PlaceModel model;
  model.ring = 2;  // three times the box's area more
  EXPECT_DOUBLE_EQ(place_score(map, box, model), 0.5 + 3 * 0.5);
  model.ring = 1;
  EXPECT_DOUBLE_EQ(place_score(map, box, model), 0.5);
  EXPECT_DOUBLE_EQ(place_score(map, moved(box, 5, 0), model), 0);
  EXPECT_DOUBLE_EQ(place_score(map, moved(box, 500, 0), model), 0);  // nothing is known there
}

TEST(EmdTrackSearch, LayoutPrefersTheFirstArrangement) {
  const Rect<int> box{40, 30, 24, 32};
  const LikelihoodMap map = map_with({0, 0, 100, 80}, {40, 30, 12, 32});  // its left half
  const PlaceModel plain = learn_layout(map, box, 1.5, 0);
  const PlaceModel model = learn_layout(map, box, 1.5, 1);
  SearchRange range = range_from(moved(box, 3, -2));
  range.motion = 0;
  range.model = model;
  const Rect<int> found = best_place(map, range, {}).box;
  EXPECT_EQ(found.x, box.x);
  EXPECT_NEAR(found.y, box.y, 2);  // within a cell
  range.model = plain;
  EXPECT_LT(best_place(map, range, {}).box.x, box.x);  // the middle of what is likely
}

TEST(EmdTrackSearch, FindsTheBoxWithinReachAndAnywhere) {
  const Rect<int> box{47, 35, 10, 20};
  const LikelihoodMap map = map_with({0, 0, 100, 80}, box);
  EXPECT_EQ(best_place(map, range_from({40, 30, 10, 20}), {}).box, box);
  EXPECT_EQ(best_place_anywhere(map, {0, 0, 10, 20}, range_from({0, 0, 10, 20}), {}).box, box);
  SearchRange coarse = range_from({40, 30, 10, 20});
  coarse.step = 4;
  EXPECT_EQ(best_place(map, coarse, {}).box, box);
}

TEST(EmdTrackSearch, AnywhereIsTheSameForAnyNumberOfThreads) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    // A map that repeats itself, so that many places are equal: the first of them is taken.
    LikelihoodMap map = random_map({0, 0, 100, 80}, seed);
    for (int y = 0; y < 80; ++y)
      for (int x = 0; x < 100; ++x)
        map.values.at(x, y) = map.values.at(x % 25, y % 20) > 32768 ? 50000 : 20000;
    sum_up(map, {});
    const Rect<int> size{0, 0, 11, 9};
    const SearchRange range = range_from(size, 1);
    Place expected{size, -std::numeric_limits<double>::max()};
    for (int y = 0; y <= 80 - size.height; ++y) {
      for (int x = 0; x <= 100 - size.width; ++x) {
        const double score = place_score(map, {x, y, size.width, size.height}, range.model);
        if (score > expected.score) expected = {{x, y, size.width, size.height}, score};
      }
    }
    for (const int threads : {1, 2, 7}) {
      const Place found = best_place_anywhere(map, size, range, {.threads = threads});
      EXPECT_EQ(found.box, expected.box) << threads << " threads";
      EXPECT_EQ(found.score, expected.score) << threads << " threads";
    }
  }
}

TEST(EmdTrackSearch, AnywhereWithCostsIsTheBestOfItsGrid) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const LikelihoodMap map = random_map({0, 0, 100, 80}, seed);
    const Rect<int> size{0, 0, 11, 9};
    SearchRange range = range_from(size, 1);
    range.step = 3;
    const auto cost_of = [](const Rect<int>& box) {
      return 0.01 * ((box.x * 31 + box.y * 17) % 7);
    };
    constexpr double kLeast = 0.01;
    Place expected{size, -std::numeric_limits<double>::max()};
    for (int y = 0; y <= 80 - size.height; y += 3) {
      for (int x = 0; x <= 100 - size.width; x += 3) {
        const Rect<int> box{x, y, size.width, size.height};
        const double score = place_score(map, box, range.model);
        if (score >= kLeast && score - cost_of(box) > expected.score)
          expected = {box, score - cost_of(box)};
      }
    }
    for (const int threads : {1, 2, 7}) {
      Place found{size, -std::numeric_limits<double>::max()};
      for (const auto& [first, last] : {std::pair(0, 30), std::pair(30, 72)})
        improve_anywhere(
            map, {size, kLeast, first, last, {.threads = threads}}, range,
            [&](std::span<const Rect<int>> places) {
              std::vector<double> costs;
              for (const Rect<int>& place : places) costs.push_back(cost_of(place));
              return costs;
            },
            found);
      EXPECT_EQ(found.score, expected.score);
    }
  }
}

TEST(EmdTrackSearch, MotionKeepsATargetWhereNothingIsBetter) {
  LikelihoodMap map = map_with({0, 0, 100, 80}, {});
  const Rect<int> box{40, 30, 10, 20};
  EXPECT_EQ(best_place(map, range_from(box), {}).box, box);
}

TEST(EmdTrackSearch, CostsAreAskedForOnlyWhereTheyMatterAndDecide) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const LikelihoodMap map = random_map({0, 0, 100, 80}, seed);
    const SearchRange range = range_from({40, 30, 10, 20});
    std::size_t asked = 0;
    const auto cost_of = [&](const Rect<int>& box) {
      return 0.02 * static_cast<double>((box.x * 31 + box.y * 17) % 7);
    };
    const Place found = best_place(map, range, [&](std::span<const Rect<int>> places) {
      asked += places.size();
      std::vector<double> costs;
      for (const Rect<int>& place : places) costs.push_back(cost_of(place));
      return costs;
    });
    double most = -std::numeric_limits<double>::max();
    std::size_t places = 0;
    for (int dy = -12; dy <= 12; ++dy) {
      for (int dx = -12; dx <= 12; ++dx) {
        if (dx * dx + dy * dy > 144) continue;
        ++places;
        const Rect<int> box = moved(range.from, dx, dy);
        most = std::max(most, place_score(map, box, range.model) -
                                  0.1 * (dx * dx + dy * dy) / 200.0 - cost_of(box));
      }
    }
    EXPECT_DOUBLE_EQ(found.score, most);
    EXPECT_LT(asked, places);
  }
}

TEST(EmdTrackSearch, MeanShiftClimbsToTheMiddle) {
  const Rect<int> box{47, 35, 11, 21};
  const LikelihoodMap map = map_with({0, 0, 100, 80}, box);
  EXPECT_EQ(mean_shift_place(map, range_from({42, 28, 11, 21})).box, box);
  const Rect<int> away{5, 5, 11, 21};
  EXPECT_EQ(mean_shift_place(map, range_from(away)).box, away);  // nothing to climb
}

TEST(EmdTrackSearch, BoxesAreRoundedAndCut) {
  EXPECT_EQ(to_pixels({1.4, 2.6, 10.5, 3.2}), (Rect<int>{1, 3, 11, 3}));
  EXPECT_EQ(grown(Rect<int>{10, 10, 20, 10}, 2), (Rect<int>{0, 5, 40, 20}));
}

}  // namespace
}  // namespace fovea::emd
