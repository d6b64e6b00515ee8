// Actions in a dropped video: its class, what happens when, shapes over frames, and why.
// Covers: actions, recognized_actions
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "actions/swing_model.h"
#include "support/files.h"
#include "support/messages.h"
#include "view/saved_results/saved_file.h"
#include "view/session_fixture.h"
#include "view/views/recognized_actions.h"

namespace fovea::view {
namespace {

using testing::HasSubstr;

// The file of the small model, written once.
const std::string& swing_model_file() {
  static const test::TempFolder kFolder;
  static const std::string kPath = [] {
    actions::swing_model()->write(kFolder / "swings.safetensors");
    return kFolder / "swings.safetensors";
  }();
  return kPath;
}

class ActionsTest : public SessionFixture {
 protected:
  ActionsTest() : SessionFixture(swing_model_file()) {}

  std::string upload_swings(const std::vector<int>& kinds) {
    actions::write_swings(folder_ / "swings.y4m", kinds, 5);
    return parsed(post("/inputs?name=swings.y4m", test::load(folder_ / "swings.y4m")))["id"];
  }
  json run_swings(const std::string& id, const json& options = json::object()) {
    address_ = run({{"system", "actions"}, {"inputs", {id}}, {"options", options}});
    return parsed(get(address_));
  }

