#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/evaluate_tracks.h>
#include <gmock/gmock.h>

#include <cmath>

#include "support/messages.h"

namespace fovea::people {
namespace {

using testing::HasSubstr;

// Someone who stands at `place` from frame `begin` to before frame `end`.
void stand(std::vector<MotBox>& boxes, int id, double place, int begin, int end) {
  for (int frame = begin; frame < end; ++frame)
    boxes.push_back({.frame = frame, .id = id, .box = {place, 10, 20, 50}});
}

TEST(EvaluateTracks, TracksThatAreTheTruthArePerfect) {
  std::vector<MotBox> truth;
  stand(truth, 1, 0, 0, 10);
  stand(truth, 7, 100, 3, 8);
  const TrackReport report = evaluate_tracks(truth, truth);
  EXPECT_EQ(report.frames, 10);
  EXPECT_EQ(report.people, 2);
  EXPECT_EQ(report.truth_boxes, 15);
  for (const double one : {report.mota, report.motp, report.idf1, report.idp, report.idr,
                           report.hota, report.deta, report.assa, report.loca})
    EXPECT_DOUBLE_EQ(one, 1);
  EXPECT_EQ(report.mostly_tracked, 2);
  EXPECT_EQ(report.switches + report.fragments + report.misses + report.false_positives, 0);
}

TEST(EvaluateTracks, ASwitchInTheMiddleHalvesTheIdentity) {
  std::vector<MotBox> truth, found;
  stand(truth, 1, 0, 0, 10);
  stand(found, 1, 0, 0, 5);
  stand(found, 2, 0, 5, 10);
  const TrackReport report = evaluate_tracks(truth, found);
  EXPECT_EQ(report.switches, 1);
  EXPECT_EQ(report.fragments, 0);
  EXPECT_DOUBLE_EQ(report.mota, 0.9);
  EXPECT_DOUBLE_EQ(report.idf1, 0.5);
  // Each hit has 5 boxes in common with its track of 5 and its person of 10.
  EXPECT_DOUBLE_EQ(report.assa, 0.5);
  EXPECT_DOUBLE_EQ(report.deta, 1);
  EXPECT_DOUBLE_EQ(report.hota, std::sqrt(0.5));
}

TEST(EvaluateTracks, CountsMissesFragmentsAndFalsePositives) {
  std::vector<MotBox> truth, found;
  stand(truth, 1, 0, 0, 20);
  stand(truth, 2, 100, 0, 20);
  stand(found, 5, 0, 0, 4);
  stand(found, 5, 0, 8, 12);
  stand(found, 6, 300, 0, 12);
  stand(found, 7, 100, 0, 2);
  const TrackReport report = evaluate_tracks(truth, found);
  EXPECT_EQ(report.hits, 10);
  EXPECT_EQ(report.misses, 30);
  EXPECT_EQ(report.false_positives, 12);
  EXPECT_EQ(report.fragments, 1);
  EXPECT_EQ(report.switches, 0);
  EXPECT_EQ(report.partly_tracked, 1);
  EXPECT_EQ(report.mostly_lost, 1);
  EXPECT_DOUBLE_EQ(report.mota, (10.0 - 12) / 40);
  EXPECT_DOUBLE_EQ(report.recall, 0.25);
  EXPECT_DOUBLE_EQ(report.precision, 10.0 / 22);
}

TEST(EvaluateTracks, OverlapDecidesAndIsReported) {
  // Boxes that are 10 of 20 pixels apart overlap by a third: HOTA counts them up to 0.3.
  std::vector<MotBox> truth, found;
  stand(truth, 1, 0, 0, 4);
  stand(found, 1, 10, 0, 4);
  const TrackReport report = evaluate_tracks(truth, found);
  EXPECT_EQ(report.hits, 0);
  EXPECT_DOUBLE_EQ(report.mota, -1);
  EXPECT_EQ(report.thresholds[5].hits, 4);  // 0.3
  EXPECT_EQ(report.thresholds[6].hits, 0);  // 0.35
  EXPECT_NEAR(report.hota, 6.0 / 19, 1e-12);
  EXPECT_EQ(evaluate_tracks(truth, found, {.match_overlap = 0.3}).hits, 4);
}

TEST(EvaluateTracks, LeavesOutWhatDoesNotCount) {
  std::vector<MotBox> truth, found;
  stand(truth, 1, 0, 0, 10);
  truth[0].score = 0;
  truth[1].visibility = 0.1;
  truth[2].visibility = 0.9;
  EXPECT_EQ(evaluate_tracks(truth, found).truth_boxes, 9);
  EXPECT_EQ(evaluate_tracks(truth, found, {.least_visibility = 0.5}).truth_boxes, 8);
  EXPECT_EQ(evaluate_tracks(truth, found).mota, 0);
  EXPECT_EQ(evaluate_tracks(truth, found).hota, 0);
}

TEST(EvaluateTracks, SequencesAreCombinedByTheirCounts) {
  std::vector<MotBox> first, second, nothing;
  stand(first, 1, 0, 0, 30);
  stand(second, 1, 0, 0, 10);
  const TrackReport reports[] = {evaluate_tracks(first, first), evaluate_tracks(second, nothing)};
  const TrackReport all = combine(reports);
  EXPECT_EQ(all.people, 2);
  EXPECT_DOUBLE_EQ(all.mota, 0.75);
  EXPECT_DOUBLE_EQ(all.idr, 0.75);
  EXPECT_DOUBLE_EQ(all.deta, 0.75);
  EXPECT_DOUBLE_EQ(all.assa, 1);
  EXPECT_DOUBLE_EQ(all.motp, 1);
}

TEST(EvaluateTracks, ListsWhatIsWrongInStretches) {
  std::vector<MotBox> truth, found;
  stand(truth, 1, 0, 0, 20);
  stand(found, 5, 0, 0, 8);    // then nobody for four frames
  stand(found, 6, 0, 12, 20);  // and another id
  stand(found, 7, 500, 3, 5);  // where nobody is
  const std::vector<TrackMistake> mistakes = track_mistakes(truth, found);
  const TrackReport report = evaluate_tracks(truth, found);
  ASSERT_EQ(mistakes.size(), 3U);
  EXPECT_EQ(mistakes[0], (TrackMistake{.kind = TrackMistakeKind::kSwitch,
                                       .id = 1,
                                       .before = 5,
                                       .after = 6,
                                       .first_frame = 12,
                                       .last_frame = 12,
                                       .boxes = 8,
                                       .box = truth[12].box}));
  EXPECT_EQ(mistakes[1].kind, TrackMistakeKind::kMiss);
  EXPECT_EQ(mistakes[1].first_frame, 8);
  EXPECT_EQ(mistakes[1].last_frame, 11);
  EXPECT_EQ(mistakes[2].kind, TrackMistakeKind::kFalse);
  EXPECT_EQ(mistakes[2].id, 7);
  EXPECT_EQ(mistakes[2].first_frame, 3);
  // They are what CLEAR MOT counts.
  EXPECT_EQ(report.switches, 1);
  EXPECT_EQ(report.misses, mistakes[1].boxes);
  EXPECT_EQ(report.false_positives, mistakes[2].boxes);
  EXPECT_TRUE(track_mistakes(truth, truth).empty());
  EXPECT_EQ(track_mistakes(truth, {}).front().boxes, 20);
}

// Whatever is matched, the boxes of all stretches are those that CLEAR MOT counts.
TEST(EvaluateTracks, ListsAllThatIsCounted) {
  Random random(11);
  for (int round = 0; round < 20; ++round) {
    std::vector<MotBox> truth, found;
    for (int frame = 0; frame < 30; ++frame)
      for (int id = 1; id <= 4; ++id) {
        const double x = 30 * random.below(4), y = 5 * random.below(3);
        if (random.below(4) > 0) truth.push_back({.frame = frame, .id = id, .box = {x, 0, 20, 40}});
        if (random.below(4) > 0) found.push_back({.frame = frame, .id = id, .box = {x, y, 20, 40}});
      }
    const TrackReport report = evaluate_tracks(truth, found);
    std::array<std::int64_t, 3> boxes{};
    std::int64_t switches = 0;
    for (const TrackMistake& mistake : track_mistakes(truth, found)) {
      boxes[static_cast<std::size_t>(mistake.kind)] += mistake.boxes;
      switches += mistake.kind == TrackMistakeKind::kSwitch ? 1 : 0;
    }
    EXPECT_EQ(switches, report.switches);
    EXPECT_EQ(boxes[1], report.misses);
    EXPECT_EQ(boxes[2], report.false_positives);
  }
}

TEST(EvaluateTracks, HugeFrameNumbersTakeNoMemory) {
  std::vector<MotBox> truth;
  stand(truth, 1, 0, 999'999'990, 1'000'000'000);
  EXPECT_DOUBLE_EQ(evaluate_tracks(truth, truth).hota, 1);
}

TEST(EvaluateTracks, RefusesWhatCannotBeCompared) {
  std::vector<MotBox> truth;
  stand(truth, 1, 0, 0, 2);
  const auto refusal = [](const std::vector<MotBox>& a, const std::vector<MotBox>& b) {
    return test::message_of([&] { evaluate_tracks(a, b); });
  };
  EXPECT_THAT(refusal({}, {}), HasSubstr("neither side has a box"));
  std::vector<MotBox> twice = truth;
  twice.push_back(truth[0]);
  EXPECT_THAT(refusal(truth, twice), HasSubstr("found boxes have id 1 twice in frame 0"));
  std::vector<MotBox> bad = truth;
  bad[1].box.width = std::nan("");
  EXPECT_THAT(refusal(bad, truth), HasSubstr("the true box of id 1 in frame 1"));
}

}  // namespace
}  // namespace fovea::people
