#include <fovea/core/error.h>
#include <fovea/emd/track.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::emd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(EmdTrackBoxes, OverlapIsIntersectionOverUnion) {
  const Rect<double> box{10, 20, 4, 6};
  EXPECT_EQ(overlap(box, box), 1);
  EXPECT_EQ(overlap(box, {12, 20, 4, 6}), 12.0 / 36.0);
  EXPECT_EQ(overlap(box, {14, 20, 4, 6}), 0);
  EXPECT_EQ(overlap(box, {10, 20, 2, 3}), 0.25);
  EXPECT_EQ(overlap(box, {}), 0);
  EXPECT_EQ(center_distance(box, {13, 24, 4, 6}), 5);
}

TEST(EmdTrackBoxes, EvaluationCountsFramesWithTruth) {
  const Rect<double> box{0, 0, 10, 10};
  const std::vector<Rect<double>> track{box, {5, 0, 10, 10}, {20, 0, 10, 10}, {21, 0, 10, 10}, box};
  const std::vector<Rect<double>> truth{box, box, box, box, {}};
  const TrackReport result = evaluate_track(track, truth);
  EXPECT_EQ(result.frames, 4);
  EXPECT_DOUBLE_EQ(result.mean_overlap, (1 + 1.0 / 3) / 4);
  EXPECT_EQ(result.precision_20px, 0.75);
  EXPECT_EQ(result.success_50, 0.25);
  // 1 passes the thresholds below 1, a third those of 0, 0.05, ..., 0.3.
  EXPECT_NEAR(result.success_area, (20 + 7) / 4.0 / 21, 1e-12);
  EXPECT_EQ(evaluate_track({}, truth).frames, 0);
}

TEST(EmdTrackBoxes, AreReadAsBenchmarksWriteThem) {
  const test::TempFolder folder;
  const std::string path = folder / "boxes.txt";
  test::save(path, "1,2,30,40\r\n5\t6\t7.5\t8\n\n1 2 , 3 4\nnan,nan,nan,nan\n0,0,0,0\n");
  EXPECT_THAT(read_boxes(path, 1),
              ElementsAre(Rect<double>{0, 1, 30, 40}, Rect<double>{4, 5, 7.5, 8},
                          Rect<double>{0, 1, 3, 4}, Rect<double>{}, Rect<double>{}));
  EXPECT_EQ(read_boxes(path, 0)[1], (Rect<double>{5, 6, 7.5, 8}));
  test::save(path, "1,2,10,20,30,40,1,-1,-1,-1\n3,1,1,1,5,5,1,-1,-1,-1\n3,2,11,20,30,40,1,-1,-1\n");
  EXPECT_THAT(read_boxes(path, 1, 2), ElementsAre(Rect<double>{9, 19, 30, 40}, Rect<double>{},
                                                  Rect<double>{10, 19, 30, 40}));
}

TEST(EmdTrackBoxes, TheirFirstPixelIsWhatTheFileSaysUnlessTheCallerDoes) {
  const test::TempFolder folder;
  const std::string path = folder / "boxes.txt";
  const auto first = [&](const std::string& text, std::optional<int> origin = {}) {
    test::save(path, text + "5,6,7,8\n");
    return read_boxes(path, origin).front();
  };
  const Rect<double> from_one{4, 5, 7, 8}, from_zero{5, 6, 7, 8};
  EXPECT_EQ(first(""), from_one);
  EXPECT_EQ(first("# origin 0\n"), from_zero);
  EXPECT_EQ(first("# a walk\n# origin 1\n"), from_one);
  EXPECT_EQ(first("# origin 1\n", 0), from_zero);
}

TEST(EmdTrackBoxes, BadFilesAreNamedWithTheirLine) {
  const test::TempFolder folder;
  const std::string path = folder / "boxes.txt";
  const auto refusal = [&](const std::string& text) {
    test::save(path, text);
    try {
      read_boxes(path);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(refusal("1,2,3,4\n1,2,3\n"), HasSubstr("line 2 is '1,2,3'; expected x, y, width"));
  EXPECT_THAT(refusal("a,b,c,d\n"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("1x,2,3,4\n"), HasSubstr("line 1"));
  EXPECT_THAT(refusal(""), HasSubstr("holds no box"));
  EXPECT_THAT(refusal("0,1,1,1,5,5,1\n"), HasSubstr("a frame from 1 on"));
  EXPECT_THAT(refusal("1e18,1,1,1,5,5,1\n"), HasSubstr("a frame from 1 on"));
  EXPECT_THROW(read_boxes(folder / "absent.txt"), IoError);
}

TEST(EmdTrackBoxes, MotLinesCountFromOne) {
  Track track;
  track.id = 3;
  track.box = {10, 20, 30, 40};
  track.confidence = 0.5;
  EXPECT_EQ(mot_line(12, track), "12,3,11,21,30,40,0.5000,-1,-1,-1\n");
}

}  // namespace
}  // namespace fovea::emd
