#include <fovea/mesh/show.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "mesh/shapes.h"
#include "mesh/show_ball.h"

namespace fovea::mesh {
namespace {

TEST(Show, SegmentsHaveColoursOfTheirOwn) {
  std::vector<std::int32_t> labels(40);
  std::iota(labels.begin(), labels.end(), 0);
  const auto colours = segment_colours(labels);
  ASSERT_EQ(colours.size(), labels.size());
  std::set<std::array<int, 3>> different;
  for (const report::Colour& c : colours) different.insert({c.r, c.g, c.b});
  EXPECT_EQ(different.size(), labels.size());
  EXPECT_EQ(colours[3], report::palette(3));
  EXPECT_EQ(segment_colours(std::vector<std::int32_t>{3, 39, 3}),
            (std::vector{colours[3], colours[39], colours[3]}));
}

TEST(Show, ValuesRunOverTheMapAndInfinityIsGrey) {
  const float far = std::numeric_limits<float>::infinity();
  const auto colours =
      value_colours(std::vector<float>{5, far, 7, 6, NAN}, report::ColourMap::kTide);
  const report::Colour grey{150, 150, 150};
  EXPECT_EQ(colours[0], colour_at(report::ColourMap::kTide, 0));
  EXPECT_EQ(colours[1], grey);
  EXPECT_EQ(colours[2], colour_at(report::ColourMap::kTide, 1));
  EXPECT_EQ(colours[3], colour_at(report::ColourMap::kTide, 0.5));
  EXPECT_EQ(colours[4], grey);
  EXPECT_TRUE(value_colours({}, report::ColourMap::kTide).empty());
}

TEST(Show, TheBallHoldsAllFacesAndNoLooseVertex) {
  io::TriangleMesh mesh = test::cube();
  mesh.vertices.push_back({100, 0, 0});
  const ShowBall ball = show_ball(mesh);
  EXPECT_EQ(ball.middle, (Vector{0.5, 0.5, 0.5}));
  EXPECT_DOUBLE_EQ(ball.radius, std::sqrt(0.75));
  mesh.faces = {{8, 8, 8}};
  EXPECT_EQ(show_ball(mesh).middle, (Vector{100, 0, 0}));
  EXPECT_EQ(show_ball(mesh).radius, 1);
  EXPECT_EQ(show_ball({}).radius, 1);
}

}  // namespace
}  // namespace fovea::mesh
