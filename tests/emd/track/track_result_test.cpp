#include <fovea/emd/track_result.h>
#include <fovea/io/record_io.h>
#include <gtest/gtest.h>

namespace fovea::emd {
namespace {

TEST(TrackResult, ReadsBackFromItsJson) {
  TrackResult result{.input = "walk.mp4", .size = {8, 6}, .frames = 2};
  result.tracks = {{5, {1, {1, 2, 3, 4}, 0.5, 0.25, false}}};
  TrackResult::Target& target = result.targets.emplace_back();
  target.id = 1;
  const std::string plain = io::record_json(record_ref(result));
  EXPECT_NE(
      plain.find(R"("targets": [{"id": 1, "parts": false}], "tracks": [{"frame": 5, "id": 1,)"),
      plain.npos);
  target.measured = TrackResult::Measured{{7, 0.5, 0.25, 0.125, 1, 2, 3}, 0.01};
  target.contest = TrackResult::Contest{{{"a box that stays", true, {}}}, 0.25, 0.5, true};
  result.means = TrackResult::Means{0.5, 0.25};
  const std::string measured = io::record_json(record_ref(result));
  EXPECT_NE(measured.find(R"("evaluated_frames": 7, "seconds_per_frame": 0.01, "rivals": [{)"),
            measured.npos);
  for (const std::string& json : {plain, measured})
    EXPECT_EQ(io::record_json(record_ref(io::parse_record<TrackResult>(json, "a.json"))), json);
}

}  // namespace
}  // namespace fovea::emd
