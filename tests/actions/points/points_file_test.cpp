// The text of STIP-2.0: round trips, foreign files, lines that are named.
#include <fmt/format.h>
#include <fovea/actions/points.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

using testing::HasSubstr;

PointSet parse(const std::string& text) {
  return read_points(std::as_bytes(std::span(text)), "points.txt");
}
std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "nothing was refused";
}

PointSet some_points(bool descriptors) {
  PointSet set;
  set.size = {160, 120};
  set.frames = 113;
  set.frame_rate = 29.97;
  set.points = {{3, 4, 2, 4, 2, 1.25e-7F}, {90, 7, 2, 16, 4, 1e-9F}, {0, 0, 112, 128, 2, 0.5F}};
  if (descriptors) {
    Random random(1);
    set.descriptors = test::random_image<float>(random, kDescriptorSize, 3);
  }
  return set;
}

// Piece by piece, as a stream writes it.
std::string in_pieces(const PointSet& set, std::int64_t frames_known) {
  const PointVideo video{set.size, frames_known, set.frame_rate, !set.descriptors.empty()};
  std::string text = points_head(video);
  for (std::size_t i = 0; i < set.points.size(); ++i) {
    FramePoints frame{.frame = set.points[i].frame, .points = {set.points[i]}};
    if (video.descriptors)
      frame.descriptors =
          clone(set.descriptors.view().crop(0, static_cast<int>(i), kDescriptorSize, 1));
    append_points(text, frame, video);
  }
  return text + points_foot(video, set.frames);
}

TEST(PointsFileTest, PiecesMakeTheWhole) {
  for (const bool descriptors : {false, true}) {
    const PointSet set = some_points(descriptors);
    EXPECT_EQ(in_pieces(set, set.frames), points_text(set));
    // A stream learns the number of frames at its end.
    const PointSet read = parse(in_pieces(set, 0));
    EXPECT_EQ(read.frames, 113);
    EXPECT_EQ(read.size.width, 160);
    EXPECT_EQ(read.frame_rate, 29.97);
    ASSERT_EQ(read.points.size(), 3U);
    EXPECT_EQ(read.points[2].confidence, 0.5F);
  }
  std::string text;
  EXPECT_THROW(append_points(text, {.frame = 0, .points = {{}}}, PointVideo{}), InvalidArgument);
}

TEST(PointsFileTest, RoundTrip) {
  for (const bool descriptors : {false, true}) {
    const PointSet set = some_points(descriptors);
    const PointSet again = parse(points_text(set));
    EXPECT_EQ(again.size, (Extent{160, 120}));
    EXPECT_EQ(again.frames, 113);
    EXPECT_EQ(again.frame_rate, 29.97);
    ASSERT_EQ(again.points.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(again.points[i].x, set.points[i].x);
      EXPECT_EQ(again.points[i].y, set.points[i].y);
      EXPECT_EQ(again.points[i].frame, set.points[i].frame);
      EXPECT_EQ(again.points[i].sigma2, set.points[i].sigma2);
      EXPECT_EQ(again.points[i].tau2, set.points[i].tau2);
      EXPECT_EQ(again.points[i].confidence, set.points[i].confidence);
    }
    EXPECT_TRUE(test::images_equal(set.descriptors, again.descriptors));
  }
  EXPECT_TRUE(parse(points_text({})).points.empty());
}

// Enough points for several groups of pieces, the last of which is not full.
PointSet many_points(bool descriptors) {
  PointSet set;
  set.size = {640, 480};
  set.frames = 1000;
  Random random(2);
  for (int i = 0; i < 9001; ++i)
    set.points.push_back({static_cast<float>(i % 640), static_cast<float>(i % 480), i / 10, 4, 2,
                          static_cast<float>(random.uniform()) * 1e-6F});
  if (descriptors) set.descriptors = test::random_image<float>(random, kDescriptorSize, 9001);
  return set;
}

Exec with_threads(int threads) {
  Exec exec;
  exec.threads = threads;
  return exec;
}

