#include <fovea/actions/classify.h>
#include <fovea/actions/evaluate_stream.h>
#include <fovea/actions/match_example.h>
#include <fovea/actions/recognize.h>
#include <fovea/io/record_io.h>
#include <gmock/gmock.h>

#include <limits>

namespace fovea::actions {
namespace {

using testing::HasSubstr;

ClipClass classified() {
  ClipClass clip;
  clip.name = "bend";
  clip.label = clip.nearest = 0;
  clip.runner_up = 1;
  clip.score = 0.5;
  clip.distance = 2;
  clip.margin = 0.25;
  clip.prototype = 7;
  clip.distances = {2, std::numeric_limits<double>::infinity()};
  clip.classes = {"bend", "walk"};
  clip.first_frame = 12;
  return clip;
}

TEST(ActionsRecords, ClassesHaveNamesInJson) {
  ClipClass clip = classified();
  const std::string json = io::record_json(record_ref(clip));
  EXPECT_EQ(json, R"({"name": "bend", "label": 0, "first_frame": 12, "score": 0.5, "distance": 2, )"
                  R"("margin": 0.25, "nearest": "bend", "runner_up": "walk", "prototype": 7, )"
                  R"("distances": {"bend": 2, "walk": null}})");
  const auto read = io::parse_record<ClipClass>(json, "a.json");
  EXPECT_EQ(read.classes, clip.classes);
  EXPECT_EQ(read.first_frame, 12);
  clip.truth = "walk";
  clip.probability = 0.75;
  EXPECT_THAT(io::record_json(record_ref(clip)), HasSubstr(R"("label": 0, "truth": "walk", )"));
  EXPECT_EQ(classified().name_of(-1), "none");
}

TEST(ActionsRecords, ManifestsKeepLabelsToo) {
  const ClipClass clip = classified();
  const std::string packed = io::pack_record(record_ref(clip));
  std::string_view bytes = packed;
  ClipClass read;
  io::unpack_record(bytes, record_ref(read));
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(read.nearest, 0);
  EXPECT_EQ(read.runner_up, 1);
  EXPECT_EQ(read.distances, clip.distances);
  EXPECT_EQ(io::pack_record(record_ref(read)), packed);
}

TEST(ActionsRecords, EventsReadBackFromTheirJson) {
  Event event;
  event.label = 1;
  event.name = "walk";
  event.score = 0.5;
  event.box = {1, 2, 3, 4};
  event.last_frame = 9;
  event.path = {{3, 1}};
  const std::string json = io::record_json(record_ref(event));
  EXPECT_THAT(json, HasSubstr(R"({"name": "walk", "label": 1, "score": 0.5, "first_frame": 0, )"));
  EXPECT_THAT(json, HasSubstr(R"("box": [1, 2, 3, 4], )"));
  EXPECT_THAT(json, testing::Not(HasSubstr("path")));
  EXPECT_EQ(io::record_json(record_ref(io::parse_record<Event>(json, "a.json"))), json);
}

TEST(ActionsRecords, CountsOfEventsHaveWhatFollowsFromThem) {
  const EventCounts counts{.truths = 4, .events = 2, .correct = 1, .delay_frames = 3};
  EXPECT_EQ(io::record_json(record_ref(counts)),
            R"({"true_events": 4, "events": 2, "correct": 1, "precision": 0.5, "recall": 0.25, )"
            R"("f1": 0.3333333333333333, "mean_delay_frames": 3})");
  const EventReport report{.overlap = 0.5, .all = counts, .classes = {counts}};
  const std::string packed = io::pack_record(record_ref(report));
  std::string_view bytes = packed;
  EventReport read;
  io::unpack_record(bytes, record_ref(read));
  EXPECT_EQ(read.all.delay_frames, 3);
  EXPECT_EQ(read.classes.at(0).truths, 4);
}

TEST(ActionsRecords, NodesThatAreNotSeenHaveNoPlace) {
  const ExampleNode node{.scene_x = std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THAT(io::record_json(record_ref(node)),
              HasSubstr(R"("scene_point": -1, "scene_x": null, "scene_y": 0, "dummy": true, )"));
}

}  // namespace
}  // namespace fovea::actions
