#include <fovea/core/error.h>
#include <fovea/people/show.h>
#include <fovea/report/evaluation_page.h>
#include <gtest/gtest.h>

#include <numeric>

#include "people/model_parts.h"

namespace fovea::people {
namespace {

double ink(const Image<std::uint8_t>& image, int x, int y, int width, int height) {
  double sum = 0;
  for (int j = y; j < y + height; ++j)
    for (int i = x; i < x + width; ++i) sum += image.at(i, j);
  return sum;
}

TEST(Show, AnEdgeIsALineAlongIt) {
  Image<std::uint8_t> image(64, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) image.at(x, y) = x < 28 ? 20 : 200;
  const Image<std::uint8_t> glyphs = hog_glyphs(image, {}, 17);
  ASSERT_EQ(glyphs.width(), 8 * 17);
  ASSERT_EQ(glyphs.height(), 8 * 17);
  // Cell 3 holds the edge: its star stands upright.
  EXPECT_GT(ink(glyphs, 3 * 17 + 6, 4 * 17, 5, 17), 4 * ink(glyphs, 3 * 17, 4 * 17, 4, 17));
  EXPECT_EQ(ink(glyphs, 0, 4 * 17, 17, 17), 0);
}

TEST(Show, RefusesWhatHasNoPicture) {
  EXPECT_THROW(hog_glyphs(Image<std::uint8_t>(7, 40), {}), InvalidArgument);
  EXPECT_THROW(hog_glyphs(Image<std::uint8_t>(40, 40), {}, 2), InvalidArgument);
}

TEST(Show, WeightsForAndAgainstAreTwoPictures) {
  Model model;
  LinearModel linear;
  linear.weights.assign(static_cast<std::size_t>(descriptor_size(linear.hog)), 0);
  linear.weights[0] = 1;       // first block's first cell, bin 0
  linear.weights.back() = -1;  // last block's last cell, last bin
  model.classifier = linear;
  const auto pictures = model_pictures(model, 16);
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_GT(ink(pictures[0].image, 0, 0, 16, 16), 0);
  EXPECT_EQ(ink(pictures[0].image, 16, 16, 112, 240), 0);
  EXPECT_GT(ink(pictures[1].image, 112, 240, 16, 16), 0);
  EXPECT_EQ(ink(pictures[1].image, 0, 0, 112, 240), 0);
}

TEST(Show, CurvesAreLinesOfOneChart) {
  const std::vector<CurvePoint> points{
      {3, 1e-5, 0.9}, {2, 1e-4, 0.8}, {1, 1e-2, 0.5}, {0, 1, 0.1}, {-1, 2, 0}};
  for (const CurveUnit unit : {CurveUnit::kImage, CurveUnit::kWindow}) {
    report::EvaluationChart chart = miss_rate_chart(unit);
    add_miss_rates(chart, "one", 1.0, points, 0.25);
    add_miss_rates(chart, "two", {}, std::span(points).first(3), 0.5);
    const std::string svg = report::to_svg(chart);
    EXPECT_NE(svg.find("one 25.0 %"), std::string::npos);
    EXPECT_NE(svg.find("two 50.0 %"), std::string::npos);
    EXPECT_NE(svg.find(unit == CurveUnit::kImage ? "false positives per image"
                                                 : "false positives per window"),
              std::string::npos);
    EXPECT_EQ(chart.curves[0].points.back().figures[0], 100);  // recall
  }
}

TEST(Show, StagesAndChannelsHaveAPictureEach) {
  Model model;
  model.kind = Kind::kCascade;
  CascadeModel cascade;
  cascade.stages.resize(3);
  cascade.stages[0].classifiers.push_back({{8, 16, 32, 32}, std::vector<float>(36), 0, 1});
  model.classifier = cascade;
  EXPECT_EQ(model_pictures(model).size(), 3U);
  model.kind = Kind::kChannels;
  ChannelsModel channels;
  channels.trees.resize(1);
  model.classifier = channels;
  const auto pictures = model_pictures(model, 8);
  ASSERT_EQ(pictures.size(), 10U);
  EXPECT_GT(ink(pictures[0].image, 0, 0, 4, 4), 0);
  EXPECT_EQ(ink(pictures[9].image, 0, 0, 64, 128), 0);
}

}  // namespace
}  // namespace fovea::people
