#include <fovea/core/error.h>
#include <fovea/people/show.h>
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
  // Points left of the chart are drawn once, and a miss rate of 0 ends a curve.
  const std::vector<CurvePoint> points{
      {3, 1e-5, 0.9}, {2, 1e-4, 0.8}, {1, 1e-2, 0.5}, {0, 1, 0.1}, {-1, 2, 0}};
  const std::vector<NamedCurve> curves{{"one", points}, {"two", std::span(points).first(3)}};
  const std::string images = draw_curves(curves, CurveUnit::kImage),
                    windows = draw_curves(curves, CurveUnit::kWindow);
  for (const std::string& svg : {images, windows}) {
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_NE(svg.find("one"), std::string::npos);
    EXPECT_NE(svg.find("two"), std::string::npos);
  }
  EXPECT_NE(images.find("false positives per image"), std::string::npos);
  EXPECT_NE(windows.find("false positives per window"), std::string::npos);
  EXPECT_EQ(images, draw_curves(std::vector<NamedCurve>{{"one", std::span(points).subspan(1)},
                                                        {"two", std::span(points).first(3)}},
                                CurveUnit::kImage));
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
