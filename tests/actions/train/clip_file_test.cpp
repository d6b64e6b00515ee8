#include "actions/train/clip_file.h"

#include <fovea/actions/evaluate.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "actions/synthetic.h"
#include "actions/videos.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

ClipOptions quick_points() {
  ClipOptions options;
  options.points = TrainOptions{}.points;
  options.points.harris.levels = 2;
  options.points.harris.scales = 1;
  options.points.harris.threshold = 1e-13;
  return options;
}

TEST(ClipFile, PointsOfFilesGiveWhatVideosGive) {
  const test::TempFolder folder;
  write_swing_folder(folder / "videos", 2);
  const Corpus videos = read_corpus(folder / "videos");
  const std::vector<PointSet> points = clip_points(videos.clips, quick_points());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::filesystem::path path(videos.clips[i].path);
    const auto to = std::filesystem::path(folder / "points") / path.parent_path().filename();
    std::filesystem::create_directories(to);
    test::save((to / path.filename()).replace_extension(i % 2 == 0 ? ".txt" : ".stip").string(),
               points_text(points[i]));
  }
  test::save(folder / "points/up/notes.txt", "what we filmed\n");
  const Corpus files = read_corpus(folder / "points");
  ASSERT_EQ(files.clips.size(), videos.clips.size());
  EXPECT_EQ(files.classes, videos.classes);
  EXPECT_EQ(files.subjects(), videos.subjects());
  const std::vector<PointSet> read = clip_points(files.clips, quick_points());
  TrainOptions options;
  options.points = quick_points().points;
  options.cut = {.nodes = 12, .step = 6};
  train(videos, points, options).write(folder / "a.safetensors");
  train(files, read, options).write(folder / "b.safetensors");
  EXPECT_EQ(test::load(folder / "a.safetensors"), test::load(folder / "b.safetensors"));
  const std::vector<Recipe> one{{"one", options}};
  const EvaluateOptions alone{.baselines = false};
  EXPECT_EQ(evaluate(videos, points, leave_one_subject_out(videos), one, alone).matching.labels,
            evaluate(files, read, leave_one_subject_out(files), one, alone).matching.labels);
}

Clip part_of_file(const std::string& path, int first, int frames) {
  return {.path = path, .subject = {}, .scenario = {}, .first = first, .frames = frames};
}

TEST(ClipFile, PartsAreCutFromTheirPoints) {
  const PointSet all = synthetic_points(1, 2, 20, 2);
  const PointSet part = part_of_points(all, 5, 9);
  EXPECT_EQ(part.frames, 4);
  ASSERT_EQ(part.points.size(), 8U);
  EXPECT_EQ(part.points[0].frame, 0);
  EXPECT_EQ(part.points[7].frame, 3);
  EXPECT_EQ(part.points[0].x, all.points[10].x);
  EXPECT_EQ(part.descriptors.at(3, 7), all.descriptors.at(3, 17));
  const test::TempFolder folder;
  test::save(folder / "p.txt", points_text(all));
  const std::string path = folder / "p.txt";
  const std::vector<Clip> clips{part_of_file(path, 5, 4), part_of_file(path, 18, 40)};
  const std::vector<PointSet> read = clip_points(clips, {});
  EXPECT_TRUE(test::images_equal(read[0].descriptors, part.descriptors));
  EXPECT_EQ(read[1].frames, 2);
  const std::vector<Clip> late{part_of_file(path, 20, 0)};
  EXPECT_THAT(message_of<FormatError>([&] { clip_points(late, {}); }),
              HasSubstr("begins at frame 21, but its points end with frame 20"));
}

TEST(ClipFile, PointsThatCannotBeComparedAreNamed) {
  const test::TempFolder folder;
  PointSet set = synthetic_points(0, 0, 12);
  set.detector = PointDetector::kPeriodic;
  test::save(folder / "a.txt", points_text(set));
  EXPECT_THAT(message_of<FormatError>([&] {
                read_described_points(folder / "a.txt", {.detector = PointDetector::kHarris});
              }),
              HasSubstr("a.txt: points of the periodic detector; expected those of harris"));
  EXPECT_EQ(
      read_described_points(folder / "a.txt", {.detector = PointDetector::kPeriodic}).points.size(),
      12U);
  set.votes = FlowVotes::kCount;
  test::save(folder / "v.txt", points_text(set));
  EXPECT_THAT(message_of<FormatError>([&] {
                read_described_points(folder / "v.txt", {.detector = PointDetector::kPeriodic,
                                                         .votes = FlowVotes::kMagnitude});
              }),
              HasSubstr("v.txt: descriptors with the votes count; expected magnitude"));
  set.descriptors = {};
  test::save(folder / "b.txt", points_text(set));
  EXPECT_THAT(message_of<FormatError>([&] {
                read_described_points(folder / "b.txt", {.detector = PointDetector::kPeriodic});
              }),
              HasSubstr("b.txt: the points have no descriptors"));
  test::save(folder / "c.txt", "5 0 0 0 1 1 1 4 2 0.5 0.25\n");
  EXPECT_THAT(message_of<FormatError>([&] {
                read_described_points(folder / "c.txt", {.detector = PointDetector::kHarris});
              }),
              HasSubstr("c.txt: line 1: 11 numbers, expected 9 or, with HoG and HoF, 171"));
}

TEST(ClipFile, AVideoBesideItsPointsIsRefused) {
  const test::TempFolder folder;
  const std::string points = points_text(synthetic_points(0, 0, 12));
  test::save(folder / "a_walk.avi", "video");
  test::save(folder / "b_walk.txt", points);
  test::save(folder / "notes.txt", "file class subject\n");
  EXPECT_THAT(clip_files_in(folder / ""), ElementsAre("a_walk.avi", "b_walk.txt"));
  test::save(folder / "a_walk.txt", points);
  EXPECT_THAT(message_of<InvalidArgument>([&] { clip_files_in(folder / ""); }),
              HasSubstr("a_walk.avi and a_walk.txt would be two clips"));
}

}  // namespace
}  // namespace fovea::actions