  test::TempFolder folder_{};
  std::string address_{};
};

TEST_F(ActionsTest, OffersTheModelOfTheCommandLineToActionsAlone) {
  const json systems = parsed(get("/systems"))["systems"];
  const auto models = [&](const char* name) {
    return std::ranges::find(systems, name, [](const json& each) { return each["name"]; })
        ->at("models");
  };
  EXPECT_EQ(models("actions")[0], swing_model_file());
  EXPECT_EQ(models("actions")[1], "weizmann");
  EXPECT_EQ(models("people")[0], "channels");
}

TEST_F(ActionsTest, NamesTheClassAndWhatHappensWhen) {
  const std::string id = upload_swings({0, 2});
  const json result = run_swings(id, {{"reject", "1.1"}});
  EXPECT_EQ(result["video"]["frames"], 72);
  const json& spans = result["video"]["spans"];
  ASSERT_GE(spans.size(), 2U);
  EXPECT_EQ(spans.front()["name"], "across");
  EXPECT_LT(spans.front()["last"], 48);
  EXPECT_EQ(spans.back()["name"], "up");
  EXPECT_GT(spans.back()["first"], 24);
  EXPECT_EQ(result["scores"].size(), 3U);
  EXPECT_GE(result["scores"][0]["value"], result["scores"][1]["value"]);
  EXPECT_THAT(result["summary"].get<std::string>(), HasSubstr("recognized over time"));
  EXPECT_THAT(result["command"].get<std::string>(),
              HasSubstr("fovea actions recognize swings.y4m --model"));
  EXPECT_THAT(result["command"].get<std::string>(), HasSubstr("--reject 1.1\nfovea"));
  EXPECT_THAT(result["python"].get<std::string>(), HasSubstr(").recognize(\"swings.y4m\")"));
  const std::string saved = get(address_ + "/result.json").body;
  const json numbers = json::parse(saved)["results"][0];
  EXPECT_EQ(json::parse(saved)["command"], "actions classify");
  EXPECT_EQ(numbers["events"].size(), spans.size());
  EXPECT_EQ(numbers["distances"].size(), 3U);
  EXPECT_EQ(numbers["first_frame"], 0);
  const SavedFile opened = parse_saved_json(saved, "saved.json");
  ASSERT_EQ(opened.events.size(), spans.size());
  EXPECT_EQ(opened.events[0].input, "swings.y4m");
  EXPECT_EQ(opened.events[0].name, "across");
  EXPECT_TRUE(opened.events[0].box.has_value());
  ASSERT_EQ(opened.items.size(), 1U);
  EXPECT_THAT(opened.items[0].text, HasSubstr(numbers["name"].get<std::string>()));
  EXPECT_THAT(get(address_ + "/page.html").body, HasSubstr("What was seen when"));
}

TEST_F(ActionsTest, DrawsBoxesPointsAndChainsOverFrames) {
  const json result = run_swings(upload_swings({0}), {{"reject", "1.1"}});
  ASSERT_GE(result["video"]["spans"].size(), 1U);
  const json& span = result["video"]["spans"][0];
  std::set<std::string> drawn;
  for (int frame = span["first"]; frame <= span["last"]; ++frame)
    for (const json& shape : parsed(get(address_ + "/frame/" + std::to_string(frame)))) {
      drawn.insert(shape["layer"].get<std::string>() + " " + shape["kind"].get<std::string>());
      EXPECT_GE(shape["points"].size(), 2U);
    }
  EXPECT_THAT(drawn, testing::UnorderedElementsAre("events box", "points polygon", "chain line",
                                                   "chain dots"));
  EXPECT_EQ(get(address_ + "/frame/x").status, 404);
  EXPECT_EQ(get(address_ + "/frame/-1").body, get(address_ + "/frame/100000").body);
}

TEST_F(ActionsTest, SaysWhyOfAnEventAndOfTheClip) {
  const json result = run_swings(upload_swings({0}), {{"reject", "1.1"}});
  ASSERT_GE(result["video"]["spans"].size(), 1U);
  const json& span = result["video"]["spans"][0];
  const int frame = (span["first"].get<int>() + span["last"].get<int>()) / 2;
  const json event = why(address_, {{"x", 48}, {"y", 36}, {"frame", frame}});
  EXPECT_THAT(event["title"].get<std::string>(), HasSubstr("Why across in frames"));
  EXPECT_GT(event["reasons"].size(), 2U);
  EXPECT_GT(event["shapes"].size(), 2U);
  const json clip = why(address_, {{"x", 1}, {"y", 1}, {"frame", frame}});
  EXPECT_THAT(clip["title"].get<std::string>(), HasSubstr("Why across rather than"));
}

TEST_F(ActionsTest, WorksOnVideosOnly) {
  const std::string id = upload(drawn(32, 32));
  const std::string job =
      parsed(post("/run", json{{"system", "actions"}, {"inputs", {id}}}.dump()))["job"];
  const json state = JobEnd(session_, job).wait();
  EXPECT_EQ(state["state"], "failed");
  EXPECT_THAT(state["error"].get<std::string>(), HasSubstr("a.png is no video"));
}

TEST(ActionsSummary, DoesNotContradictItself) {
  actions::ClipExplanation clip{.names = {"walk", "run"}};
  clip.result.nearest = 0;
  clip.result.runner_up = 1;
  clip.result.probability = 1.0;
  clip.result.label = 0;
  EXPECT_EQ(summary_of(clip, 0),
            "The clip shows 'walk', with a probability of 1.00, before 'run'. No action was "
            "recognized over time.");
  clip.result.label = -1;
  for (const std::size_t events : {0U, 1U, 3U}) {
    const std::string text = summary_of(clip, events);
    EXPECT_EQ(text.find("probability"), text.npos) << text;
    EXPECT_EQ(text.find(". "), text.npos) << "one sentence weighs both: " << text;
    EXPECT_THAT(text, HasSubstr("'walk' is the nearest"));
    EXPECT_EQ(text.find("in parts of it") != text.npos, events > 0) << text;
  }
  EXPECT_THAT(summary_of(clip, 3), HasSubstr("but 3 actions were recognized over time"));
}

TEST(VideoPoints, AreThoseOfTheFirstFrames) {
  const test::TempFolder folder;
  actions::write_swings(folder / "a.y4m", {0}, 1);
  const auto first = [&](const VideoBounds& bounds) {
    return find_video_points(folder / "a.y4m", *actions::swing_model(), {.device = Device::cpu()},
                             bounds);
  };
  const VideoPoints all = first({}), frames = first({.frames = 30}), points = first({.points = 3});
  EXPECT_TRUE(all.whole);
  EXPECT_EQ(all.set.frames, 36);
  EXPECT_FALSE(frames.whole);
  EXPECT_EQ(frames.set.frames, 30);
  EXPECT_EQ(frames.video_frames, 36);
  ASSERT_FALSE(frames.set.points.empty());
  EXPECT_LT(frames.set.points.back().frame, 30);
  EXPECT_EQ(frames.set.descriptors.height(), std::ssize(frames.set.points));
  EXPECT_FALSE(points.whole);
  EXPECT_LT(points.set.frames, 36);
}

TEST(VideoPoints, StopWhenAsked) {
  const test::TempFolder folder;
  actions::write_swings(folder / "a.y4m", {0}, 1);
  std::stop_source stop;
  const Exec exec{.device = Device::cpu(),
                  .progress = [&](const Progress&) { stop.request_stop(); },
                  .stop = stop.get_token()};
  EXPECT_THROW(find_video_points(folder / "a.y4m", *actions::swing_model(), exec), Cancelled);
}

TEST(VideoPoints, RefuseHugeFrames) {
  const test::TempFolder folder;
  io::VideoWriter writer(folder / "huge.y4m");
  writer.write(Image<std::uint8_t>(2000, 1100).view());
  writer.finish();
  EXPECT_THAT(test::message_of<InvalidArgument>(
                  [&] { find_video_points(folder / "huge.y4m", *actions::swing_model(), {}); }),
              HasSubstr("2000x1100"));
}

}  // namespace
}  // namespace fovea::view
