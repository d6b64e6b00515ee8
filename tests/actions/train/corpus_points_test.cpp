#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/videos.h"
#include "support/files.h"

namespace fovea::actions {
namespace {

using testing::ElementsAre;

Clip piece(const std::string& path, int first, int frames) {
  Clip clip;
  clip.path = path;
  clip.first = first;
  clip.frames = frames;
  return clip;
}

void expect_part(const PointSet& whole, const PointSet& part, int first) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < whole.points.size(); ++i) {
    const SpaceTimePoint& point = whole.points[i];
    if (point.frame < first || point.frame >= first + part.frames) continue;
    ASSERT_LT(at, part.points.size());
    EXPECT_EQ(part.points[at].frame, point.frame - first);
    EXPECT_EQ(part.points[at].x, point.x);
    EXPECT_EQ(part.points[at].confidence, point.confidence);
    EXPECT_EQ(part.descriptors.at(7, static_cast<int>(at)),
              whole.descriptors.at(7, static_cast<int>(i)));
    ++at;
  }
  EXPECT_EQ(at, part.points.size());
  EXPECT_GT(at, 0U);
}

TEST(ClipPoints, PiecesOfAVideoAreCutFromThePointsOfAllOfIt) {
  const test::TempFolder folder;
  const std::string video = folder / "a.y4m";
  write_swings(video, {0}, 1, 60);
  const std::vector<Clip> clips{piece(video, 0, 0), piece(video, 20, 25), piece(video, 40, 100)};
  const auto points = clip_points(clips, {});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].frames, 60);
  EXPECT_EQ(points[1].frames, 25);
  EXPECT_EQ(points[2].frames, 20);  // as far as the video goes
  expect_part(points[0], points[1], 20);
  expect_part(points[0], points[2], 40);
  // Cut first, a piece is a video of its own.
  ClipOptions cut;
  cut.cut_first = true;
  const auto alone = clip_points(std::span(clips).subspan(1, 1), cut);
  EXPECT_EQ(alone[0].frames, 25);
  EXPECT_NE(alone[0].points.size(), points[1].points.size());
}

TEST(ClipPoints, WhatCannotBeReadIsToldAndTheOthersGoOn) {
  const test::TempFolder folder;
  write_swings(folder / "a.y4m", {0}, 1, 30);
  const std::vector<Clip> clips{piece(folder / "none.y4m", 0, 0), piece(folder / "a.y4m", 0, 0),
                                piece(folder / "a.y4m", 90, 5)};
  std::vector<int> failed;
  const auto points =
      clip_points(clips, {}, [&](int clip, const std::string&) { failed.push_back(clip); });
  EXPECT_THAT(failed, ElementsAre(0, 2));
  EXPECT_EQ(points[1].frames, 30);
  EXPECT_THROW(clip_points(clips, {}), std::exception);
}

TEST(ClipPoints, OptionsAreListedAndChecked) {
  ClipOptions options;
  const std::string json = options_json(options);
  EXPECT_THAT(json, testing::HasSubstr(R"("cut-first": false)"));
  EXPECT_THAT(json, testing::HasSubstr(R"("max-pixels": )"));
  options.points.harris.levels = -1;
  EXPECT_THROW(clip_points({}, options), InvalidArgument);
}

}  // namespace
}  // namespace fovea::actions