TEST(PointsFileTest, TextIsTheSameForAnyNumberOfThreads) {
  for (const bool descriptors : {false, true}) {
    const PointSet set = many_points(descriptors);
    const std::string text = points_text(set, with_threads(1));
    for (const int threads : {2, 5}) EXPECT_TRUE(points_text(set, with_threads(threads)) == text);
    EXPECT_TRUE(points_text(set) == text);
    const PointSet again = parse(text);
    ASSERT_EQ(again.points.size(), set.points.size());
    for (std::size_t i = 0; i < set.points.size(); ++i)
      EXPECT_EQ(again.points[i].confidence, set.points[i].confidence);
    EXPECT_TRUE(test::images_equal(set.descriptors, again.descriptors));
  }
}

TEST(PointsFileTest, NumbersAreTheShortestThatReadBack) {
  PointSet set = some_points(true);
  const float values[] = {0,     1,     -0.0F, 1.0F / 3,    0.1F, 1e-38F,
                          1e20F, 2e-5F, 1e-4F, 16777216.0F, 1e9F, -1.17549435e-38F};
  for (int row = 0; row < 3; ++row)
    for (int i = 0; i < kDescriptorSize; ++i)
      set.descriptors.at(i, row) = values[static_cast<std::size_t>(i) % std::size(values)];
  std::string numbers;
  for (const float value : std::span(set.descriptors.row(0), kDescriptorSize))
    numbers += fmt::format(" {}", value);
  EXPECT_THAT(points_text(set), HasSubstr("3 2 4 2" + numbers + "\n# confidence 1e-09\n"));
}

TEST(PointsFileTest, AFaultOfTheSinkEndsTheText) {
  const PointSet set = many_points(false);
  for (const int threads : {1, 5}) {
    int pieces = 0;
    const auto sink = [&](std::string_view) {
      if (++pieces > 3) throw WriteError("full");
    };
    EXPECT_THROW(write_points(sink, set, with_threads(threads)), WriteError);
    EXPECT_EQ(pieces, 4);
  }
}

TEST(PointsFileTest, AForeignFileIsSortedAndItsVideoWorkedOut) {
  const PointSet set = parse(
      "# point-type y-norm x-norm t-norm y x t sigma2 tau2\n\n# some-video\n"
      "5 0.708333 0.575 0.0619469 86 93 8 4 2\r\n"
      "5 0.5 0.25 0.0176991 61 41 3 8 4");
  ASSERT_EQ(set.points.size(), 2U);
  EXPECT_EQ(set.points[0].frame, 3);
  EXPECT_EQ(set.points[1].x, 93);
  EXPECT_EQ(set.points[1].confidence, 1);
  EXPECT_EQ(set.size, (Extent{160, 120}));
  EXPECT_EQ(set.frames, 113);
}

TEST(PointsFileTest, BadLinesAreNamed) {
  const std::string good = "5 0 0 0 1 1 1 4 2\n";
  EXPECT_THAT(refusal(good + "5 0 0 0 1 1 one 4 2\n"), HasSubstr("points.txt: line 2: \"one\""));
  EXPECT_THAT(refusal(good + good + "5 0 0 0 1 1 1 4\n"), HasSubstr("line 3: 8 numbers"));
  EXPECT_THAT(refusal("5 0 0 0 1 1 1.5 4 2\n"), HasSubstr("frame 1.5"));
  EXPECT_THAT(refusal("5 0 0 0 1 1 -1 4 2\n"), HasSubstr("frame -1"));
  EXPECT_THAT(refusal("5 0 0 0 1 -3 1 4 2\n"), HasSubstr("(-3, 1)"));
  EXPECT_THAT(refusal("5 0 0 0 1 1 1 0 2\n"), HasSubstr("scales 0 and 2"));
  EXPECT_THAT(refusal("5 0 0 0 nan 1 1 4 2\n"), HasSubstr("\"nan\""));
  EXPECT_THAT(refusal("5 0 0 0 1 1 1e300 4 2\n"), HasSubstr("1e300"));
  EXPECT_THAT(refusal("# confidence \n" + good), HasSubstr("line 1"));
  EXPECT_THAT(refusal("# confidence much\n" + good), HasSubstr("much"));
  EXPECT_THAT(refusal("# fovea video 3 4\n"), HasSubstr("width, height"));
  std::string long_line = "5 0 0 0 1 1 1 4 2";
  for (int i = 0; i < kDescriptorSize; ++i) long_line += " 0";
  EXPECT_THAT(refusal(good + long_line), HasSubstr("all or none"));
  EXPECT_THAT(refusal(long_line + " 0"), HasSubstr("more than"));
  EXPECT_THROW(read_points("/no/such/points.txt"), IoError);
}

