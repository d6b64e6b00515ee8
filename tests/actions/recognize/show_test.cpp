#include <fovea/actions/show.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/synthetic.h"
#include "support/files.h"
#include "support/xml_check.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

Image<std::uint8_t> black(int width, int height, int channels) {
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y) std::fill_n(image.row(y), width * channels, std::uint8_t{0});
  return image;
}

bool has_color(ImageView<const std::uint8_t> rgb) {
  for (int y = 0; y < rgb.height; ++y)
    for (int x = 0; x < rgb.width; ++x)
      if (rgb.at(x, y, 0) != rgb.at(x, y, 1)) return true;
  return false;
}

TEST(Show, PointsStandForFrames) {
  PointSet points;
  points.size = {30, 20};
  points.frames = 2;
  points.points = {{0, 0, 0, 4, 2, 1}, {29.7F, 10, 1, 4, 2, 1}, {35, 10, 5, 4, 2, 1}};
  const std::vector<Image<std::uint8_t>> frames = point_frames(points);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].width(), 30);
  EXPECT_EQ(frames[0].height(), 20);
  EXPECT_GT(frames[0].at(1, 1), frames[0].at(2, 2));
  EXPECT_EQ(frames[0].at(28, 9), frames[0].at(2, 2));
  EXPECT_GT(frames[1].at(28, 9), frames[1].at(1, 1));
  points.frames = 10'000'000;
  EXPECT_THAT(message_of<InvalidArgument>([&] { point_frames(points); }),
              HasSubstr("10000000 frames of 30 x 20 pixels"));
}

TEST(Show, PointsAndEventsAreDrawnWhereTheyAre) {
  Image<std::uint8_t> image = black(60, 40, 3);
  const std::vector<SpaceTimePoint> points{{20, 20, 0, 4, 2, 1}};
  draw_points(image, points);
  EXPECT_GT(image.at(20, 20, 0) + image.at(20, 20, 1) + image.at(20, 20, 2), 100);
  EXPECT_EQ(image.at(50, 5, 0), 0);
  Image<std::uint8_t> frame = black(60, 40, 3);
  Event event;
  event.first_frame = 3;
  event.last_frame = 9;
  event.box = {10, 20, 30, 15};
  event.name = "walk";
  draw_events(frame, std::span(&event, 1), 2);
  EXPECT_FALSE(has_color(frame));
  draw_events(frame, std::span(&event, 1), 3);
  EXPECT_TRUE(has_color(frame));
  Image<std::uint8_t> gray = black(9, 9, 1);
  EXPECT_THROW(draw_points(gray, points), InvalidArgument);
}

TEST(Show, ATimelineIsWellFormedAndNamesClasses) {
  std::vector<Event> events(2);
  events[0].last_frame = 30;
  events[1].label = 1;
  events[1].first_frame = 50;
  events[1].last_frame = 90;
  const std::vector<std::string> classes{"walk & talk", "run"};
  const std::string svg = timeline_svg(events, classes, 100, 25);
  EXPECT_EQ(test::xml_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("walk &amp; talk"));
  EXPECT_EQ(test::xml_problem(timeline_svg({}, classes, 0, 25)), "");
  EXPECT_THROW(timeline_svg({}, classes, 10, 0), InvalidArgument);
}

TEST(Show, AMatchHasOneColumnPerNode) {
  std::vector<Image<std::uint8_t>> images;
  std::vector<ImageView<const std::uint8_t>> frames;
  for (int i = 0; i < 12; ++i) images.push_back(black(160, 120, 1));
  for (const auto& image : images) frames.push_back(image.view());
  const Chain model = make_nodes(synthetic_points(0, 0, 12), 1, {});
  const Scene scene = make_scene(synthetic_points(0, 1, 12), 1, {});
  Match match;
  match.found = true;
  for (int i = 0; i < 12; ++i) match.path.push_back({i % 3 == 0 ? -1 : i, i});
  const MatchPicture picture{frames, frames, &model, &scene, &match, 4};
  const Image<std::uint8_t> drawn = match_picture(picture);
  EXPECT_TRUE(has_color(drawn));
  EXPECT_EQ(drawn.width(), 10 + 4 * 330);
  match.found = false;
  EXPECT_THAT(message_of<InvalidArgument>([&] { match_picture(picture); }), HasSubstr("no match"));
  match.found = true;
  match.path[1].frame = 77;
  EXPECT_THAT(message_of<InvalidArgument>([&] { match_picture(picture); }),
              HasSubstr("frame 77 of the scene"));
}

}  // namespace
}  // namespace fovea::actions
