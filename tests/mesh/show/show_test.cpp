#include <fovea/mesh/show.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "mesh/shapes.h"
#include "mesh/show/show_ball.h"

namespace fovea::mesh {
namespace {

TEST(Show, SegmentsHaveColorsOfTheirOwn) {
  std::vector<std::int32_t> labels(40);
  std::iota(labels.begin(), labels.end(), 0);
  const auto colors = part_colors(labels);
  ASSERT_EQ(colors.size(), labels.size());
  std::set<std::array<int, 3>> different;
  for (const report::Color& c : colors) different.insert({c.r, c.g, c.b});
  EXPECT_EQ(different.size(), labels.size());
  EXPECT_EQ(colors[3], report::palette(3));
  EXPECT_EQ(part_colors(std::vector<std::int32_t>{3, 39, 3}),
            (std::vector{colors[3], colors[39], colors[3]}));
}

TEST(Show, ValuesRunOverTheMapAndInfinityIsGray) {
  const float far = std::numeric_limits<float>::infinity();
  const auto colors = value_colors(std::vector<float>{5, far, 7, 6, NAN}, report::ColorMap::kTide);
  const report::Color gray{150, 150, 150};
  EXPECT_EQ(colors[0], color_at(report::ColorMap::kTide, 0));
  EXPECT_EQ(colors[1], gray);
  EXPECT_EQ(colors[2], color_at(report::ColorMap::kTide, 1));
  EXPECT_EQ(colors[3], color_at(report::ColorMap::kTide, 0.5));
  EXPECT_EQ(colors[4], gray);
  EXPECT_TRUE(value_colors({}, report::ColorMap::kTide).empty());
}

TEST(Show, ABarThatExplainsValuesStandsBesideThePicture) {
  Image<std::uint8_t> picture(40, 120, 3);
  for (int y = 0; y < 120; ++y) std::fill_n(picture.row(y), picture.view().row_elements(), 7);
  const float far = std::numeric_limits<float>::infinity();
  const Image<std::uint8_t> wider = with_value_bar(picture, std::vector<float>{1, far, 3}, "x");
  EXPECT_EQ(wider.height(), 120);
  EXPECT_GT(wider.width(), 40);
  EXPECT_EQ(wider.at(39, 60, 1), 7);
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
