#include <fovea/io/image_io.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/program.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// Someone who walks to the right, as videos, as pictures and as detections.
class PeopleTrackVideos : public testing::Test {
 protected:
  PeopleTrackVideos() {
    likeness().write(at("model.safetensors"));
    fs::create_directory(at("frames"));
    std::string found;
    for (const char* name : {"one.y4m", "two.y4m"}) {
      io::VideoWriter writer(at(name), {.frame_rate = 10});
      for (int i = 0; i < 6; ++i) {
        Image<std::uint8_t> frame = street(160, 176, 3);
        draw_someone(frame.view(), 4 * i, 16);
        writer.write(frame);
        io::write_image(at("frames/" + std::to_string(i) + ".png"), frame.view());
      }
      writer.finish();
    }
    for (int i = 0; i < 6; ++i)
      found += std::to_string(i + 1) + ",-1," + std::to_string(4 * i + 11) + ",30,43,104,0.9\n";
    test::save(at("det.txt"), found);
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  static Ended track(std::vector<std::string> more) {
    more.insert(more.begin(), {"people", "track", "--confirm", "1", "--device", "cpu"});
    return run_here(more);
  }
  json tracked(std::vector<std::string> more) const {
    more.insert(more.end(), {"--detections", at("det.txt"), "--json"});
    const Ended ended = track(more);
    EXPECT_EQ(ended.status, kDone) << ended.err;
    return json::parse(ended.out)["results"].at(0);
  }
  // Both videos, with all files.
  Ended track_both(const std::string& to, std::vector<std::string> more) const {
    more.insert(more.begin(), {at("one.y4m"), at("two.y4m"), "--model", at("model.safetensors"),
                               "-o", at(to + "/{}.y4m"), "--csv", at(to + ".csv"), "--mot"});
    return track(more);
  }
  static void expect_refusal(const Ended& ended, const std::string& words) {
    EXPECT_EQ(ended.status, kUsage) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  }

  test::TempFolder folder_;
};

TEST_F(PeopleTrackVideos, AFolderIsOneSequenceWhosePicturesAPatternNames) {
  const json film = tracked({at("one.y4m"), "--mot", at("film.txt")});
  const json folder = tracked({at("frames"), "--mot", at("folder.txt"), "-o", at("d_%06d.png")});
  EXPECT_EQ(folder["input"], at("frames"));
  EXPECT_EQ(folder["frame_count"], 6);
  EXPECT_EQ(folder["identities"], 1);
  EXPECT_EQ(folder["mot"], at("folder.txt"));
  EXPECT_EQ(folder["output"], at("d_%06d.png"));
  EXPECT_FALSE(film.contains("output"));
  EXPECT_EQ(folder["frames"].at(3)["people"].size(), 1U);
  EXPECT_EQ(folder["frames"].at(3)["people"], film["frames"].at(3)["people"]);
  EXPECT_EQ(test::load(at("folder.txt")), test::load(at("film.txt")));
  EXPECT_TRUE(fs::exists(at("d_000005.png")));
}

TEST_F(PeopleTrackVideos, SeveralHaveFilesOfTheirOwnAndOneTable) {
  const Ended whole = track_both("whole", {at("whole_mot"), "--json"});
  ASSERT_EQ(whole.status, kDone) << whole.err;
  const json results = json::parse(whole.out)["results"];
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1]["output"], at("whole/two.y4m"));
  EXPECT_EQ(results[1]["mot"], at("whole_mot/two.txt"));
  // Each video begins with people of its own.
  EXPECT_EQ(results[1]["frames"].at(5)["people"], results[0]["frames"].at(5)["people"]);
  EXPECT_EQ(results[1]["frames"].at(5)["people"].at(0)["id"], 1);
  for (const std::string shard : {"0", "1"}) {
    const Ended part = track_both(
        "cut", {at("cut_mot"), "--shard", shard + "/2", "--manifest", at(shard + ".manifest")});
    ASSERT_EQ(part.status, kDone) << part.err;
  }
  EXPECT_FALSE(fs::exists(at("cut.csv")));
  const Ended merged = run_here({"merge", "--trust", at("0.manifest"), at("1.manifest")});
  ASSERT_EQ(merged.status, kDone) << merged.err;
  for (const std::string file : {".csv", "/one.y4m", "/two.y4m", "_mot/one.txt", "_mot/two.txt"})
    EXPECT_EQ(test::load(at("cut" + file)), test::load(at("whole" + file))) << file;
}

TEST_F(PeopleTrackVideos, ARunWithAManifestNamesItsFiles) {
  expect_refusal(track({at("one.y4m"), "--mot", "-", "--manifest", at("a.manifest")}),
                 "--mot -: a run with a manifest writes files; name one");
}

TEST_F(PeopleTrackVideos, DetectionsThatAreTheInputHaveNoPictures) {
  const std::string det = at("det.txt");
  expect_refusal(track({det, "--detections", det, "--no-appearance", "-o", at("a.y4m")}),
                 "draws on pictures");
  expect_refusal(track({det, "--detections", det}), "--no-appearance");
  EXPECT_THAT(track({at("one.y4m"), "--detections", det, "--frames", "4"}).err,
              HasSubstr("has frame 6, but " + at("one.y4m") + " ends after 4 frames"));
}

TEST_F(PeopleTrackVideos, TheSchemaHasFramesAndWhatAVideoHas) {
  const json schema = json::parse(run_here({"schema", "people", "track"}).out);
  const json& item = schema["properties"]["results"]["items"];
  EXPECT_TRUE(item["properties"]["frames"]["items"]["properties"].contains("people"));
  EXPECT_TRUE(item["anyOf"].back()["properties"].contains("identities"));
}

}  // namespace
}  // namespace fovea::cli