TEST(PointsFileTest, SizeAndLengthFollowFromThePointsWhereNothingElseTellsThem) {
  const PointSet set = parse("5 0 0 0 30.5 41 7 4 2\n5 0 0 0 12 80.25 3 4 2\n");
  EXPECT_EQ(set.frames, 8);
  EXPECT_EQ(set.size, (Extent{81, 31}));
  EXPECT_FALSE(set.detector);
  // Rounded coordinates may tell a video that is too short.
  EXPECT_EQ(parse("5 0 0 0.9 3 4 10 4 2\n5 0 0 1 3 4 30 4 2\n").frames, 31);
  EXPECT_THAT(refusal("# fovea video 20 20 5 25\n5 0 0 0 1 1 5 4 2\n"),
              HasSubstr("a point in frame 5, but the video has 5 frames"));
}

TEST(PointsFileTest, AFrameFarOutIsAFault) {
  const std::string one = "5 0 0 0 1 1 1 4 2\n";
  EXPECT_THAT(refusal(one + "5 0 0 0 1 1 1000000 4 2\n"),
              HasSubstr("a point in frame 1000000, and nothing says how long the video is"));
  EXPECT_EQ(parse("# fovea video 160 120 1000001 25\n5 0 0 0 1 1 1000000 4 2\n").frames, 1000001);
  EXPECT_THAT(refusal("5 0 0 0 1 1 20000000 4 2\n"),
              HasSubstr("frame 20000000, expected 0, 1, ... to 9999999"));
}

TEST(PointsFileTest, TellsWhichDetectorFoundThePoints) {
  PointSet set = some_points(true);
  for (const PointDetector detector : {PointDetector::kHarris, PointDetector::kPeriodic}) {
    set.detector = detector;
    EXPECT_EQ(parse(points_text(set)).detector, detector);
  }
}

TEST(PointsFileTest, TellsTheOptionsThatFoundThePoints) {
  PointSet set = some_points(true);
  set.found_with = point_words({.harris = {.space_weight = 1}});
  EXPECT_THAT(points_text(set), HasSubstr("# fovea options --detector harris --harris-k 0.0005 "));
  EXPECT_EQ(parse(points_text(set)).found_with, set.found_with);
  EXPECT_EQ(parse("# fovea options --votes count \r\n").found_with, "--votes count");
  EXPECT_THAT(refusal("# fovea options " + std::string(5000, 'x') + "\n"), HasSubstr("options"));
}

TEST(PointsFileTest, IsRecognizedByNameAndContent) {
  const test::TempFolder folder;
  const auto is = [&](const std::string& name, const std::string& text) {
    test::save(folder / name, text);
    return is_points_file(folder / name);
  };
  EXPECT_TRUE(is("a.txt", points_text(some_points(true))));
  EXPECT_TRUE(is("a.stip", "\n5 0 0 0 1 1 5 4 2\n"));
  EXPECT_TRUE(is("b.TXT", "# a comment\n 5\t0 0 0 1 1 5 4 2"));
  EXPECT_TRUE(is("none.txt", points_text({})));
  EXPECT_FALSE(is("a.avi", points_text(some_points(true))));
  EXPECT_FALSE(is("list.txt", "walk.avi walk daria\n"));
  EXPECT_FALSE(is("list2.txt", "# clips\n5.avi walk daria\n"));
  EXPECT_FALSE(is("empty.txt", ""));
  EXPECT_FALSE(is_points_file(folder / "missing.txt"));
  EXPECT_FALSE(is_points_file("-"));
}

}  // namespace
}  // namespace fovea::actions
